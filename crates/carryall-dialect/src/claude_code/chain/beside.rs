//! What parallel tool calls put beside the path.
//!
//! Each result answers the row of its own call, and the next call answers that row too, so the
//! path from the last message passes only one of several results and may pass by calls. All rows
//! of a response on the path belong to the conversation, and all results of its calls, and what
//! hangs on the conversation without leading to another turn: attachments and system rows, and on
//! results also texts that nobody typed, such as a skill's.

use super::Chain;
use crate::claude_code::index::{Kind, NONE, Part, Said};

/// The path with the rows beside it, each after the row of the path that it belongs to.
pub(super) fn add(chain: &Chain<'_>, path: &[u32]) -> Vec<u32> {
    let mut beside = Beside::new(chain, path);
    beside.responses(path);
    beside.results();
    beside.hanging();
    let mut rows: Vec<u32> =
        chain.nodes().filter(|&node| beside.anchor[node as usize] != NONE).collect();
    let on_path = |node: u32| path.get(beside.anchor[node as usize] as usize) == Some(&node);
    rows.sort_by_key(|&node| (beside.anchor[node as usize], !on_path(node), node));
    rows
}

struct Beside<'c> {
    chain: &'c Chain<'c>,
    /// The place on the path that each row of the conversation belongs to.
    anchor: Vec<u32>,
    /// Rows that are in the conversation only as results.
    result: Vec<bool>,
}

impl<'c> Beside<'c> {
    fn new(chain: &'c Chain<'c>, path: &[u32]) -> Self {
        let mut anchor = vec![NONE; chain.index.nodes.len()];
        for (at, &node) in path.iter().enumerate() {
            anchor[node as usize] = at as u32;
        }
        Self { chain, result: vec![false; anchor.len()], anchor }
    }

    fn outside(&self) -> Vec<u32> {
        let outside = |&node: &u32| self.anchor[node as usize] == NONE;
        self.chain.nodes().filter(outside).collect()
    }

    fn responses(&mut self, path: &[u32]) {
        let mut first = vec![NONE; self.chain.index.responses.len()];
        for (at, &node) in path.iter().enumerate() {
            let response = self.chain.index.node(node).response;
            if response != NONE && first[response as usize] == NONE {
                first[response as usize] = at as u32;
            }
        }
        for node in self.outside() {
            let response = self.chain.index.node(node).response;
            if response != NONE {
                self.anchor[node as usize] = first[response as usize];
            }
        }
    }

    fn results(&mut self) {
        let index = self.chain.index;
        let mut call = vec![NONE; index.calls as usize];
        for node in self.chain.nodes().filter(|&node| self.anchor[node as usize] != NONE) {
            for part in index.parts_of(node) {
                if let Part::Call(n) = part {
                    let known = &mut call[*n as usize];
                    *known = (*known).min(self.anchor[node as usize]);
                }
            }
        }
        for node in self.outside() {
            let answered = index.parts_of(node).iter().filter_map(|part| part.answers());
            let anchors = answered.map(|n| call[n as usize]);
            if let Some(anchor) = anchors.filter(|&anchor| anchor != NONE).min() {
                self.anchor[node as usize] = anchor;
                self.result[node as usize] = true;
            }
        }
    }

    /// What hangs on the conversation and leads to no other turn.
    fn hanging(&mut self) {
        let leads_on = self.leads_on();
        for start in self.outside() {
            let mut trail = Vec::new();
            let mut at = start;
            while self.anchor[at as usize] == NONE && !leads_on[at as usize] && trail.len() < 64 {
                trail.push(at);
                let Some(up) = self.chain.up(at).filter(|&up| self.chain.holds(up)) else { break };
                at = up;
            }
            let is_told = |&node: &u32| self.chain.index.node(node).is_message();
            let on_result = self.result[at as usize];
            if self.anchor[at as usize] == NONE || (!on_result && trail.iter().any(is_told)) {
                continue;
            }
            for node in trail {
                self.anchor[node as usize] = self.anchor[at as usize];
                self.result[node as usize] = on_result;
            }
        }
    }

    /// The rows at or above a turn.
    fn leads_on(&self) -> Vec<bool> {
        let mut leads_on = vec![false; self.anchor.len()];
        for node in self.chain.nodes().filter(|&node| self.is_turn(node)) {
            let mut at = node;
            while !leads_on[at as usize] {
                leads_on[at as usize] = true;
                let Some(up) = self.chain.up(at) else { break };
                at = up;
            }
        }
        leads_on
    }

    fn is_turn(&self, node: u32) -> bool {
        match self.chain.index.node(node).kind {
            Kind::System(_) | Kind::Attachment(_) | Kind::Progress => false,
            Kind::User(said) => said != Said::Injected,
            Kind::Assistant { .. } => true,
        }
    }
}
