//! How fast the two kinds of processor are. What a scenario leaves out is that of the kind.

use hopscope_units::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scenario::params::Computer;

/// The two kinds of processor.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProcessorParams {
    /// The 516.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "516 IMPs {factor} as fast", "divide": 2.0, "fields": ["per_packet", "per_word", "output", "tick", "routing", "background"], "cause": "slow service", "speeds": ["Processor"], "cost": "computers {factor} as fast"},
        {"words": "routing computations of 516 IMPs {factor} as fast", "divide": 2.0, "fields": ["routing"], "cause": "interruption", "cost": "new IMP programs"},
    ])))]
    pub h516: Processor516,
    /// The 316.
    #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
        {"words": "316 IMPs {factor} as fast", "divide": 2.0, "fields": ["per_packet", "per_word", "output", "tick", "routing", "background"], "cause": "slow service", "speeds": ["Processor"], "cost": "computers {factor} as fast"},
        {"words": "routing computations of 316 IMPs {factor} as fast", "divide": 2.0, "fields": ["routing"], "cause": "interruption", "cost": "new IMP programs"},
    ])))]
    pub h316: Processor316,
}

/// The speed of a processor, of whichever kind.
#[derive(Clone, Copy, Debug)]
pub struct ProcessorTimes {
    /// Time per packet, without the time per word.
    pub per_packet: Span,
    /// Time for each word of 16 bits.
    pub per_word: Span,
    /// Time between one packet and the next on a line, in which the line is idle.
    pub output: Span,
    /// Work at each tick of the clock.
    pub tick: Span,
    /// Work of a routing computation.
    pub routing: Span,
    /// The time until the background loop comes to a reply that is to be made.
    pub background: Span,
}

// How long the 516 takes for each was set from round trips of the program of September 1973 under light load, executed
// instruction by instruction; a 316 takes 1.67 times as long, as its cycle is 1.6 us to 0.96 us.

/// Microseconds of a 516.
const TICK_US: u64 = 500;
const ROUTING_US: u64 = 12_000;
const BACKGROUND_US: u64 = 700;

/// A time of a 516 as a 316 takes it.
const fn slower(us: u64) -> Span {
    Span::from_us(us * 5 / 3)
}

impl Computer {
    /// How fast it is unless a scenario says otherwise. With 63 words a packet: 850 kbit/s on the 516 and 700 kbit/s on
    /// the 316 (section III).
    const fn times(self) -> ProcessorTimes {
        match self {
            Self::H516 => ProcessorTimes {
                per_packet: Span::from_us(1060),
                per_word: Span::from_ns(2000),
                output: Span::from_us(185),
                tick: Span::from_us(TICK_US),
                routing: Span::from_us(ROUTING_US),
                background: Span::from_us(BACKGROUND_US),
            },
            Self::H316 => ProcessorTimes {
                per_packet: Span::from_us(1230),
                per_word: Span::from_ns(3333),
                output: Span::from_us(309),
                tick: slower(TICK_US),
                routing: slower(ROUTING_US),
                background: slower(BACKGROUND_US),
            },
        }
    }
}

