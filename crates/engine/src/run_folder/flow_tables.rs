//! The flows and rounds of a run as tables.

use hopscope_formats::parquet::{Column, Values, encode};
use hopscope_measure::{FlowRow, FlowTables, RoundRow};

use super::integer;

/// Each flow that ended, or an even sample of them. Its slowdown follows from its instants: as a float it would
/// be a quarter to a third of the file.
pub(super) fn flows(tables: &FlowTables) -> Vec<u8> {
    let rows = &tables.flows;
    let whole = |of: fn(&FlowRow) -> u64| Values::Integer(rows.iter().map(|row| integer(of(row))).collect());
    let hosts = |of: fn(&FlowRow) -> u32| {
        Values::Text(rows.iter().map(|row| tables.hosts[of(row) as usize].as_str()).collect())
    };
    let groups = rows.iter().map(|row| tables.groups[usize::from(row.group)].as_str()).collect();
    encode(&[
        Column { name: "flow", values: whole(|row| row.number) },
        Column { name: "group", values: Values::Text(groups) },
        Column { name: "round", values: whole(|row| row.round.into()) },
        Column { name: "from", values: hosts(|row| row.source) },
        Column { name: "to", values: hosts(|row| row.destination) },
        Column { name: "bytes", values: whole(|row| row.bytes) },
        Column { name: "begun_ps", values: whole(|row| row.begun_ps) },
        Column { name: "ended_ps", values: whole(|row| row.ended_ps) },
        Column { name: "ideal_ps", values: whole(|row| row.ideal_ps) },
    ])
}

/// Each round that ended: a collective, an incast, a shuffle.
pub(super) fn rounds(tables: &FlowTables) -> Vec<u8> {
    let rows = &tables.rounds;
    let whole = |of: fn(&RoundRow) -> u64| Values::Integer(rows.iter().map(|row| integer(of(row))).collect());
    let groups = rows.iter().map(|row| tables.groups[usize::from(row.group)].as_str()).collect();
    encode(&[
        Column { name: "group", values: Values::Text(groups) },
        Column { name: "round", values: whole(|row| row.round.into()) },
        Column { name: "begun_ps", values: whole(|row| row.begun_ps) },
        Column { name: "ended_ps", values: whole(|row| row.ended_ps) },
        Column { name: "bytes", values: whole(|row| row.bytes) },
    ])
}
