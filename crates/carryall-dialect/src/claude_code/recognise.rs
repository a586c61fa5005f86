//! Whether a file is a session of Claude Code, by its rows alone.

use super::lenient::{Object, Word};
use crate::{Probe, ProbeKind};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

/// How many rows are looked at.
const ROWS: usize = 10;

/// Whether one of the first rows is one that only Claude Code writes.
pub(super) fn claims(probe: &Probe<'_>) -> bool {
    if probe.kind != ProbeKind::File || probe.compressed {
        return false;
    }
    let mut rows = probe.rows().peekable();
    let mut parsed = 0;
    while let Some(row) = rows.next() {
        match serde_json::from_slice::<Marks<'_>>(row) {
            Ok(marks) if marks.are_ours() => return true,
            Ok(_) => parsed += 1,
            // A first row may be longer than what a probe holds.
            Err(_) if rows.peek().is_none() && parsed == 0 => return cut_row_is_ours(row),
            Err(_) => {}
        }
        if parsed == ROWS {
            return false;
        }
    }
    false
}

fn cut_row_is_ours(row: &[u8]) -> bool {
    let has = |mark: &str| memchr::memmem::find(row, mark.as_bytes()).is_some();
    row.starts_with(b"{")
        && has("\"parentUuid\":")
        && has("\"isSidechain\":")
        && has("\"sessionId\":")
        && !has("\"parts\":")
        && !has("\"systemPayload\":")
}

/// A field that is there, whatever it holds.
#[derive(Default)]
struct Present(bool);

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self(true))
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Marks<'a> {
    #[serde(rename = "type", borrow)]
    kind: Word<'a>,
    #[serde(borrow)]
    session_id: Word<'a>,
    #[serde(borrow)]
    uuid: Word<'a>,
    parent_uuid: Present,
    is_sidechain: Present,
    user_type: Present,
    leaf_uuid: Present,
    message_id: Present,
    /// Qwen Code writes it in rows that are linked in the same way.
    system_payload: Present,
    message: Object<Parts>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Parts {
    /// Qwen Code writes `message.parts` in rows that are linked in the same way.
    parts: Present,
}

impl Marks<'_> {
    fn are_ours(&self) -> bool {
        let Some(kind) = self.kind.filled() else { return false };
        let has_session = self.session_id.get().is_some();
        match kind {
            "summary" => self.leaf_uuid.0,
            "file-history-snapshot" => self.message_id.0,
            "queue-operation" | "permission-mode" | "mode" | "last-prompt" | "custom-title"
            | "ai-title" => has_session,
            _ => {
                has_session
                    && self.uuid.get().is_some()
                    && self.parent_uuid.0
                    && (self.is_sidechain.0 || self.user_type.0)
                    && !self.system_payload.0
                    && !self.message.0.as_ref().is_some_and(|message| message.parts.0)
            }
        }
    }
}
