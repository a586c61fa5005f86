//! The branches that are not shown.

use super::Chain;
use crate::claude_code::index::NONE;
use std::collections::BTreeMap;

/// A branch that is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::claude_code) struct Branch {
    /// Its first message.
    pub(in crate::claude_code) first: u32,
    /// How many messages it has.
    pub(in crate::claude_code) messages: u64,
}

/// Every tree of rows that hangs on the conversation, or on nothing, and holds a message.
pub(super) fn find(chain: &Chain<'_>, shown: &[u32]) -> Vec<Branch> {
    let tops = tops(chain, shown);
    let mut branches: BTreeMap<u32, (Branch, u32)> = BTreeMap::new();
    for node in chain.nodes().filter(|&n| chain.index.node(n).is_message()) {
        let top = tops[node as usize];
        if top == NONE {
            continue;
        }
        let start = (Branch { first: node, messages: 0 }, NONE);
        let (branch, last) = branches.entry(top).or_insert(start);
        // User rows have no response: each is a message of its own.
        let response = chain.index.node(node).response;
        branch.messages += u64::from(response == NONE || response != *last);
        *last = response;
    }
    branches.into_values().map(|(branch, _)| branch).collect()
}

/// For every row that is not shown the highest row above it that is not shown either.
fn tops(chain: &Chain<'_>, shown: &[u32]) -> Vec<u32> {
    let mut is_out = vec![false; chain.index.nodes.len()];
    for node in chain.nodes() {
        is_out[node as usize] = true;
    }
    for &node in shown {
        is_out[node as usize] = false;
    }
    let mut tops = vec![NONE; is_out.len()];
    for start in chain.nodes().filter(|&node| is_out[node as usize]) {
        let mut trail = Vec::new();
        let mut at = start;
        let top = loop {
            if tops[at as usize] != NONE {
                break tops[at as usize];
            }
            // Its own top until the climb ends, which ends a climb in a circle as well.
            tops[at as usize] = at;
            trail.push(at);
            match chain.up(at).filter(|&up| is_out[up as usize]) {
                Some(up) => at = up,
                None => break at,
            }
        };
        for node in trail {
            tops[node as usize] = top;
        }
    }
    tops
}
