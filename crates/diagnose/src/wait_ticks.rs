//! The duration of a tick of PortXmitWait.
//!
//! The counter counts ticks in which a port had data to send and sent none. A tick is the time of a number of bytes,
//! which depends on the generation of the device: ibdiagnet's manual, "Congestion assessment on InfiniBand links".

/// The bytes that a port could have sent in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitUnit {
    /// Bytes a tick.
    pub bytes: u64,
    /// The bytes in words, with the devices of which this is known or which are assumed.
    pub rule: &'static str,
}

/// Quantum and its successors: 8 bytes, whatever the width.
const QUANTUM: [u32; 3] = [0xd2f0, 0xd2f2, 0xd2f4];

/// SwitchX, Switch-IB and Switch-IB 2: 32 bytes a lane.
const SWITCH_IB: [u32; 3] = [0xc738, 0xcb20, 0xcf08];

/// The usual width of a port.
const USUAL_LANES: u8 = 4;

/// What a tick of a port of such a device is worth. Devices that are not known count as the newest ones.
#[must_use]
pub fn wait_unit(device: Option<u32>, lanes: Option<u8>) -> WaitUnit {
    match device {
        Some(id) if SWITCH_IB.contains(&id) => WaitUnit {
            bytes: 32 * u64::from(lanes.unwrap_or(USUAL_LANES)),
            rule: "32 bytes a lane (SwitchX, Switch-IB)",
        },
        Some(id) if QUANTUM.contains(&id) => WaitUnit { bytes: 8, rule: "8 bytes (Quantum)" },
        _ => WaitUnit { bytes: 8, rule: "8 bytes (device unknown; assumed Quantum)" },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The two worked conversions of the manual: 8 bytes whatever the width; 32 bytes a lane.
    #[test]
    fn the_generation_decides() {
        assert_eq!(wait_unit(Some(0xd2f0), Some(1)).bytes, 8);
        assert_eq!(wait_unit(Some(0xcb20), Some(4)).bytes, 128);
        assert_eq!(wait_unit(Some(0xcb20), Some(1)).bytes, 32);
        assert_eq!(wait_unit(None, None).bytes, 8);
    }
}
