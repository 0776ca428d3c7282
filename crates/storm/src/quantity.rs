//! Quantities with units, drawn from what the schema says of their text: its pattern ends with the units.

use hopscope_kernel::RandomStream;
use serde_json::Value as Json;

/// A quantity near its default or an example; `wild`: of any size at all, in any of its units.
pub(crate) fn draw(schema: &Json, usual: Option<&str>, wild: bool, random: &mut RandomStream) -> String {
    let pattern = schema["pattern"].as_str().unwrap_or_default();
    let units: Vec<&str> = units(pattern).collect();
    if wild {
        let number = match random.below(6) {
            0 => 0,
            1 => 1,
            2 => u64::MAX,
            _ => log_uniform(0, u64::MAX, random),
        };
        return format!("{number} {}", random.pick(&units));
    }
    let examples: Vec<&str> =
        schema["examples"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let near = usual.filter(|_| random.chance(0.8)).unwrap_or_else(|| *random.pick::<&str>(&examples));
    let Some((number, unit)) = near.split_once(' ') else { return near.to_owned() };
    let number: f64 = number.parse().unwrap_or(1.0);
    // From a sixteenth to sixteen times as much; what begins at 0 becomes a few.
    let factor = 2f64.powf(8.0 * random.unit() - 4.0);
    let near = if number == 0.0 { random.below(10) } else { ((number * factor) as u64).max(1) };
    format!("{near} {unit}")
}

/// The units at the end of a pattern such as `^[0-9_.]+ ?(s|ms)$`; a letter before the last group, as in
/// `[GMk]?(bit/s)`, is left out.
fn units(pattern: &str) -> impl Iterator<Item = &str> {
    let group = pattern.rfind('(').map_or("", |from| &pattern[from + 1..]);
    group.split(')').next().unwrap_or_default().split('|')
}

/// An integer of any magnitude, each as likely as any other.
pub(crate) fn log_uniform(least: u64, most: u64, random: &mut RandomStream) -> u64 {
    let bits = 64 - (most - least).leading_zeros();
    let magnitude = random.below(u64::from(bits) + 1);
    let reach = if magnitude == 64 { u64::MAX } else { (1 << magnitude) - 1 };
    let reach = reach.min(most - least);
    least + if reach == u64::MAX { random.next_u64() } else { random.below(reach + 1) }
}
