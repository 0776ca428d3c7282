//! What sort of resource a row of a report is about.

use hopscope_measure::ResourceRow;

/// How a resource is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// It works on one thing after the other: a line, a server, a processor. While it is used it does something.
    Works,
    /// It is held, by those who may need something else meanwhile: a buffer, an entry of a table, a number of a window.
    Held,
    /// A place to wait in: whoever is there needs something else.
    Queue,
}

impl Nature {
    /// The nature of a row, from what its model calls its kind.
    #[must_use]
    pub fn of(row: &ResourceRow) -> Self {
        match row.kind.as_str() {
            "buffer" | "table" | "allocation" => Self::Held,
            "fifo" | "queue" | "input" => Self::Queue,
            _ => Self::Works,
        }
    }
}

/// How much of the time a resource has nothing to spare, 0 to 1: the utilisation. Of what is held, also the share of those
/// there who wait for some of it, where that is more: an entry held half of the time can be waited for all of it by bursts.
#[must_use]
pub fn pressure(row: &ResourceRow) -> f64 {
    let waiting = if row.waiting > 0.0 { row.waiting / (row.waiting + row.occupancy) } else { 0.0 };
    match Nature::of(row) {
        Nature::Works => row.utilisation,
        Nature::Held => row.utilisation.max(waiting),
        Nature::Queue => 0.0,
    }
}

/// The mean number of messages that wait because of the resource: for it, or in it. Of a queue, those beyond `served`.
#[must_use]
pub fn waiters(row: &ResourceRow, served: f64) -> f64 {
    match (Nature::of(row), row.kind.as_str()) {
        (Nature::Queue, "queue") => (row.occupancy - served).max(0.0),
        // Those who wait for room behind a link wait at the link, and what is in the buffer waits at outputs: both count there.
        (Nature::Queue, "input") => 0.0,
        _ => row.waiting,
    }
}

/// The resource as a sentence names it, such as "the line UCLA -> RAND".
#[must_use]
pub fn words(row: &ResourceRow) -> String {
    match row.kind.as_str() {
        "output" => format!("the link {}", row.name),
        "fifo" => format!("the FIFO at {}", row.place),
        "input" => format!("the input buffer at {}", row.place),
        _ if row.name == row.place => row.name.clone(),
        _ if row.place.contains(" -> ") => format!("the {} {}", row.name, row.place),
        "table" | "buffer" => format!("the {} at {}", row.name, row.place),
        _ => format!("the {} of {}", row.name, row.place),
    }
}
