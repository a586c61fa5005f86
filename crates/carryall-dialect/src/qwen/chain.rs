//! Which nodes are the conversation: from the last record up to the first.

use super::index::{Index, NONE, Parent};
use super::known::What;
use crate::source::Span;
use carryall_model::{Notice, NoticeKind, Notices};
use std::collections::BTreeMap;

/// The nodes of a conversation.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// The nodes shown, first to last.
    pub(super) nodes: Vec<u32>,
    /// Branches that are not shown.
    pub(super) branches: u64,
}

/// Finds the conversation; what is not of it is told.
pub(super) fn select(index: &Index, notices: &mut Notices) -> Conversation {
    let Some(leaf) = leaf(index) else { return Conversation::default() };
    let damaged: Vec<u64> = notices
        .kept()
        .iter()
        .filter(|notice| notice.kind.is_damage())
        .filter_map(|notice| notice.row)
        .collect();
    let nodes = climb(index, leaf, &damaged, notices);
    let branches = branches(index, &nodes);
    for branch in branches.values() {
        notices.push(branch.notice(index));
    }
    Conversation { nodes, branches: branches.len() as u64 }
}

/// The last record of the chain. One that leads to no message is passed over: a title whose parent
/// was lost must not hide the conversation. A rewind to before the first prompt does lead nowhere.
fn leaf(index: &Index) -> Option<u32> {
    let leads = leads(index);
    let in_chain = index.rows.iter().rev().filter(|row| !matches!(row.what, What::Outside(_)));
    in_chain.map(|row| row.node).find(|&node| leads[node as usize])
}

/// For every node whether a message or a rewind stands at or above it.
fn leads(index: &Index) -> Vec<bool> {
    let mut known: Vec<Option<bool>> = vec![None; index.nodes.len()];
    for start in 0..index.nodes.len() {
        let mut trail = Vec::new();
        let mut at = start;
        let leads = loop {
            if let Some(known) = known[at] {
                break known;
            }
            // False until the climb ends, which ends a climb in a circle as well.
            known[at] = Some(false);
            trail.push(at);
            let what = index.first(at as u32).what;
            if what.is_message() || what == What::Rewind {
                break true;
            }
            match index.nodes[at].parent {
                Parent::Node(up) => at = up as usize,
                Parent::Root | Parent::Missing => break false,
            }
        };
        for node in trail {
            known[node] = Some(leads);
        }
    }
    known.into_iter().map(Option::unwrap_or_default).collect()
}

fn climb(index: &Index, leaf: u32, damaged: &[u64], notices: &mut Notices) -> Vec<u32> {
    let mut seen = vec![false; index.nodes.len()];
    let mut path = Vec::new();
    let mut at = leaf;
    loop {
        if seen[at as usize] {
            let last = path.last().copied().unwrap_or(at);
            notices.push(notice(NoticeKind::ParentCycle, index.first(last).span));
            break;
        }
        seen[at as usize] = true;
        path.push(at);
        at = match index.nodes[at as usize].parent {
            Parent::Node(up) => up,
            Parent::Root => break,
            Parent::Missing => {
                let before = before_damage(index, at, damaged).filter(|&n| !seen[n as usize]);
                let detail = match before {
                    Some(_) => "the conversation goes on with the nearest earlier row",
                    None => "the row before it is not in this file",
                };
                let notice = notice(NoticeKind::MissingParent, index.first(at).span);
                notices.push(notice.with_detail(detail));
                match before {
                    Some(before) => before,
                    None => break,
                }
            }
        };
    }
    path.reverse();
    path
}

/// The record before one whose parent is missing, when a row between the two could not be read:
/// that one was the parent, most likely, and damage must not hide all that was said before it.
/// Without damage the agent leaves off here, and so do we: the earlier rows may have been taken
/// back.
fn before_damage(index: &Index, node: u32, damaged: &[u64]) -> Option<u32> {
    let number = index.nodes[node as usize].first;
    let before = &index.rows[number.checked_sub(1)? as usize];
    let rows = u64::from(before.span.row)..=u64::from(index.rows[number as usize].span.row);
    damaged.iter().any(|row| rows.contains(row)).then_some(before.node)
}

/// A branch that is not shown.
struct Branch {
    /// Its first message.
    first: u32,
    messages: u64,
    /// It was taken back.
    rewound: bool,
}

impl Branch {
    fn notice(&self, index: &Index) -> Notice {
        let kind = if self.rewound { NoticeKind::RolledBack } else { NoticeKind::OtherBranch };
        let detail = match self.messages {
            1 => "1 message".to_owned(),
            n => format!("{n} messages"),
        };
        notice(kind, index.first(self.first).span).with_detail(detail)
    }
}

/// Every tree of nodes that hangs on the conversation, or on nothing, and holds a message; by the
/// node that it begins with.
fn branches(index: &Index, shown: &[u32]) -> BTreeMap<u32, Branch> {
    let mut is_out = vec![true; index.nodes.len()];
    for &node in shown {
        is_out[node as usize] = false;
    }
    // A rewind hangs where the conversation goes on, and so does what it took back.
    let rewinds: Vec<Parent> = shown
        .iter()
        .filter(|&&node| index.first(node).what == What::Rewind)
        .map(|&node| index.nodes[node as usize].parent)
        .collect();
    let tops = tops(index, &is_out);
    let mut branches = BTreeMap::new();
    for node in (0..index.nodes.len() as u32).filter(|&n| is_out[n as usize]) {
        if !index.first(node).what.is_message() {
            continue;
        }
        let top = tops[node as usize];
        let rewound = rewinds.contains(&index.nodes[top as usize].parent);
        let branch = branches.entry(top).or_insert(Branch { first: node, messages: 0, rewound });
        branch.messages += 1;
    }
    branches
}

/// For every node that is not shown the highest node above it that is not shown either.
fn tops(index: &Index, is_out: &[bool]) -> Vec<u32> {
    let mut tops = vec![NONE; is_out.len()];
    for start in (0..is_out.len() as u32).filter(|&node| is_out[node as usize]) {
        let mut trail = Vec::new();
        let mut at = start;
        let top = loop {
            if tops[at as usize] != NONE {
                break tops[at as usize];
            }
            // Its own top until the climb ends, which ends a climb in a circle as well.
            tops[at as usize] = at;
            trail.push(at);
            match index.nodes[at as usize].parent {
                Parent::Node(up) if is_out[up as usize] => at = up,
                Parent::Node(_) | Parent::Root | Parent::Missing => break at,
            }
        };
        for node in trail {
            tops[node as usize] = top;
        }
    }
    tops
}

fn notice(kind: NoticeKind, span: Span) -> Notice {
    Notice::new(kind).at(span.row.into(), span.at, span.len.into())
}
