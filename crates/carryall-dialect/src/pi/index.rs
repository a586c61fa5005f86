//! The first pass: every row becomes a node; texts stay in the file.

use super::known::{self, What};
use super::parts::{Part, parts};
use super::row::{Message, Parent as ParentId, Row, Usage};
use crate::rows;
use crate::source::{Source, Span};
use carryall_model::{Notice, NoticeKind, Notices, TokenUsage};
use std::collections::{BTreeMap, HashMap};
use std::io;

/// No node, no word.
pub(super) const NONE: u32 = u32::MAX;

/// The node before a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parent {
    Root,
    Node(u32),
    /// The row names one that is not in the file.
    Missing,
}

/// What a part of a response is; the order of these is their order in an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    Thought,
    Said,
    Called,
}

/// A part of a response: of a call the number of its id.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) stage: Stage,
    pub(super) call: u32,
}

/// A row of the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) span: Span,
    pub(super) what: What,
    pub(super) parent: Parent,
    /// The parts of a response, of [`Index::pieces`]; of a result the number of its call's id.
    pub(super) first: u32,
    pub(super) last: u32,
    /// The model, by the number of its word.
    pub(super) model: u32,
    /// Its tokens and cost, of [`Index::usages`].
    pub(super) usage: u32,
    /// The row tells of an error beside its parts.
    pub(super) failed: bool,
    /// A later row has the same id and takes its place.
    pub(super) replaced: bool,
}

/// Tokens, and what they cost in US dollars.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    pub(super) tokens: Option<TokenUsage>,
    pub(super) cost: Option<f64>,
}

/// The facts of the first row.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) id: Option<String>,
    pub(super) timestamp: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) model: Option<String>,
    pub(super) parent: Option<String>,
    version: u64,
}

/// All that the first pass keeps.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) header: Option<Header>,
    pub(super) nodes: Vec<Node>,
    pub(super) pieces: Vec<Piece>,
    pub(super) words: Vec<String>,
    pub(super) usages: Vec<Spent>,
    /// The name that was given last, and the row that gave it.
    pub(super) name: Option<String>,
    pub(super) named_at: Option<u64>,
    pub(super) ended_at: Option<String>,
}

/// A walk over a file.
#[derive(Default)]
pub(super) struct Scan {
    index: Index,
    words: HashMap<String, u32>,
    calls: HashMap<String, u32>,
    /// The last node of an id.
    ids: HashMap<String, u32>,
    /// Which row each node names as the one before it.
    parents: Vec<Named>,
    /// Nodes whose id an earlier one has.
    repeated: Vec<(u32, u32)>,
    unknown: BTreeMap<String, (u64, Span)>,
}

/// The row before, as a row names it.
enum Named {
    /// The row before in the file.
    Previous,
    Root,
    Id(String),
}

impl Scan {
    /// Reads a file.
    pub(super) fn file(
        &mut self,
        source: &Source,
        notices: &mut Notices,
    ) -> io::Result<rows::Scanned> {
        rows::scan(source, notices, &mut |bytes, place| {
            let row: Row<'_> = serde_json::from_slice(bytes)?;
            self.row(&row, place.span);
            Ok(())
        })
    }

    fn row(&mut self, row: &Row<'_>, span: Span) {
        let what = What::of(row);
        if let Some(time) = row.timestamp.filled() {
            let last = self.index.ended_at.get_or_insert_default();
            last.clear();
            last.push_str(time);
        }
        if what == What::Header {
            self.index.header.get_or_insert_with(|| Header::of(row));
            return;
        }
        self.unknown(what, row, span);
        if what == What::Name {
            self.index.name = row.name.filled().map(str::to_owned);
            self.index.named_at = Some(span.at);
        }
        self.node(what, row, span);
    }

    fn node(&mut self, what: What, row: &Row<'_>, span: Span) {
        let number = self.index.nodes.len() as u32;
        // The first version has no tree. Where the header is lost, the rows tell.
        let is_first = self.index.header.as_ref().is_some_and(|header| header.version < 2);
        let named = match &row.parent_id {
            _ if is_first => Named::Previous,
            ParentId::Row(id) => Named::Id(id.to_string()),
            ParentId::Root => Named::Root,
            ParentId::Untold => Named::Previous,
        };
        self.parents.push(named);
        if let Some(id) = row.id.filled()
            && let Some(before) = self.ids.insert(id.to_owned(), number)
        {
            self.repeated.push((before, number));
        }
        let mut node = Node {
            span,
            what,
            parent: Parent::Root,
            first: NONE,
            last: NONE,
            model: NONE,
            usage: self.spent(row.usage.0.as_ref()),
            failed: false,
            replaced: false,
        };
        match (what, &row.message.0) {
            (What::Model, _) => node.model = self.word(row.model_id.filled()),
            (_, Some(message)) => self.message(&mut node, message),
            _ => {}
        }
        self.index.nodes.push(node);
    }

