//! What a list shows of a session, from the first and the last 64 KiB of its file.

use super::known::What;
use super::record::Record;
use super::said;
use crate::source::Source;
use crate::{Peek, title};
use cap_std::AmbientAuthority;
use carryall_model::OpenError;
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
        // The first row may be a part of one; when it is, it does not parse.
        seen.rows(&source.read_range(from, source.len() - from).map_err(failed)?);
    }
    Ok(seen.finish())
}

#[derive(Default)]
struct Seen {
    peek: Peek,
    manual: Option<String>,
    auto: Option<String>,
    prompt: Option<String>,
}

impl Seen {
    fn rows(&mut self, bytes: &[u8]) {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        for row in bytes.split(|&b| b == b'\n') {
            if let Ok(record) = serde_json::from_slice::<Record<'_>>(row) {
                self.row(&record);
            }
        }
    }

    fn row(&mut self, record: &Record<'_>) {
        if self.peek.cwd.is_none() {
            self.peek.cwd = record.cwd.filled().map(str::to_owned);
        }
        keep_last(&mut self.peek.git_branch, record.git_branch.filled());
        match What::of(record) {
            What::Title => {
                let Some(payload) = record.payload() else { return };
                let is_auto = payload.title_source.is("auto");
                let title = if is_auto { &mut self.auto } else { &mut self.manual };
                keep_last(title, payload.custom_title.filled());
            }
            What::Assistant => keep_last(&mut self.peek.model, record.model.filled()),
            What::Prompt if self.prompt.is_none() => {
                self.prompt = title::of_prompt(&said::prompt(record).typed);
            }
            _ => {}
        }
    }

    fn finish(self) -> Peek {
        let given = self.manual.or(self.auto).map(|given| title::one_line(&given));
        let given = given.filter(|title| !title.is_empty());
        Peek { title: given.or(self.prompt), ..self.peek }
    }
}

fn keep_last(fact: &mut Option<String>, value: Option<&str>) {
    if let Some(value) = value {
        *fact = Some(value.to_owned());
    }
}
