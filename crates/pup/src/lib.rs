//! Model: the Pup internet of 1980: experimental Ethernets, telephone lines, gateways and packet radio, as IEN 138
//! measured it.
//!
//! The simulation moves whole Pups, each a header and its data: acknowledgments, errors and routes as those of streams.
//! They become bytes, as they stood on the wire, in captures and on lines; [`wire`] reads and writes them. Networks
//! corrupt nothing, so that no unneeded checksum is computed. The byte stream protocol in [`bsp`] has neither a clock
//! nor a network; [`endpoint`] speaks it, and its companions, on a real wire.

pub mod bsp;
pub mod endpoint;
mod internet;
pub mod media;
mod observe;
mod puptest;
mod report;
mod scenario;
mod stations;
pub mod wire;

pub use internet::{Event, Internet};
pub use observe::{Capture, Frame, RadioFragment, Stage, Tap, write_fragment, write_frame};
pub use scenario::ien138;
pub use scenario::{
    Attachment, EchoParams, EthernetParams, Extra, GatewayCost, GatewayParams, HostCost, HostParams,
    LineParams, MachineKind, Medium, NetworkParams, OnNetwork, ProcessingParams, PupParams, PupPlan,
    RadioFrom, RadioParams, RawParams, RoutingParams, StreamParams, TestParams,
};
