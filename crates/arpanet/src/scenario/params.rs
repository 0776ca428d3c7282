//! Every parameter of the model with its unit, default and source. The defaults are those of October 1974.

use hopscope_units::{Data, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::protocol::single_packet::SinglePacketRule;
use crate::routing::hold_down::HoldDown;
use crate::scenario::outages::OutageParams;
use crate::scenario::processor_params::ProcessorParams;
use crate::scenario::site_params::SitesParams;

/// Between two ticks of an IMP's clock: 256 counts of 100 us (the program's listing). Whatever the program does at a
/// tick it does at the ticks of this clock: its own work, and looking after hosts that wait.
pub(crate) const TICK: Span = Span::from_us(25_600);

/// A subnet of IMPs, its hosts and its traffic.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ArpanetParams {
    /// How long hosts send. The run ends when all messages have arrived. Without it, the run ends with the messages
    /// measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<Span>,
    /// IMPs and lines.
    pub network: NetworkParams,
    /// Flow control and tables.
    pub protocol: ProtocolParams,
    /// Routing messages and hold-down.
    pub routing: RoutingParams,
    /// The two kinds of processor.
    pub processor: ProcessorParams,
    /// Real hosts. Every IMP also has a fake host of its own name that accepts all messages and can send.
    pub host: Vec<HostParams>,
    /// Flows of messages between hosts.
    pub flow: Vec<FlowParams>,
    /// Traffic from every site to every other, as it was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sites: Option<SitesParams>,
    /// Background traffic from every IMP to every other; it loads the network and is not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<BackgroundParams>,
}

/// IMPs and the lines between them.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkParams {
    /// A CSV file of lines, with the columns a, b, bits_per_s and delay_ms; the last two may be left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// A CSV file of the positions of IMPs on the map: columns site, longitude and latitude, in degrees. It changes no
    /// result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places_file: Option<String>,
    /// Lines, in addition to those of the file.
    pub line: Vec<LineParams>,
    /// IMPs that differ from the rest. All others are those that lines name, with a 516 processor.
    pub imp: Vec<ImpParams>,
    /// The share of packets that a line loses to errors, 0 to 0.5. Default 0: good lines lost about one in 10^5.
    #[schemars(range(min = 0.0, max = 0.5))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "lines without errors", "to": 0.0, "cause": "loss", "repairs": "Line errors: {share} of packets on each line are damaged and sent again", "cost": "better lines"},
    ])))]
    pub errors: f64,
    /// Lines and IMPs that fail and come back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "no outages", "to": [], "cause": "interruption", "repairs": "Outage: {what} is down for {length} from {from} on{more}", "cost": "lines and IMPs that stay up"},
    ])))]
    pub outage: Vec<OutageParams>,
}

/// A line between two IMPs, full duplex.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LineParams {
    /// The names of the two IMPs.
    pub between: [String; 2],
    /// Bits a second in each direction: 50 kbit/s unless given (section III).
    #[serde(default = "line_rate")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "line {between[0]} - {between[1]} {factor} as fast", "multiply": 2.0, "cause": "resource", "sort": "line", "rate_of": "line {between[0]} - {between[1]}", "cost": "a line of {factor} the rate"},
    ])))]
    pub rate: Rate,
    /// The propagation delay: 5 ms unless given, about 1000 km of line.
    #[serde(default = "line_delay")]
    pub delay: Span,
}

pub(crate) const fn line_rate() -> Rate {
    Rate::from_bit_s(50_000)
}

pub(crate) const fn line_delay() -> Span {
    Span::from_ms(5)
}

/// An IMP that differs from the rest.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImpParams {
    /// Its name, as lines name it.
    pub name: String,
    /// Its number, 1 to 63; unless given, IMPs are numbered in the order of the lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// Its processor.
    #[serde(default)]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "a 516 at {name}", "to": "516", "cause": "slow service", "speeds": ["Processor"], "cost": "another computer"},
    ])))]
    pub processor: Computer,
    /// It has the code for very distant hosts, which leaves fewer buffers.
    #[serde(default)]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "no code for very distant hosts at {name}", "to": false, "cause": "resource", "speeds": ["Buffers", "ReassemblyBuffers", "StoreAndForwardBuffers"], "cost": "its very distant hosts"},
    ])))]
    pub very_distant_host: bool,
}

