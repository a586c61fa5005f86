//! The records of a source, told one by one with what became of them.

use super::{Place, scan_telling};
use crate::source::Source;
use crate::{EachRecord, Fate, Record};
use carryall_model::{Notice, NoticeKind, ReplayError, SinkError};
use std::cell::RefCell;

/// What a dialect says of a record; it parses before it says anything, as with
/// [`scan`](super::scan).
type Say<'s> = dyn FnMut(&[u8], Place, &mut Tell<'_>) -> Result<(), serde_json::Error> + 's;

/// Takes what is said of a record.
pub(crate) type Tell<'t> = dyn FnMut(&Record<'_>) + 't;

/// Walks a source as a scan does and tells each of its records to `each`: those that can be read
/// in the words of `say`, and those that cannot as damaged. `file` is what the source is called,
/// when it is not the session's own.
pub(crate) fn tell(
    source: &Source,
    file: Option<&str>,
    each: &mut EachRecord<'_>,
    say: &mut Say<'_>,
) -> Result<(), ReplayError> {
    let teller = RefCell::new(Teller { file, each, refusal: None });
    let walked = scan_telling(
        source,
        &mut |notice| teller.borrow_mut().damage(&notice),
        &mut |bytes, place| say(bytes, place, &mut |record| teller.borrow_mut().tell(record)),
    );
    if let Some(refusal) = teller.into_inner().refusal {
        return Err(refusal.into());
    }
    let failed = |error| ReplayError::Io { path: source.path().to_owned(), source: error };
    walked.map_err(failed).map(drop)
}

/// Hands records on until one is refused.
struct Teller<'t, 'e> {
    file: Option<&'t str>,
    each: &'t mut EachRecord<'e>,
    refusal: Option<SinkError>,
}

impl Teller<'_, '_> {
    fn tell(&mut self, record: &Record<'_>) {
        if self.refusal.is_none() {
            self.refusal = (self.each)(&Record { file: self.file, ..*record }).err();
        }
    }

    /// Tells of what could not be read; of damage that cost nothing there is no record.
    fn damage(&mut self, notice: &Notice) {
        if !notice.kind.is_damage() {
            return;
        }
        let reason = match notice.kind {
            NoticeKind::CutShort => Some("the last row has no end"),
            _ => notice.detail.as_deref(),
        };
        self.tell(&Record {
            file: None,
            row: notice.row.unwrap_or(0),
            at: notice.offset.unwrap_or(0),
            bytes: notice.bytes.unwrap_or(0),
            kind: notice.kind.as_str(),
            fate: Fate::Damaged,
            reason,
            version: None,
        });
    }
}
