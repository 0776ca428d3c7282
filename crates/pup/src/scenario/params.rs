//! Every parameter of the model with its unit, default, source and range. The defaults are those of the runs with
//! Improved Packet Radios.
//!
//! [S]: read in a primary source; [D]: derived; [F]: fitted to the cells of IEN 138 that are marked for calibration,
//! see `ien138.rs`; [I]: an input, of which nothing is published.

use hopscope_units::{Data, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bsp::{ReceiverRule, SenderRule};

/// An internet and the tests that run on it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PupParams {
    /// The networks.
    pub network: Vec<NetworkParams>,
    /// The hosts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host: Vec<HostParams>,
    /// The gateways.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gateway: Vec<GatewayParams>,
    /// The tests: streams that always have something to send.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub test: Vec<TestParams>,
    /// Hosts that ask others for echoes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub echo: Vec<EchoParams>,
    /// Stations that only load an Ethernet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub raw: Vec<RawParams>,
    /// The byte stream protocol.
    #[serde(default)]
    pub stream: StreamParams,
    /// What handling a Pup costs.
    #[serde(default)]
    pub processing: ProcessingParams,
    /// The gateway information protocol.
    #[serde(default)]
    pub routing: RoutingParams,
}

/// A network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkParams {
    /// Its name.
    pub name: String,
    /// Its number: 1 to 255.
    pub number: u32,
    /// What it is made of.
    pub medium: Medium,
}

/// What a network is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Medium {
    /// An experimental Ethernet.
    Ethernet(EthernetParams),
    /// A line between two machines.
    Line(LineParams),
    /// A packet radio network.
    Radio(RadioParams),
}

/// An experimental Ethernet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EthernetParams {
    /// The rate: 2.94 Mbit/s [S: Alto hardware manual]. 1 kbit/s to 100 Gbit/s.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "Ethernet {name} {factor} as fast", "multiply": 2.0, "cause": "resource", "rate_of": "Ethernet {name}", "cost": "a cable of {factor} the rate"},
    ])))]
    pub rate: Rate,
    /// The propagation delay between any two stations: 5 us, a kilometre of cable [I]. At most the collision time.
    pub delay: Span,
    /// From the start of a collision until the Ethernet is quiet again: 16 us [S: Metcalfe and Boggs 1976].
    pub collision: Span,
    /// The unit of the waits after collisions: 38 us [S: Alto hardware manual].
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "waits after collisions in units of 38 us", "to": "38 us", "cause": "slow service", "relieves": ["resource"], "cost": "none"},
        {"words": "the usual unit of waits after collisions, 38 us", "usual": "38 us", "repairs": "the unit of the waits after collisions", "cause": "slow service", "cost": "none"},
    ])))]
    pub backoff: Span,
    /// After a packet, a station leaves the cable to others for this time: none [S: the Alto's microcode has none]. At
    /// most 10 s.
    #[serde(skip_serializing_if = "is_no_time")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "no gap after a packet, as is usual", "usual": "0 s", "repairs": "the gap that a station leaves after a packet", "cause": "slow service", "cost": "none"},
    ])))]
    pub gap: Span,
}

/// A line between two machines, full duplex.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LineParams {
    /// The rate: 9.6 kbit/s [S]. 1 kbit/s to 100 Gbit/s.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "line {name} {factor} as fast", "multiply": 2.0, "cause": "resource", "sort": "line", "rate_of": "line {name}", "cost": "a line of {factor} the rate"},
    ])))]
    pub rate: Rate,
    /// Bytes of framing around each Pup, which are not doubled: 8 [I].
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "the usual framing of 8 B", "usual": "8 B", "repairs": "the framing of a Pup", "cause": "slow service", "cost": "none"},
    ])))]
    pub framing: Data,
    /// Modems, drivers and propagation, one way [F]. At most 10 s.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "modems of {name} {factor} as fast", "divide": 2.0, "cause": "slow service", "cost": "modems {factor} as fast"},
    ])))]
    pub transit: Span,
}

