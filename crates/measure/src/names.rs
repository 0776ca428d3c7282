//! "Did you mean": the name that a mistyped one is closest to.

/// How alike two names must be, by Jaro-Winkler, for the one to be offered in place of the other.
const ALIKE: f64 = 0.8;

/// The known name closest to what was written, if any is close.
pub fn closest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |name: &str| name.to_lowercase().replace(['_', ' '], "-");
    let wanted = plain(written);
    let alike = |name: &&str| strsim::jaro_winkler(&wanted, &plain(name));
    let best = known.into_iter().map(|name| (alike(&name), name)).max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(likeness, _)| *likeness >= ALIKE).map(|(_, name)| name)
}

/// The hint that goes with it.
pub fn did_you_mean<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    closest(written, known).map(|name| format!("did you mean \"{name}\"?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers_what_is_close() {
        let known = ["load", "pattern", "up-down", "an1-mstage"];
        for (written, meant) in [
            ("lod", Some("load")),
            ("Load", Some("load")),
            ("patern", Some("pattern")),
            ("up_down", Some("up-down")),
            ("an1-msatge", Some("an1-mstage")),
            ("zzz", None),
            ("", None),
        ] {
            assert_eq!(closest(written, known), meant, "{written}");
        }
    }
}
