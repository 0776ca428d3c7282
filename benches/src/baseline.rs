//! A binary heap as the event queue: what the kernel is measured against.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hopscope_kernel::{EventQueue, Order};
use hopscope_units::Time;

use crate::Payload;

/// A queue of pending events, so that two kinds run through the same benchmark.
pub trait Pending {
    /// An empty queue.
    fn empty() -> Self;
    /// Schedules an event.
    fn schedule(&mut self, at: Time, order: Order, payload: Payload);
    /// Removes the first event in the order (time, order).
    fn pop(&mut self) -> Option<(Time, Payload)>;
}

impl Pending for EventQueue<Payload> {
    fn empty() -> Self {
        Self::new()
    }

    #[inline]
    fn schedule(&mut self, at: Time, order: Order, payload: Payload) {
        self.schedule(at, order, payload);
    }

    #[inline]
    fn pop(&mut self) -> Option<(Time, Payload)> {
        self.pop()
    }
}

/// The standard library's binary heap as an event queue, in the same canonical order.
pub struct HeapQueue(BinaryHeap<Reverse<(Time, Order, Payload)>>);

impl Pending for HeapQueue {
    fn empty() -> Self {
        Self(BinaryHeap::new())
    }

    #[inline]
    fn schedule(&mut self, at: Time, order: Order, payload: Payload) {
        self.0.push(Reverse((at, order, payload)));
    }

    #[inline]
    fn pop(&mut self) -> Option<(Time, Payload)> {
        self.0.pop().map(|Reverse((at, _, payload))| (at, payload))
    }
}
