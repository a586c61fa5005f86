//! What a list shows of a session, from the first and the last 64 KiB of its file.

use super::known::What;
use super::parts::text;
use super::row::Row;
use crate::rows::{self, BOM};
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
    seen.rows(&source.read_range(0, CHUNK).map_err(failed)?);
    if source.len() > CHUNK {
        let from = CHUNK.max(source.len() - CHUNK);
        // The first row may be a part of one; when it is, it does not parse.
        seen.rows(&source.read_range(from, CHUNK).map_err(failed)?);
    }
    let name = seen.name.map(|name| title::one_line(&name)).filter(|name| !name.is_empty());
    Ok(Peek { title: name.or(seen.prompt), ..seen.peek })
}

#[derive(Default)]
struct Seen {
    peek: Peek,
    name: Option<String>,
    prompt: Option<String>,
}

impl Seen {
    fn rows(&mut self, bytes: &[u8]) {
        let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
        for row in bytes.split(|&b| b == b'\n') {
            if let Ok(row) = rows::parse(row, &mut Vec::new()) {
                self.row(&row.value);
            }
        }
    }

    fn row(&mut self, row: &Row<'_>) {
        let message = row.message.0.as_ref();
        let model = match What::of(row) {
            What::Header if self.peek.cwd.is_none() => {
                self.peek.cwd = row.cwd.filled().map(str::to_owned);
                row.model_id.filled()
            }
            What::Model => row.model_id.filled(),
            What::Assistant => message.and_then(|message| message.model.filled()),
            What::Name => {
                self.name = row.name.filled().map(str::to_owned);
                None
            }
            What::User if self.prompt.is_none() => {
                let text = message.and_then(|message| text(&message.content));
                self.prompt = text.and_then(|text| title::of_prompt(&text));
                None
            }
            _ => None,
        };
        if let Some(model) = model {
            self.peek.model = Some(model.to_owned());
        }
    }
}
