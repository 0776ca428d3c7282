//! Every parameter of the model with its unit, default, source and range.
//!
//! [S]: read in IBM's documents; [R]: remembered, not read; [I]: an input, of which nothing is published.

use hopscope_units::{Data, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rule::Reject;

/// A subarea network and the sessions on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SnaParams {
    /// The subarea nodes, 2 to 64: hosts' access methods and communication controllers.
    pub node: Vec<NodeParams>,
    /// The transmission groups, 1 to 128.
    pub group: Vec<GroupParams>,
    /// The explicit routes, 1 to 128.
    pub route: Vec<RouteParams>,
    /// The virtual routes, 1 to 128.
    pub virtual_route: Vec<VirtualRouteParams>,
    /// The sessions, 1 to 128.
    pub session: Vec<SessionParams>,
    /// The units behind boundary nodes in which sessions end: hosts' applications, cluster controllers, printers. At
    /// most 128.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unit: Vec<UnitParams>,
    /// The headers.
    #[serde(default)]
    pub header: HeaderParams,
}

/// A subarea node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeParams {
    /// Its name.
    pub name: String,
    /// The time that its processor takes for a path information unit (PIU): none by default, at most 100 s. Pacing
    /// responses and acknowledgments pass at once.
    #[serde(default)]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "node {name} {factor} as fast", "divide": 2.0, "cause": "resource", "speeds": ["NodeProcessor"], "cost": "a processor {factor} as fast"},
    ])))]
    pub service: Service,
    /// Buffers for PIUs, 1 to 100000; unbounded by default. Where none is free, lines to the node stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = SnaParams::MOST_BUFFERS))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{amount} in node {name}", "more": 8, "noun": "buffer", "cause": "resource", "speeds": ["NodeBuffers"], "cost": "{amount}"},
    ])))]
    pub buffers: Option<u32>,
    /// From so many PIUs in the node on it is moderately congested, and tells the PIUs that pass (change-window
    /// indicator, CWI); never by default. 1 to 100000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = SnaParams::MOST_BUFFERS))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "no moderate congestion of node {name}", "without": true, "cause": "window", "cost": "buffers of node {name}"},
    ])))]
    pub moderate: Option<u32>,
    /// From so many on it is severely congested: it tells the responses that pass (reset-window indicator, RWI), and
    /// holds back its own; never by default. Not below `moderate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = SnaParams::MOST_BUFFERS))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "no severe congestion of node {name}", "without": true, "cause": "window", "cost": "buffers of node {name}"},
    ])))]
    pub severe: Option<u32>,
}

/// The distribution of service times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Service {
    /// Exponential, with this mean.
    Exponential(Span),
    /// Constant.
    Fixed(Span),
}

impl Default for Service {
    fn default() -> Self {
        Self::Fixed(Span::from_ps(0))
    }
}

/// A transmission group: one or more parallel lines between two nodes, in both directions. PIUs leave it in the order
/// in which they entered it, by sequence numbers [R].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupParams {
    /// Its name.
    pub name: String,
    /// The two nodes that it joins.
    pub between: [String; 2],
    /// Its lines, 1 to 8. The first one that is free takes the next PIU.
    #[schemars(length(min = 1, max = SnaParams::MOST_LINES))]
    pub line: Vec<LineParams>,
    /// The longest PIU that its lines take, header included: longer messages are sent in segments. Unbounded by
    /// default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "no segments on group {name}", "without": true, "cause": "resource", "speeds": ["Line", "NodeProcessor", "NodeBuffers", "Segments"], "sort": "segments", "cost": "longer frames"},
    ])))]
    pub longest: Option<Data>,
    /// Who sends again what a line has lost.
    #[serde(default)]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "lines of group {name} that send again themselves", "to": "line", "cause": "loss", "cost": "recovery at each node"},
    ])))]
    pub recovery: Recovery,
}

/// A line of a transmission group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LineParams {
    /// The rate in each direction: 600 bit/s to 100 Gbit/s.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "line {number} of {name} {factor} as fast", "multiply": 2.0, "cause": "resource", "sort": "line", "rate_of": "line {number} of {name}", "cost": "a line of {factor} the rate"},
    ])))]
    pub rate: Rate,
    /// Propagation and modems, one way: none by default, at most 100 s.
    #[serde(default = "none")]
    pub propagation: Span,
    /// The share of frames that arrive in error, 0 to 0.9; none by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = SnaParams::MOST_ERRORS))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "no errors on line {number} of {name}", "to": 0.0, "cause": "loss", "repairs": "Line errors: {share} of frames on line {number} of {name} are damaged and sent again", "cost": "a better line"},
    ])))]
    pub errors: f64,
}

const fn none() -> Span {
    Span::from_ps(0)
}

