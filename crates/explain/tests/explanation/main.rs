//! What an explanation makes of a report: each test builds the smallest report that shows it.

mod evidence;
mod limits;
mod loops;
mod reports;
mod sentences;
mod symptoms;
