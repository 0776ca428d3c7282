//! Traffic between the sites of a whole net, as the Network Measurement Center of UCLA measured it (RFC 619):
//! parameters, and the files that hold them.

use hopscope_formats::FormatError;
use hopscope_formats::columns::table::{Columns, Table};
use hopscope_units::{Data, Rate, Span};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scenario::params::host_rate;

/// Traffic from every site to every other. Unless it is said otherwise, each site has one host, on the IMP of its name,
/// that stands for all that were there.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SitesParams {
    /// A CSV file of messages a minute, with the columns from, to and msgs_per_min. Status reports are in them, as they
    /// are in the tables of RFC 619.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Whether these messages are measured. Where they are not, they load the network beside the flows that are.
    #[serde(default = "yes")]
    pub measured: bool,
    /// Pairs of sites, in addition to those of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pair: Vec<PairParams>,
    /// Multiplies the rates of all pairs, 0.001 to 1000; status reports and accumulated statistics come as before.
    #[serde(default = "one")]
    #[schemars(range(min = 0.001, max = 1000.0))]
    pub scale: f64,
    /// Messages of a site come in bursts, each site's at times of its own; evenly, at random instants, unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "messages of sites spread evenly over time", "without": true, "cause": "variability", "cost": "messages that are sent later"},
    ])))]
    pub bursts: Option<BurstParams>,
    /// A CSV file of message sizes, with the columns below_bits and messages: how many messages have fewer data bits
    /// than this and at least those of the row before. Within a row all lengths are as likely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes_file: Option<String>,
    /// Rows of message sizes, in addition to those of the file. Only messages of pairs need them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<SizeParams>,
    /// Bits a second between each host and its IMP: 100 kbit/s unless given.
    #[serde(default = "host_rate")]
    pub host_rate: Rate,
    /// How long each host takes to accept a message, without the time of its bits.
    #[serde(default)]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "all hosts accept a message in {share} of the time", "divide": 2.0, "cause": "resource", "speeds": ["DestinationHost"], "cost": "hosts {factor} as fast"},
    ])))]
    pub host_delay: Span,
    /// A CSV file of sites whose hosts take another time, each once, with the columns site and delay_ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hosts_file: Option<String>,
    /// Sites whose hosts take another time or are several, each once. A site here wins over the file; without a delay
    /// here it keeps that of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host: Vec<SiteHostParams>,
    /// The rows of the hosts' file, which whoever reads it puts here.
    #[serde(skip)]
    pub host_of_file: Vec<SiteHostParams>,
    /// What every IMP tells the Network Control Center.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_reports: Option<StatusReportParams>,
    /// What every IMP sends to the Network Measurement Center.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistics: Option<StatisticsParams>,
}

const fn yes() -> bool {
    true
}

const fn one() -> f64 {
    1.0
}

/// Bursts of the messages of a site. The mean over a period stays that of the pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BurstParams {
    /// From the beginning of a burst to that of the next, up to a day.
    pub every: Span,
    /// How long a burst lasts.
    pub length: Span,
    /// How many times as many messages come in a burst as on average, 1 to 1000; at most `every` by `length`, with
    /// which none come in between.
    #[schemars(range(min = 1, max = 1000))]
    pub factor: u32,
}

/// Messages from one site to another, or within one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PairParams {
    /// The site that sends.
    pub from: String,
    /// The site that receives.
    pub to: String,
    /// Messages a minute, at random instants.
    #[schemars(range(min = 0.0, max = 1e6))]
    pub per_minute: f64,
}

/// A row of the message sizes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SizeParams {
    /// Messages of this row have fewer data bits, 1 to 8192.
    pub below_bits: u32,
    /// How many there are, against those of other rows.
    pub messages: u64,
}

/// A site whose hosts differ.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SiteHostParams {
    /// The site.
    pub site: String,
    /// How long each of its hosts takes to accept a message, without the time of its bits; that of the hosts' file, or
    /// else that of all sites, unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "hosts of {site} accept a message in {share} of the time", "divide": 2.0, "place": "{site} host", "cause": "resource", "cost": "hosts {factor} as fast"},
    ])))]
    pub delay: Option<Span>,
    /// Hosts of the site, 1 to 4, among which its messages are spread evenly: 1 unless given. An IMP had interfaces for
    /// four.
    #[serde(default = "one_host")]
    #[schemars(range(min = 1, max = 4))]
    pub hosts: u32,
}

const fn one_host() -> u32 {
    1
}

/// Status reports: every IMP sends them at the same instants, by the clock of the whole net (the program's listing).
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatusReportParams {
    /// The site of the Network Control Center.
    pub to: String,
    /// Between two instants of reports: 2048 ticks of 25.6 ms unless given (the program's listing).
    #[serde(default = "report_gap")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "status reports as often as is usual, every 52.4 s", "usual": "52.4288 s", "is_least": true, "repairs": "the time between status reports", "cause": "slow service", "cost": "faults that are noticed later"},
    ])))]
    pub every: Span,
    /// Messages of each IMP at each instant: 2 unless given, which are 2.29 a minute (RFC 619).
    #[serde(default = "reports")]
    #[schemars(range(min = 1, max = 16))]
    pub count: u32,
    /// Data bits of each, 1 to 8063. Not published.
    pub size: Data,
    /// The Center has a host of its own for reports, which takes so long to accept one; without it, the site's host
    /// accepts them as any message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Span>,
    /// The Center's own host begins so long after a report that finds it idle: reports of near sites then wait as long
    /// as those of far ones. 0 unless given.
    #[serde(default)]
    pub begins_after: Span,
}

