//! Model: the Pup internet of 1980: experimental Ethernets, telephone lines, gateways and packet radio, as IEN 138 measured it.
//!
//! The simulation moves real Pups: every header, checksum, acknowledgment, error and routing Pup stands in bytes as it stood on the wire, and
//! [`wire`] reads and writes them. The protocols in [`stream`] know neither a clock nor a network.

mod capture;
mod dependence;
pub mod ethernet;
mod event;
mod forwarding;
mod internet;
mod layout;
mod line;
mod media;
mod own_queue;
mod packet_radio;
mod packets;
mod params;
mod plan;
pub mod preset;
mod processor;
mod pup_test;
mod radio_network;
mod report;
mod retransmissions;
mod routing;
mod stage;
pub mod stream;
mod trail;
mod validation;
pub mod wire;

pub use capture::{Capture, Frame, Tap, write_frame};
pub use event::Event;
pub use internet::Internet;
pub use layout::{MachineKind, OnNetwork};
pub use params::{
    Attachment, EthernetParams, Extra, GatewayCost, GatewayParams, HostCost, HostParams, LineParams, Medium,
    NetworkParams, ProcessingParams, PupParams, RadioFrom, RadioParams, RoutingParams, StreamParams,
    TestParams,
};
pub use plan::PupPlan;
pub use stage::Stage;
