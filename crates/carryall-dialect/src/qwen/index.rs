//! The first pass: every record becomes a row of a node, some eighty bytes; texts stay in the file.

use super::known::What;
use super::record::{Part, Record, Usage};
use super::said;
use crate::rows;
use crate::source::{Source, Span};
use carryall_model::{Notice, NoticeKind, Notices, TokenUsage};
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::ops::Range;

/// No row, no word.
pub(super) const NONE: u32 = u32::MAX;

/// The record that a record answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parent {
    /// It is the first of its conversation.
    Root,
    Node(u32),
    /// One that is not in the file.
    Missing,
}

/// All records with one id: the agent takes them for pieces of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) first: u32,
    last: u32,
    pub(super) parent: Parent,
}

/// A record.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) span: Span,
    pub(super) what: What,
    pub(super) node: u32,
    /// The next record with its id.
    next: u32,
    /// The model's word.
    pub(super) model: u32,
    /// Its tokens, by their number in [`Index::usages`].
    pub(super) usage: u32,
    /// What the parts of its message are, in [`Index::parts`].
    pub(super) parts: Range<u32>,
    pub(super) says: Says,
    /// A part of its message is of a kind that is not known.
    pub(super) unknown: bool,
}

/// What a message in a person's place says.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Says {
    /// Something was typed, or a picture was given.
    pub(super) typed: bool,
    /// The host added something.
    pub(super) added: bool,
    /// A fingerprint of what was typed.
    pub(super) print: u64,
}

/// What a part of a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Thought,
    Said,
    /// A call, by the words of its id and its name.
    Call(u32, u32),
    /// The answer to a call, likewise; of one that stands beside the parts, the number is [`NONE`].
    Output(u32, u32),
    /// A file.
    File,
    /// Nothing to show.
    Silent,
}

/// A part of a message, by its number in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) at: u32,
    pub(super) kind: Kind,
}

/// A title that the session was given.
#[derive(Clone, Debug, Default)]
pub(super) struct Titles {
    pub(super) manual: Option<String>,
    pub(super) auto: Option<String>,
}

/// What the first pass keeps.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) rows: Vec<Row>,
    pub(super) nodes: Vec<Node>,
    pub(super) parts: Vec<Piece>,
    pub(super) usages: Vec<TokenUsage>,
    pub(super) words: Vec<String>,
    pub(super) titles: Titles,
    pub(super) cwd: Option<String>,
    pub(super) session_id: Option<String>,
    pub(super) forked_from: Option<String>,
    pub(super) is_side: bool,
    /// Records of a kind that Qwen writes.
    pub(super) known: u64,
}

impl Index {
    /// The records of a node, in the order of the file.
    pub(super) fn rows_of(&self, node: u32) -> impl Iterator<Item = u32> {
        let first = self.nodes[node as usize].first;
        let next = |&row: &u32| Some(self.rows[row as usize].next).filter(|&next| next != NONE);
        std::iter::successors(Some(first), next)
    }

    /// The first record of a node.
    pub(super) fn first(&self, node: u32) -> &Row {
        &self.rows[self.nodes[node as usize].first as usize]
    }

    /// What the parts of a record are.
    pub(super) fn parts_of(&self, row: &Row) -> &[Piece] {
        &self.parts[row.parts.start as usize..row.parts.end as usize]
    }

    /// A word by its number.
    pub(super) fn word(&self, number: u32) -> Option<&str> {
        self.words.get(number as usize).map(String::as_str)
    }
}

/// Reads all records of a file.
pub(super) fn scan(source: &Source, notices: &mut Notices) -> io::Result<(Index, rows::Scanned)> {
    let mut scan = Scan::default();
    let scanned = rows::scan(source, notices, &mut |bytes, place| {
        let record = serde_json::from_slice::<Record<'_>>(bytes)?;
        scan.record(&record, place.span);
        Ok(())
    })?;
    Ok((scan.finish(notices), scanned))
}

/// A fingerprint of a text.
pub(super) fn print(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.trim().hash(&mut hasher);
    hasher.finish()
}

