//! How pairs of hosts get and lose their message blocks (version 3).

use hopscope_measure::Journal;
use hopscope_units::Time;

use crate::protocol::message_block::{MessageBlocks, Setup};
use crate::protocol::packet::PacketKind;
use crate::protocol::stage::Stage;
use crate::subnet::host::Step;
use crate::subnet::{Queue, Subnet};

impl<J: Journal> Subnet<J> {
    /// The message of a host needs its pair's blocks.
    pub(super) fn need_block(&mut self, now: Time, host: u32, queue: &mut Queue) -> bool {
        let message = self.hosts[host as usize].message;
        let (sequence, source) = (self.messages[message].sequence, self.messages[message].source);
        match self.sequences[sequence as usize].setup {
            Setup::Established => {
                self.close(message, Stage::BlockWait, Self::place_of_imp(source), now);
                self.sequences[sequence as usize].users += 1;
                self.hosts[host as usize].step = Step::Number;
                true
            }
            Setup::Asked => false,
            Setup::Absent => {
                self.sequences[sequence as usize].setup = Setup::Asked;
                if self.take_block(now, sequence, true, queue) {
                    self.ask_for_block(now, sequence, queue);
                }
                false
            }
        }
    }

    fn ask_for_block(&mut self, now: Time, sequence: u32, queue: &mut Queue) {
        let state = &self.sequences[sequence as usize];
        let (source, dest) = (state.source, state.dest);
        self.send_control(now, source, dest, PacketKind::BlockAsk, sequence, 0, queue);
    }

    /// A source asks for a receive block.
    pub(super) fn block_asked(&mut self, now: Time, sequence: u32, queue: &mut Queue) {
        if self.take_block(now, sequence, false, queue) {
            self.grant_block(now, sequence, queue);
        }
    }

    fn grant_block(&mut self, now: Time, sequence: u32, queue: &mut Queue) {
        let state = &self.sequences[sequence as usize];
        let (source, dest) = (state.source, state.dest);
        self.send_control(now, dest, source, PacketKind::BlockGrant, sequence, 0, queue);
    }

    /// Takes a transmit or receive block for a sequence. Where none is free, the pair that has been idle longest gives
    /// up its own; where none is idle, the sequence waits.
    fn take_block(&mut self, now: Time, sequence: u32, transmit: bool, queue: &mut Queue) -> bool {
        let state = &self.sequences[sequence as usize];
        let imp = if transmit { state.source } else { state.dest };
        if self.blocks(imp, transmit).take(now) {
            return true;
        }
        let at_imp = |other: &u32| {
            let state = &self.sequences[*other as usize];
            (if transmit { state.source } else { state.dest }) == imp && self.is_idle(*other)
        };
        let all = 0..self.sequences.len() as u32;
        let idle = all.filter(at_imp).min_by_key(|&other| self.sequences[other as usize].last_used);
        if let Some(idle) = idle {
            self.give_up_blocks(now, idle, queue);
        }
        let taken = self.blocks(imp, transmit).take(now);
        if !taken {
            self.blocks(imp, transmit).wait(now, sequence);
        }
        taken
    }

    fn blocks(&mut self, imp: u8, transmit: bool) -> &mut MessageBlocks {
        let imp = &mut self.imps[usize::from(imp)];
        if transmit { &mut imp.transmit } else { &mut imp.receive }
    }

    /// Whether a pair could do without its blocks.
    fn is_idle(&self, sequence: u32) -> bool {
        let state = &self.sequences[sequence as usize];
        state.setup == Setup::Established
            && state.users == 0
            && state.numbers.outstanding() == 0
            && !self.imps[usize::from(state.source)].allocations.has(sequence)
    }

    /// An idle pair releases its blocks; a pair that waits for one gets it.
    fn give_up_blocks(&mut self, now: Time, sequence: u32, queue: &mut Queue) {
        let state = &mut self.sequences[sequence as usize];
        state.setup = Setup::Absent;
        let (source, dest) = (state.source, state.dest);
        if let Some(next) = self.blocks(source, true).release(now) {
            self.ask_for_block(now, next, queue);
        }
        if let Some(next) = self.blocks(dest, false).release(now) {
            self.grant_block(now, next, queue);
        }
    }

    /// Something of a pair is over: where others wait for blocks and the pair is idle now, it gives up its own.
    pub(super) fn review_blocks(&mut self, now: Time, sequence: u32, queue: &mut Queue) {
        let state = &self.sequences[sequence as usize];
        let wanted = self.imps[usize::from(state.source)].transmit.pool.waiting() > 0
            || self.imps[usize::from(state.dest)].receive.pool.waiting() > 0;
        if wanted && self.is_idle(sequence) {
            self.give_up_blocks(now, sequence, queue);
        }
    }
}
