//! Fabrics that move frames: what RoCE and InfiniBand clusters run.
//!
//! The machine beside AN1's: whole frames are stored and forwarded, links are held back by pause frames (PFC) or by credits, switches mark
//! frames where queues grow (ECN) and hosts slow down (DCQCN). Network, routes, tables and traffic are those of the rest of the crate.

mod balancing;
mod checks;
mod credits;
mod dcqcn;
mod dependence;
mod ecn;
mod event;
mod flow;
mod frame;
mod host;
mod ideal;
mod input;
mod look_ahead;
mod machine;
mod params;
mod pause;
mod plan;
mod port;
mod report;
mod scheduled;
mod stage;
mod stuck;
mod switch;
mod transmission;
mod trees;
mod waits;

pub use balancing::Balancing;
pub use event::FrameEvent;
pub use machine::FrameFabric;
pub use params::{BufferParams, CreditParams, DcqcnParams, EcnParams, FlowControl, FrameParams, PfcParams};
pub(crate) use plan::FramePlan;
pub use stage::FrameStage;
pub use trees::CongestionTree;
