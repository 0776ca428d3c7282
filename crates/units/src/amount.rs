//! Numbers of things in sentences.

use std::fmt::Display;

/// A number of things: "1 cable", "4 cables".
#[must_use]
pub fn amount<N: Copy + Display + PartialEq + From<u8>>(count: N, one: &str, many: &str) -> String {
    let noun = if count == N::from(1) { one } else { many };
    format!("{count} {noun}")
}

#[cfg(test)]
mod tests {
    use super::amount;

    #[test]
    fn one_is_not_many() {
        assert_eq!(amount(0_u64, "switch", "switches"), "0 switches");
        assert_eq!(amount(1_usize, "switch", "switches"), "1 switch");
        assert_eq!(amount(2_u16, "switch", "switches"), "2 switches");
    }
}
