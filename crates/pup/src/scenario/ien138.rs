//! The configurations of IEN 138 with the parameters of its two eras.
//!
//! Seven parameters an era are fitted to the cells of the table that are marked for calibration, and to nothing else:
//! the host's cost of a Pup and of a word and the turnaround (same machine at 1 and 266 words, one Ethernet at 1 and
//! 266 words), the gateway's cost (one gateway at 266 words), the line's transit (phone line at 1 word), and the
//! radio's interval and transit (hosts on radios at 1 and 266 words).

use hopscope_units::{Data, Span};

use super::{
    Attachment, EthernetParams, Extra, GatewayCost, GatewayParams, HostCost, HostParams, LineParams, Medium,
    NetworkParams, ProcessingParams, PupParams, RadioFrom, RadioParams, RoutingParams, StreamParams,
    TestParams,
};

/// When the test was made: with Experimental Packet Radios in 1979, or with Improved Packet Radios on 8 March 1980.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Era {
    /// Experimental Packet Radios.
    Epr,
    /// Improved Packet Radios.
    Ipr,
}

/// Where the source and the destination are: a row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Configuration {
    /// In the same machine.
    SameMachine,
    /// On one Ethernet.
    Ethernet,
    /// On two Ethernets with a gateway.
    Gateway,
    /// On two Ethernets with a phone line and two gateways.
    Phone,
    /// Directly on packet radios.
    Radio,
    /// On two Ethernets with the packet radio network and two gateways.
    RadioGateways,
}

/// Which way the stream goes through the radio network, and how it fares there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Runs {
    /// From Parc to Hanover Street, or good runs: few Pups are delayed.
    Good,
    /// From Hanover Street to Parc, or all runs: some radio packets are delayed.
    All,
}

impl Configuration {
    /// Every row of the table, from the top.
    pub const ALL: [Self; 6] =
        [Self::SameMachine, Self::Ethernet, Self::Gateway, Self::Phone, Self::Radio, Self::RadioGateways];
}

/// What is fitted for an era.
struct Fitted {
    host: HostCost,
    turnaround: Span,
    gateway: Span,
    line_transit: Span,
    leader_words: u32,
    radio_interval: Span,
    radio_transit: Span,
}

impl Era {
    fn fitted(self) -> Fitted {
        match self {
            Self::Epr => Fitted {
                host: HostCost {
                    pup: Span::from_us(5_200),
                    word: Span::from_ns(1_800),
                    ..HostCost::default()
                },
                turnaround: Span::from_us(36_000),
                gateway: Span::from_us(7_350),
                line_transit: Span::from_us(14_200),
                leader_words: 11,
                radio_interval: Span::from_us(81_100),
                radio_transit: Span::from_us(65_500),
            },
            Self::Ipr => Fitted {
                host: HostCost::default(),
                turnaround: StreamParams::default().turnaround,
                gateway: GatewayCost::default().pup,
                line_transit: LineParams::default().transit,
                leader_words: RadioParams::default().leader_words,
                radio_interval: RadioParams::default().interval,
                radio_transit: RadioParams::default().transit,
            },
        }
    }

    /// How packets from this station fare on the way from Hanover Street, or in all runs. Each is fitted to one cell:
    /// the interval with Experimental Packet Radios to the throughput from Hanover Street at 266 words, the shares to
    /// the retransmissions at 100 words.
    fn troubled(self, station: &str, configuration: Configuration) -> RadioFrom {
        let (interval, share) = match (self, configuration) {
            (Self::Epr, _) => (Some(Span::from_ms(97)), None),
            (Self::Ipr, Configuration::Radio) => (None, Some(0.0135)),
            (Self::Ipr, _) => (None, Some(0.0865)),
        };
        let extra = share.map(|share| Extra { share, ..Extra::default() });
        RadioFrom { station: station.into(), interval, extra, loss: None }
    }
}

