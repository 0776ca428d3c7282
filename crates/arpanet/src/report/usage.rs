//! What has been used of the resources of a subnet since the restart: what its timeline is made of.

use hopscope_measure::{Journal, ResourceKind, Usage, UsageOf};
use hopscope_units::Time;

use crate::Phase;
use crate::subnet::Subnet;

/// Reports the use of every IMP's buffers, tables and processor, of every line, and of every host.
pub(super) fn tell<J: Journal>(subnet: &Subnet<J>, now: Time, tell: &mut UsageOf<'_>) {
    for (state, plan) in subnet.imps.iter().zip(&subnet.plan.imps) {
        let place = || plan.name.clone();
        let pools = [
            (ResourceKind::Buffers, &state.buffers),
            (ResourceKind::StoreAndForwardBuffers, &state.store),
            (ResourceKind::TransmitBlocks, &state.transmit.pool),
            (ResourceKind::ReceiveBlocks, &state.receive.pool),
        ];
        for (kind, pool) in pools {
            tell(kind, &place, Usage::of(pool, now), &[]);
        }
        let staged = [
            (ResourceKind::ReassemblyBuffers, state.reassembly.pool()),
            (ResourceKind::PendingLeaderTable, state.leaders.pool()),
            (ResourceKind::PendingPacketTable, state.copies.pool()),
        ];
        for (kind, pool) in staged {
            tell(kind, &place, Usage::of(pool.pool(), now), &pool.held_so(now, Phase::ACTIVITIES));
        }
        let used = busy(state.processor.busy_ps(), state.processor.wait_ps);
        tell(ResourceKind::Processor, &place, used, &[]);
    }
    for (number, line) in subnet.lines.iter().enumerate() {
        let (use_, place) = (&line.use_, || subnet.line_name(number));
        let shares = use_.shares();
        let sent_ps = shares.iter().map(|&(_, ps)| ps).sum();
        let held = shares.map(|(why, ps)| (why, ps as f64));
        tell(ResourceKind::Line, &place, busy(sent_ps, use_.wait_ps), &held);
        tell(ResourceKind::AcknowledgmentChannels, &place, Usage::of(&line.channels, now), &[]);
    }
    for (host, plan) in subnet.hosts.iter().zip(&subnet.plan.hosts) {
        tell(ResourceKind::DestinationHost, &|| plan.name.clone(), busy(host.busy_ps, host.wait_ps), &[]);
    }
}

/// Of something that works on one thing after the other.
fn busy(busy_ps: u64, wait_ps: u64) -> Usage {
    Usage { used_ps: busy_ps as f64, waited_ps: wait_ps as f64, held_back_ps: 0.0 }
}
