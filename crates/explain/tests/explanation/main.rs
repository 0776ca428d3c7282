//! What an explanation makes of a report: each test builds the smallest report that shows it.

mod classes;
mod evidence;
mod failures;
mod incasts;
mod limits;
mod loops;
mod remedies;
mod reports;
mod senders;
mod sentences;
mod symptoms;
mod uplinks;
