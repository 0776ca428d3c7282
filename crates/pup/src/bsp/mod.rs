//! BSP, the byte stream protocol, and the rendezvous that opens and ends its connections, as state machines without a
//! clock or a network: the same code could be driven by a real socket.
//!
//! Sources: Pup specification, 1980; the byte stream protocol of Mesa (1981) and BCPL.

mod demands;
mod receiver;
mod rendezvous;
mod retransmission_timer;
mod send_window;
mod sender;
mod sending_rule;
mod sequence;
mod stream_pup;
mod throttle;

pub use receiver::{Arrival, ByteStreamReceiver, ReceiverRule};
pub use rendezvous::{Phase, Rendezvous};
pub use retransmission_timer::{RetransmissionTimer, SILENT_AT_FIRST};
pub use sender::{ByteStreamSender, SenderCounts, Transmit};
pub use sending_rule::SenderRule;
pub(crate) use stream_pup::StreamPup;
