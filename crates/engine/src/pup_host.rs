//! A Pup endpoint for a caller with a socket and a clock, with a capture of its traffic.

use std::path::Path;

use hopscope_formats::pcapng::{EXPERIMENTAL_ETHERNET, Interface, Packet};
use hopscope_pup::endpoint::{Datagram, Endpoint};
use hopscope_pup::wire::EthernetFrame;
use hopscope_units::{Span, Time};

pub use hopscope_pup::bsp::{ReceiverRule, SenderRule};
pub use hopscope_pup::endpoint::{Counts, Ending, EndpointParams, Notice, Protocol};
pub use hopscope_pup::wire::{EMULATORS_PORT, Port, RouteTold};

use crate::capture::CaptureFile;
use crate::output_error::OutputError;

/// A Pup endpoint with its capture. Times are nanoseconds since any instant.
#[derive(Debug)]
pub struct PupHost {
    /// The endpoint, for its user.
    pub endpoint: Endpoint,
    capture: Option<CaptureFile>,
}

/// A time in the endpoint's own measure.
#[must_use]
pub fn at(now_ns: u64) -> Time {
    Time::ZERO + Span::from_ns(now_ns)
}

impl PupHost {
    /// A host with these ways, which writes what passes to the file, if one is named.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn new(params: EndpointParams, capture: Option<&Path>) -> Result<Self, OutputError> {
        let interface = Interface { name: "udp", link_type: EXPERIMENTAL_ETHERNET };
        let capture = capture.map(|path| CaptureFile::create(path, &[interface])).transpose()?;
        Ok(Self { endpoint: Endpoint::new(params), capture })
    }

    /// A datagram has come.
    pub fn handle(&mut self, datagram: &[u8], now_ns: u64) {
        self.record(datagram, now_ns);
        self.endpoint.handle(datagram, at(now_ns));
    }

    /// The next datagram to send now; ask until there is none.
    pub fn poll(&mut self, now_ns: u64) -> Option<Datagram> {
        let datagram = self.endpoint.poll(at(now_ns))?;
        self.record(&datagram.bytes, now_ns);
        Some(datagram)
    }

    /// When [`poll`](Self::poll) may next have something, in nanoseconds.
    #[must_use]
    pub fn next_timer_ns(&self) -> Option<u64> {
        // Rounded up: a driver that comes a little early would come for nothing.
        self.endpoint.next_timer().map(|at| at.since(Time::ZERO).ps().div_ceil(1_000))
    }

    /// Brings the capture to the disk.
    ///
    /// # Errors
    /// Where that fails, or has failed before.
    pub fn finish(&mut self) -> Result<(), OutputError> {
        self.capture.take().map_or(Ok(()), CaptureFile::finish)
    }

    /// A datagram that holds a frame goes into the capture as the frame.
    fn record(&mut self, datagram: &[u8], time_ns: u64) {
        let Some(capture) = &mut self.capture else { return };
        if let Ok(frame) = EthernetFrame::of_datagram(datagram) {
            let mut bytes = Vec::new();
            frame.write(&mut bytes);
            capture.packet(Packet { interface: 0, time_ns, bytes: &bytes });
        }
    }
}
