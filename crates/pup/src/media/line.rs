//! Lines between two machines.

use hopscope_units::Data;

/// Data link escape: where it occurs in a Pup it is sent twice, so that the other end can distinguish it from framing.
const DLE: u8 = 0x10;

/// What a Pup takes on the line, its framing included.
#[must_use]
pub fn on_line(pup: &[u8], framing: Data) -> Data {
    let doubled = pup.iter().filter(|byte| **byte == DLE).count();
    Data::from_bytes((pup.len() + doubled) as u64) + framing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_doubled() {
        assert_eq!(on_line(&[1, 2, 0x10, 3, 0x10], Data::from_bytes(8)), Data::from_bytes(7 + 8));
    }
}
