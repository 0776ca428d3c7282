//! Each simulated mean against its closed form, at ten million customers (`cargo test -p hopscope-queueing --features
//! long`).

mod twins;

#[test]
fn every_twin_agrees_with_theory_within_half_a_percent() {
    for twin in &twins::TWINS {
        twins::agrees_with_theory(twin, 10_000_000, 0.005);
    }
}
