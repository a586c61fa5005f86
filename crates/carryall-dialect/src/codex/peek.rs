//! What a list shows of a thread, from the beginning and the end of its file.

use super::index::Bounds;
use super::known::What;
use super::lineage::Means;
use super::meta::Meta;
use super::names::Known;
use super::record::Record;
use super::said::{self, Speaker};
use crate::compressed;
use crate::rows::{self, BOM};
use crate::source::Source;
use crate::{Listed, Peek, title};
use carryall_model::OpenError;

/// Bytes looked at from the beginning: the facts alone may have twenty thousand.
const HEAD: u64 = 128 * 1024;
/// Bytes looked at from the end.
const TAIL: u64 = 32 * 1024;

/// Looks at both ends of a rollout; of a compressed one at its beginning.
pub(super) fn peek(listed: &Listed, means: Means, known: &Known) -> Result<Peek, OpenError> {
    let source = Source::open(&listed.path, means.authority)?;
    if source.len() == 0 {
        return Err(OpenError::Empty { path: listed.path.clone() });
    }
    let failed = |source| OpenError::Io { path: listed.path.clone(), source };
    let mut head = source.read_range(0, HEAD.min(source.len())).map_err(failed)?;
    let mut seen = Seen::default();
    if compressed::is(&head) {
        head = compressed::beginning(&source, HEAD as usize);
        seen.rows(&head);
    } else {
        seen.rows(&head);
        if source.len() > HEAD {
            let from = HEAD.max(source.len() - TAIL);
            // The first row may be a part of one; when it is, it does not parse.
            seen.rows(&source.read_range(from, source.len() - from).map_err(failed)?);
        }
    }
    let id = seen.meta.as_ref().map_or(&listed.id, |meta| &meta.id);
    let named = known.name_of(id, &listed.path, means.authority);
    Ok(seen.finish(named))
}

#[derive(Default)]
struct Seen {
    meta: Option<Meta>,
    name: Option<String>,
    prompt: Option<String>,
    cwd: Option<String>,
    model: Option<String>,
}

impl Seen {
    fn rows(&mut self, bytes: &[u8]) {
        for row in bytes.split(|&b| b == b'\n') {
            if self.meta.is_none() {
                self.meta = Meta::of(row);
            }
            let row = row.strip_prefix(BOM).unwrap_or(row);
            if let Ok(record) = rows::parse_with(row, &mut Vec::new(), Record::parse) {
                self.row(&record.value);
            }
        }
    }

    fn row(&mut self, record: &Record<'_>) {
        let payload = &record.payload;
        let from = self.meta.as_ref().and_then(|meta| meta.own_from);
        if !(Bounds { from, to: None }).hold(record.row.ordinal) {
            return;
        }
        match What::of(record) {
            What::Context => {
                self.model = payload.model.filled().map(str::to_owned).or(self.model.take());
            }
            What::Named => self.name = payload.thread_name.filled().map(str::to_owned),
            What::SaidByPerson => self.prompt(record, Speaker::Person),
            What::Message if payload.role.is("user") => {
                self.prompt(record, said::speaker(&payload.content));
            }
            _ => {}
        }
    }

    fn prompt(&mut self, record: &Record<'_>, speaker: Speaker) {
        let text = super::index::text(record).unwrap_or_default();
        match speaker {
            Speaker::Host if self.cwd.is_none() => {
                self.cwd = said::environment(&text, "cwd").map(str::to_owned);
            }
            Speaker::Person | Speaker::Editor if self.prompt.is_none() => {
                self.prompt = title::of_prompt(said::split_request(&text).1);
            }
            _ => {}
        }
    }

    fn finish(self, named: Option<String>) -> Peek {
        let meta = self.meta.unwrap_or_default();
        let named = named.or(self.name).map(|name| title::one_line(&name));
        Peek {
            title: named.filter(|name| !name.is_empty()).or(self.prompt),
            cwd: meta.cwd.or(self.cwd),
            model: self.model,
            git_branch: meta.branch,
            turns: None,
        }
    }
}