/// A packet radio network. What happens inside is not published: intervals, delays and losses are inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RadioParams {
    /// The channel's rate: 400 kbit/s [D: the slope of the table rules out 100]. 1 kbit/s to 100 Gbit/s.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "radio channel of {name} {factor} as fast", "multiply": 2.0, "cause": "resource", "rate_of": "radio channel of {name}", "cost": "radios of {factor} the rate"},
    ])))]
    pub rate: Rate,
    /// Words of leader in a radio packet: 11 with Experimental, 14 with Improved Packet Radios [S]. 1 to 100.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "the usual leader of 14 words", "usual": 14, "repairs": "the leader of a radio packet, in words,", "cause": "slow service", "cost": "none"},
    ])))]
    pub leader_words: u32,
    /// From the acceptance of one radio packet to that of the next, in addition to its time on the channel [F]. At most
    /// 10 s.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "radios of {name} accept packets {factor} as often", "divide": 2.0, "cause": "resource", "cost": "radios {factor} as fast"},
    ])))]
    pub interval: Span,
    /// From acceptance to arrival [F]. At most 10 s.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "transit of {name} in {share} of the time", "divide": 2.0, "cause": "slow service", "cost": "radios {factor} as fast"},
    ])))]
    pub transit: Span,
    /// Further delay of some radio packets.
    pub extra: Extra,
    /// The share of radio packets that are lost: 0 to 0.9 [I].
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "no losses on {name}", "to": 0.0, "cause": "loss", "repairs": "Radio losses: {share} of radio packets on {name} are lost", "cost": "a better radio channel"},
    ])))]
    pub loss: f64,
    /// Pups that a station's output queue takes: 12 [S]. 1 to 1000.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{amount} of queue at stations of {name}", "more": 12, "noun": "Pup", "cause": "loss", "sort": "queue", "cost": "{amount} of memory"},
    ])))]
    pub queue: u32,
    /// Pups of one connection in that queue: 5 [S]. 1 to 1000.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{amount} of a connection in the queues of {name}", "more": 5, "noun": "Pup", "cause": "window", "sort": "connection", "relieves": ["loss"], "cost": "{amount} of memory"},
    ])))]
    pub connection: u32,
    /// Pups in assembly at a station: 4 [S]. 1 to 100.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{amount} at stations of {name}", "more": 4, "noun": "assembly", "cause": "loss", "cost": "{amount}"},
    ])))]
    pub assemblies: u32,
    /// How long an assembly waits: 3 s [S]. At most 10 s.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "assemblies of {name} kept {share} as long", "divide": 2.0, "cause": "loss", "cost": "incomplete Pups"},
    ])))]
    pub assembly_timeout: Span,
    /// What is different for radio packets from some stations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<RadioFrom>,
}

/// Further delay that some radio packets meet, the cause of their reordering.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Extra {
    /// The share of radio packets: 0 to 1 [F].
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "no further delay of radio packets on {name}", "to": 0.0, "cause": "loss", "relieves": ["variability"], "repairs": "Reordering: {share} of radio packets on {name} are delayed by {shortest} to {longest}, so that later ones overtake them", "cost": "a better radio channel"},
    ])))]
    pub share: f64,
    /// The shortest [I].
    pub shortest: Span,
    /// The longest; all between are equally likely [I]. At most 10 s.
    pub longest: Span,
    /// The mean number of radio packets in a row that are delayed: 1 or more [I]. Unless given, each is delayed or not
    /// on its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub burst: Option<f64>,
}

