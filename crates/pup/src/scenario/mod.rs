//! What a scenario says of an internet, what can be wrong with it, and the internet that comes of it, numbered and
//! ready to run.

pub mod ien138;
mod params;
mod plan;
mod topology;
mod validation;

pub use params::{
    Attachment, EthernetParams, Extra, GatewayCost, GatewayParams, HostCost, HostParams, LineParams, Medium,
    NetworkParams, ProcessingParams, PupParams, RadioFrom, RadioParams, RoutingParams, StreamParams,
    TestParams,
};
pub use plan::PupPlan;
pub(crate) use plan::{FIRST_SOCKET, RadioPath, StreamPlan};
pub use topology::{MachineKind, OnNetwork};
