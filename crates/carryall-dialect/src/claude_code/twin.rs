//! The second copy of a result. `toolUseResult` says once more, in another shape, what the message
//! of the row says; no export shows it. The index notes where it stands, so that the replay need
//! not read it: that is up to half of a file.

use serde_json::value::RawValue;
use std::ops::Range;

/// A shorter value costs less to read than to go around.
const WORTHWHILE: usize = 1024;

/// Where the value of `toolUseResult` stands in its record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Twin {
    from: u32,
    to: u32,
}

impl Twin {
    /// The place of a value that was read from this record; none when it is short, or was read
    /// from a repaired copy of it.
    pub(super) fn of(value: Option<&RawValue>, record: &[u8]) -> Self {
        Self::place(value, record).unwrap_or_default()
    }

    fn place(value: Option<&RawValue>, record: &[u8]) -> Option<Self> {
        let value = value?.get().as_bytes();
        if value.len() < WORTHWHILE || !record.as_ptr_range().contains(&value.as_ptr()) {
            return None;
        }
        let from = value.as_ptr().addr() - record.as_ptr().addr();
        let to = u32::try_from(from + value.len()).ok()?;
        Some(Self { from: u32::try_from(from).ok()?, to })
    }

    /// The bytes to go around, when there are any.
    pub(super) fn hole(self) -> Option<Range<u32>> {
        (self.from < self.to).then_some(self.from..self.to)
    }
}