/// What is different for radio packets from one station.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RadioFrom {
    /// The host or gateway.
    pub station: String,
    /// The interval, where it is different.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "the radio of {station} accepts packets {factor} as often", "divide": 2.0, "place": "{station}", "cause": "slow service", "speeds": ["RadioInterval"], "cost": "a radio {factor} as fast"},
    ])))]
    pub interval: Option<Span>,
    /// Further delay, where it is different.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extra: Option<Extra>,
    /// The share lost, where it is different.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "no losses from {station}", "to": 0.0, "cause": "loss", "repairs": "Radio losses: {share} of radio packets from {station} are lost", "cost": "a better radio channel"},
    ])))]
    pub loss: Option<f64>,
}

/// A host, or several of a kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostParams {
    /// Its name; of several, what they have in common: they are called NAME-1, NAME-2 and so on.
    pub name: String,
    /// The network it is on.
    pub network: String,
    /// Its host number, that of the first of several: 1 to 255.
    pub address: u32,
    /// How many.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: u32,
}

/// A gateway between networks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GatewayParams {
    /// Its name.
    pub name: String,
    /// The networks it stands on: 2 or more.
    pub on: Vec<Attachment>,
    /// Further networks that its routing Pups list; nobody sends to them. They make the Pups longer.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub elsewhere: u32,
}

/// Where a gateway stands on a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// The network.
    pub network: String,
    /// Its host number there: 1 to 255.
    pub address: u32,
}

/// A test: a stream from one host to another, whose sender always has another Pup to send.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestParams {
    /// The host that sends; of several of a kind, each.
    pub from: String,
    /// The host that receives; of several of a kind, each in turn.
    pub to: String,
    /// Data in each Pup: 1 to 532 bytes.
    pub data: Data,
    /// Pups after which the stream ends; unless given, it never does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pups: Option<u64>,
}

/// A host that asks another one for an echo, and for the next one when that has come back. One that has not come back
/// after 5 s is given up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EchoParams {
    /// The host that asks; of several of a kind, each.
    pub from: String,
    /// The host that echoes; of several of a kind, each in turn.
    pub to: String,
    /// Data in each Pup: 0 to 532 bytes.
    pub data: Data,
}

/// Stations that send packets of one length on an Ethernet to nobody, without a processor or a protocol: what Metcalfe
/// and Boggs calculated, and Shoch and Hupp measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RawParams {
    /// Their name; of several, what they have in common.
    pub name: String,
    /// The Ethernet they are on.
    pub network: String,
    /// How many: 1 to 1000. They have no host numbers.
    pub stations: u32,
    /// The length of a packet on the cable, header and CRC included: 1 bit to 10 kB.
    pub length: Data,
    /// What each station offers, in packets at random times (Poisson). Unless given, each always has a packet to send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered: Option<Rate>,
}

/// The byte stream protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StreamParams {
    /// Pups that may be outstanding: 5 [S]. 1 to 100.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "a window of {amount}", "more": 2, "noun": "Pup", "cause": "window", "cost": "{amount} of memory per stream"},
    ])))]
    pub window: u32,
    /// When the sender sends.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "a sliding window", "to": "sliding", "cause": "window", "cost": "new sender programs"},
        {"words": "the BCPL sender", "to": "burst", "cause": "window", "cost": "new sender programs"},
    ])))]
    pub sender: SenderRule,
    /// What the receiver does with Pups that come before their turn.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "receivers keep Pups until their turn", "to": "keep-all", "cause": "loss", "cost": "memory in receivers"},
    ])))]
    pub receiver: ReceiverRule,
    /// From the arrival of a demand for an acknowledgment until the receiver's process sends it [F]. At most 10 s.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "receivers acknowledge in {share} of the time", "divide": 2.0, "cause": "slow service", "cost": "receivers {factor} as fast"},
    ])))]
    pub turnaround: Span,
}

/// What handling Pups costs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProcessingParams {
    /// In a host, for each Pup sent and for each received.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "hosts {factor} as fast", "divide": 2.0, "fields": ["pup", "word", "checksum"], "cause": "slow service", "speeds": ["HostProcessor"], "cost": "hosts {factor} as fast"},
    ])))]
    pub host: HostCost,
    /// In a gateway, for each Pup forwarded.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "gateways {factor} as fast", "divide": 2.0, "fields": ["pup", "word"], "cause": "slow service", "speeds": ["GatewayProcessor"], "cost": "gateways {factor} as fast"},
    ])))]
    pub gateway: GatewayCost,
}

