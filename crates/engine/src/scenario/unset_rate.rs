//! Frames on links whose rate nobody has given.

use hopscope_scenario::{Node, Path};
use serde_json::Value as Json;

/// That links have AN1's rate, where frames cross links whose rate the scenario does not give; nothing else.
///
/// The default of `link.rate` is that of AN1 (SRC report 88), a thousandth of what frames cross today: whoever forgets
/// it would only see delays that are a thousand times too long. A network's file has rates of its own.
pub(crate) fn unset_rate(root: &Node, canonical: &Json) -> Option<String> {
    canonical.get("frames")?;
    let is_given = root.at(&Path::of("link.rate")).is_some();
    let network = canonical.get("network")?;
    if is_given || network.get("file").is_some() || network.get("custom").is_some_and(all_have_rates) {
        return None;
    }
    let rate = canonical.pointer("/link/rate")?.as_str()?;
    Some(format!("assumed: links of {rate}, as AN1 has them, because nothing sets link.rate"))
}

/// Whether every link and every host of a hand-written network has a rate of its own.
fn all_have_rates(custom: &Json) -> bool {
    let all = |key| custom.get(key).and_then(Json::as_array).into_iter().flatten();
    all("links").chain(all("hosts")).all(|link| link.get("rate").is_some_and(|rate| !rate.is_null()))
}
