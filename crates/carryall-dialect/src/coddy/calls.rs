//! What coddy keeps of a tool call beside the rows: `tool_calls/<id>/`.
//!
//! The rows are the truth. From here come only how a call ended and when, and a result that the
//! rows have lost. Never the arguments: coddy writes them anew, with numbers changed.

use super::bundle::read;
use super::fields::Word;
use cap_std::fs::Dir;
use chrono::DateTime;
use serde::Deserialize;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

const FOLDER: &str = "tool_calls";

/// The records of all calls of a session.
pub(super) struct Records<'d> {
    dir: &'d Dir,
    /// The folders of calls by their ids, for ids that are no names of folders.
    by_id: OnceCell<HashMap<String, PathBuf>>,
}

/// The record of one call.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// The tool reported a failure.
    pub(super) is_error: bool,
    /// When it ended, as recorded.
    pub(super) finished_at: Option<String>,
    /// From its beginning to its end.
    pub(super) duration: Option<Duration>,
    /// Where it and its result are, below the session's folder.
    pub(super) folder: PathBuf,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Meta<'a> {
    #[serde(borrow)]
    tool_call_id: Word<'a>,
    #[serde(borrow)]
    status: Word<'a>,
    #[serde(borrow)]
    started_at: Word<'a>,
    #[serde(borrow)]
    finished_at: Word<'a>,
}

impl<'d> Records<'d> {
    /// The records below a session's folder.
    pub(super) fn below(dir: &'d Dir) -> Self {
        Self { dir, by_id: OnceCell::new() }
    }

    /// The record of a call, when there is one.
    pub(super) fn of(&self, id: &str) -> Option<Record> {
        let id = id.trim();
        if is_plain(id) {
            return self.record(Path::new(FOLDER).join(id), id);
        }
        let folder = self.by_id.get_or_init(|| self.scan()).get(id)?;
        self.record(folder.clone(), id)
    }

    fn record(&self, folder: PathBuf, id: &str) -> Option<Record> {
        let bytes = read(self.dir, &folder.join("meta.json"))?;
        let meta: Meta<'_> = serde_json::from_slice(&bytes).ok()?;
        if meta.tool_call_id.filled().is_some_and(|recorded| recorded != id) {
            return None;
        }
        Some(Record {
            is_error: matches!(meta.status.get(), "failed" | "error"),
            finished_at: meta.finished_at.said().map(str::to_owned),
            duration: between(meta.started_at.get(), meta.finished_at.get()),
            folder,
        })
    }

    /// The result that coddy kept of a call that has ended, and how many characters of it were no
    /// text. coddy ended it with a line end of its own when it had none.
    pub(super) fn result(&self, record: &Record) -> Option<(String, u64)> {
        record.finished_at.as_ref()?;
        let bytes = read(self.dir, &record.folder.join("result.md"))?;
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let replaced = bytes.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
        Some((String::from_utf8_lossy(bytes).into_owned(), replaced as u64))
    }

    /// The folders of all calls by the ids that they record.
    fn scan(&self) -> HashMap<String, PathBuf> {
        let entries = self.dir.read_dir(FOLDER).into_iter().flatten().flatten();
        let folders = entries.map(|entry| Path::new(FOLDER).join(entry.file_name()));
        let named = folders.filter_map(|folder| {
            let bytes = read(self.dir, &folder.join("meta.json"))?;
            let meta: Meta<'_> = serde_json::from_slice(&bytes).ok()?;
            Some((meta.tool_call_id.filled()?.to_owned(), folder))
        });
        named.collect()
    }
}

/// Whether coddy names a call's folder by its id.
fn is_plain(id: &str) -> bool {
    !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

fn between(start: &str, end: &str) -> Option<Duration> {
    let start = DateTime::parse_from_rfc3339(start).ok()?;
    let end = DateTime::parse_from_rfc3339(end).ok()?;
    (end - start).to_std().ok()
}
