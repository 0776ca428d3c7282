//! Named random streams and the samplers that draw from them.

mod discrete;
mod exponential;
mod geometric;
mod poisson;
mod stream;
mod uniform;

pub use discrete::Discrete;
pub use exponential::Exponential;
pub use geometric::Geometric;
pub use poisson::PoissonProcess;
pub use stream::RandomStream;
pub use uniform::UniformSpan;
