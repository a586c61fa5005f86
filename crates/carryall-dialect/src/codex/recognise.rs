//! Whether a file is a rollout, by its rows alone.

use super::meta::Meta;
use crate::lenient::Word;
use crate::{Probe, ProbeKind};
use serde::Deserialize;
use serde_json::value::RawValue;

/// How many rows are looked at.
const ROWS: usize = 10;

/// The kinds of an envelope that only Codex writes.
const ENVELOPES: [&str; 7] = [
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
    "world_state",
    "token_usage_record",
];

#[derive(Default, Deserialize)]
#[serde(default)]
struct Marks<'a> {
    #[serde(rename = "type", borrow)]
    kind: Word<'a>,
    #[serde(borrow)]
    timestamp: Word<'a>,
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
    #[serde(borrow)]
    git: Option<&'a RawValue>,
}

/// Whether one of the first rows is one that only Codex writes.
pub(super) fn claims(probe: &Probe<'_>) -> bool {
    if probe.kind != ProbeKind::File {
        return false;
    }
    let mut rows = probe.rows().take(ROWS).enumerate().peekable();
    while let Some((at, row)) = rows.next() {
        match serde_json::from_slice::<Marks<'_>>(row) {
            Ok(marks) if marks.are_ours(row) => return true,
            // A first row may be longer than what a probe holds.
            Err(_) if at == 0 && rows.peek().is_none() => return cut_row_is_ours(row),
            Ok(_) | Err(_) => {}
        }
    }
    false
}

impl Marks<'_> {
    fn are_ours(&self, row: &[u8]) -> bool {
        let Some(kind) = self.kind.get() else {
            // The first versions write the facts of a thread without an envelope; a file without
            // a repository has no `git`, and one without instructions has a null.
            let bare = row.windows(14).any(|key| key == b"\"instructions\"") || self.git.is_some();
            return bare && self.payload.is_none() && Meta::of(row).is_some_and(is_bare);
        };
        let payload = self.payload.is_some_and(|payload| payload.get().starts_with('{'));
        payload && self.timestamp.get().is_some() && ENVELOPES.contains(&kind)
    }
}

fn is_bare(meta: Meta) -> bool {
    meta.timestamp.is_some() && meta.id.len() == 36
}

fn cut_row_is_ours(row: &[u8]) -> bool {
    let has = |mark: &str| memchr::memmem::find(row, mark.as_bytes()).is_some();
    let spaced = ["\"type\":\"session_meta\"", "\"type\": \"session_meta\""];
    row.starts_with(b"{") && spaced.iter().any(|mark| has(mark)) && has("\"payload\"")
}