#[derive(Default)]
struct Scan {
    index: Index,
    ids: HashMap<String, u32>,
    words: HashMap<String, u32>,
    /// The ids of parents that no record had yet, by the node that names one.
    parents: Vec<(u32, String)>,
    unknown: BTreeMap<String, (u64, Span)>,
}

impl Scan {
    fn record(&mut self, record: &Record<'_>, span: Span) {
        let what = What::of(record);
        self.index.known += u64::from(!what.is_unknown());
        self.facts(record);
        let id = record.uuid.filled();
        let is_strange = what.is_message() && record.parts().iter().any(is_strange);
        if what.is_unknown() || id.is_none() || is_strange {
            self.unknown.entry(record.name()).or_insert((0, span)).0 += 1;
        }
        let Some(id) = id else { return };
        let mut row = self.row(record, what, span);
        row.unknown = is_strange;
        self.link(id, record.parent_uuid.filled(), row);
    }

    fn facts(&mut self, record: &Record<'_>) {
        let index = &mut self.index;
        keep(&mut index.cwd, record.cwd.filled());
        keep(&mut index.session_id, record.session_id.filled());
        let origin = record.forked_from.0.as_ref();
        keep(&mut index.forked_from, origin.and_then(|from| from.session_id.filled()));
        index.is_side |= record.is_sidechain.0;
        let payload = record.payload().filter(|_| record.subtype.is("custom_title"));
        let Some((payload, title)) = payload.and_then(|p| Some((p, p.custom_title.filled()?)))
        else {
            return;
        };
        // Versions that gave no titles of their own did not say where one came from.
        let is_auto = payload.title_source.is("auto");
        let place = if is_auto { &mut index.titles.auto } else { &mut index.titles.manual };
        *place = Some(title.to_owned());
    }

    fn row(&mut self, record: &Record<'_>, what: What, span: Span) -> Row {
        let start = self.index.parts.len() as u32;
        if matches!(what, What::Assistant | What::Results) {
            self.parts(record, what);
        }
        let model = match (what, record.model.filled()) {
            (What::Assistant, Some(model)) => self.word(model),
            _ => NONE,
        };
        let usage = match record.usage_metadata.0.as_ref().map(usage) {
            Some(usage) if what == What::Assistant && !usage.is_zero() => {
                self.index.usages.push(usage);
                self.index.usages.len() as u32 - 1
            }
            _ => NONE,
        };
        let parts = start..self.index.parts.len() as u32;
        let (says, unknown) = (says(record, what), false);
        Row { span, what, node: NONE, next: NONE, model, usage, parts, says, unknown }
    }

    fn parts(&mut self, record: &Record<'_>, what: What) {
        let parts = record.parts();
        let mut answers = false;
        for (at, part) in parts.iter().enumerate() {
            let kind = self.kind(part, record);
            answers |= matches!(kind, Kind::Output(..));
            self.index.parts.push(Piece { at: at as u32, kind });
        }
        if what == What::Results && !answers && record.tool_call_result.0.is_some() {
            let kind = Kind::Output(self.answered(record, None), NONE);
            self.index.parts.push(Piece { at: NONE, kind });
        }
    }

    fn kind(&mut self, part: &Part<'_>, record: &Record<'_>) -> Kind {
        if let Some(call) = &part.function_call.0 {
            let id = call.id.filled().map_or(NONE, |id| self.word(id));
            return Kind::Call(id, self.word(call.name.get().unwrap_or("")));
        }
        if let Some(response) = &part.function_response.0 {
            let id = self.answered(record, response.id.filled());
            return Kind::Output(id, self.word(response.name.get().unwrap_or("")));
        }
        let is_file = part.inline_data.0.is_some() || part.file_data.0.is_some();
        match part.text.get() {
            Some("") => Kind::Silent,
            Some(_) if part.thought.0 => Kind::Thought,
            Some(_) => Kind::Said,
            None if is_file => Kind::File,
            None => Kind::Silent,
        }
    }

