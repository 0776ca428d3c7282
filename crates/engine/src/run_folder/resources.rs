//! The use of the resources as a table: `resources.parquet`, and `resources` of a summary from it.
//!
//! Most means of a run are whole picoseconds over the measured window. A 64-bit float of such a mean has 53 bits of
//! noise, which nothing compresses; the picoseconds have as many as they need. So a mean is kept as its integral over
//! the window where that gives the very same float again, and as a float elsewhere. What follows from the rest of its
//! row is left out, likewise only where the very same float follows.

use std::borrow::Cow;

use hopscope_formats::parquet::{Column, Values, encode};
use hopscope_formats::parquet_read::{DamagedTable, Table};
use hopscope_measure::{
    HeldIn, HoldActivity, HoldWhy, MeasuredWindow, PoolLabel, ResourceKind, ResourceRow, Site,
};

use crate::run::guarded;
use crate::summary::resources_json;

/// The file's name, which stands in `summary.json` in place of the list.
pub(super) const FILE: &str = "resources.parquet";

/// Floats have all whole numbers up to this one.
const MOST_EXACT: f64 = (1_u64 << 53) as f64;

/// What means are over.
#[derive(Clone, Copy)]
struct Window {
    span_ps: u64,
    messages: u64,
}

impl Window {
    fn of(measured: &MeasuredWindow) -> Self {
        Self { span_ps: (measured.span_s * 1e12).round() as u64, messages: measured.messages }
    }

    /// The mean of which this is the integral.
    fn mean(self, integral_ps: i64) -> f64 {
        integral_ps as f64 / self.span_ps as f64
    }

    /// The integral of which this is the mean, to the last bit; nothing where there is none.
    fn integral(self, mean: f64) -> Option<i64> {
        let integral = (mean * self.span_ps as f64).round();
        let integral = (integral.abs() <= MOST_EXACT).then_some(integral as i64);
        integral.filter(|&integral| is_same(self.mean(integral), mean))
    }

    /// The wait of each message, us, of an integral over all that waited.
    fn wait_us(self, waiting_ps: i64) -> f64 {
        waiting_ps as f64 * 1e-6 / self.messages.max(1) as f64
    }
}

/// Whether two numbers print alike.
fn is_same(one: f64, other: f64) -> bool {
    one.to_bits() == other.to_bits()
}

/// The share in use: the share of time in which it sends, if the model reports it, else the share held of the capacity;
/// 0 of an unbounded resource.
fn share(row: &ResourceRow) -> f64 {
    let sending = row.held_in.iter().find(|held| held.activity == HoldActivity::of(HoldWhy::Sending));
    let held = || row.capacity.map_or(0.0, |capacity| row.occupancy / capacity);
    sending.map_or_else(held, |held| held.occupancy).min(1.0)
}

/// What the other causes leave of an amount for the last one.
fn rest(occupancy: f64, others: &[HeldIn]) -> f64 {
    others.iter().fold(occupancy, |rest, other| rest - other.occupancy).max(0.0)
}

/// Means, each as its integral or as a float or, where it follows from the rest, as neither.
#[derive(Default)]
struct Means {
    integrals: Vec<Option<i64>>,
    floats: Vec<Option<f64>>,
}

impl Means {
    /// Adds a mean, and whether it follows from the rest.
    fn push(&mut self, window: Window, mean: f64, follows: bool) {
        let integral = if follows { None } else { window.integral(mean) };
        self.integrals.push(integral);
        self.floats.push((!follows && integral.is_none()).then_some(mean));
    }

    fn columns<'a>(self, integrals: &'a str, floats: &'a str) -> [Column<'a>; 2] {
        [
            Column { name: integrals, values: Values::SomeInteger(self.integrals) },
            Column { name: floats, values: Values::SomeFloat(self.floats) },
        ]
    }
}

