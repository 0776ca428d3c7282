//! What fuzz targets and property tests call with arbitrary bytes: everything that reads bytes from outside. Nothing
//! here may panic.

mod endpoint;
mod fabric_files;
mod language;

use hopscope_formats::pcapng::{Interface, Writer, read};
use hopscope_pup::bsp::{ByteStreamReceiver, ByteStreamSender, ReceiverRule, Rendezvous, SenderRule};
use hopscope_pup::wire::{
    Allocation, ErrorCode, ErrorReport, MOST_DATA, Port, Pup, ROUTES_A_PUP, echo_of, routes_told,
};
use hopscope_units::{Span, Time};

pub use endpoint::endpoints;
pub use fabric_files::{counters, fabrics, flows, tables};
pub use language::{scenarios, sites, studies};

/// Bytes as a Pup, and a Pup as whatever its type says.
pub fn pups(bytes: &[u8]) {
    let Ok(pup) = Pup::decode(bytes) else { return };
    assert!(pup.data.len() <= MOST_DATA);
    let mut again = Vec::new();
    pup.encode(&mut again).expect("what was read can be written");
    assert_eq!(Pup::decode(&again), Ok(pup), "what is written reads back");
    assert!(routes_told(&pup).count() <= ROUTES_A_PUP);
    let _ = (ErrorReport::of(&pup), Allocation::of_data(pup.data));
    if let Some(echo) = echo_of(&pup) {
        assert_eq!(echo.data, pup.data, "an echo brings the data back");
        assert_eq!(echo_of(&echo), None, "an echo is not echoed");
    }
    if ErrorReport::write(bytes, ErrorCode::NoRoute, Port::default(), &mut again) {
        let report = Pup::decode(&again).ok().and_then(|report| ErrorReport::of(&report));
        assert_eq!(report.map(|report| report.about), Some(pup.header), "a report names the Pup");
    }
    let mut header = pup.header;
    if let Ok(hops) = header.count_hop() {
        assert_eq!(header.hops(), hops);
    }
    let port = Port::default();
    for mut end in [Rendezvous::calling(pup.header.id, port, port), Rendezvous::listening(port)] {
        if let Some(kind) = end.received(&pup) {
            end.write(kind, &mut again);
        }
        end.end();
        let _ = end.received(&pup);
    }
}

/// Bytes as a script of what happens to the two ends of a stream.
pub fn streams(bytes: &[u8]) {
    let mut script = bytes.iter().copied();
    let mut next = || script.next();
    let (Some(sends), Some(receives), Some(window)) = (next(), next(), next()) else { return };
    let sends = [SenderRule::Clump, SenderRule::Burst, SenderRule::Sliding][usize::from(sends % 3)];
    let receives =
        [ReceiverRule::InOrder, ReceiverRule::Keep, ReceiverRule::KeepAll][usize::from(receives % 3)];
    let window = u16::from(window % 20) + 1;
    let mut sender = ByteStreamSender::new(sends, window, u32::MAX - 1_000);
    let mut receiver = ByteStreamReceiver::new(receives, window, u32::MAX - 1_000);
    let (mut now, mut under_way) = (Time::ZERO, Vec::new());
    while let (Some(what), Some(how)) = (next(), next()) {
        let how = usize::from(how);
        match what % 8 {
            0 if sender.room() => sender.write(&vec![what; (how * 2 + 1).min(sender.room_bytes())]),
            1 => {
                if let Some(transmit) = sender.poll(now) {
                    let mut data = Vec::new();
                    sender.copy_data(&transmit, &mut data);
                    assert_eq!(data.len(), usize::from(transmit.length));
                    under_way.push((transmit.sequence, data));
                }
            }
            // An acknowledgment of anything, allowing anything.
            2 => {
                let wanted = sender.unacknowledged().wrapping_add(how as u32 * 16).wrapping_sub(500);
                let allocation =
                    Allocation { bytes_a_pup: how as u16 * 3, pups: how as u16 / 8, bytes: how as u16 * 40 };
                sender.acknowledged(now, wanted, allocation);
            }
            // A Pup arrives, and stays in transit to arrive again.
            3 if !under_way.is_empty() => {
                let (sequence, data) = &under_way[how % under_way.len()];
                receiver.data(*sequence, data, |_, _| {});
            }
            4 => {
                receiver.data(
                    receiver.wanted().wrapping_add(how as u32 * 8).wrapping_sub(99),
                    &[what; 9],
                    |_, _| {},
                );
            }
            5 => {
                let (wanted, allocation) = receiver.acknowledge();
                sender.acknowledged(now, wanted, allocation);
            }
            6 => {
                now = sender.deadline().unwrap_or(now).max(now) + Span::from_ms(how as u64);
                sender.time_out(now);
            }
            7 if how.is_multiple_of(2) => sender.refused(),
            7 => sender.flush(),
            _ => {}
        }
        assert!((1..=window).contains(&sender.limit()) && sender.in_window() <= usize::from(window));
    }
}

/// Bytes as a capture.
pub fn captures(bytes: &[u8]) {
    let Ok(captured) = read(bytes) else { return };
    let interfaces = captured.interfaces.iter();
    let interfaces: Vec<_> =
        interfaces.map(|(name, link_type)| Interface { name, link_type: *link_type }).collect();
    let mut writer = Writer::new(Vec::new(), &interfaces).expect("memory takes it");
    for packet in &captured.packets {
        writer.packet(packet.packet()).expect("memory takes it");
    }
    let again = read(&writer.into_inner()).expect("what is written can be read");
    assert_eq!(again.packets, captured.packets);
}
