//! Whether a file is a session of Pi, by its first row alone.

use crate::lenient::Word;
use crate::{Probe, ProbeKind};
use serde::Deserialize;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Marks<'a> {
    #[serde(rename = "type", borrow)]
    kind: Word<'a>,
    #[serde(borrow)]
    id: Word<'a>,
    /// Documents that carryall writes as JSON Lines begin alike, and have none.
    #[serde(borrow)]
    timestamp: Word<'a>,
    #[serde(rename = "sessionId", borrow)]
    session_id: Word<'a>,
}

/// Whether the first row that can be read is a header.
pub(super) fn claims(probe: &Probe<'_>) -> bool {
    let mut rows = probe.rows().filter_map(|row| serde_json::from_slice::<Marks<'_>>(row).ok());
    probe.kind == ProbeKind::File
        && rows.next().is_some_and(|marks| {
            marks.kind.is("session")
                && marks.id.get().is_some()
                && marks.timestamp.get().is_some()
                && marks.session_id.get().is_none()
        })
}
