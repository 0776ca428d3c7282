//! The lines of a fabric's file, one by one.

use hopscope_units::Rate;

use crate::error::Fault;
use crate::fabric::cabled::{MOST_LIDS, MOST_LMC};
use crate::lines::{Cursor, Piece, content_lines};

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Switch,
    /// A channel adapter or a router: its cabled ports are hosts.
    Host,
}

/// The words that begin a record.
const KINDS: [(&str, Kind); 4] =
    [("Switch", Kind::Switch), ("Hca", Kind::Host), ("Ca", Kind::Host), ("Rt", Kind::Host)];

/// Lines before a record that name its node, and those without cables.
const GUIDS: [&str; 3] = ["switchguid=", "caguid=", "rtguid="];
/// The first three begin a record; the others group records (`ibnetdiscover -g`) or describe the path to a node.
const PASSED_OVER: [&str; 6] =
    ["vendid=", "devid=", "sysimgguid=", "DR path", "Chassis", "Non-Chassis Nodes"];

/// The line with the kind of device.
const DEVICE: &str = "devid=";

/// The most ports that an InfiniBand node has.
pub(crate) const MOST_PORTS: u64 = 254;

/// A node as its record describes it.
pub(super) struct Record<'a> {
    pub kind: Kind,
    pub ports: u8,
    /// The identifier that cables call it by.
    pub id: Piece<'a>,
    /// What people call it.
    pub description: Option<&'a str>,
    pub guid: Option<u64>,
    /// The number of the kind of device.
    pub device: Option<u32>,
    pub lid: Option<u16>,
    pub cables: Vec<Cable<'a>>,
}

/// One end of a cable.
pub(super) struct Cable<'a> {
    pub byte: usize,
    pub port: u8,
    /// The GUID of the port.
    pub guid: Option<u64>,
    pub far: Piece<'a>,
    pub far_port: u8,
    /// The LID of the port itself, on the line of a host.
    pub lid: Option<u16>,
    /// The LID mask control.
    pub lmc: u8,
    /// How many lanes it runs on, and what they carry together, in Mbit/s.
    pub width: Option<Width>,
}

/// Whether a text's first line that is no comment is one of such a file.
pub(super) fn looks_like(text: &str) -> bool {
    let Some(Cursor { rest: first, .. }) = content_lines(text).next() else { return false };
    let is_record = KINDS.iter().any(|(word, _)| {
        first
            .strip_prefix(word)
            .map(str::trim_start)
            // "Switch 0x2c902..." heads the ports of a switch in `iblinkinfo`.
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && !rest.starts_with("0x"))
    });
    // A grouped dump begins with the heading of its first group.
    let begins = GUIDS.iter().chain(&PASSED_OVER[..3]).chain(&PASSED_OVER[5..]);
    is_record || begins.into_iter().any(|word| first.starts_with(word)) || is_chassis(first)
}

/// Whether a line begins the group of a chassis, such as "Chassis 1 (guid 0x8f10400410015)".
fn is_chassis(line: &str) -> bool {
    let number = line.strip_prefix("Chassis").map(str::trim_start);
    number.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// All records of a text.
pub(super) fn read(text: &str) -> Result<Vec<Record<'_>>, Fault> {
    let mut records: Vec<Record<'_>> = Vec::new();
    let (mut guid, mut device) = (None, None);
    for mut cursor in content_lines(text) {
        let begins = |words: &[&str]| words.iter().any(|word| cursor.rest.starts_with(word));
        if begins(&[DEVICE]) {
            cursor.until('=', "a device")?;
            // A file written by hand may have anything here: only known devices are of use.
            device =
                cursor.hexadecimal(u64::from(u32::MAX), "a device, such as 0xd2f0").ok().map(|id| id as u32);
            continue;
        }
        if begins(&PASSED_OVER) {
            continue;
        }
        if begins(&GUIDS) {
            cursor.until('=', "a GUID")?;
            guid = Some(cursor.hexadecimal(u64::MAX, "a GUID, such as 0x2c90300a1b2c3")?);
        } else if cursor.rest.starts_with('[') {
            let cable = cable(cursor, records.last())?;
            let Some(record) = records.last_mut() else {
                return Err(Fault::at(cursor.byte, "a cable of no node", "the line of a node before it"));
            };
            record.cables.push(cable);
        } else {
            records.push(Record { device: device.take(), ..record(cursor, guid.take())? });
        }
    }
    if records.is_empty() {
        return Err(Fault::at(text.len(), "the file ends without a node", "a line such as Switch 8 \"S1\""));
    }
    Ok(records)
}

