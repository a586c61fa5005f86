//! The names that a person gave to threads: `session_index.jsonl`, of which the last row counts.

use super::store;
use crate::lenient::Word;
use crate::source::Source;
use cap_std::AmbientAuthority;
use memchr::memmem;
use serde::Deserialize;
use std::path::Path;

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
    let path = store::names_beside(rollout)?;
    let source = Source::open(&path, authority).ok().filter(|source| source.len() <= MAX_INDEX)?;
    let mut index = vec![0; source.len() as usize];
    let mut filled = 0;
    while filled < index.len() {
        match source.read_at(&mut index[filled..], filled as u64).ok()? {
            0 => break,
            read => filled += read,
        }
    }
    last_name(thread, &index[..filled])
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_whole_row_about_a_thread_names_it() {
        let index = b"{\"id\":\"a\",\"thread_name\":\"first\"}\n\
            {\"id\":\"b\",\"thread_name\":\"a\"}\n{\"id\":\"a\",\"thread_name\":\"second\"}\n\
            {\"id\":\"a\",\"thread_na";
        assert_eq!(last_name("a", index).as_deref(), Some("second"));
        assert_eq!(last_name("b", index).as_deref(), Some("a"));
        assert_eq!(last_name("c", index), None);
    }
}