/// Who sends again what a line has lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Recovery {
    /// The line's sender, before anything else, as soon as it can know: one propagation after the frame should have
    /// arrived. (SDLC sends again from the frame in error on; here it alone is.)
    #[default]
    Line,
    /// The end of the virtual route, which must follow the rule `hdlc`. The group keeps no order then.
    End,
}

/// An explicit route: a fixed list of transmission groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RouteParams {
    /// Its name.
    pub name: String,
    /// The node where it begins.
    pub from: String,
    /// The names of its transmission groups, 1 to 16, each beginning where the one before ends.
    pub groups: Vec<String>,
}

/// Which rule says who may send next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RuleKind {
    /// Virtual-route pacing.
    #[default]
    Pacing,
    /// A sliding window, in which every PIU is acknowledged.
    Sliding,
    /// A window whose last PIU alone is acknowledged.
    EndAcknowledged,
    /// One at a time, as an ARPANET host sends.
    StopAndWait,
    /// The window of an X.25 circuit, with RR and RNR.
    X25,
    /// The window of an HDLC link, with REJ or SREJ and a timer: for lines that leave recovery to the ends.
    Hdlc,
}

/// A virtual route over an explicit one, from its first node to its last. Answers come back the same way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VirtualRouteParams {
    /// Its number, 0 to 65535, by which sessions and reports call it.
    pub number: u32,
    /// The explicit route that it takes.
    pub route: String,
    /// The transmission priority, 0 (low) to 2 (high): a line sends nothing of a lower one while a higher one waits.
    #[serde(default = "medium")]
    #[schemars(range(min = 0, max = 2))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "virtual route {number} at high priority", "to": 2, "cause": "lanes", "sort": "priority", "cost": "waiting of other routes"},
    ])))]
    pub priority: u32,
    /// Whether it is activated when the run begins: nothing goes over it until an activation has gone to its end and
    /// the response has come back [S]. Otherwise it is active from the start. In both cases the window of pacing begins
    /// at the minimum.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub activation: bool,
    /// The rule that says who may send next.
    #[serde(default)]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "a sliding window for virtual route {number}", "to": "sliding", "cause": "window", "cost": "an acknowledgment for each PIU"},
        {"words": "pacing on virtual route {number}", "to": "pacing", "cause": "resource", "speeds": ["Replies"], "cost": "a window that opens by requests"},
    ])))]
    pub rule: RuleKind,
    /// The window, 1 to 255 PIUs [S]: constant. Of pacing it takes the place of `least` and `most`. By default 7, of
    /// X.25 2; of HDLC at most 127.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = SnaParams::MOST_WINDOW))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "a window of {amount} for a virtual route", "more": 2, "noun": "PIU", "cause": "window", "cost": "{amount} of buffers"},
    ])))]
    pub window: Option<u32>,
    /// The least window of pacing, 1 to 255 PIUs: the number of transmission groups by default [R].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = SnaParams::MOST_WINDOW))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "a least window of {amount} for a virtual route", "more": 2, "noun": "PIU", "cause": "window", "cost": "{amount} of buffers, and less relief in congestion"},
    ])))]
    pub least: Option<u32>,
    /// The greatest window of pacing: three times the number of transmission groups by default [R].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = SnaParams::MOST_WINDOW))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "a greatest window of {amount} for a virtual route", "more": 2, "noun": "PIU", "cause": "window", "cost": "{amount} of buffers"},
    ])))]
    pub most: Option<u32>,
    /// Of HDLC: what the receiver asks for where a frame is missing.
    #[serde(default)]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "selective reject on virtual route {number}", "to": "selective", "cause": "loss", "sort": "reject", "cost": "buffers for frames that come early"},
    ])))]
    pub reject: Reject,
    /// Of HDLC: how long the sender waits for an answer, 1 ms to 100 s. After each timeout in a row twice as long, up
    /// to 16 times.
    #[serde(default = "three_seconds")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "a timeout of virtual route {number} {factor} as long", "multiply": 8.0, "place": "the end of virtual route {number}", "cause": "loss", "cost": "lost frames wait longer to be sent again"},
        {"words": "a timeout of virtual route {number} {share} as long", "divide": 2.0, "place": "the end of virtual route {number}", "cause": "loss", "cost": "frames sent again that were only late"},
        {"words": "the usual timeout of 3 s", "usual": "3 s", "repairs": "the timeout of a virtual route", "cause": "slow service", "cost": "frames sent again that were only late"},
    ])))]
    pub timeout: Span,
}

const fn medium() -> u32 {
    1
}

const fn three_seconds() -> Span {
    Span::from_s(3)
}

