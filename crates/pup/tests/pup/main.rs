//! The Pup internet against its specifications, closed forms and published figures.

mod captures;
mod ethernet;
mod internets;
mod scenarios;
mod streams;
mod table;