fn record(mut cursor: Cursor<'_>, guid: Option<u64>) -> Result<Record<'_>, Fault> {
    let start = cursor;
    let (_, word) = cursor.word();
    let Some(&(_, kind)) = KINDS.iter().find(|(known, _)| *known == word) else {
        let fault = start
            .missing("\"Switch\", \"Ca\", \"Hca\" or \"Rt\", a cable such as [1] \"S2\"[3], or a comment");
        return Err(fault);
    };
    let ports = cursor.number(MOST_PORTS, "how many ports the node has, from 1 to 254")? as u8;
    let id = cursor.quoted('"', "the node's identifier in quotation marks")?;
    let mut record =
        Record { kind, ports, id, description: None, guid, device: None, lid: None, cables: Vec::new() };
    if cursor.take("#") {
        cursor.blank();
        if cursor.rest.starts_with('"') {
            record.description = Some(cursor.quoted('"', "the node's name")?.1);
        }
        record.lid = lid((cursor.byte, cursor.rest))?;
    }
    Ok(record)
}

fn cable<'a>(mut cursor: Cursor<'a>, of: Option<&Record<'a>>) -> Result<Cable<'a>, Fault> {
    let byte = cursor.byte;
    let (port, guid) = socket(&mut cursor)?;
    let far = cursor.quoted('"', "the identifier of the node at the other end, in quotation marks")?;
    let (far_port, _) = socket(&mut cursor)?;
    let (attributes, comment) = cursor.rest.split_once('#').unwrap_or((cursor.rest, ""));
    // A host's line says "lid 6 lmc 0" of the host first, a switch's line the name of the other end.
    let own = comment.trim_start().starts_with("lid") && of.is_some_and(|record| record.kind == Kind::Host);
    let comment_at = cursor.byte + cursor.rest.len() - comment.len();
    let (lid, lmc) = if own { (lid((comment_at, comment))?, lmc(comment, byte)?) } else { (None, 0) };
    // What is in quotation marks is a name, which may look like a width and speed.
    let told = comment.rsplit('"').next().unwrap_or(comment);
    let told = Cursor { byte: cursor.byte + cursor.rest.len() - told.len(), rest: told };
    let width = width_of_words(told)?.or_else(|| width_of_attributes(attributes));
    Ok(Cable { byte, port, guid, far, far_port, lid, lmc, width })
}

/// A port in brackets, with its GUID in parentheses where that is given.
fn socket(cursor: &mut Cursor<'_>) -> Result<(u8, Option<u64>), Fault> {
    cursor.expect("[", "a port in brackets, such as [1]")?;
    let start = cursor.byte;
    let port = cursor.number(MOST_PORTS, "the number of a port, from 1 to 254")? as u8;
    if port == 0 {
        return Err(Fault::at(start, "port 0 has no cable", "a port from 1 to 254"));
    }
    cursor.expect("]", "the ] after the port's number")?;
    // The number on the outside of a chassis, in a grouped dump.
    if cursor.rest.starts_with("[ext ") {
        cursor.until(']', "the ] after the outer number of the port")?;
    }
    if !cursor.rest.starts_with('(') {
        return Ok((port, None));
    }
    cursor.skip(1);
    let guid = cursor.hexadecimal(u64::MAX, "the port's GUID")?;
    cursor.expect(")", "the ) after the port's GUID")?;
    Ok((port, Some(guid)))
}

/// The permissive LID (InfiniBand Architecture Specification, volume 1, section 4.1.3).
const NOT_ASSIGNED: u64 = 0xffff;

/// The number after the first word "lid" outside quotation marks; 0 stands for none, and so does 65535, the LID of
/// ports that have none yet. Any other beyond unicast is refused: the node would silently get another LID.
fn lid(comment: Piece<'_>) -> Result<Option<u16>, Fault> {
    let mut cursor = Cursor::new(comment);
    loop {
        match cursor.word() {
            (_, "") => return Ok(None),
            (_, "lid") => break,
            _ => {}
        }
    }
    let (byte, word) = cursor.word();
    match word.parse::<u64>() {
        Ok(0 | NOT_ASSIGNED) | Err(_) => Ok(None),
        Ok(lid) if lid <= u64::from(MOST_LIDS) => Ok(Some(lid as u16)),
        Ok(lid) => Err(Fault::at(byte, format!("LID {lid}"), format!("a unicast LID, at most {MOST_LIDS}"))),
    }
}

/// The number after the first word "lmc" before a name.
fn lmc(comment: &str, byte: usize) -> Result<u8, Fault> {
    let own = comment.split('"').next().unwrap_or(comment);
    let mut words = own.split_whitespace().skip_while(|word| *word != "lmc").skip(1);
    let Some(word) = words.next() else { return Ok(0) };
    word.parse()
        .ok()
        .filter(|lmc| *lmc <= MOST_LMC)
        .ok_or_else(|| Fault::at(byte, format!("a LID mask control (lmc) of {word}"), "a number from 0 to 7"))
}

/// What a lane carries, in Mbit/s after its line code; and the Gbit/s on the wire that `iblinkinfo` prints.
const LANES: [(&str, &str, u64); 9] = [
    ("SDR", "2.5", 2_000),
    ("DDR", "5.0", 4_000),
    ("QDR", "10.0", 8_000),
    ("FDR10", "10.3125", 10_000),
    ("FDR", "14.0625", 13_636),
    ("EDR", "25.78125", 25_000),
    ("HDR", "53.125", 50_000),
    ("NDR", "106.25", 100_000),
    ("XDR", "212.5", 200_000),
];

/// The width of a cable and what it carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::fabric) struct Width {
    pub lanes: u8,
    pub mbit_s: u64,
}

