//! The Pups of a stream that are written and not acknowledged, with their content.

use std::collections::VecDeque;

use super::sequence::precedes;

#[derive(Clone, Copy, Debug)]
struct Segment {
    sequence: u32,
    length: u16,
    sent: bool,
    /// It is to be sent again.
    due: bool,
}

impl Segment {
    fn end(&self) -> u32 {
        self.sequence.wrapping_add(u32::from(self.length))
    }

    fn wanted(&self) -> bool {
        self.due || !self.sent
    }
}

/// A Pup that leaves the window for the network; it stays in the window until it is acknowledged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Departure {
    /// The number of its first byte.
    pub sequence: u32,
    /// Bytes of data.
    pub length: u16,
    /// The number of the byte after its last.
    pub end: u32,
    /// Whether it has been sent before.
    pub again: bool,
}

/// The Pups written and not acknowledged, in the order of their bytes.
#[derive(Clone, Debug)]
pub(super) struct SendWindow {
    segments: VecDeque<Segment>,
    content: VecDeque<u8>,
    /// The number of the next byte to be written.
    next: u32,
}

impl SendWindow {
    /// An empty window; the first byte to be written has this number.
    pub const fn new(first: u32) -> Self {
        Self { segments: VecDeque::new(), content: VecDeque::new(), next: first }
    }

    /// Pups in the window.
    pub fn pups(&self) -> usize {
        self.segments.len()
    }

    /// Bytes in the window.
    pub fn bytes(&self) -> usize {
        self.content.len()
    }

    /// Takes the data of one Pup.
    pub fn write(&mut self, data: &[u8]) {
        let length = data.len() as u16;
        self.segments.push_back(Segment { sequence: self.next, length, sent: false, due: false });
        self.content.extend(data);
        self.next = self.next.wrapping_add(u32::from(length));
    }

    /// Whether a Pup is to be sent.
    pub fn wants(&self) -> bool {
        self.segments.iter().any(Segment::wanted)
    }

    /// The segment whose turn it is: what is to be sent again comes first.
    fn first_wanted(&self) -> Option<usize> {
        let due = self.segments.iter().position(|segment| segment.due);
        due.or_else(|| self.segments.iter().position(|segment| !segment.sent))
    }

    /// The first byte of the Pup whose turn it is.
    pub fn upcoming(&self) -> Option<u32> {
        self.first_wanted().map(|at| self.segments[at].sequence)
    }

    /// Sends the Pup whose turn it is.
    pub fn depart(&mut self) -> Option<Departure> {
        let at = self.first_wanted()?;
        let segment = &mut self.segments[at];
        let again = segment.sent;
        (segment.sent, segment.due) = (true, false);
        Some(Departure { sequence: segment.sequence, length: segment.length, end: segment.end(), again })
    }

    /// The end of what has been sent.
    pub fn sent_end(&self) -> u32 {
        self.segments.iter().find(|segment| !segment.sent).map_or(self.next, |segment| segment.sequence)
    }

    /// The first byte not acknowledged.
    pub fn unacknowledged(&self) -> u32 {
        self.segments.front().map_or(self.next, |segment| segment.sequence)
    }

    /// Whether Pups are under way.
    pub fn outstanding(&self) -> bool {
        self.segments.front().is_some_and(|oldest| oldest.sent)
    }

    /// Copies bytes of the window, by the number of the first, behind what `data` holds.
    pub fn copy_data(&self, sequence: u32, length: u16, data: &mut Vec<u8>) {
        let start = sequence.wrapping_sub(self.unacknowledged()) as usize;
        let (older, newer) = self.content.as_slices();
        let end = start + usize::from(length);
        let cut = older.len();
        data.extend_from_slice(&older[start.min(cut)..end.min(cut)]);
        data.extend_from_slice(&newer[start.max(cut) - cut..end.max(cut) - cut]);
    }

    /// Everything before this byte is acknowledged: how many Pups that releases.
    pub fn release(&mut self, wanted: u32) -> usize {
        let mut released = 0;
        while let Some(&oldest) = self.segments.front()
            && !precedes(wanted, oldest.end())
            && oldest.sent
        {
            self.segments.pop_front();
            self.content.drain(..usize::from(oldest.length));
            released += 1;
        }
        released
    }

    /// What has been sent is to be sent again, where `which` says so of its first byte.
    pub fn send_again(&mut self, which: impl Fn(u32) -> bool) {
        for segment in self.segments.iter_mut().filter(|segment| segment.sent && which(segment.sequence)) {
            segment.due = true;
        }
    }

    /// The oldest Pup is to be sent again. False where none has been sent.
    pub fn send_oldest_again(&mut self) -> bool {
        let oldest = self.segments.front_mut().filter(|oldest| oldest.sent);
        oldest.map(|oldest| oldest.due = true).is_some()
    }
}