    fn message(&mut self, node: &mut Node, message: &Message<'_>) {
        if let Some(usage) = &message.usage.0 {
            node.usage = self.spent(Some(usage));
        }
        match node.what {
            What::Assistant => {
                node.model = self.word(message.model.filled());
                node.failed = message.error_message.filled().is_some();
                node.first = self.index.pieces.len() as u32;
                for part in parts(message) {
                    let (stage, call) = match part {
                        Part::Thought(_) => (Stage::Thought, NONE),
                        Part::Said(_) => (Stage::Said, NONE),
                        Part::Call(call) => (Stage::Called, self.call(call.id.filled())),
                    };
                    self.index.pieces.push(Piece { stage, call });
                }
                node.last = self.index.pieces.len() as u32;
            }
            What::Result => node.first = self.call(message.tool_call_id.filled()),
            _ => {}
        }
    }

    fn spent(&mut self, usage: Option<&Usage<'_>>) -> u32 {
        let Some(usage) = usage else { return NONE };
        self.index.usages.push(Spent { tokens: usage.tokens(), cost: usage.cost() });
        self.index.usages.len() as u32 - 1
    }

    fn call(&mut self, id: Option<&str>) -> u32 {
        let Some(id) = id else { return NONE };
        let next = self.calls.len() as u32;
        *self.calls.entry(id.to_owned()).or_insert(next)
    }

    fn word(&mut self, word: Option<&str>) -> u32 {
        let Some(word) = word else { return NONE };
        if let Some(&number) = self.words.get(word) {
            return number;
        }
        let number = self.index.words.len() as u32;
        self.index.words.push(word.to_owned());
        self.words.insert(word.to_owned(), number);
        number
    }

    fn unknown(&mut self, what: What, row: &Row<'_>, span: Span) {
        let kind = match (what, known::unknown_block(row)) {
            (What::Unknown | What::OtherRole | What::NoMessage, _) => known::kind(row),
            (_, Some(block)) => format!("{}/{block}", known::kind(row)),
            (_, None) => return,
        };
        self.unknown.entry(kind).or_insert((0, span)).0 += 1;
    }

    /// What was found, with its links followed.
    pub(super) fn finish(mut self, notices: &mut Notices) -> Index {
        for (at, named) in self.parents.iter().enumerate() {
            self.index.nodes[at].parent = match named {
                Named::Root => Parent::Root,
                Named::Previous => (at as u32).checked_sub(1).map_or(Parent::Root, Parent::Node),
                Named::Id(id) => self.ids.get(id).map_or(Parent::Missing, |&up| Parent::Node(up)),
            };
        }
        for &(before, after) in &self.repeated {
            self.index.nodes[before as usize].replaced = true;
            let Span { at, len, row } = self.index.nodes[before as usize].span;
            let later = self.index.nodes[after as usize].span.row;
            let notice = Notice::new(NoticeKind::RepeatedId).at(row.into(), at, len.into());
            notices.push(notice.with_detail(format!("row {later} has its id and takes its place")));
        }
        let mut unknown: Vec<_> = std::mem::take(&mut self.unknown).into_iter().collect();
        unknown.sort_by_key(|(_, (_, span))| span.at);
        for (kind, (count, Span { at, len, row })) in unknown {
            let rows = if count == 1 { "1 row".to_owned() } else { format!("{count} rows") };
            let notice = Notice::new(NoticeKind::UnknownKind).at(row.into(), at, len.into());
            let kind = crate::ledger::kind_name(&kind);
            notices.push(notice.with_detail(format!("{rows} of kind {kind}")));
        }
        self.index
    }
}

impl Header {
    fn of(row: &Row<'_>) -> Self {
        let owned = |word: Option<&str>| word.map(str::to_owned);
        Self {
            id: owned(row.id.filled()),
            timestamp: owned(row.timestamp.filled()),
            cwd: owned(row.cwd.filled()),
            model: owned(row.model_id.filled()),
            parent: owned(row.parent_session.filled().or(row.branched_from.filled())),
            version: row.version.0.unwrap_or(1),
        }
    }
}

impl Index {
    /// A word by its number.
    pub(super) fn word(&self, number: u32) -> Option<&str> {
        self.words.get(number as usize).map(String::as_str)
    }
}