/// Accumulated statistics: every IMP sends a message of them at times of its own (RFC 619; the program's listing).
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatisticsParams {
    /// The site of the Network Measurement Center.
    pub to: String,
    /// Between two messages of an IMP: 300 s unless given, which are 0.2 a minute (RFC 619). The first comes at random
    /// within this time.
    #[serde(default = "statistics_gap")]
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "statistics as often as is usual, every 300 s", "usual": "300 s", "is_least": true, "repairs": "the time between statistics", "cause": "slow service", "cost": "fewer statistics"},
    ])))]
    pub every: Span,
    /// Data bits of each, 1 to 8063: 3824 unless given, 239 words (the program's listing).
    #[serde(default = "statistics_size")]
    pub size: Data,
}

const fn statistics_gap() -> Span {
    Span::from_s(300)
}

const fn statistics_size() -> Data {
    Data::from_bits(3824)
}

const fn report_gap() -> Span {
    Span::from_us(52_428_800)
}

const fn reports() -> u32 {
    2
}

/// Reads messages a minute between sites: columns `from`, `to` and `msgs_per_min`. Further columns are left alone.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn read_pairs(text: &str) -> Result<Table<PairParams>, FormatError> {
    let needed = ["from", "to", "msgs_per_min"];
    let file = Columns::read(text, &needed, "a head with the columns from, to and msgs_per_min")?;
    let [from, to, rate] = needed.map(|name| file.column(name).unwrap_or_default());
    let fields = [("from", Some(from)), ("to", Some(to)), ("per_minute", Some(rate))];
    file.table(&fields, |row| {
        let per_minute = row.value(rate, "a number of 0 or more", |text| {
            text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate >= 0.0)
        })?;
        Ok(PairParams { from: row.field(from)?.to_owned(), to: row.field(to)?.to_owned(), per_minute })
    })
}

/// Reads message sizes: columns `below_bits` and `messages`. Further columns are left alone.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn read_sizes(text: &str) -> Result<Table<SizeParams>, FormatError> {
    let needed = ["below_bits", "messages"];
    let file = Columns::read(text, &needed, "a head with the columns below_bits and messages")?;
    let [below, messages] = needed.map(|name| file.column(name).unwrap_or_default());
    file.table(&needed.map(|name| (name, file.column(name))), |row| {
        Ok(SizeParams {
            below_bits: row.value(below, "whole bits, such as 128", |text| text.parse().ok())?,
            messages: row.value(messages, "a count", |text| text.parse().ok())?,
        })
    })
}

/// Reads how long the hosts of sites take: columns `site` and `delay_ms`. Further columns are left alone.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn read_hosts(text: &str) -> Result<Table<SiteHostParams>, FormatError> {
    let needed = ["site", "delay_ms"];
    let file = Columns::read(text, &needed, "a head with the columns site and delay_ms")?;
    let [site, delay] = needed.map(|name| file.column(name).unwrap_or_default());
    file.table(&[("site", Some(site)), ("delay", Some(delay))], |row| {
        let delay = row.value(delay, "milliseconds from 0 to 100000, such as 4.2", |text| {
            format!("{text} ms").parse::<Span>().ok()
        })?;
        Ok(SiteHostParams { site: row.field(site)?.to_owned(), delay: Some(delay), hosts: 1 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rates_and_sizes_by_their_columns() {
        let pairs = read_pairs("from_no,from,to,msgs_per_min\n1,UCLA,RAND,0.5\n").expect("a good file").rows;
        assert_eq!(
            (pairs[0].from.as_str(), pairs[0].to.as_str(), pairs[0].per_minute),
            ("UCLA", "RAND", 0.5)
        );
        let sizes = read_sizes("# bits\nbelow_bits,messages\n16,7\n").expect("a good file").rows;
        assert_eq!((sizes[0].below_bits, sizes[0].messages), (16, 7));
    }

    #[test]
    fn says_where_it_is_wrong() {
        let pairs = |text: &str| read_pairs(text).expect_err("a bad file").to_string();
        insta::assert_snapshot!(pairs("from,to,rate\n"), @r#"line 1, column 1: the head is "from,to,rate"; expected a head with the columns from, to and msgs_per_min"#);
        insta::assert_snapshot!(pairs("from,to,msgs_per_min\nUCLA,RAND,-1\n"), @r#"line 2, column 11: msgs_per_min is "-1"; expected a number of 0 or more"#);
        let sizes = |text: &str| read_sizes(text).expect_err("a bad file").to_string();
        insta::assert_snapshot!(sizes("below_bits,messages\n\n16,many\n"), @r#"line 3, column 4: messages is "many"; expected a count"#);
        let hosts = read_hosts("site,delay_ms\nUCLA,soon\n").expect_err("a bad file").to_string();
        insta::assert_snapshot!(hosts, @r#"line 2, column 6: delay_ms is "soon"; expected milliseconds from 0 to 100000, such as 4.2"#);
        insta::assert_snapshot!(sizes(""), @"line 1, column 1: the file is empty; expected a head with the columns below_bits and messages");
    }
}
