//! Head-of-line blocking.

use std::collections::BTreeSet;

use hopscope_measure::{Report, ResourceKind, ResourceRow};

use crate::Findings;
use crate::symptom::{Pattern, Symptom};
use crate::thresholds::{
    BEHIND_OTHERS, FIFO_LIMIT, FIFO_LIMIT_OF_EXPONENTIAL_LENGTHS, FULL_OUTPUT, HEADS_WAITING, ONE_WAY,
};
use crate::words::percent;

/// Packets that wait behind others whose outputs are not full.
pub(crate) struct Blocked {
    /// The row of the FIFO with most of them.
    pub worst: usize,
    /// The share of the blocked packets that are in that FIFO.
    pub there: f64,
    /// Mean utilisation of the outputs that heads wait for, weighted by the number of waiting heads.
    pub busy: f64,
    /// The share of packets in FIFOs that are behind others.
    behind: f64,
}

/// The packets that wait behind heads whose outputs are not full, if there are any.
pub(crate) fn blocked(report: &Report) -> Option<Blocked> {
    let rows = &report.resources;
    let is_fifo = |row: &ResourceRow| row.kind == ResourceKind::InputFifo;
    let fifos = || rows.iter().enumerate().filter(|&(_, row)| is_fifo(row));
    let waiting: f64 = fifos().map(|(_, row)| row.waiting).sum();
    let present: f64 = fifos().flat_map(|(_, row)| &row.held_in).map(|held| held.occupancy).sum();
    // A packet that waits for a host's link waits in the host, not behind a head of a switch.
    let switches: BTreeSet<Option<u32>> = fifos().map(|(_, row)| row.site.switch()).collect();
    let outputs = || {
        let outputs =
            report.resources.iter().filter(|row| row.kind == ResourceKind::Output && row.waiting > 0.0);
        outputs.filter(|row| row.site.switch().is_some() && switches.contains(&row.site.switch()))
    };
    let wanted: f64 = outputs().map(|row| row.waiting).sum();
    let busy = outputs().map(|row| row.waiting * row.utilisation).sum::<f64>() / wanted;
    let (worst, row) = fifos().max_by(|a, b| a.1.waiting.total_cmp(&b.1.waiting).then(b.0.cmp(&a.0)))?;
    let is_so = waiting > BEHIND_OTHERS * present
        && wanted > HEADS_WAITING * (present - waiting)
        && busy < FULL_OUTPUT;
    is_so.then_some(Blocked { worst, there: row.waiting / waiting, busy, behind: waiting / present })
}

/// Whether nearly all that passes the switch of a FIFO leaves by one of several links: then the order of service does
/// not matter.
pub(crate) fn goes_one_way(report: &Report, fifo: &ResourceRow) -> bool {
    let rows = report.resources.iter().enumerate();
    let outputs = rows.filter(|(_, row)| {
        row.kind == ResourceKind::Output
            && row.site.switch().is_some()
            && row.site.switch() == fifo.site.switch()
    });
    let rate = |row: usize| report.evidence.rates.get(&row).copied().unwrap_or(1.0);
    let carried: Vec<f64> = outputs.map(|(at, row)| row.utilisation * rate(at)).collect();
    let (most, all) = (carried.iter().copied().fold(0.0, f64::max), carried.iter().sum::<f64>());
    carried.len() > 1 && most >= ONE_WAY * all
}

/// Packets wait behind heads although their own outputs are free.
pub(super) fn test(report: &Report, _: &Findings) -> Option<Symptom> {
    let Blocked { worst, busy, behind, .. } = blocked(report)?;
    let evidence = format!(
        "{} of the packets in FIFOs wait behind others, while the outputs that the packets in front need are {} utilised \
         (the limit of a large switch with input FIFOs is {}, and {} with exponential lengths)",
        percent(behind),
        percent(busy),
        percent(FIFO_LIMIT),
        percent(FIFO_LIMIT_OF_EXPONENTIAL_LENGTHS)
    );
    Some(Symptom::new(Pattern::HeadOfLineBlocking, evidence).of(&report.resources[worst]))
}
