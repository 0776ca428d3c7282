//! The Pup internet against its specifications, closed forms and published figures.

mod boundedness;
mod bsp;
mod endpoint;
mod endpoint_udp;
mod ethernet;
mod internets;
mod scenarios;
mod shared;
mod table;