/// The computer of an IMP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Computer {
    /// A Honeywell 516.
    #[default]
    #[serde(rename = "516")]
    H516,
    /// A Honeywell 316, slower.
    #[serde(rename = "316")]
    H316,
}

/// Which message handling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Version {
    /// Message numbers a pair of IMPs; number, leader-table entry, allocation in this order (section II).
    #[default]
    #[serde(rename = "2")]
    Two,
    /// Message numbers a pair of hosts, after an exchange that sets up message blocks; number, allocation, leader-table
    /// entry (section VI).
    #[serde(rename = "3")]
    Three,
}

/// Flow control and tables of an IMP.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProtocolParams {
    /// Message handling of October 1974 ("2") or of 1975 ("3").
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "message handling of version 3", "to": "3", "cause": "circular wait", "cost": "new IMP programs"},
    ])))]
    pub version: Version,
    /// A reply does not wait for buffers to carry an allocation while other replies are to be sent (the fix of 1975,
    /// section VII).
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "no RFNM waits for buffers while others are to be sent", "to": true, "cause": "circular wait", "cost": "new IMP programs"},
    ])))]
    pub phasing_fix: bool,
    /// Message numbers outstanding, 1 to 8. Unless given: 4 a pair of IMPs in version 2, 8 a pair of hosts in version 3
    /// (sections III and VI).
    #[schemars(range(min = 1, max = 8))]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{amount}", "more": 1, "noun": "message number", "absent": 4, "cause": "window", "cost": "{amount}"},
    ])))]
    pub message_numbers: Option<u32>,
    /// Entries of the pending leader table, 1 to 256: 6 in October 1974 (section III), 12 in 1973 (RFC 619).
    #[schemars(range(min = 1, max = 256))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{amount}", "more": 2, "noun": "PLT entry", "cause": "resource", "speeds": ["PendingLeaderTable"], "cost": "{amount}"},
    ])))]
    pub pending_leaders: u32,
    /// Entries of the pending packet table, 1 to 256: 8 (RFC 619).
    #[schemars(range(min = 1, max = 256))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{amount}", "more": 2, "noun": "PPT entry", "cause": "resource", "speeds": ["PendingPacketTable"], "cost": "{amount}"},
    ])))]
    pub pending_packets: u32,
    /// Packet buffers, 16 to 1024: 51 in October 1974 (section III), 79 in 1973 (the program's listing).
    #[schemars(range(min = 16, max = 1024))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{amount} per IMP", "more": 16, "noun": "packet buffer", "cause": "resource", "speeds": ["Buffers"], "cost": "{amount} per IMP"},
    ])))]
    pub buffers: u32,
    /// Reassembly buffers, 8 to 1024: 34 in October 1974 (section III), 66 in 1973 (RFC 619).
    #[schemars(range(min = 8, max = 1024))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{amount} per IMP", "more": 8, "noun": "reassembly buffer", "also": [{"path": "protocol.buffers", "more": 8}], "cause": "resource", "speeds": ["ReassemblyBuffers"], "cost": "{amount} per IMP"},
    ])))]
    pub reassembly_buffers: u32,
    /// Packet buffers where there is the code for very distant hosts: 30 (section III).
    #[schemars(range(min = 16, max = 1024))]
    pub vdh_buffers: u32,
    /// Reassembly buffers where there is the code for very distant hosts: 10 (section VII).
    #[schemars(range(min = 8, max = 1024))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{amount} where there are very distant hosts", "more": 8, "noun": "reassembly buffer", "also": [{"path": "protocol.vdh_buffers", "more": 8}], "cause": "resource", "speeds": ["ReassemblyBuffers"], "cost": "{amount}"},
    ])))]
    pub vdh_reassembly_buffers: u32,
    /// Packets in store and forward, at most: 20 (section III).
    #[schemars(range(min = 1, max = 1024))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{amount} per IMP", "more": 4, "noun": "store-and-forward buffer", "cause": "resource", "relieves": ["loss"], "speeds": ["StoreAndForwardBuffers"], "cost": "{amount} per IMP"},
    ])))]
    pub store_and_forward: u32,
    /// Buffers that must be free to let a packet in: 4 (section III).
    #[schemars(range(min = 1, max = 64))]
    pub free_buffers: u32,
    /// A packet not acknowledged for so long is sent again, counted from its last bit and lengthened by twice the
    /// line's propagation delay: 125 ms (section III).
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "retransmission after {share} of the time", "divide": 2.0, "cause": "loss", "cost": "more copies on the lines"},
        {"words": "retransmission after {factor} the time", "multiply": 8.0, "cause": "loss", "cost": "lost packets wait longer to be sent again"},
        {"words": "retransmission after the usual 125 ms", "usual": "125 ms", "repairs": "the time after which a packet is sent again", "cause": "slow service", "cost": "more copies on the lines"},
    ])))]
    pub retransmit_after: Span,
    /// The longest wait of a reply for buffers, to carry an allocation: 1 s (section II).
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "RFNMs that wait {share} as long for buffers", "divide": 4.0, "cause": "circular wait", "cost": "separate allocations"},
    ])))]
    pub piggy_back_wait: Span,
    /// The time after which an unused allocation is given back: 250 ms (section II), 125 ms in 1973 (RFC 619).
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "unused allocations kept {factor} as long", "multiply": 2.0, "cause": "resource", "speeds": ["ReassemblyBuffers"], "cost": "buffers kept idle"},
        {"words": "unused allocations given back after the usual 250 ms", "usual": "250 ms", "repairs": "the time after which an unused allocation is given back", "cause": "slow service", "cost": "more requests for allocations"},
    ])))]
    pub give_back_after: Span,
    /// The period of the clock that counts how long the reply to a message number is overdue: 17 s. With the third,
    /// after 34 to 51 s, the source asks about an incomplete transmission (the program's listing).
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "incomplete transmissions found in {share} of the time", "divide": 2.0, "cause": "loss", "cost": "more inquiries"},
    ])))]
    pub message_timeout: Span,
    /// Transmit blocks, and as many receive blocks, of version 3: 64 (section VI).
    #[schemars(range(min = 1, max = 4096))]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{amount} per IMP", "more": 16, "noun": "message block", "cause": "resource", "speeds": ["TransmitBlocks", "ReceiveBlocks"], "cost": "{amount} per IMP"},
    ])))]
    pub message_blocks: u32,
    /// A source sends a REQALL though one of the same sequence is under way, as it did until 1975. Without, a message
    /// waits for the allocation that has been asked for: the remedy of section VII that was not chosen.
    pub superfluous_requests: bool,
    /// What happens to single-packet messages out of order (RFC 632): rejected in 1974.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "single packets stored, not rejected", "to": "store", "cause": "loss", "cost": "a reassembly buffer for each"},
    ])))]
    pub single_packets: SinglePacketRule,
    /// The period in which the IMP scans waiting hosts, in step with the ticks of its clock: one tick of 25.6 ms in the
    /// program's listing. By default it serves them at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "hosts scanned {factor} as often", "divide": 4.0, "cause": "slow service", "cost": "processor time"},
    ])))]
    pub host_poll: Option<Span>,
}

