//! The byte stream protocol and the opening and ending of connections, as state machines without a clock or a network: the same code
//! could be driven by a real socket.
//!
//! Sources: Pup specification, 1980; the byte stream protocol of Mesa (1981) and BCPL.

mod receiver;
mod rendezvous;
mod retransmission_timer;
mod sender;

pub use receiver::{Arrival, ByteStreamReceiver, ReceiverRule};
pub use rendezvous::{Phase, Rendezvous};
pub use retransmission_timer::RetransmissionTimer;
pub use sender::{ByteStreamSender, SenderCounts, SenderRule, Transmit};
