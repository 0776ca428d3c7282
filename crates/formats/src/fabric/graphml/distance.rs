//! The delays of cables between places on the Earth.

use hopscope_units::Span;

use crate::fabric::draft::Draft;

/// The Earth's mean radius, in metres (IUGG).
const EARTH_M: f64 = 6_371_008.8;

/// Light in fibre, in metres a second: that in vacuum by the refractive index of silica, 1.4682 at 1550 nm.
const FIBRE_M_S: f64 = 299_792_458.0 / 1.4682;

/// Gives each link without a delay that of a fibre along the great circle between its ends, `detour` times as long.
pub(super) fn set_delays(draft: &mut Draft, coordinates: &[Option<(f64, f64)>], detour: f64) {
    for link in draft.links.iter_mut().filter(|link| link.delay.is_none()) {
        let [Some(a), Some(b)] = link.ends.map(|end| coordinates[end]) else { continue };
        let seconds = detour * great_circle_m(a, b) / FIBRE_M_S;
        // Nodes of one place are as far apart as any two racks: `link.delay`.
        if seconds > 0.0 {
            link.delay = Some(Span::from_ns((seconds * 1e9) as u64));
        }
    }
}

/// The metres between two places, given by longitude and latitude in degrees (the haversine formula).
fn great_circle_m(a: (f64, f64), b: (f64, f64)) -> f64 {
    let half_sine_squared = |degrees: f64| libm::pow(libm::sin(degrees.to_radians() / 2.0), 2.0);
    let both_cosines = libm::cos(a.1.to_radians()) * libm::cos(b.1.to_radians());
    let h = half_sine_squared(b.1 - a.1) + both_cosines * half_sine_squared(b.0 - a.0);
    2.0 * EARTH_M * libm::asin(libm::sqrt(h.clamp(0.0, 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Along a meridian and round the equator, a degree is the same part of a circle; poles are half a circle apart.
    #[test]
    fn degrees_are_parts_of_a_circle() {
        let degree = EARTH_M * std::f64::consts::PI / 180.0;
        let close = |found: f64, degrees: f64| (found / (degrees * degree) - 1.0).abs() < 1e-9;
        assert!(close(great_circle_m((7.0, 10.0), (7.0, 55.0)), 45.0));
        assert!(close(great_circle_m((-170.0, 0.0), (170.0, 0.0)), 20.0));
        assert!(close(great_circle_m((0.0, 90.0), (33.0, -90.0)), 180.0));
        assert!(great_circle_m((5.0, 5.0), (5.0, 5.0)) < 1e-6);
    }
}
