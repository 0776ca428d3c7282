//! What an explanation makes of a report: each test builds the smallest report that shows it.

mod classes;
mod evidence;
mod failures;
mod full_lines;
mod headlines;
mod in_vain;
mod incasts;
mod interruptions;
mod limits;
mod lines;
mod loops;
mod order_of_service;
mod remedies;
mod reports;
mod senders;
mod sentences;
mod symptoms;
mod uplinks;
mod ways;
