//! What the second pass reads, entry by entry: spans of rows, and nothing of the texts.
//!
//! Every [`Item`] is one entry, so an entry's number is its place in the plan and reading may begin
//! anywhere.

use super::index::{Index, NONE, Node, Piece, Stage};
use super::known::What;
use crate::source::Span;
use carryall_model::TokenUsage;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// One entry.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// Parts of one response; the last of its entries tells its tokens and why it stopped.
    Assistant { row: Span, parts: Range<u32>, calls: Range<u32>, usage: u32, closes: bool },
    /// The error that ended a response.
    Failure { row: Span },
    /// A row that is an entry of its own.
    Row { row: Span, what: What },
}

/// All entries of a conversation.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) items: Vec<Item>,
    /// The rows with the answers to the calls, in the order of the calls.
    pub(super) answers: Vec<Option<Span>>,
    /// Message records.
    pub(super) messages: u64,
    /// Prompts that a person typed.
    pub(super) prompts: u64,
    /// The entry that is the first of them.
    pub(super) first_prompt: Option<u32>,
    /// The words of the models, in the order of their first use; and of the one used last.
    pub(super) models: Vec<u32>,
    pub(super) last_model: u32,
    /// The tokens and the cost of all rows.
    pub(super) tokens: Option<TokenUsage>,
    pub(super) cost: Option<f64>,
}

/// Turns the conversation into entries.
pub(super) fn build(index: &Index, path: &[u32]) -> Plan {
    let plan = Plan { last_model: NONE, ..Plan::default() };
    let mut build = Build { index, plan, waiting: HashMap::new() };
    for &number in path {
        build.node(&index.nodes[number as usize]);
    }
    build.plan
}

struct Build<'i> {
    index: &'i Index,
    plan: Plan,
    /// Calls without an answer, by the number of their id: their response and their places among
    /// the answers.
    waiting: HashMap<u32, (u64, VecDeque<u32>)>,
}

impl Build<'_> {
    fn node(&mut self, node: &Node) {
        self.plan.messages += u64::from(node.what.is_message());
        self.spent(node.usage);
        match node.what {
            What::Assistant => self.response(node),
            What::Result => self.result(node),
            What::User => {
                self.plan.prompts += 1;
                self.plan.first_prompt.get_or_insert(self.plan.items.len() as u32);
                self.row(node);
            }
            What::Shell
            | What::Injected
            | What::System
            | What::OtherRole
            | What::Compaction
            | What::BranchSummary => self.row(node),
            What::Header
            | What::NoMessage
            | What::Model
            | What::Name
            | What::Usage
            | What::LeftOut(_)
            | What::Unknown => {}
        }
    }

    fn row(&mut self, node: &Node) {
        self.plan.items.push(Item::Row { row: node.span, what: node.what });
    }

    fn spent(&mut self, number: u32) {
        let Some(spent) = self.index.usages.get(number as usize) else { return };
        if let Some(tokens) = &spent.tokens {
            self.plan.tokens.get_or_insert_default().add(tokens);
        }
        if let Some(cost) = spent.cost {
            *self.plan.cost.get_or_insert_default() += cost;
        }
    }

    /// A part that would step back in the order of an entry opens the next one.
    fn response(&mut self, node: &Node) {
        self.model(node.model);
        let pieces = &self.index.pieces[node.first as usize..node.last as usize];
        let mut at = 0;
        for run in pieces.chunk_by(|before, after| before.stage <= after.stage) {
            let parts = at..at + run.len() as u32;
            at = parts.end;
            let first = self.plan.answers.len() as u32;
            run.iter().filter(|piece| piece.stage == Stage::Called).for_each(|piece| {
                self.call(piece, node.span.at);
            });
            let calls = first..self.plan.answers.len() as u32;
            let closes = parts.end as usize == pieces.len();
            let usage = if closes { node.usage } else { NONE };
            self.plan.items.push(Item::Assistant { row: node.span, parts, calls, usage, closes });
        }
        if node.failed {
            self.plan.items.push(Item::Failure { row: node.span });
        }
    }

    fn model(&mut self, model: u32) {
        if model == NONE {
            return;
        }
        self.plan.last_model = model;
        if !self.plan.models.contains(&model) {
            self.plan.models.push(model);
        }
    }

    fn call(&mut self, piece: &Piece, response: u64) {
        let place = self.plan.answers.len() as u32;
        self.plan.answers.push(None);
        if piece.call == NONE {
            return;
        }
        let (of, places) = self.waiting.entry(piece.call).or_default();
        // Ids may repeat: what an earlier response waits for in vain comes no more.
        if *of != response {
            places.clear();
            *of = response;
        }
        places.push_back(place);
    }

    fn result(&mut self, node: &Node) {
        let waiting = self.waiting.get_mut(&node.first).map(|(_, places)| places);
        match waiting.and_then(VecDeque::pop_front) {
            Some(place) => self.plan.answers[place as usize] = Some(node.span),
            None => self.row(node),
        }
    }
}

impl Plan {
    /// The spans of all rows that a document shows something of.
    pub(super) fn rows(&self) -> impl Iterator<Item = Span> {
        let rows = self.items.iter().map(|item| match item {
            Item::Assistant { row, .. } | Item::Failure { row } | Item::Row { row, .. } => *row,
        });
        rows.chain(self.answers.iter().copied().flatten())
    }
}