/// The table of a run.
pub(super) fn table(rows: &[ResourceRow], measured: &MeasuredWindow) -> Vec<u8> {
    let window = Window::of(measured);
    let activities = rows.iter().flat_map(|row| &row.held_in).map(|held| held.activity);
    let stages: Vec<Cow<'static, str>> = activities
        .map(
            |activity| {
                if activity.lane.is_none() { activity.why.word().into() } else { activity.word().into() }
            },
        )
        .collect();
    let text = |of: fn(&ResourceRow) -> &str| Values::Text(rows.iter().map(of).collect());
    let end = |nth: usize| {
        Values::SomeText(rows.iter().map(|row| row.ends.as_ref().map(|ends| ends[nth].as_str())).collect())
    };
    let constant = |value: u64| Values::Integer(vec![value as i64; rows.len()]);
    let port = |row: &ResourceRow| row.ends.as_ref().and(row.site.port()).map(i64::from);
    let mut columns = vec![
        Column { name: "kind", values: text(|row| row.kind.word()) },
        Column { name: "name", values: text(|row| row.title()) },
        Column { name: "place", values: text(|row| &row.place) },
        Column { name: "from", values: end(0) },
        Column { name: "to", values: end(1) },
        Column { name: "port", values: Values::SomeInteger(rows.iter().map(port).collect()) },
        Column { name: "unit", values: text(|row| &row.unit) },
        Column { name: "capacity", values: Values::SomeFloat(rows.iter().map(|row| row.capacity).collect()) },
        Column { name: "peak", values: Values::Float(rows.iter().map(|row| row.peak).collect()) },
        Column {
            name: "acquisitions",
            values: Values::Integer(rows.iter().map(|row| row.acquisitions as i64).collect()),
        },
        Column { name: "refused", values: positive(rows.iter().map(|row| row.refused)) },
        Column { name: "span_ps", values: constant(window.span_ps) },
        Column { name: "messages", values: constant(window.messages) },
    ];
    columns.extend(means(rows, window));
    columns.push(held_in(rows, window, &stages));
    columns.retain(has_value);
    encode(&columns)
}

/// Counts, where they are above 0.
fn positive<'a>(counts: impl Iterator<Item = u64>) -> Values<'a> {
    Values::SomeInteger(counts.map(|count| (count > 0).then_some(count as i64)).collect())
}

/// Whether any row has a value. A column without one is left out.
fn has_value(column: &Column<'_>) -> bool {
    match &column.values {
        Values::SomeInteger(values) => values.iter().any(Option::is_some),
        Values::SomeFloat(values) => values.iter().any(Option::is_some),
        Values::SomeText(values) => values.iter().any(Option::is_some),
        _ => true,
    }
}

fn means<'a>(rows: &[ResourceRow], window: Window) -> Vec<Column<'a>> {
    let [mut occupancy, mut utilisation, mut waiting] = [(); 3].map(|()| Means::default());
    let mut waits = Vec::new();
    for row in rows {
        occupancy.push(window, row.occupancy, false);
        utilisation.push(window, row.utilisation, is_same(share(row), row.utilisation));
        waiting.push(window, row.waiting, false);
        let integral = window.integral(row.waiting).map(|integral| window.wait_us(integral));
        waits.push((!integral.is_some_and(|follows| is_same(follows, row.wait_us))).then_some(row.wait_us));
    }
    let mut columns = Vec::from(occupancy.columns("occupancy_ps", "occupancy"));
    columns.extend(utilisation.columns("utilisation_ps", "utilisation"));
    columns.extend(waiting.columns("waiting_ps", "waiting"));
    columns.push(Column { name: "wait_us", values: Values::SomeFloat(waits) });
    columns
}

/// What holders do, a list for each resource; `stages` are the words of all of them.
fn held_in<'a>(rows: &[ResourceRow], window: Window, stages: &'a [Cow<'static, str>]) -> Column<'a> {
    let (mut entered, mut occupancy) = (Vec::new(), Means::default());
    for row in rows {
        for (nth, held) in row.held_in.iter().enumerate() {
            let is_last = nth + 1 == row.held_in.len();
            let follows = is_last && is_same(rest(row.occupancy, &row.held_in[..nth]), held.occupancy);
            occupancy.push(window, held.occupancy, follows);
            entered.push(held.entered);
        }
    }
    let mut columns = vec![
        Column { name: "stage", values: Values::Text(stages.iter().map(Cow::as_ref).collect()) },
        Column { name: "entered", values: positive(entered.into_iter()) },
    ];
    columns.extend(occupancy.columns("occupancy_ps", "occupancy"));
    columns.retain(has_value);
    let lengths = rows.iter().map(|row| row.held_in.len()).collect();
    Column { name: "held_in", values: Values::Lists(lengths, columns) }
}

/// The list `resources` of a summary, as JSON, from the bytes of its table: the same text as in the summary of the run.
///
/// # Errors
/// Where the bytes are no such table.
pub fn resources_of(table: &[u8]) -> Result<String, DamagedTable> {
    // The reader of Parquet files is a third party's, and the file may come from anywhere.
    let rows = guarded(|| read(table)).map_err(|panic| DamagedTable::new(panic.message))??;
    Ok(resources_json(&rows))
}

fn read(table: &[u8]) -> Result<Vec<ResourceRow>, DamagedTable> {
    let table = Table::decode(table.to_vec())?;
    if table.rows() == 0 {
        return Ok(Vec::new());
    }
    let (records, lengths) = table.lists("held_in")?;
    let mut rows = Vec::new();
    let mut first = 0;
    for (nth, length) in lengths.into_iter().enumerate() {
        let here = Row { table: &table, nth };
        let window = Window { span_ps: here.whole("span_ps")?, messages: here.whole("messages")? };
        let mut row = here.plain()?;
        row.occupancy = there(here.mean("occupancy", window)?, "occupancy")?;
        row.waiting = there(here.mean("waiting", window)?, "waiting")?;
        row.wait_us = match here.float("wait_us")? {
            Some(wait_us) => wait_us,
            None => window.wait_us(there(here.integer("waiting_ps")?, "wait_us")?),
        };
        for nth in first..first + length {
            let held = Row { table: &records, nth }.held(window, &row)?;
            row.held_in.push(held);
        }
        row.utilisation = here.mean("utilisation", window)?.unwrap_or_else(|| share(&row));
        first += length;
        rows.push(row);
    }
    Ok(rows)
}

/// A row of a table that is read.
#[derive(Clone, Copy)]
struct Row<'a> {
    table: &'a Table,
    nth: usize,
}

