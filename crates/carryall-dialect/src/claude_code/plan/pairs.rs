//! Which result answers which call.

use crate::claude_code::index::{Index, Part};

/// The results of a conversation, by call.
///
/// A call id names one call and one result. Where it does not, the first result answers the first
/// call, and so on; results that are left over are orphans.
pub(super) struct Pairs {
    /// Call number, place of the row in the conversation, block, node; sorted.
    results: Vec<(u32, u32, u32, u32)>,
    /// How many calls of each number there are.
    calls: Vec<u32>,
    /// How many of them have been asked for.
    asked: Vec<u32>,
}

impl Pairs {
    /// Finds the calls and results of the rows.
    pub(super) fn new(index: &Index, rows: &[u32]) -> Self {
        let mut results = Vec::new();
        let mut calls = vec![0; index.calls as usize];
        for (place, &node) in rows.iter().enumerate() {
            for (block, part) in index.parts_of(node).iter().enumerate() {
                match part {
                    Part::Call(n) => calls[*n as usize] += 1,
                    Part::Result(n) => results.push((*n, place as u32, block as u32, node)),
                    Part::Reasoning | Part::Text | Part::Picture | Part::Silent => {}
                }
            }
        }
        results.sort_unstable();
        let asked = vec![0; calls.len()];
        Self { results, calls, asked }
    }

    /// The node with the answer to the next call of that number.
    pub(super) fn answer(&mut self, call: u32) -> Option<u32> {
        let asked = &mut self.asked[call as usize];
        let at = self.results.partition_point(|result| result.0 < call) + *asked as usize;
        *asked += 1;
        self.results.get(at).filter(|result| result.0 == call).map(|result| result.3)
    }

    /// Whether nothing called for this result.
    pub(super) fn is_orphan(&self, call: u32, place: u32, block: u32) -> bool {
        let first = self.results.partition_point(|result| result.0 < call);
        let own = (call, place, block);
        let at = self.results.partition_point(|result| (result.0, result.1, result.2) < own);
        at - first >= self.calls[call as usize] as usize
    }
}
