//! Model: the Pup internet of 1980: experimental Ethernets, telephone lines, gateways and packet radio, as IEN 138
//! measured it.
//!
//! The simulation moves real Pups: every header, checksum, acknowledgment, error and routing Pup stands in bytes as it
//! stood on the wire, and [`wire`] reads and writes them. The byte stream protocol in [`bsp`] knows neither a clock nor
//! a network; [`endpoint`] speaks it, and its companions, on a real wire.

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
