//! Model: AN1's switch fabrics, cut-through or store-and-forward, with FIFO input buffers and stop/start back-pressure.
//!
//! The switch is AN1's (Owicki and Karlin, SRC report 88): `params.rs` holds its numbers. A channel sends at full rate
//! or is stopped, so the flow through every buffer is piecewise constant, and the exact continuous model needs a
//! handful of events per packet and hop, whatever the packet's length.

mod discipline;
mod event;
mod host;
mod look_ahead;
mod machine;
mod multicast;
mod observe;
mod packet;
mod params;
mod plan;
mod pooled;
mod reconfiguration;
mod switch;

pub use discipline::{Discipline, Scheduler, SharedBuffer, SmoothingFrame, VirtualQueues};
pub use event::Event;
pub use machine::An1;
pub use observe::stage::Stage;
pub use params::{An1Params, BackPressure, Fifo, MulticastStop, SwitchParams, Switching, Timing};
pub use plan::An1Plan;
pub use reconfiguration::ReconfigurationParams;
pub use switch::directive::Directive;
