//! The names that a person gave to threads: `session_index.jsonl`, of which the last row counts.

use super::store;
use crate::lenient::Word;
use crate::source::Source;
use cap_std::AmbientAuthority;
use carryall_model::FileId;
use memchr::memmem;
use serde::Deserialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// An index beyond this is not looked at; a row has about 120 bytes.
const MAX_INDEX: u64 = 64 << 20;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Named<'a> {
    #[serde(borrow)]
    id: Word<'a>,
    #[serde(borrow)]
    thread_name: Word<'a>,
}

/// The name of a thread, when the home of its rollout knows one.
pub(super) fn name_of(thread: &str, rollout: &Path, authority: AmbientAuthority) -> Option<String> {
    let source = open(&store::names_beside(rollout)?, authority)?;
    last_name(thread, &source.read_range(0, source.len()).ok()?)
}

fn open(path: &Path, authority: AmbientAuthority) -> Option<Source> {
    Source::open(path, authority).ok().filter(|source| source.len() <= MAX_INDEX)
}

/// The name in the last row about a thread; a row that is cut off counts for nothing.
fn last_name(thread: &str, index: &[u8]) -> Option<String> {
    let finder = memmem::FinderRev::new(thread);
    let mut end = index.len();
    while let Some(at) = finder.rfind(&index[..end]) {
        let from = memchr::memrchr(b'\n', &index[..at]).map_or(0, |newline| newline + 1);
        let to = memchr::memchr(b'\n', &index[at..]).map_or(index.len(), |newline| at + newline);
        if let Ok(named) = serde_json::from_slice::<Named<'_>>(&index[from..to])
            && named.id.is(thread)
        {
            return named.thread_name.filled().map(str::to_owned);
        }
        end = from;
    }
    None
}

/// All names of the homes that were asked for, so that a list of many threads reads an index once.
#[derive(Debug, Default)]
pub(super) struct Known(Mutex<HashMap<PathBuf, Arc<Names>>>);

/// The names in an index as it was.
#[derive(Debug)]
struct Names {
    file: FileId,
    len: u64,
    by_thread: HashMap<String, String>,
}

impl Known {
    /// The name of a thread, as [`name_of`] tells it.
    pub(super) fn name_of(
        &self,
        thread: &str,
        rollout: &Path,
        authority: AmbientAuthority,
    ) -> Option<String> {
        let path = store::names_beside(rollout)?;
        let source = open(&path, authority)?;
        let known = self.lock().get(&path).cloned();
        let is_same = |names: &Arc<Names>| names.file == source.id() && names.len == source.len();
        let names = match known.filter(is_same) {
            Some(names) => names,
            None => {
                let by_thread = all_names(&source.read_range(0, source.len()).ok()?);
                let (file, len) = (source.id(), source.len());
                let names = Arc::new(Names { file, len, by_thread });
                self.lock().insert(path, Arc::clone(&names));
                names
            }
        };
        names.by_thread.get(thread).cloned()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, Arc<Names>>> {
        // Whoever panicked while holding it has put nothing half into it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn all_names(index: &[u8]) -> HashMap<String, String> {
    let mut names = HashMap::new();
    for row in index.split(|&byte| byte == b'\n') {
        let Ok(named) = serde_json::from_slice::<Named<'_>>(row) else { continue };
        let Some(thread) = named.id.filled() else { continue };
        match named.thread_name.filled() {
            Some(name) => names.insert(thread.to_owned(), name.to_owned()),
            None => names.remove(thread),
        };
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_whole_row_about_a_thread_names_it() {
        let index = b"{\"id\":\"a\",\"thread_name\":\"first\"}\n\
            {\"id\":\"b\",\"thread_name\":\"a\"}\n{\"id\":\"a\",\"thread_name\":\"second\"}\n\
            {\"id\":\"c\",\"thread_name\":\"x\"}\n{\"id\":\"c\",\"thread_name\":\"\"}\n\
            {\"id\":\"a\",\"thread_na";
        let all = all_names(index);
        for (thread, name) in [("a", Some("second")), ("b", Some("a")), ("c", None), ("d", None)] {
            assert_eq!(last_name(thread, index).as_deref(), name, "{thread}");
            assert_eq!(all.get(thread).map(String::as_str), name, "{thread}, of all");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test makes the home it looks into")]
    fn names_that_were_given_meanwhile_are_seen() {
        let home = tempfile::tempdir().unwrap();
        let rollout = home.path().join("sessions/rollout.jsonl");
        let index = home.path().join("session_index.jsonl");
        let (known, authority) = (Known::default(), cap_std::ambient_authority());
        let name = || known.name_of("a", &rollout, authority);
        assert_eq!(name(), None);
        for given in ["one", "another"] {
            std::fs::write(&index, format!("{{\"id\":\"a\",\"thread_name\":\"{given}\"}}\n"))
                .unwrap();
            assert_eq!(name().as_deref(), Some(given));
        }
    }
}