/// A session between two logical units: one sends messages, the other takes them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionParams {
    /// The number of the virtual route that carries it: the first one by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub virtual_route: Option<u32>,
    /// The unit in which it ends, at the last node of the route. Without one, the last node takes its messages at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The length of a message without headers: 1 to 65535 B, 256 B by default.
    #[serde(default = "usual_size")]
    pub size: Data,
    /// The mean time between its messages, which come at random (Poisson): 1 us to 1000 s. Without it there is always
    /// another message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<Span>,
    /// Session-level pacing: so many messages a window, 1 to 63; none by default. The first of a window carries the
    /// request; the unit answers when it takes that message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = SnaParams::MOST_SESSION_WINDOW))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "a pacing window of {amount} for a session", "more": 2, "noun": "message", "cause": "window", "cost": "{amount} of buffers"},
        {"words": "a pacing window of 2 messages for session {number}", "to": 2, "cause": "blocking", "cost": "messages that wait in their host"},
        {"words": "a pacing window of 2 messages for session {number}", "absent": 0, "to": 2, "cause": "blocking", "cost": "messages that wait in their host"},
    ])))]
    pub pacing: Option<u32>,
    /// Session-level pacing in two stages [S]: `pacing` is then the window of the first, from the sender to the
    /// boundary node, and this the window of the second, from there to the unit: 1 to 63 messages; none by default.
    /// The boundary node answers a request when the second stage lets that message go [R]; a message that it let go is
    /// in the unit's own memory, and has given its buffer of the node back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = SnaParams::MOST_SESSION_WINDOW))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "a second-stage pacing window of {amount} for a session", "more": 2, "noun": "message", "cause": "window", "cost": "{amount} of memory in the unit"},
    ])))]
    pub boundary: Option<u32>,
    /// Whether session-level pacing is adaptive: the response tells the next window, `pacing` less the messages that
    /// wait for the unit, or in two stages for the second one.
    #[serde(default)]
    pub adaptive: bool,
}

const fn usual_size() -> Data {
    Data::from_bytes(256)
}

/// A unit behind a boundary node, which takes one message after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnitParams {
    /// Its name.
    pub name: String,
    /// The boundary node that it is attached to.
    pub node: String,
    /// The time that it takes for a message: none by default, at most 100 s.
    #[serde(default)]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "unit {name} {factor} as fast", "divide": 2.0, "cause": "resource", "speeds": ["Unit"], "cost": "a unit {factor} as fast"},
    ])))]
    pub service: Service,
    /// When it takes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "unit {name} never stops", "without": true, "cause": "interruption", "repairs": "Stops: the unit {name} takes nothing for {lasts} from {first} on{more}", "cost": "a unit that always takes messages"},
    ])))]
    pub stop: Option<StopParams>,
}

/// When a unit takes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopParams {
    /// When it first stops, from the start of the run: at most 1000 s.
    pub first: Span,
    /// For how long: 1 ms to 1000 s.
    pub lasts: Span,
    /// From one stop to the next, longer than a stop, 1 to 1000 s; once by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<Span>,
}

/// The lengths of headers and answers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HeaderParams {
    /// The headers of a PIU: 29 B, a transmission header of 26 B and a request header of 3 B [R]. 0 to 1000 B.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "the usual headers of 29 B", "usual": "29 B", "repairs": "the length of the headers of a PIU", "cause": "slow service", "cost": "none"},
    ])))]
    pub piu: Data,
    /// A pacing response or an acknowledgment, with its headers: 29 B [R]. 0 to 1000 B.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "answers {share} as long", "divide": 4.0, "cause": "resource", "speeds": ["Replies"], "cost": "answers that say less"},
    ])))]
    pub answer: Data,
}

impl Default for HeaderParams {
    fn default() -> Self {
        Self { piu: Data::from_bytes(29), answer: Data::from_bytes(29) }
    }
}

impl SnaParams {
    pub(crate) const MOST_NODES: usize = 64;
    pub(crate) const MOST_THINGS: usize = 128;
    pub(crate) const MOST_LINES: usize = 8;
    pub(crate) const MOST_HOPS: usize = 16;
    pub(crate) const MOST_BUFFERS: u32 = 100_000;
    pub(crate) const MOST_WINDOW: u32 = 255;
    pub(crate) const MOST_HDLC_WINDOW: u32 = 127;
    pub(crate) const MOST_SESSION_WINDOW: u32 = 63;
    pub(crate) const MOST_SEGMENTS: u64 = 1_000;
    pub(crate) const MOST_ERRORS: f64 = 0.9;
}

impl Service {
    /// The mean, or the constant, time.
    #[must_use]
    pub const fn mean(self) -> Span {
        match self {
            Self::Exponential(time) | Self::Fixed(time) => time,
        }
    }
}