impl Default for ProtocolParams {
    fn default() -> Self {
        Self {
            version: Version::Two,
            phasing_fix: false,
            message_numbers: None,
            pending_leaders: 6,
            pending_packets: 8,
            buffers: 51,
            reassembly_buffers: 34,
            vdh_buffers: 30,
            vdh_reassembly_buffers: 10,
            store_and_forward: 20,
            free_buffers: 4,
            retransmit_after: Span::from_ms(125),
            piggy_back_wait: Span::from_s(1),
            give_back_after: Span::from_ms(250),
            message_timeout: Span::from_s(17),
            message_blocks: 64,
            superfluous_requests: true,
            single_packets: SinglePacketRule::Reject,
            host_poll: None,
        }
    }
}

impl ProtocolParams {
    /// Message numbers outstanding: those given, or those of the version.
    #[must_use]
    pub const fn message_numbers(&self) -> u32 {
        match (self.message_numbers, self.version) {
            (Some(numbers), _) => numbers,
            (None, Version::Two) => 4,
            (None, Version::Three) => 8,
        }
    }
}

/// Routing.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RoutingParams {
    /// When routing messages are sent.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "routing messages every 640 ms on every line", "to": "fixed", "cause": "resource", "speeds": ["Line", "Processor", "RoutingMessages"], "cost": "slower routing"},
    ])))]
    pub messages: RoutingMessages,
    /// A null packet of 152 bits, which carries acknowledgments, goes out before every routing message (the program's
    /// listing). RFC 619 reckons without it.
    pub null_before: bool,
    /// When a line is held down.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "the corrected hold-down", "to": "by-time", "cause": "routing loop", "cost": "new IMP programs"},
        {"words": "no hold-down", "to": "none", "cause": "routing loop", "cost": "routing loops"},
    ])))]
    pub hold_down: HoldDown,
}

