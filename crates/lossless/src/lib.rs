//! Model: lossless fabrics that move whole frames, as RoCE and InfiniBand clusters do.
//!
//! Whole frames are stored and forwarded, links are stopped by pause frames (PFC) or by credits, switches mark frames
//! if queues grow (ECN) and hosts slow down (DCQCN). Network, routes and tables are those of crate `fabric`.

mod balancing;
mod checks;
mod degraded;
mod event;
mod flow_control;
mod frame;
mod host;
mod look_ahead;
mod losses;
mod machine;
mod observe;
mod outage;
mod params;
mod plan;
mod rate_checks;
pub mod rate_control;
mod rate_params;
mod recovery;
mod switch;
mod transmission;

pub use balancing::Balancing;
pub use event::FrameEvent;
pub use machine::Lossless;
pub use observe::stage::FrameStage;
pub use params::{
    BufferParams, ConvergenceParams, CreditParams, DcqcnParams, DropParams, EcnParams, FlowControl,
    Forwarding, FrameParams, LosslessParams, NewTables, PfcParams, RetryingLink, Scheduling, SlowHost,
};
pub use plan::LosslessPlan;
pub use rate_params::{
    DctcpParams, HpccParams, NsccParams, PullParams, RateControlParams, RecoveryKind, RecoveryParams,
    SwiftParams, TimelyParams,
};
