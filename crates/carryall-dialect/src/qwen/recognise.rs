//! Whether a file is a session of Qwen Code, by its rows alone.

use super::record::Record;
use crate::lenient::Content;
use crate::{Probe, ProbeKind};

/// How many rows are looked at.
const ROWS: usize = 10;

/// Whether one of the first rows is one that only Qwen Code writes.
pub(super) fn claims(probe: &Probe<'_>) -> bool {
    if probe.kind != ProbeKind::File || probe.compressed {
        return false;
    }
    for (at, row) in probe.rows().take(ROWS).enumerate() {
        match serde_json::from_slice::<Record<'_>>(row) {
            Ok(record) if are_marks(&record, row) => return true,
            // A first row may be longer than what a probe holds, or be two.
            Err(_) if at == 0 && broken_row_is_ours(row) => return true,
            Ok(_) | Err(_) => {}
        }
    }
    false
}

fn are_marks(record: &Record<'_>, row: &[u8]) -> bool {
    let linked = record.uuid.filled().is_some()
        && record.session_id.filled().is_some()
        && has(row, "\"parentUuid\"");
    let message = record.message.0.as_ref();
    let has_parts = message.is_some_and(|m| !matches!(m.parts, Content::Nothing));
    linked
        && match record.kind.get() {
            Some("user" | "assistant" | "tool_result") => has_parts,
            Some("system") => record.subtype.filled().is_some() && record.payload().is_some(),
            _ => false,
        }
}

fn broken_row_is_ours(row: &[u8]) -> bool {
    let marks = ["\"uuid\"", "\"parentUuid\"", "\"sessionId\"", "\"parts\""];
    row.starts_with(b"{") && marks.iter().all(|mark| has(row, mark))
}

fn has(row: &[u8], mark: &str) -> bool {
    memchr::memmem::find(row, mark.as_bytes()).is_some()
}
