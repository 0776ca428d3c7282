//! What a scenario says of an internet, what can be wrong with it, and the internet that comes of it, numbered and
//! ready to run.

pub mod ien138;
mod params;
mod plan;
mod topology;
mod validation;

pub use params::{
    Attachment, EchoParams, EthernetParams, Extra, GatewayCost, GatewayParams, HostCost, HostParams,
    LineParams, Medium, NetworkParams, ProcessingParams, PupParams, RadioFrom, RadioParams, RawParams,
    RoutingParams, StreamParams, TestParams,
};
pub(crate) use plan::Class;
pub use plan::PupPlan;
pub(crate) use plan::{FIRST_ECHO_SOCKET, FIRST_SOCKET, RadioPath, StreamPlan};
pub use topology::{MachineKind, OnNetwork};
