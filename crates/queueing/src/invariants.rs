//! What must hold at the end of every run.

use hopscope_measure::{Journal, Subject};

use crate::station::Station;
use crate::tandem::Tandem;

/// No customer is lost and no server idles while a customer waits for it. Panics if that does not hold: a program
/// error.
pub(crate) fn check<J: Journal>(model: &Tandem<J>) {
    let present: u64 = model.stations().iter().map(Station::present).sum();
    assert_eq!(present, model.monitor().backlog(), "customers that have come and not gone are at a station");
    for station in model.stations() {
        assert_eq!(station.queue.len() as u64, station.servers.waiting(), "who waits stands in the queue");
        assert!(
            station.queue.is_empty() || station.servers.free() == 0,
            "a server idles while a customer waits for it"
        );
    }
}
