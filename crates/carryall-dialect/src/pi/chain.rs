//! Which rows are the conversation: from the last row of the file up to a root.

use super::index::{Index, Node, Parent};
use carryall_model::{Notice, NoticeKind, Notices};
use std::collections::BTreeMap;

/// The rows of a conversation.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// The rows shown, first to last.
    pub(super) path: Vec<u32>,
    /// Whether each row is one of them.
    pub(super) is_shown: Vec<bool>,
    /// What is not shown.
    pub(super) branches: Vec<Branch>,
}

/// A branch that is not shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Branch {
    /// Its first message.
    pub(super) first: u32,
    /// How many messages it has.
    pub(super) messages: u64,
}

/// Finds the conversation. Its leaf is the last row, whatever that is, as it is for Pi.
pub(super) fn select(index: &Index, notices: &mut Notices) -> Conversation {
    let mut is_shown = vec![false; index.nodes.len()];
    let mut path = Vec::new();
    let mut next = index.nodes.len().checked_sub(1).map(|last| last as u32);
    while let Some(at) = next {
        if is_shown[at as usize] {
            notices.push(notice(NoticeKind::ParentCycle, index, path.last().copied()));
            break;
        }
        is_shown[at as usize] = true;
        path.push(at);
        next = match index.nodes[at as usize].parent {
            Parent::Node(up) => Some(up),
            Parent::Root => None,
            Parent::Missing => before_missing(at, index, &is_shown, notices),
        };
    }
    path.reverse();
    let branches = branches(index, &is_shown);
    Conversation { path, is_shown, branches }
}

/// Where the conversation goes on above a row whose parent is not in the file. Where rows could
/// not be read it was most likely one of them, and the nearest earlier row takes its place: one
/// damaged row must not hide all that was said before it. Else Pi itself begins there.
fn before_missing(at: u32, index: &Index, is_shown: &[bool], notices: &mut Notices) -> Option<u32> {
    let is_damaged = notices.unreadable_rows() > 0;
    let next = (0..at).rev().find(|&up| is_damaged && !is_shown[up as usize]);
    let detail = match next {
        Some(_) => "the conversation goes on with the nearest earlier row",
        None => "the row before it is not in this file",
    };
    notices.push(notice(NoticeKind::MissingParent, index, Some(at)).with_detail(detail));
    next
}

fn notice(kind: NoticeKind, index: &Index, node: Option<u32>) -> Notice {
    let notice = Notice::new(kind);
    match node.map(|node| index.nodes[node as usize].span) {
        Some(span) => notice.at(span.row.into(), span.at, span.len.into()),
        None => notice,
    }
}

/// Every tree of rows that hangs on the conversation, or on nothing, and holds a message.
fn branches(index: &Index, is_shown: &[bool]) -> Vec<Branch> {
    let mut branches: BTreeMap<u32, Branch> = BTreeMap::new();
    let tops = tops(index, is_shown);
    for (at, node) in index.nodes.iter().enumerate() {
        if let Some(top) = tops[at].filter(|_| is_message(node)) {
            let first = Branch { first: at as u32, messages: 0 };
            branches.entry(top).or_insert(first).messages += 1;
        }
    }
    branches.into_values().collect()
}

fn is_message(node: &Node) -> bool {
    node.what.is_message() && !node.replaced
}

/// For every row that is not shown the highest row above it that is not shown either.
fn tops(index: &Index, is_shown: &[bool]) -> Vec<Option<u32>> {
    let mut tops = vec![None; is_shown.len()];
    for start in (0..is_shown.len() as u32).filter(|&at| !is_shown[at as usize]) {
        let mut trail = Vec::new();
        let mut at = start;
        let top = loop {
            if let Some(top) = tops[at as usize] {
                break top;
            }
            // Its own top until the climb ends, which ends a climb in a circle as well.
            tops[at as usize] = Some(at);
            trail.push(at);
            match index.nodes[at as usize].parent {
                Parent::Node(up) if !is_shown[up as usize] => at = up,
                Parent::Node(_) | Parent::Root | Parent::Missing => break at,
            }
        };
        for node in trail {
            tops[node as usize] = Some(top);
        }
    }
    tops
}
