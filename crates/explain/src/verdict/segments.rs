//! Messages that are cut into many pieces.

use hopscope_measure::SegmentUse;

use super::{Candidate, Judge};
use crate::cause::Cause;
use crate::policy::Policy;
use crate::thresholds::{OVERHEAD, WAITS};
use crate::words::{bytes, percent};

impl Judge<'_> {
    /// Messages wait, and much of what is sent are headers of segments. Each segment also needs every processor and
    /// window on its path.
    pub(super) fn segmented(&self) -> Option<Candidate> {
        let SegmentUse { place, who, segments, longest, headers } = self.report.evidence.segments.as_ref()?;
        (*headers >= OVERHEAD && self.waits() >= WAITS).then(|| {
            let sentence = format!(
                "Segments: {} takes at most {}, so each message of {who} is sent in {segments} segments, and {} of what is sent are their \
                 headers. Each segment also takes its turn at every processor and of the window.",
                place.words,
                bytes(*longest),
                percent(*headers)
            );
            let found = Self::at_place(Cause::Resource, place, self.waits() * headers, sentence);
            Candidate { id: Some(Policy::Segments.id()), ..found }
        })
    }
}
