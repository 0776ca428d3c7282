//! A Pup endpoint for Python, which has the socket and the clock.

use std::path::PathBuf;

use hopscope_engine::pup_host::{
    Counts, EMULATORS_PORT, Ending, EndpointParams, Notice, Port, Protocol, PupHost as Host, at,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;

/// A notice as Python reads it: its kind, the conversation (or an echo's identifier), a number, words, data.
type Told = (&'static str, u32, u64, String, Vec<u8>);

/// A Pup host without a socket or a clock: datagrams in, datagrams out. Times are in ns since any instant.
#[pyclass(module = "hopscope._core")]
pub(crate) struct PupHost(Host);

#[pymethods]
impl PupHost {
    /// A host with this number on this network (0: not known yet). Raises ValueError, and OutputError for the capture.
    #[new]
    #[pyo3(signature = (net, host, first_id, tries, gateway = false, capture = None))]
    fn new(
        net: u8,
        host: u8,
        first_id: u32,
        tries: u32,
        gateway: bool,
        capture: Option<PathBuf>,
    ) -> PyResult<Self> {
        if host == 0 {
            return Err(PyValueError::new_err("host number 0 is every host"));
        }
        let params = EndpointParams { net, host, first_id, tries, gateway, ..EndpointParams::default() };
        Host::new(params, capture.as_deref()).map(Self).map_err(|error| errors::output(&error))
    }

    /// A datagram has come. What is wrong with it is counted.
    fn handle(&mut self, datagram: &[u8], now_ns: u64) {
        self.0.handle(datagram, now_ns);
    }

    /// The next datagram to send now, behind the host that it is for (0: every host); ask until there is none.
    fn poll<'py>(&mut self, py: Python<'py>, now_ns: u64) -> Option<(u8, Bound<'py, PyBytes>)> {
        self.0.poll(now_ns).map(|datagram| (datagram.to, PyBytes::new(py, &datagram.bytes)))
    }

    /// When `poll` may next have something.
    fn next_timer(&self) -> Option<u64> {
        self.0.next_timer_ns()
    }

    /// The next notice for the user: its kind, the conversation or an echo's number, a number, words, data.
    fn notice(&mut self) -> Option<Told> {
        self.0.endpoint.notice().map(told)
    }

    /// From now on, calls to this socket are answered.
    fn listen(&mut self, socket: u32, eftp: bool) {
        self.0.endpoint.listen(socket, protocol(eftp));
    }

    /// Begins a conversation with (net, host, socket); its name from now on.
    fn call(&mut self, far: (u8, u8, u32), eftp: bool, now_ns: u64) -> u32 {
        self.0.endpoint.call(port(far), protocol(eftp), at(now_ns))
    }

    /// Hands bytes over to be sent; how many were taken.
    fn write(&mut self, conversation: u32, data: &[u8]) -> usize {
        self.0.endpoint.write(conversation, data)
    }

    /// What has come since the last time.
    fn read<'py>(&mut self, py: Python<'py>, conversation: u32, now_ns: u64) -> Bound<'py, PyBytes> {
        let mut data = Vec::new();
        self.0.endpoint.read(conversation, &mut data, at(now_ns));
        PyBytes::new(py, &data)
    }

    /// Bytes handed over and not acknowledged yet.
    fn unsent(&self, conversation: u32) -> usize {
        self.0.endpoint.unsent(conversation)
    }

    /// Nothing more will be written: the conversation ends when everything is acknowledged.
    fn close(&mut self, conversation: u32) {
        self.0.endpoint.close(conversation);
    }

    /// Breaks a conversation off.
    fn abort(&mut self, conversation: u32, now_ns: u64) {
        self.0.endpoint.abort(conversation, at(now_ns));
    }

    /// Whether a conversation is still there.
    fn knows(&self, conversation: u32) -> bool {
        self.0.endpoint.knows(conversation)
    }

    /// Asks (net, host, socket) for an echo.
    fn ask_echo(&mut self, far: (u8, u8, u32), number: u32, data: &[u8], now_ns: u64) {
        self.0.endpoint.ask_echo(port(far), number, data, at(now_ns));
    }

    /// What has been counted, by name.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        let Counts {
            datagrams,
            malformed,
            not_for_us,
            bad_checksums,
            no_such_socket,
            socket_full,
            out_of_place,
            early,
            duplicate,
            echoed,
            answers_dropped,
            notices_lost,
        } = self.0.endpoint.counts();
        vec![
            ("datagrams", datagrams),
            ("malformed", malformed),
            ("not for this host", not_for_us),
            ("bad checksums", bad_checksums),
            ("no such socket", no_such_socket),
            ("socket full", socket_full),
            ("out of place", out_of_place),
            ("early", early),
            ("duplicate", duplicate),
            ("echoed", echoed),
            ("answers dropped", answers_dropped),
            ("notices lost", notices_lost),
        ]
    }

    /// Brings the capture to the disk. Raises OutputError.
    fn finish(&mut self) -> PyResult<()> {
        self.0.finish().map_err(|error| errors::output(&error))
    }
}

/// The UDP port of the emulators of the Alto.
#[pyfunction]
pub(crate) fn pup_udp_port() -> u16 {
    EMULATORS_PORT
}

const fn port((net, host, socket): (u8, u8, u32)) -> Port {
    Port { net, host, socket }
}

const fn protocol(eftp: bool) -> Protocol {
    if eftp { Protocol::Eftp } else { Protocol::Stream }
}

fn told(notice: Notice) -> Told {
    let plain = |kind, conversation| (kind, conversation, 0, String::new(), Vec::new());
    match notice {
        Notice::Opened { conversation, far } => {
            let words = format!("{:o}#{:o}#{:o}", far.net, far.host, far.socket);
            ("opened", conversation, 0, words, Vec::new())
        }
        Notice::Ended { conversation, how } => match how {
            Ending::Complete => plain("complete", conversation),
            Ending::Aborted => plain("aborted", conversation),
            Ending::NoAnswer => plain("no-answer", conversation),
            Ending::NoSuchSocket => plain("no-such-socket", conversation),
        },
        Notice::Mark { conversation, mark, behind } => {
            ("mark", conversation, behind, String::new(), vec![mark])
        }
        Notice::Interrupt { conversation } => plain("interrupt", conversation),
        Notice::Echo { id, data } => ("echo", id, 0, String::new(), data),
        Notice::Undelivered(report) => {
            let code = report.code;
            ("undelivered", report.about.id, u64::from(code.number()), code.words().to_owned(), Vec::new())
        }
        Notice::Routes => plain("routes", 0),
    }
}