impl<'a> Row<'a> {
    /// The texts and counts of a resource.
    fn plain(self) -> Result<ResourceRow, DamagedTable> {
        let kind = self.text("kind")?;
        let kind = ResourceKind::of_word(kind).ok_or_else(|| unknown("kind of resource", kind))?;
        // Of the numbers of its place a summary has the port alone.
        let site = match self.integer("port")?.map(u16::try_from) {
            None => Site::Nowhere,
            Some(Ok(port)) => Site::Port { switch: 0, port, lane: 0 },
            Some(Err(_)) => return Err(DamagedTable::new("a port beyond 65535")),
        };
        let label = PoolLabel { kind, place: self.text("place")?, site, unit: self.text("unit")? };
        Ok(ResourceRow {
            name: Some(self.text("name")?.to_owned()),
            ends: self.end("from")?.zip(self.end("to")?).map(<[String; 2]>::from),
            capacity: self.float("capacity")?,
            peak: there(self.float("peak")?, "peak")?,
            acquisitions: self.whole("acquisitions")?,
            refused: self.integer("refused")?.unwrap_or_default() as u64,
            ..ResourceRow::unused(label)
        })
    }

    /// The next of what the holders of a resource do.
    fn held(self, window: Window, of: &ResourceRow) -> Result<HeldIn, DamagedTable> {
        let stage = self.text("stage")?;
        let activity = HoldActivity::of_word(stage).ok_or_else(|| unknown("stage", stage))?;
        let occupancy = self.mean("occupancy", window)?;
        Ok(HeldIn {
            activity,
            occupancy: occupancy.unwrap_or_else(|| rest(of.occupancy, &of.held_in)),
            entered: self.integer("entered")?.unwrap_or_default() as u64,
        })
    }

    /// A mean by its integral or as it is; nothing where the table has neither.
    fn mean(self, name: &str, window: Window) -> Result<Option<f64>, DamagedTable> {
        let integral = self.integer(&format!("{name}_ps"))?;
        Ok(self.float(name)?.or_else(|| integral.map(|integral| window.mean(integral))))
    }

    fn float(self, name: &str) -> Result<Option<f64>, DamagedTable> {
        self.table.float(name, self.nth)
    }

    fn integer(self, name: &str) -> Result<Option<i64>, DamagedTable> {
        self.table.integer(name, self.nth)
    }

    fn whole(self, name: &str) -> Result<u64, DamagedTable> {
        Ok(there(self.integer(name)?, name)? as u64)
    }

    fn end(self, name: &str) -> Result<Option<String>, DamagedTable> {
        Ok(self.table.text(name, self.nth)?.map(str::to_owned))
    }

    fn text(self, name: &str) -> Result<&'a str, DamagedTable> {
        there(self.table.text(name, self.nth)?, name)
    }
}

fn there<T>(value: Option<T>, name: &str) -> Result<T, DamagedTable> {
    value.ok_or_else(|| DamagedTable::new(format!("a row without `{name}`")))
}

