//! Each simulated mean against its closed form, at a million customers.

mod twins;

#[test]
fn every_twin_agrees_with_theory_within_one_percent() {
    for twin in &twins::TWINS {
        twins::agrees_with_theory(twin, 1_000_000, 0.01);
    }
}
