//! Model: lossless switch fabrics, cut-through or store-and-forward, with FIFO input buffers and stop/start back-pressure.
//!
//! The switch is AN1's (Owicki and Karlin, SRC report 88): `params.rs` holds its numbers. A channel sends at full rate or
//! stands still, so the flow through every buffer is piecewise constant, and the exact continuous model needs a handful of events a
//! packet a hop, however long the packet is.

mod arena;
mod back_pressure;
mod crossbar;
mod deadlock;
mod delivery;
mod event;
mod fabric;
mod fifo_entries;
mod input_fifo;
mod output;
mod packet;
mod params;
mod plan;
mod report;
mod send_queue;
mod slots;
mod stage;
mod switch;

pub use event::Event;
pub use fabric::Fabric;
pub use params::{FabricParams, Fifo, LinkParams, RoutingParams, Rule, SwitchParams, Switching};
pub use plan::FabricPlan;
pub use stage::Stage;
