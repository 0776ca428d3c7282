//! Model: lossless switch fabrics, cut-through or store-and-forward, with FIFO input buffers and stop/start back-pressure.
//!
//! The switch is AN1's (Owicki and Karlin, SRC report 88): `params.rs` holds its numbers. A channel sends at full rate or
//! is stopped, so the flow through every buffer is piecewise constant, and the exact continuous model needs a handful of events a
//! packet a hop, however long the packet is.

mod back_pressure;
mod closing;
mod control;
mod crossbar;
mod deadlock;
mod delivery;
mod dependence;
mod destruction;
mod directive;
mod discipline;
mod event;
mod fabric;
mod faults;
mod fifo_entries;
mod forwarding;
pub mod frames;
mod input_fifo;
mod input_smoothing;
mod look_ahead;
mod matching;
mod outage;
mod output;
mod packet;
mod params;
mod plan;
mod pool;
mod reconfiguration;
mod report;
mod routing_choice;
mod send_queue;
mod shared_link;
mod shared_memory;
mod slots;
mod stage;
mod switch;

pub use directive::Directive;
pub use discipline::{Discipline, Scheduler, SharedBuffer, SmoothingFrame, VirtualQueues};
pub use event::Event;
pub use fabric::Fabric;
pub use faults::{Fault, Goes};
pub use params::{
    BackPressure, FabricParams, Fifo, LinkParams, RoutingParams, Rule, SwitchParams, Switching, Timing,
};
pub use plan::FabricPlan;
pub use reconfiguration::ReconfigurationParams;
pub use routing_choice::Choice;
pub use stage::Stage;