/// What a scenario says of one kind of processor: the fields are the same, what they are unless given is not. Where a
/// setting is far from that, the latter is tried.
macro_rules! processor {
    (
        $name:ident,
        $computer:expr,
        $kind:literal,
        $per_packet:literal,
        $per_word:literal,
        $output:literal,
        $tick:literal,
        $routing:literal,
        $background:literal
    ) => {
        /// The speed of a processor.
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            /// Time per packet, without the time per word, 1 us to 1 s.
            #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
                {"words": concat!($kind, " IMPs that take the usual ", $per_packet, " for a packet"), "usual": $per_packet, "repairs": concat!("the time for a packet in ", $kind, " IMPs"), "cause": "resource", "speeds": ["Processor"], "cost": "the usual computers and programs"},
            ])))]
            pub per_packet: Span,
            /// Time for each word of 16 bits: the software checksum, 2 us on the 516 (RFC 528).
            #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
                {"words": concat!($kind, " IMPs that take the usual ", $per_word, " for a word"), "usual": $per_word, "repairs": concat!("the time for a word in ", $kind, " IMPs"), "cause": "resource", "speeds": ["Processor"], "cost": "the usual computers and programs"},
            ])))]
            pub per_word: Span,
            /// Time of the output program between one packet and the next on a line, in which the line is idle: about
            /// 193 cycles of the program's listing.
            #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
                {"words": concat!($kind, " IMPs with the usual gap of ", $output, " after a packet"), "usual": $output, "repairs": concat!("the gap after a packet on a line in ", $kind, " IMPs"), "cause": "slow service", "cost": "the usual computers and programs"},
            ])))]
            pub output: Span,
            /// Work at each tick of the clock, every 25.6 ms, before any packet (the program's listing).
            #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
                {"words": concat!($kind, " IMPs that take the usual ", $tick, " at a tick of the clock"), "usual": $tick, "repairs": concat!("the work at a tick of the clock in ", $kind, " IMPs"), "cause": "interruption", "cost": "the usual computers and programs"},
            ])))]
            pub tick: Span,
            /// Work of a routing computation, every 640 ms, and of each routing message that brings a neighbour's next
            /// one: all destinations one after the other, before any packet (the program's listing).
            #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
                {"words": concat!($kind, " IMPs that take the usual ", $routing, " for a routing computation"), "usual": $routing, "repairs": concat!("the time of a routing computation in ", $kind, " IMPs"), "cause": "interruption", "cost": "the usual computers and programs"},
            ])))]
            pub routing: Span,
            /// The time until the background loop comes to a reply that is to be made (the program's listing).
            #[cfg_attr(not(target_family = "wasm"), schemars(extend("what-if" = [
                {"words": concat!($kind, " IMPs that take the usual ", $background, " until a reply is made"), "usual": $background, "repairs": concat!("the time until a reply is made in ", $kind, " IMPs"), "cause": "slow service", "cost": "the usual computers and programs"},
            ])))]
            pub background: Span,
        }

        impl Default for $name {
            fn default() -> Self {
                let ProcessorTimes { per_packet, per_word, output, tick, routing, background } =
                    $computer.times();
                Self { per_packet, per_word, output, tick, routing, background }
            }
        }

        impl $name {
            const fn times(&self) -> ProcessorTimes {
                let &Self { per_packet, per_word, output, tick, routing, background } = self;
                ProcessorTimes { per_packet, per_word, output, tick, routing, background }
            }
        }
    };
}

processor!(Processor516, Computer::H516, "516", "1.06 ms", "2 us", "185 us", "500 us", "12 ms", "700 us");
processor!(
    Processor316,
    Computer::H316,
    "316",
    "1.23 ms",
    "3.333 us",
    "309 us",
    "833 us",
    "20 ms",
    "1.166 ms"
);

impl ProcessorParams {
    /// How fast a computer is.
    #[must_use]
    pub const fn of(&self, computer: Computer) -> ProcessorTimes {
        match computer {
            Computer::H516 => self.h516.times(),
            Computer::H316 => self.h316.times(),
        }
    }
}

#[cfg(test)]
mod tests {
    use schemars::schema_for;

    use super::*;

    #[test]
    fn what_a_scenario_leaves_out_of_a_kind_is_that_of_the_kind() {
        let part = |pairs: [(&'static str, &'static str); 1]| {
            let fields =
                serde::de::value::MapDeserializer::<_, serde::de::value::Error>::new(pairs.into_iter());
            Processor316::deserialize(fields).expect("one field is enough")
        };
        let given = part([("tick", "5 ms")]).times();
        assert_eq!((given.tick, given.output), (Span::from_ms(5), Span::from_us(309)));
        assert_eq!((given.routing, given.per_word), (Span::from_ms(20), Span::from_ns(3333)));
        assert_eq!(Processor516::default().routing, Span::from_ms(12));
        // The reference has its defaults from here.
        let told = schema_for!(Processor316).to_value()["properties"]["output"]["default"].clone();
        assert_eq!(told.as_str(), Some("309 us"));
    }
}
