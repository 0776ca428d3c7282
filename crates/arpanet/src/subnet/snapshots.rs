//! Snapshots: the state of all IMPs at an instant, as the Network Measurement Center had it sent.

use hopscope_kernel::{Order, Simulation};
use hopscope_measure::{Journal, Report, ResourceKind, SnapshotRow, SnapshotTimes};
use hopscope_units::Time;

use crate::subnet::event::Event;
use crate::subnet::imp::Imp;
use crate::subnet::{Queue, Subnet};

/// Rows that are kept at most: they are held in memory. A snapshot of 63 IMPs has some 4500.
pub const MOST_SNAPSHOT_ROWS: usize = 500_000;

/// Snapshots come after everything else that happens at their instant.
const LAST: Order = Order::new(u32::MAX, u32::MAX);

/// How much of a resource of an IMP is held.
type Held = fn(&Imp) -> u64;

/// What an IMP has.
const RESOURCES: [(ResourceKind, Held); 7] = [
    (ResourceKind::Buffers, |imp| imp.buffers.held()),
    (ResourceKind::StoreAndForwardBuffers, |imp| imp.store.held()),
    (ResourceKind::ReassemblyBuffers, |imp| imp.reassembly.pool().pool().held()),
    (ResourceKind::PendingLeaderTable, |imp| imp.leaders.pool().pool().held()),
    (ResourceKind::PendingPacketTable, |imp| imp.copies.pool().pool().held()),
    (ResourceKind::TransmitBlocks, |imp| imp.transmit.pool.held()),
    (ResourceKind::ReceiveBlocks, |imp| imp.receive.pool.held()),
];

/// What a row is about.
#[derive(Clone, Copy, Debug)]
enum What {
    /// One of [`RESOURCES`] of an IMP.
    Resource(u8, u8),
    /// The output queue of a line: packets queued or not yet acknowledged.
    Line(u16),
    /// The route from an IMP to a destination: the IMP that is next, and whether it is held down.
    Route { imp: u8, destination: u8, next: u8, held_down: bool },
}

/// One value at one instant.
#[derive(Clone, Copy, Debug)]
struct Value {
    at: Time,
    what: What,
    value: u64,
}

/// The snapshots of a run.
#[derive(Debug)]
pub(crate) struct Snapshots {
    times: SnapshotTimes,
    values: Vec<Value>,
    /// When the first was left out because the others fill what there is room for.
    full_at: Option<Time>,
}

impl Snapshots {
    /// Forgets those taken.
    pub fn restart(&mut self) {
        (self.values, self.full_at) = (Vec::new(), None);
    }
}

impl<J: Journal> Subnet<J> {
    /// Takes snapshots in a run that has not begun yet.
    pub fn keep_snapshots(simulation: &mut Simulation<Self>, times: SnapshotTimes) {
        simulation.model.schedule_snapshot(Time::ZERO, &times, &mut simulation.queue);
        simulation.model.snapshots = Some(Snapshots { times, values: Vec::new(), full_at: None });
    }

    /// The next snapshot, while hosts send: a later one would make the run longer than it is.
    fn schedule_snapshot(&self, now: Time, times: &SnapshotTimes, queue: &mut Queue) {
        if let Some(at) = times.after(now).filter(|&at| at < self.sources.end) {
            queue.schedule(at, LAST, Event::Snapshot);
        }
    }

    /// The state is recorded. It is unchanged, and so are later events.
    pub(super) fn snapshot(&mut self, now: Time, queue: &mut Queue) {
        let Some(mut snapshots) = self.snapshots.take() else { return };
        let values = self.state(now);
        if snapshots.values.len() + values.len() <= MOST_SNAPSHOT_ROWS {
            snapshots.values.extend(values);
            self.schedule_snapshot(now, &snapshots.times, queue);
        } else {
            snapshots.full_at = Some(now);
        }
        self.snapshots = Some(snapshots);
    }

    fn state(&self, at: Time) -> Vec<Value> {
        let mut values = Vec::new();
        let mut add = |what, value| values.push(Value { at, what, value });
        for (index, imp) in (0..).zip(&self.imps) {
            for (nth, (_, held)) in (0..).zip(&RESOURCES) {
                add(What::Resource(index, nth), held(imp));
            }
            for destination in (0..self.imps.len() as u8).filter(|&destination| destination != index) {
                let to = usize::from(destination);
                let line = self.plan.imps[usize::from(index)].lines[usize::from(imp.routes.best(to))];
                let next = self.plan.lines[usize::from(line)].to;
                let route = What::Route { imp: index, destination, next, held_down: imp.routes.held(to) };
                add(route, u64::from(imp.routes.estimate(to)));
            }
        }
        for (index, line) in (0..).zip(&self.lines) {
            add(What::Line(index), u64::from(line.sender.occupied()));
        }
        values
    }

    /// Adds the snapshots to a report.
    pub(crate) fn add_snapshots(&self, report: &mut Report) {
        let Some(snapshots) = &self.snapshots else { return };
        let name = |imp: u8| self.plan.imps[usize::from(imp)].name.clone();
        let row = |value: &Value| {
            let (place, quantity, [destination, next], held_down) = match value.what {
                What::Resource(imp, nth) => {
                    (name(imp), RESOURCES[usize::from(nth)].0.word(), [const { String::new() }; 2], false)
                }
                What::Line(line) => {
                    (self.line_name(line.into()), "output queue", [const { String::new() }; 2], false)
                }
                What::Route { imp, destination, next, held_down } => {
                    (name(imp), "delay estimate", [name(destination), name(next)], held_down)
                }
            };
            let (at_ps, quantity, value) = (value.at.ps(), quantity.to_owned(), value.value);
            SnapshotRow { at_ps, place, quantity, value, destination, next, held_down }
        };
        report.snapshots = snapshots.values.iter().map(row).collect();
        let end = self.sources.end;
        if matches!(&snapshots.times, SnapshotTimes::At(times) if times.iter().any(|&at| at >= end)) {
            report.notes.push(format!("Hosts stop sending at {end}; no snapshot is taken after that."));
        }
        if let Some(at) = snapshots.full_at {
            report.notes.push(format!(
                "Snapshots are limited to {MOST_SNAPSHOT_ROWS} rows; those from {} s on are left out.",
                at.as_seconds()
            ));
        }
    }
}
