//! The Pup internet against its specifications, closed forms and published figures.

mod boundedness;
mod ethernet;
mod internets;
mod scenarios;
mod shared;
mod streams;
mod table;
