//! The file beside a session that holds the row it goes on from.
//!
//! Early versions wrote a resumed conversation to a new file. Its rows are not stitched to the old
//! ones, but a person wants to know where those are.

use super::lenient::Word;
use super::store;
use crate::rows;
use crate::source::{Source, Span};
use cap_std::AmbientAuthority;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};

/// How many bytes are searched at most: this is a courtesy, not a search engine.
const LIMIT: u64 = 64 << 20;

const CHUNK: usize = 256 * 1024;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Answer<'a> {
    #[serde(borrow)]
    parent_uuid: Word<'a>,
}

/// The name of the file that holds the parent of a row.
pub(super) fn holding_parent(
    source: &Source,
    authority: AmbientAuthority,
    row: Span,
) -> Option<String> {
    let (mut bytes, mut repaired) = (Vec::new(), Vec::new());
    let row = source.read_span(row, &mut bytes).ok()?;
    let answer: Answer<'_> = rows::parse(row, &mut repaired).ok()?.value;
    let mark = format!("\"uuid\":\"{}\"", answer.parent_uuid.filled()?);
    let mut left = LIMIT;
    for path in beside(source.path()) {
        let Ok(other) = Source::open(&path, authority) else { continue };
        if other.id() == source.id() || other.len() > left {
            continue;
        }
        left -= other.len();
        if holds(&other, mark.as_bytes()) {
            return path.file_name().map(|name| name.to_string_lossy().into_owned());
        }
    }
    None
}

/// The sessions in the same folder, by name.
fn beside(path: &Path) -> Vec<PathBuf> {
    let Some(folder) = path.parent() else { return Vec::new() };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_session = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "jsonl")
            && path.file_stem().and_then(|stem| stem.to_str()).is_some_and(store::is_uuid)
    };
    let mut paths: Vec<PathBuf> = entries.filter(is_session).collect();
    paths.sort();
    paths
}

fn holds(source: &Source, mark: &[u8]) -> bool {
    let mut window = vec![0; CHUNK + mark.len()];
    let (mut at, mut kept) = (0, 0);
    while let Ok(size @ 1..) = source.read_at(&mut window[kept..], at) {
        at += size as u64;
        let end = kept + size;
        if memchr::memmem::find(&window[..end], mark).is_some() {
            return true;
        }
        // The mark may begin at the end of this window.
        let from = end.saturating_sub(mark.len());
        window.copy_within(from..end, 0);
        kept = end - from;
    }
    false
}