impl Default for RoutingParams {
    fn default() -> Self {
        Self { messages: RoutingMessages::default(), null_before: true, hold_down: HoldDown::default() }
    }
}

/// When routing messages are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RoutingMessages {
    /// By speed and utilisation of the line: on 50 kbit/s every 128 ms when idle, every 640 ms when busy (RFC 619; the
    /// program's listing).
    #[default]
    Adaptive,
    /// Every 640 ms on every line (August 1973, RFC 619).
    Fixed,
}

/// A real host.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostParams {
    /// Its name.
    pub name: String,
    /// The IMP to which it is attached.
    pub imp: String,
    /// Bits a second between host and IMP in each direction: 100 kbit/s unless given (section III).
    #[serde(default = "host_rate")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "host {name} on a line {factor} as fast", "multiply": 2.0, "cause": "resource", "rate_of": "host {name} on a line", "cost": "a host line of {factor} the rate"},
    ])))]
    pub rate: Rate,
    /// Time of the host to accept a message, in addition to its transmission.
    #[serde(default)]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "host {name} accepts messages {factor} as fast", "divide": 2.0, "cause": "slow service", "cost": "a host {factor} as fast"},
    ])))]
    pub per_message: Span,
    /// Processing time of the host per message before it sends it, one message at a time (RFC 619).
    #[serde(default)]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "host {name} prepares messages {factor} as fast", "divide": 2.0, "cause": "slow service", "cost": "a host {factor} as fast"},
    ])))]
    pub per_message_sent: Span,
    /// Times in which the host accepts nothing from its IMP. After 30 s the network declares the host dead, until it
    /// accepts a message again (RFC 394).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "host {name} never silent", "to": [], "cause": "interruption", "repairs": "Silent host: {name} takes nothing for {length} from {from} on{more}", "cost": "a host that stays up"},
    ])))]
    pub silent: Vec<SilenceParams>,
}

/// A time in which a host accepts nothing.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SilenceParams {
    /// When it begins, from the start of the run.
    pub from: Span,
    /// How long it lasts.
    pub length: Span,
}

pub(crate) const fn host_rate() -> Rate {
    Rate::from_bit_s(100_000)
}

/// A flow of messages from one host to another.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FlowParams {
    /// The sending host, or an IMP whose message generator sends.
    pub from: String,
    /// The receiving host, or an IMP that discards the messages.
    pub to: String,
    /// Data bits of each message, 1 to 8063.
    pub size: Data,
    /// When messages are sent.
    pub when: When,
    /// When the first message of a periodic flow is sent, at most one period after the start: one period unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Span>,
    /// The class under which the messages are reported.
    #[serde(default = "message_class")]
    pub class: String,
}

fn message_class() -> String {
    "message".to_owned()
}

/// When messages are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// As fast as the network accepts them.
    Saturated,
    /// At random instants, with this mean gap.
    Poisson(Span),
    /// One after each period, from its phase on.
    Every(Span),
}

/// Background traffic.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BackgroundParams {
    /// The mean gap between messages of each IMP; all other IMPs are equally likely destinations.
    pub gap: Span,
    /// IMPs that take no part, such as those behind slow lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<String>,
    /// Data bits of most messages.
    pub size: Data,
    /// Data bits of the other messages; 8063 unless given.
    #[serde(default = "longest")]
    pub long_size: Data,
    /// The share of the other messages: 0 to 1. 0.015 unless given (facts: 1.0 to 1.5 % are multipacket).
    #[serde(default = "long_share")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub long_share: f64,
}

const fn longest() -> Data {
    Data::from_bits(crate::protocol::packet::LONGEST_MESSAGE as u64)
}

const fn long_share() -> f64 {
    0.015
}
