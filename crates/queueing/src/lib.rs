//! Stations in a row, each with servers and a first-come-first-served queue, and the closed forms of queueing theory.
//!
//! The smallest model there is: it proves the kernel and the measurement against theory, and shows how a model is
//! built.

mod approximation;
mod closed_forms;
mod invariants;
mod params;
mod service;
mod station;
mod tandem;

pub use closed_forms::{
    ClosedForm, erlang_c, mm1_time_in_system, mmc_time_in_system, pollaczek_khinchine_wait,
};
pub use params::{Arrivals, Erlang, Mix, Process, QueueingParams, Range, Service, StationParams};
pub use tandem::{Event, MOST_STATIONS, STAGES, Tandem};
