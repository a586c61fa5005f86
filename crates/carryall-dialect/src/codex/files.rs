//! The files of a thread: those of the threads that it goes on from, and its own, the last.

use super::index::Place;
use super::record::Record;
use crate::rows::{self, Parsed};
use crate::source::Source;
use carryall_model::ReplayError;

/// Open files, the oldest thread's first.
#[derive(Debug, Default)]
pub(super) struct Files(pub(super) Vec<Source>);

/// The bytes of a row, and of its repaired copy when it needs one.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    row: Vec<u8>,
    repaired: Vec<u8>,
}

impl Files {
    /// The thread's own file.
    pub(super) fn own(&self) -> &Source {
        // A thread is opened with its own file: the list is never empty.
        &self.0[self.0.len() - 1]
    }

    /// Reads a row again.
    pub(super) fn read<'b>(
        &self,
        place: Place,
        buffer: &'b mut Buffer,
    ) -> Result<Parsed<Record<'b>>, ReplayError> {
        let source = &self.0[place.file as usize];
        let bytes = source.read_span(place.span, &mut buffer.row)?;
        rows::parse_with(bytes, &mut buffer.repaired, Record::parse).map_err(|_| source.changed())
    }
}