/// What handling a Pup costs a host's processor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HostCost {
    /// For a Pup [F]. At most 10 s.
    pub pup: Span,
    /// For each word of its data [F]. At most 10 ms.
    pub word: Span,
    /// For each word of the whole Pup, where the software checksum is computed: none [I]. At most 10 ms.
    #[serde(skip_serializing_if = "is_no_time")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "hosts without software checksums", "without": true, "cause": "slow service", "speeds": ["HostProcessor"], "cost": "errors that nobody finds, or checksums in hardware"},
    ])))]
    pub checksum: Span,
}

/// What handling a Pup costs a gateway's processor, and how many wait.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GatewayCost {
    /// For a Pup [F]. At most 10 s.
    pub pup: Span,
    /// For each word of its data: none [I]. At most 10 ms.
    pub word: Span,
    /// Pups that an output queue takes, where the network has no rule of its own: 12 [I]. 1 to 1000.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "{amount} of queue at gateways", "more": 12, "noun": "Pup", "cause": "loss", "cost": "{amount} of memory per output"},
    ])))]
    pub queue: u32,
}

/// The gateway information protocol.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RoutingParams {
    /// From one broadcast of a gateway to the next: 30 s [S]. 1 s to 1 h.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "routing Pups {share} as often", "multiply": 2.0, "cause": "resource", "speeds": ["Line", "Ethernet", "RadioInterval", "GatewayProcessor", "RoutingMessages"], "cost": "slower routing"},
    ])))]
    pub every: Span,
    /// By how much each of these times may be shorter or longer, all values alike: none [I]. Less than `every`.
    #[serde(skip_serializing_if = "is_no_time")]
    pub jitter: Span,
}

const fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_one(count: &u32) -> bool {
    *count == 1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_no_time(span: &Span) -> bool {
    *span == Span::ZERO
}

impl Default for EthernetParams {
    fn default() -> Self {
        Self {
            rate: Rate::from_bit_s(2_940_000),
            delay: Span::from_us(5),
            collision: Span::from_us(16),
            backoff: Span::from_us(38),
            gap: Span::ZERO,
        }
    }
}

impl Default for LineParams {
    fn default() -> Self {
        Self { rate: Rate::from_bit_s(9_600), framing: Data::from_bytes(8), transit: Span::from_us(33_500) }
    }
}

impl Default for RadioParams {
    fn default() -> Self {
        Self {
            rate: Rate::from_bit_s(400_000),
            leader_words: 14,
            interval: Span::from_us(88_300),
            transit: Span::from_us(35_200),
            extra: Extra::default(),
            loss: 0.0,
            queue: 12,
            connection: 5,
            assemblies: 4,
            assembly_timeout: Span::from_s(3),
            from: Vec::new(),
        }
    }
}

impl Default for Extra {
    fn default() -> Self {
        Self { share: 0.0, shortest: Span::from_ms(95), longest: Span::from_ms(150), burst: None }
    }
}

impl Default for StreamParams {
    fn default() -> Self {
        Self {
            window: 5,
            sender: SenderRule::Clump,
            receiver: ReceiverRule::InOrder,
            turnaround: Span::from_us(1_750),
        }
    }
}

impl Default for HostCost {
    fn default() -> Self {
        Self { pup: Span::from_us(7_500), word: Span::from_ns(4_050), checksum: Span::ZERO }
    }
}

impl Default for GatewayCost {
    fn default() -> Self {
        Self { pup: Span::from_us(5_300), word: Span::ZERO, queue: 12 }
    }
}

impl Default for RoutingParams {
    fn default() -> Self {
        Self { every: Span::from_s(30), jitter: Span::ZERO }
    }
}
