//! Pups as bytes: what stands on every network between two hosts. The same code reads and writes them here and on a
//! real wire.

mod allocation;
mod checksum;
mod echo;
mod errors;
mod frame;
mod gateway_information;
pub mod kind;
mod packet;

pub use allocation::Allocation;
pub use checksum::{NO_CHECKSUM, checksum};
pub use echo::echo_of;
pub use errors::{ErrorCode, ErrorReport};
pub use frame::{EMULATORS_PORT, EthernetFrame, FrameError, PUP_TYPE};
pub use gateway_information::{ROUTES_A_PUP, RouteTold, routes_told, write_routes};
pub use packet::{HEADER, Header, LONGEST, MOST_DATA, MOST_HOPS, Port, Pup, PupError, SHORTEST};
pub(crate) use packet::{port_bytes, read_header, unpadded};