fn unknown(what: &str, word: &str) -> DamagedTable {
    DamagedTable::new(format!("\"{word}\" is no {what}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    /// Means as models have them, and any other number.
    fn number(span_ps: u64) -> impl Strategy<Value = f64> {
        let integral = 0..=2 * span_ps;
        prop_oneof![integral.prop_map(move |ps| ps as f64 / span_ps as f64), any::<f64>(), Just(-0.0)]
    }

    fn held(span_ps: u64) -> impl Strategy<Value = HeldIn> {
        let lane = prop::option::of(any::<u8>());
        let entered = prop_oneof![Just(0), any::<u64>()];
        (select(HoldWhy::all()), lane, number(span_ps), entered).prop_map(
            |(why, lane, occupancy, entered)| HeldIn {
                activity: HoldActivity { why, lane },
                occupancy,
                entered,
            },
        )
    }

    fn row(span_ps: u64) -> impl Strategy<Value = ResourceRow> {
        let held_in = prop::collection::vec(held(span_ps), 0..4);
        let texts = [any::<String>(), any::<String>(), any::<String>(), any::<String>()];
        let numbers = [(); 5].map(|()| number(span_ps));
        let more = (prop::option::of(number(span_ps)), any::<bool>(), any::<u16>(), any::<u64>());
        (select(ResourceKind::all()), texts, numbers, held_in, more).prop_map(
            |(kind, texts, numbers, held_in, (capacity, joins, port, count))| {
                let [name, place, from, to] = texts;
                let [occupancy, utilisation, peak, waiting, wait_us] = numbers;
                let site = Site::Port { switch: 1, port, lane: 0 };
                ResourceRow {
                    name: Some(name),
                    ends: joins.then_some([from, to]),
                    capacity,
                    occupancy,
                    utilisation,
                    peak,
                    waiting,
                    wait_us,
                    acquisitions: count,
                    refused: count / 2,
                    held_in,
                    ..ResourceRow::unused(PoolLabel { kind, place: &place, site, unit: "B" })
                }
            },
        )
    }

    fn window() -> MeasuredWindow {
        MeasuredWindow { span_s: 9.973_855_909_729, messages: 1_000_205 }
    }

    proptest! {
        #[test]
        fn a_table_gives_the_same_text(rows in prop::collection::vec(row(Window::of(&window()).span_ps), 0..6)) {
            let read = resources_of(&table(&rows, &window()));
            prop_assert_eq!(read, Ok(resources_json(&rows)));
        }

        /// Damage is refused or gives other rows, and never ends in a panic.
        #[test]
        fn a_damaged_table_is_read_or_refused(
            rows in prop::collection::vec(row(1_000), 1..4),
            spoilt in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ) {
            let mut bytes = table(&rows, &window());
            for (at, byte) in spoilt {
                *at.get_mut(&mut bytes) = byte;
            }
            if let Ok(text) = resources_of(&bytes) {
                prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok_and(|list| list.is_array()));
            }
        }
    }

    #[test]
    fn what_follows_is_left_out() {
        let window = Window::of(&window());
        let mean = |ps: i64| window.mean(ps);
        let [sending, set_up] = [2_510_720_000_000, 47_703_680_725];
        let of = |why, occupancy| HeldIn { activity: HoldActivity::of(why), occupancy, entered: 0 };
        let occupancy = mean(sending + set_up);
        let row = ResourceRow {
            occupancy,
            utilisation: mean(sending),
            waiting: mean(7),
            wait_us: window.wait_us(7),
            held_in: vec![of(HoldWhy::Sending, mean(sending)), of(HoldWhy::SetUp, occupancy - mean(sending))],
            ..ResourceRow::unused(PoolLabel {
                kind: ResourceKind::Output,
                place: "s1:2",
                site: Site::Nowhere,
                unit: "packets",
            })
        };
        let bytes = table(&[row], &self::window());
        let table = Table::decode(bytes).expect("it is whole");
        let (held, _) = table.lists("held_in").expect("it has lists");
        let kept = |name: &str| (table.integer(&format!("{name}_ps"), 0), table.float(name, 0));
        assert_eq!(kept("occupancy"), (Ok(Some(sending + set_up)), Ok(None)));
        assert_eq!(kept("utilisation"), (Ok(None), Ok(None)));
        assert_eq!(kept("waiting"), (Ok(Some(7)), Ok(None)));
        assert_eq!(table.float("wait_us", 0), Ok(None));
        assert_eq!(held.integer("occupancy_ps", 1), Ok(None));
        assert_eq!(held.float("occupancy", 1), Ok(None));
    }

    #[test]
    fn another_table_is_refused() {
        let other = encode(&[Column { name: "time_s", values: Values::Float(vec![0.5]) }]);
        assert!(resources_of(&other).is_err());
        assert!(resources_of(b"no table").is_err());
    }
}
