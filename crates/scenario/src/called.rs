//! What the field calls choices that scenarios call otherwise.

/// A word of the field, the choice that is meant where it is one of those there are, and what to say of it.
type Called = (&'static str, &'static str, &'static str);

const CALLED: [Called; 15] = [
    ("ecmp", "flow-hash", "ECMP is \"flow-hash\""),
    (
        "ecmp",
        "shortest",
        "ECMP is `routing.rule = \"shortest\"` with `frames.balancing = \"flow-hash\"`, its default",
    ),
    ("packet-spraying", "spray", "packet spraying is \"spray\""),
    ("rps", "spray", "random packet spraying is \"spray\""),
    ("drill", "adaptive", "the least loaded of several next hops is \"adaptive\""),
    ("minhop", "shortest", "routes of the fewest switches are \"shortest\""),
    ("min-hop", "shortest", "routes of the fewest switches are \"shortest\""),
    ("updn", "up-down", "up*/down* is \"up-down\""),
    ("dor", "dimension-order", "dimension-order routing is \"dimension-order\""),
    ("pause", "pfc", "pause frames are `{ pfc = {} }`"),
    ("none", "tail-drop", "no flow control, which drops frames, is `{ tail-drop = {} }`"),
    ("lossy", "tail-drop", "no flow control, which drops frames, is `{ tail-drop = {} }`"),
    ("all-to-all", "uniform", "all-to-all traffic is \"uniform\""),
    ("incast", "client-to-server", INCAST),
    ("all-reduce", "client-to-server", ALL_REDUCE),
];

/// The message for patterns of flows in place of a pattern of traffic.
const INCAST: &str = "an incast is a pattern of [[flows]], which stand instead of [traffic]: \
                      flows = [{ pattern = { incast = { senders = 8, size = \"64 KiB\" } } }]";
const ALL_REDUCE: &str = "an all-reduce is a pattern of [[flows]], which stand instead of [traffic]: \
                          flows = [{ pattern = { all-reduce = { size = \"1 MiB\" } } }]";

/// What to say where a word of the field stands for one of these choices.
pub(crate) fn choice_called(word: &str, choices: &[&str]) -> Option<String> {
    let plain = word.to_lowercase().replace(['_', ' '], "-");
    let found = CALLED.iter().find(|(called, choice, _)| *called == plain && choices.contains(choice));
    found.map(|(.., told)| (*told).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_field_lead_to_the_choice() {
        let balancing = ["flow-hash", "spray", "adaptive"];
        assert_eq!(choice_called("ECMP", &balancing).as_deref(), Some("ECMP is \"flow-hash\""));
        assert_eq!(
            choice_called("packet_spraying", &balancing).as_deref(),
            Some("packet spraying is \"spray\"")
        );
        let rule = choice_called("ecmp", &["up-down", "shortest"]).expect("routes are known as that");
        assert!(rule.contains("flow-hash") && rule.contains("shortest"), "{rule}");
        assert_eq!(choice_called("ecmp", &["fixed"]), None);
        assert_eq!(choice_called("flow-hash", &balancing), None);
    }
}
