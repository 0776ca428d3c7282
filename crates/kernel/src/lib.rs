//! The kernel of a discrete-event simulation: event queue, run loop, arena, named random streams, samplers.
//!
//! It knows nothing of networks. A model is a state machine ([`Model`]) that handles one event at a time and schedules
//! others; a [`Simulation`] pops them from an [`EventQueue`] in the canonical order (time, [`Order`]), which is a
//! property of the model and not of the sequence in which it happened to schedule them.

mod arena;
mod clock;
mod interruptible;
mod order;
mod queue;
mod random;
mod simulation;

pub use arena::Arena;
pub use clock::Moment;
#[cfg(target_family = "wasm")]
pub use clock::lend_clock;
pub use interruptible::{Stopped, WorkWatch, elsewhere, in_parts, interruptible, step};
pub use order::Order;
pub use queue::{EventQueue, Presorted};
pub use random::{Discrete, Exponential, Geometric, PoissonProcess, RandomStream, UniformSpan};
pub use simulation::{Foresight, Model, Simulation};
