//! What of the rows is the conversation, and in which order: turns that were taken back are not,
//! and what came late belongs to its turn.

use super::twins::text;
use super::{Index, Kind, NONE, Node, SummaryText};
use crate::codex::files::{Buffer, Files};
use std::collections::{HashMap, HashSet};

/// The conversation of a thread.
#[derive(Debug, Default)]
pub(in crate::codex) struct Settled {
    /// Its nodes, turn by turn.
    pub(in crate::codex) order: Vec<u32>,
    /// The nodes of turns that were taken back.
    pub(in crate::codex) taken_back: HashSet<u32>,
    /// Each time that turns were taken back.
    pub(in crate::codex) rollbacks: Vec<Rollback>,
}

/// Turns that were taken back at one time.
#[derive(Clone, Copy, Debug)]
pub(in crate::codex) struct Rollback {
    /// The node that says so.
    pub(in crate::codex) node: u32,
    pub(in crate::codex) turns: u32,
    /// Messages, calls and results in them.
    pub(in crate::codex) rows: u32,
}

/// Finds the conversation among the nodes.
pub(in crate::codex) fn settle(index: &mut Index, files: &Files) -> Settled {
    say_summaries_once(&mut index.nodes, files);
    let mut settled = Settled::default();
    take_back(&index.nodes, &mut settled);
    let shown = |&node: &u32| !settled.taken_back.contains(&node);
    let mut order: Vec<u32> = (0..index.nodes.len() as u32).filter(shown).collect();
    order.sort_by_key(|&node| index.nodes[node as usize].turn);
    settled.order = order;
    settled
}

/// A compaction may have two rows, and the answer to the request for its summary is a third.
fn say_summaries_once(nodes: &mut [Node], files: &Files) {
    let mut last: Option<usize> = None;
    for at in 0..nodes.len() {
        match nodes[at].kind {
            Kind::Summary { text, .. } => {
                if let Some(before) = last.filter(|&before| nodes[before].turn == nodes[at].turn) {
                    let this_is_empty = text == SummaryText::Nowhere;
                    nodes[if this_is_empty { at } else { before }].kind = Kind::Elsewhere;
                    if this_is_empty {
                        continue;
                    }
                }
                last = Some(at);
                if text == SummaryText::Message {
                    drop_answer(nodes, at, files);
                }
            }
            Kind::Usage(_) | Kind::Elsewhere | Kind::Injected | Kind::Instructions => {}
            _ => last = None,
        }
    }
}

/// Drops the answer that a summary repeats, and keeps what the model thought with the summary.
fn drop_answer(nodes: &mut [Node], summary: usize, files: &Files) {
    let turn = nodes[summary].turn;
    let mut before = (0..summary).rev().filter(|&at| !is_silent(nodes[at].kind));
    let Some(said) = before.next() else { return };
    let Node { kind: Kind::Said, twinned: false, .. } = nodes[said] else { return };
    if nodes[said].turn != turn || !ends_with(files, nodes[summary], nodes[said]) {
        return;
    }
    let thought = before.next().filter(|&at| {
        nodes[at].kind == Kind::Thought && !nodes[at].twinned && nodes[at].turn == turn
    });
    nodes[said].kind = Kind::Elsewhere;
    if let Some(thought) = thought {
        nodes[thought].kind = Kind::Elsewhere;
        let (text, thought) = (SummaryText::Message, thought as u32);
        nodes[summary].kind = Kind::Summary { text, thought };
    }
}

fn is_silent(kind: Kind) -> bool {
    matches!(kind, Kind::Usage(_) | Kind::Elsewhere)
}

fn ends_with(files: &Files, summary: Node, said: Node) -> bool {
    let (mut first, mut second) = (Buffer::default(), Buffer::default());
    let summary = files.read(summary.place, &mut first);
    let said = files.read(said.place, &mut second);
    let (Ok(summary), Ok(said)) = (summary, said) else { return false };
    let (summary, said) = (text(&summary.value), text(&said.value));
    let said = said.as_deref().unwrap_or("").trim();
    !said.is_empty() && summary.is_some_and(|summary| summary.trim_end().ends_with(said))
}

/// Finds what each rollback took back: from the prompt that is the n-th from the end on.
fn take_back(nodes: &[Node], settled: &mut Settled) {
    let mut standing = Standing::default();
    for (at, node) in nodes.iter().enumerate() {
        let number = at as u32;
        if let Kind::RolledBack(turns) = node.kind {
            if let Some((turns, rows)) = standing.take_back(turns, nodes, &mut settled.taken_back) {
                settled.rollbacks.push(Rollback { node: number, turns, rows });
            }
        } else if standing.gone.contains(&node.turn) {
            settled.taken_back.insert(number);
        } else {
            standing.add(number, node);
        }
    }
}

/// What stands of the conversation up to some row, the last on top: each node is taken off once,
/// however many rollbacks there are.
#[derive(Default)]
struct Standing {
    nodes: Vec<u32>,
    prompts: Vec<u32>,
    /// How many of the prompts are of a turn.
    of_turn: HashMap<u32, u32>,
    /// Turns of which no prompt is left: what comes late goes with them.
    gone: HashSet<u32>,
}

impl Standing {
    fn add(&mut self, number: u32, node: &Node) {
        self.nodes.push(number);
        if matches!(node.kind, Kind::Prompt | Kind::EditorPrompt | Kind::AgentMessage) {
            self.prompts.push(number);
            *self.of_turn.entry(node.turn).or_default() += 1;
        }
    }

    /// Takes back so many turns; tells how many there were, and the rows in them.
    fn take_back(
        &mut self,
        turns: u32,
        nodes: &[Node],
        taken_back: &mut HashSet<u32>,
    ) -> Option<(u32, u32)> {
        let kept = self.prompts.len().saturating_sub(turns as usize);
        let taken = self.prompts.split_off(kept);
        let first = *taken.first()?;
        for &prompt in &taken {
            let turn = nodes[prompt as usize].turn;
            let left = self.of_turn.entry(turn).or_default();
            *left -= 1;
            if *left == 0 {
                self.gone.insert(turn);
            }
        }
        let from = self.nodes.partition_point(|&node| node < first);
        let taken_nodes = self.nodes.split_off(from);
        let rows = taken_nodes.iter().filter(|&&node| is_shown(nodes[node as usize].kind)).count();
        taken_back.extend(taken_nodes);
        Some((taken.len() as u32, rows as u32))
    }
}

fn is_shown(kind: Kind) -> bool {
    match kind {
        Kind::RolledBack(_) | Kind::Aborted(_) | Kind::Usage(_) | Kind::Elsewhere => false,
        Kind::Prompt
        | Kind::EditorPrompt
        | Kind::Injected
        | Kind::Instructions
        | Kind::Shell
        | Kind::Other
        | Kind::AgentMessage
        | Kind::Thought
        | Kind::Said
        | Kind::Plan
        | Kind::Call(_)
        | Kind::Output(_)
        | Kind::Summary { .. }
        | Kind::Problem => true,
    }
}

impl Index {
    /// A word by its number.
    pub(in crate::codex) fn word(&self, number: u32) -> Option<&str> {
        (number != NONE).then(|| self.words.get(number as usize).map(String::as_str)).flatten()
    }
}