    /// The word of the call that an answer is for.
    fn answered(&mut self, record: &Record<'_>, id: Option<&str>) -> u32 {
        let beside = || record.tool_call_result.0.as_ref()?.call_id.filled();
        id.or_else(beside).map_or(NONE, |id| self.word(id))
    }

    fn word(&mut self, word: &str) -> u32 {
        if let Some(&number) = self.words.get(word) {
            return number;
        }
        let number = self.index.words.len() as u32;
        self.index.words.push(word.to_owned());
        self.words.insert(word.to_owned(), number);
        number
    }

    fn link(&mut self, id: &str, parent: Option<&str>, mut row: Row) {
        let number = self.index.rows.len() as u32;
        let next = self.index.nodes.len() as u32;
        let node = *self.ids.entry(id.to_owned()).or_insert(next);
        row.node = node;
        self.index.rows.push(row);
        if let Some(known) = self.index.nodes.get_mut(node as usize) {
            self.index.rows[known.last as usize].next = number;
            known.last = number;
            return;
        }
        let parent = match parent.map(|parent| (self.ids.get(parent), parent)) {
            None => Parent::Root,
            Some((Some(&up), _)) => Parent::Node(up),
            Some((None, parent)) => {
                self.parents.push((node, parent.to_owned()));
                Parent::Missing
            }
        };
        self.index.nodes.push(Node { first: number, last: number, parent });
    }

    fn finish(mut self, notices: &mut Notices) -> Index {
        for (node, parent) in self.parents {
            if let Some(&up) = self.ids.get(&parent) {
                self.index.nodes[node as usize].parent = Parent::Node(up);
            }
        }
        for (name, (count, span)) in self.unknown {
            let name = crate::kind_name(&name);
            let rows = if count == 1 { "row" } else { "rows" };
            let notice = Notice::new(NoticeKind::UnknownKind);
            let notice = notice.at(span.row.into(), span.at, span.len.into());
            notices.push(notice.with_detail(format!("{count} {rows} of {name}")));
        }
        self.index
    }
}

/// A part that none of the known fields tells anything of.
fn is_strange(part: &Part<'_>) -> bool {
    part.text.get().is_none()
        && !part.thought.0
        && part.thought_signature.is_none()
        && part.function_call.0.is_none()
        && part.function_response.0.is_none()
        && part.inline_data.0.is_none()
        && part.file_data.0.is_none()
}

fn says(record: &Record<'_>, what: What) -> Says {
    match what {
        What::Prompt => {
            let prompt = said::prompt(record);
            Says {
                typed: !prompt.typed.is_empty() || !said::files(record.parts()).is_empty(),
                added: !prompt.added.is_empty(),
                print: print(&prompt.typed),
            }
        }
        What::Injected | What::UnknownUser => {
            let added = !said::injected(record).is_empty();
            Says { added, ..Says::default() }
        }
        What::Invoked | What::Answered => {
            let line = record.payload().and_then(|payload| payload.raw_command.filled());
            Says { typed: line.is_some(), added: false, print: print(line.unwrap_or("")) }
        }
        _ => Says::default(),
    }
}

/// Some providers count reasoning among the candidates, others beside them; the total tells.
fn usage(usage: &Usage) -> TokenUsage {
    let count = |number: crate::lenient::Number| number.0.unwrap_or(0);
    let (input, output) = (count(usage.prompt_token_count), count(usage.candidates_token_count));
    let with_thoughts = output.saturating_add(count(usage.thoughts_token_count));
    let total = usage.total_token_count.0;
    let is_beside = total == Some(input.saturating_add(with_thoughts));
    let output = if is_beside { with_thoughts } else { output };
    TokenUsage {
        input_tokens: input,
        output_tokens: output,
        total_tokens: total.unwrap_or(input.saturating_add(output)),
        cached_input_tokens: usage.cached_content_token_count.0,
        reasoning_tokens: usage.thoughts_token_count.0,
    }
}

fn keep(fact: &mut Option<String>, value: Option<&str>) {
    if fact.is_none() {
        *fact = value.map(str::to_owned);
    }
}
