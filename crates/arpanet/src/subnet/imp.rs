//! The state of an IMP.

use std::collections::VecDeque;

use hopscope_kernel::{Order, RandomStream};
use hopscope_measure::Pool;
use hopscope_units::{Span, Time};

use crate::protocol::allocation::Allocations;
use crate::protocol::message_block::MessageBlocks;
use crate::protocol::pending_leader_table::PendingTable;
use crate::protocol::reassembly::Reassembly;
use crate::routing::routing_table::RoutingTable;
use crate::routing::routing_vectors::RoutingVectors;
use crate::scenario::params::TICK;
use crate::scenario::plan::ArpanetPlan;
use crate::subnet::arrivals::Arrivals;
use crate::subnet::processor::Processor;

/// Work that ends at an instant comes after what else happens then.
const LAST: u32 = 1 << 31;

/// An IMP.
#[derive(Debug)]
pub(crate) struct Imp {
    /// Events scheduled so far: their place among simultaneous ones.
    count: u32,
    work: u32,
    pub arrivals: Arrivals,
    pub buffers: Pool,
    pub store: Pool,
    pub reassembly: Reassembly,
    pub leaders: PendingTable,
    pub copies: PendingTable,
    pub transmit: MessageBlocks,
    pub receive: MessageBlocks,
    pub processor: Processor,
    pub routes: RoutingTable,
    /// The IMPs at the other ends of its lines, by port.
    pub neighbours: Vec<u8>,
    pub vectors: RoutingVectors,
    pub hosts: Vec<u32>,
    /// Sequences that begin here.
    pub sequences: Vec<u32>,
    /// Hosts that wait for something that a release may give them.
    pub blocked: u32,
    /// Control messages and recalled messages that wait for a buffer or a channel.
    pub outbox: VecDeque<u32>,
    pub allocations: Allocations,
    /// When the next look at unused allocations is scheduled.
    pub give_back_at: Time,
    /// Sequences whose reply waits for reassembly buffers, in the order in which they began.
    pub waiting_replies: Vec<u32>,
    /// When the next look after hosts is scheduled.
    pub poll_at: Time,
    /// Looks after hosts so far, where they are looked at at once.
    pub polls: u64,
    pub refused: Refused,
}

impl Imp {
    pub fn new(plan: &ArpanetPlan, index: usize, seed: u64) -> Self {
        let imp = &plan.imps[index];
        let protocol = &plan.params.protocol;
        let (buffers, reassembly) = if imp.very_distant_host {
            (protocol.vdh_buffers, protocol.vdh_reassembly_buffers)
        } else {
            (protocol.buffers, protocol.reassembly_buffers)
        };
        let kind = plan.params.processor.of(imp.computer);
        let (estimates, best) = plan.idle_table(index);
        let routes = RoutingTable::new(&estimates, &best, imp.lines.len(), plan.params.routing.hold_down);
        let blocks = u64::from(protocol.message_blocks);
        let mut clock = RandomStream::named(seed, "clock ticks", index as u64);
        let first_tick = Time::ZERO + Span::from_ps(clock.below(TICK.ps()));
        Self {
            count: 0,
            work: 0,
            arrivals: Arrivals::default(),
            buffers: Pool::bounded(u64::from(buffers)),
            store: Pool::bounded(u64::from(protocol.store_and_forward)),
            reassembly: Reassembly::new(u64::from(reassembly)),
            leaders: PendingTable::new(u64::from(protocol.pending_leaders)),
            copies: PendingTable::new(u64::from(protocol.pending_packets)),
            transmit: MessageBlocks::new(blocks),
            receive: MessageBlocks::new(blocks),
            processor: Processor::new(kind, first_tick),
            vectors: RoutingVectors::new(&routes),
            neighbours: imp.lines.iter().map(|&line| plan.lines[usize::from(line)].to).collect(),
            routes,
            hosts: (0..plan.hosts.len() as u32)
                .filter(|&host| usize::from(plan.hosts[host as usize].imp) == index)
                .collect(),
            sequences: Vec::new(),
            blocked: 0,
            outbox: VecDeque::new(),
            allocations: Allocations::default(),
            give_back_at: Time::NEVER,
            waiting_replies: Vec::new(),
            poll_at: Time::NEVER,
            polls: 0,
            refused: Refused::default(),
        }
    }

    /// The place of the IMP's next event among simultaneous ones; `imp` is its number.
    #[inline]
    pub fn next_order(&mut self, imp: u8) -> Order {
        self.count = self.count.wrapping_add(1) & !LAST;
        Order::new(u32::from(imp), self.count)
    }

    /// The order of the end of a task whose input is still in transit: after other events of its instant, as if it had
    /// begun last.
    #[inline]
    pub fn order_of_work(&mut self, imp: u8) -> Order {
        self.work = self.work.wrapping_add(1);
        Order::new(u32::from(imp), LAST | self.work)
    }

    /// The table in which a message has its entry: the pending packet table for one of a single packet, else the
    /// pending leader table.
    #[inline]
    pub fn pending_table(&mut self, single: bool) -> &mut PendingTable {
        if single { &mut self.copies } else { &mut self.leaders }
    }

    /// Whether this number of buffers is free besides those promised to allocations.
    #[inline]
    pub fn has_free(&self, buffers: u64) -> bool {
        self.buffers.free() >= self.reassembly.promised() + buffers
    }

    pub fn restart(&mut self, now: Time) {
        self.buffers.restart(now);
        self.store.restart(now);
        self.reassembly.pool_mut().restart(now);
        self.leaders.restart(now);
        self.copies.restart(now);
        self.transmit.pool.restart(now);
        self.receive.pool.restart(now);
        self.processor.restart();
        self.refused = Refused::default();
    }
}

/// Packets from neighbours that an IMP has refused. Those refused because an output queue was full are counted at its
/// line.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Refused {
    /// No buffer was free, or too few besides those promised.
    pub for_buffers: u64,
    /// As many store-and-forward packets as may be were there.
    pub for_store: u64,
}