/// PupTest in one of the configurations, with this number of words of data in a Pup.
#[must_use]
pub fn pup_test(era: Era, configuration: Configuration, words: u64, runs: Runs) -> PupParams {
    let fitted = era.fitted();
    let to = if configuration == Configuration::SameMachine { "parc-alto" } else { "hanover-alto" };
    let (from, to) = if runs == Runs::Good { ("parc-alto", to) } else { (to, "parc-alto") };
    let mut params = PupParams {
        network: Vec::new(),
        host: Vec::new(),
        gateway: Vec::new(),
        test: vec![TestParams {
            from: from.into(),
            to: to.into(),
            data: Data::from_bytes(2 * words),
            pups: None,
        }],
        echo: Vec::new(),
        raw: Vec::new(),
        stream: StreamParams { turnaround: fitted.turnaround, ..StreamParams::default() },
        processing: ProcessingParams {
            host: fitted.host.clone(),
            gateway: GatewayCost { pup: fitted.gateway, ..GatewayCost::default() },
        },
        routing: RoutingParams::default(),
    };
    place(&mut params, era, &fitted, configuration, runs);
    params
}

fn place(params: &mut PupParams, era: Era, fitted: &Fitted, configuration: Configuration, runs: Runs) {
    let radio = || {
        let station = if configuration == Configuration::Radio { "hanover-alto" } else { "hanover-gateway" };
        Medium::Radio(RadioParams {
            leader_words: fitted.leader_words,
            interval: fitted.radio_interval,
            transit: fitted.radio_transit,
            from: if runs == Runs::All { vec![era.troubled(station, configuration)] } else { Vec::new() },
            ..RadioParams::default()
        })
    };
    let line = || Medium::Line(LineParams { transit: fitted.line_transit, ..LineParams::default() });
    let ethernet = || Medium::Ethernet(EthernetParams::default());
    match configuration {
        Configuration::SameMachine | Configuration::Ethernet => {
            params.network = vec![network("parc", 3, ethernet())];
            params.host = vec![host("parc-alto", "parc", 10), host("hanover-alto", "parc", 11)];
        }
        Configuration::Gateway => {
            params.network = vec![network("parc", 3, ethernet()), network("next", 5, ethernet())];
            params.host = vec![host("parc-alto", "parc", 10), host("hanover-alto", "next", 11)];
            params.gateway = vec![gateway("gateway", &["parc", "next"], 0)];
        }
        Configuration::Phone | Configuration::RadioGateways => {
            // In the internet of 1980, routing Pups took about 2.4 % of the line.
            let phone = configuration == Configuration::Phone;
            let (name, number, between) = if phone { ("phone", 4, line()) } else { ("prnet", 7, radio()) };
            params.network = vec![
                network("parc", 3, ethernet()),
                network(name, number, between),
                network("hanover", 6, ethernet()),
            ];
            params.host = vec![host("parc-alto", "parc", 10), host("hanover-alto", "hanover", 11)];
            params.gateway = vec![
                gateway("parc-gateway", &["parc", name], 1),
                gateway("hanover-gateway", &["hanover", name], 2),
            ];
            params.gateway[0].elsewhere = if phone { 198 } else { 0 };
            // Clocks of real stations drift: without that, a stream locks on to the broadcasts.
            params.routing.jitter = if phone { Span::from_s(5) } else { Span::ZERO };
        }
        Configuration::Radio => {
            params.network = vec![network("prnet", 7, radio())];
            params.host = vec![host("parc-alto", "prnet", 1), host("hanover-alto", "prnet", 2)];
        }
    }
}

fn network(name: &str, number: u32, medium: Medium) -> NetworkParams {
    NetworkParams { name: name.into(), number, medium }
}

fn host(name: &str, network: &str, address: u32) -> HostParams {
    HostParams { name: name.into(), network: network.into(), address, count: 1 }
}

fn gateway(name: &str, on: &[&str], address: u32) -> GatewayParams {
    let attachment = |network: &&str| Attachment { network: (*network).into(), address: address + 1 };
    GatewayParams { name: name.into(), on: on.iter().map(attachment).collect(), elsewhere: 0 }
}
