//! The Pup internet against its specifications, closed forms and published figures.

mod ethernet;
mod streams;
mod table;