impl Width {
    fn of(lanes: u64, lane_mbit_s: u64) -> Self {
        Self { lanes: lanes as u8, mbit_s: lanes * lane_mbit_s }
    }

    /// A width and speed as `iblinkinfo` prints them: "4X  25.78125 Gbps", "4X  FDR10".
    pub(in crate::fabric) fn of_words(words: &str) -> Option<Self> {
        let mut words = words.split_whitespace();
        let lanes = width(words.next()?.strip_suffix('X')?)?;
        let speed = words.next()?;
        Some(Self::of(lanes, lane_mbit_s(speed)?))
    }

    /// The same link with another width, "4X", or speed of each lane, "25.78125 Gbps", "FDR10"; nothing for any other
    /// words.
    pub(in crate::fabric) fn improved(self, words: &str) -> Option<Self> {
        let first = words.split_whitespace().next()?;
        match first.strip_suffix('X').and_then(width) {
            Some(lanes) => Some(Self::of(lanes, self.lane_mbit_s())),
            None => Some(Self::of(u64::from(self.lanes), lane_mbit_s(first)?)),
        }
    }

    /// The width and speed with what the link carries: "4xEDR, 100 Gbit/s".
    pub(in crate::fabric) fn words(self) -> String {
        let speed = LANES.iter().find(|(.., lane)| *lane == self.lane_mbit_s());
        let speed = speed.map_or("", |(name, ..)| *name);
        format!("{}x{speed}, {}", self.lanes, Rate::from_mbit_s(self.mbit_s))
    }

    fn lane_mbit_s(self) -> u64 {
        self.mbit_s / u64::from(self.lanes)
    }
}

/// What a lane of this speed carries, by its name or by what `iblinkinfo` prints.
fn lane_mbit_s(speed: &str) -> Option<u64> {
    let known = LANES.iter().find(|(name, wire, _)| [*name, *wire].contains(&speed));
    known.map(|(.., lane)| *lane)
}

/// The first width and speed among these words, such as "4xEDR". One that is not known is refused: it would be replaced
/// by a default, which may be far from it.
fn width_of_words(mut words: Cursor<'_>) -> Result<Option<Width>, Fault> {
    loop {
        let (byte, word) = words.word();
        if word.is_empty() {
            return Ok(None);
        }
        let Some((lanes, speed)) = word.split_once('x').filter(|parts| is_width_and_speed(*parts)) else {
            continue;
        };
        let lane = LANES.iter().find(|(name, ..)| *name == speed);
        let (Some(lanes), Some((.., lane))) = (width(lanes), lane) else {
            let problem = format!(
                "\"{}\" is no width and speed that is known",
                word.chars().take(40).collect::<String>()
            );
            let speeds: Vec<&str> = LANES.iter().map(|(name, ..)| *name).collect();
            let expected = format!("1x, 2x, 4x, 8x or 12x and one of {}, such as 4xHDR", speeds.join(", "));
            let fault = Fault::at(byte, problem, expected);
            return Err(fault.hint("without a width and speed the cable has the default rate (`link.rate`)"));
        };
        return Ok(Some(Width::of(lanes, *lane)));
    }
}

/// Whether a word looks like a width and speed: digits, and capital letters and digits; "???" is what the tool prints
/// for a speed that it does not know.
fn is_width_and_speed((lanes, speed): (&str, &str)) -> bool {
    let is_of_speed = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '?';
    let is_number = !lanes.is_empty() && lanes.chars().all(|c| c.is_ascii_digit());
    is_number
        && speed.starts_with(|c: char| c.is_ascii_uppercase() || c == '?')
        && speed.chars().all(is_of_speed)
}

/// The width and speed of exactly this data rate, such as "4xEDR"; of several those of four lanes.
pub(crate) fn word_of_rate(rate: Rate) -> Option<String> {
    let words = WIDTHS
        .iter()
        .flat_map(|lanes| LANES.iter().map(move |(speed, _, lane)| (lanes, speed, lanes * lane)));
    let mut fitting = words.filter(|(.., mbit_s)| Rate::from_mbit_s(*mbit_s) == rate);
    fitting.next().map(|(lanes, speed, _)| format!("{lanes}x{speed}"))
}

/// What ibsim's attributes `w=4 s=4` give: s is 1, 2 or 4 for 2.5, 5 and 10 Gbit/s a lane on the wire.
fn width_of_attributes(attributes: &str) -> Option<Width> {
    let value = |name: &str| attributes.split_whitespace().find_map(|word| word.strip_prefix(name));
    let lane = match value("s=")?.parse::<u64>().ok()? {
        1 => 2_000,
        2..=3 => 4_000,
        4..=7 => 8_000,
        _ => return None,
    };
    Some(Width::of(width(value("w=").unwrap_or("4"))?, lane))
}

/// How many lanes a port may have, the usual number first.
const WIDTHS: [u64; 5] = [4, 1, 2, 8, 12];

fn width(lanes: &str) -> Option<u64> {
    lanes.parse().ok().filter(|lanes| WIDTHS.contains(lanes))
}
