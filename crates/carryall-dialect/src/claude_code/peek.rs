//! What a list shows of a session, from the first and the last 64 KiB of its file.

use super::command::{self, Say, classify};
use super::lenient::{Content, Word};
use super::row::{IndexBlock, IndexRow};
use crate::Peek;
use crate::source::Source;
use crate::title;
use cap_std::AmbientAuthority;
use carryall_model::OpenError;
use serde::Deserialize;
use std::collections::HashSet;
use std::path::Path;

const CHUNK: u64 = 64 * 1024;

/// Reads both ends of a file.
pub(super) fn peek(path: &Path, authority: AmbientAuthority) -> Result<Peek, OpenError> {
    let source = Source::open(path, authority)?;
    if source.len() == 0 {
        return Err(OpenError::Empty { path: path.to_owned() });
    }
    let failed = |source| OpenError::Io { path: path.to_owned(), source };
    let mut seen = Seen::default();
    let head = source.read_range(0, CHUNK.min(source.len())).map_err(failed)?;
    seen.rows(&head);
    if source.len() > CHUNK {
        let from = CHUNK.max(source.len() - CHUNK);
        let tail = source.read_range(from, source.len() - from).map_err(failed)?;
        // The first row may be a part of one; when it is, it does not parse.
        seen.rows(&tail);
    }
    Ok(seen.finish())
}

#[derive(Default)]
struct Seen {
    peek: Peek,
    custom: Option<String>,
    generated: Option<String>,
    summaries: Vec<(String, String)>,
    ids: HashSet<String>,
    prompt: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Place<'a> {
    #[serde(borrow)]
    cwd: Word<'a>,
    #[serde(borrow)]
    git_branch: Word<'a>,
}

impl Seen {
    fn rows(&mut self, bytes: &[u8]) {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        for row in bytes.split(|&b| b == b'\n') {
            let (place, row) = (serde_json::from_slice(row), serde_json::from_slice(row));
            if let (Ok(place), Ok(row)) = (place, row) {
                self.row(&place, &row);
            }
        }
    }

    fn row(&mut self, place: &Place<'_>, row: &IndexRow<'_>) {
        keep_first(&mut self.peek.cwd, place.cwd.filled());
        keep_last(&mut self.peek.git_branch, place.git_branch.filled());
        keep_last(&mut self.custom, row.custom_title.filled());
        keep_last(&mut self.generated, row.ai_title.filled());
        self.ids.extend(row.uuid.filled().map(str::to_owned));
        if let (Some(title), Some(leaf)) = (row.summary.filled(), row.leaf_uuid.get()) {
            self.summaries.push((leaf.to_owned(), title.to_owned()));
        }
        let Some(message) = &row.message.0 else { return };
        let model = message.model.filled().filter(|&model| model != "<synthetic>");
        keep_last(&mut self.peek.model, model.filter(|_| !row.is_sidechain.0));
        let is_prompt = row.kind.is("user") && !row.is_meta.0 && !row.is_compact_summary.0;
        if self.prompt.is_none() && is_prompt {
            self.prompt = prompt(&message.content).and_then(|text| title::of_prompt(&text));
        }
    }

    fn finish(self) -> Peek {
        let in_file = self.summaries.into_iter().rev().find(|(leaf, _)| self.ids.contains(leaf));
        let given = self.custom.or(self.generated).or(in_file.map(|(_, title)| title));
        let given = given.map(|given| title::one_line(&given)).filter(|title| !title.is_empty());
        Peek { title: given.or(self.prompt), ..self.peek }
    }
}

fn prompt(content: &Content<'_, IndexBlock<'_>>) -> Option<String> {
    let texts: Vec<String> = match content {
        Content::Nothing => return None,
        Content::Text(text) => vec![text.to_string()],
        Content::Blocks(blocks) => {
            blocks.iter().filter_map(|block| Some(block.decoded()?.into_owned())).collect()
        }
    };
    texts.into_iter().find_map(|text| match classify(&text) {
        Say::Typed if !text.trim().is_empty() => Some(text),
        // Whether a command was one of the host's is known from the rows after it.
        Say::Command => Some(command::line(&text)).filter(|line| !is_local(line)),
        Say::Typed
        | Say::Injected
        | Say::Output
        | Say::Shell
        | Say::ShellOutput
        | Say::Continuation => None,
    })
}

fn is_local(line: &str) -> bool {
    matches!(line.split_whitespace().next(), Some("/clear" | "/exit" | "/model" | "/compact"))
}

fn keep_first(fact: &mut Option<String>, value: Option<&str>) {
    if fact.is_none() {
        *fact = value.map(str::to_owned);
    }
}

fn keep_last(fact: &mut Option<String>, value: Option<&str>) {
    if let Some(value) = value {
        *fact = Some(value.to_owned());
    }
}
