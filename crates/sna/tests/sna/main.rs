//! The tests of the model, as one program: rules against random adversaries, networks against theory, what is refused.

mod networks;
mod rules;
mod shared;
mod stages;
mod twins;
