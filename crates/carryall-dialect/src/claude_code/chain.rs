//! Which rows are the conversation: from the last message up to the first, across compactions,
//! with what parallel tool calls put beside that path.

mod beside;
mod branches;

pub(super) use branches::Branch;

use super::index::{Index, Kind, NONE, Parent, Said, System};
use carryall_model::{Notice, NoticeKind, Notices};

/// Which rows of a file may take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope<'a> {
    /// All rows.
    All,
    /// All rows that are no side chain's.
    Main,
    /// The side chain with this root, by each row's root.
    Side(u32, &'a [u32]),
}

/// The rows of a conversation.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// The rows shown, first to last.
    pub(super) rows: Vec<u32>,
    /// What is not shown.
    pub(super) branches: Vec<Branch>,
}

/// Finds the file beside this one that holds the parent of a node.
pub(super) type Neighbour<'n> = dyn Fn(u32) -> Option<String> + 'n;

/// Finds the conversation among the rows of a scope.
pub(super) fn select(
    index: &Index,
    scope: Scope<'_>,
    neighbour: &Neighbour<'_>,
    notices: &mut Notices,
) -> Conversation {
    let chain = Chain { index, scope, neighbour };
    let path = chain.path(notices);
    let rows = beside::add(&chain, &path);
    let branches = branches::find(&chain, &rows);
    Conversation { rows, branches }
}

/// The root of each side chain row's chain; [`NONE`] for other rows.
pub(super) fn side_roots(index: &Index) -> Vec<u32> {
    let mut roots = vec![NONE; index.nodes.len()];
    for start in (0..index.nodes.len() as u32).filter(|&node| index.node(node).side) {
        let mut trail = Vec::new();
        let mut at = start;
        let root = loop {
            if roots[at as usize] != NONE {
                break roots[at as usize];
            }
            // Its own root until the climb ends, which ends a climb in a circle as well.
            roots[at as usize] = at;
            trail.push(at);
            match index.node(at).parent {
                Parent::Node(up) if index.node(up).side => at = up,
                Parent::Node(_) | Parent::Root | Parent::Missing => break at,
            }
        };
        for node in trail {
            roots[node as usize] = root;
        }
    }
    roots
}

/// The tree of a scope.
struct Chain<'i> {
    index: &'i Index,
    scope: Scope<'i>,
    neighbour: &'i Neighbour<'i>,
}

impl Chain<'_> {
    fn holds(&self, node: u32) -> bool {
        match self.scope {
            Scope::All => true,
            Scope::Main => !self.index.node(node).side,
            Scope::Side(root, roots) => roots[node as usize] == root,
        }
    }

    fn nodes(&self) -> impl DoubleEndedIterator<Item = u32> {
        (0..self.index.nodes.len() as u32).filter(|&node| self.holds(node))
    }

    /// The row above, when it is in the file.
    fn up(&self, node: u32) -> Option<u32> {
        match self.index.node(node).parent {
            Parent::Node(up) => Some(up),
            Parent::Root | Parent::Missing => None,
        }
    }

    /// The path from the first row to the last: the leaf, then parents, then rows that hang on the
    /// leaf and rows that a compaction left in place.
    fn path(&self, notices: &mut Notices) -> Vec<u32> {
        let above = self.messages_above();
        let Some((leaf, ends)) = self.leaf(&above) else { return Vec::new() };
        let mut seen = vec![false; self.index.nodes.len()];
        let mut path = self.climb(leaf, &mut seen, notices);
        path.reverse();
        self.add_passed_compactions(&mut path, &mut seen);
        let mut tail = Vec::new();
        for end in ends {
            let mut at = end;
            while !seen[at as usize] {
                seen[at as usize] = true;
                tail.push(at);
                let Some(up) = self.up(at) else { break };
                at = up;
            }
        }
        tail.sort_unstable();
        path.extend(tail);
        path
    }

    /// For every row the nearest message at or above it, [`NONE`] where there is none.
    fn messages_above(&self) -> Vec<u32> {
        const UNKNOWN: u32 = NONE - 1;
        let mut above = vec![UNKNOWN; self.index.nodes.len()];
        for start in self.nodes() {
            let mut path = Vec::new();
            let mut at = start;
            let found = loop {
                if above[at as usize] != UNKNOWN {
                    break above[at as usize];
                }
                if self.index.node(at).is_message() {
                    above[at as usize] = at;
                    break at;
                }
                // Marked before it is known, so that a circle of rows ends here.
                above[at as usize] = NONE;
                path.push(at);
                match self.up(at) {
                    Some(up) => at = up,
                    None => break NONE,
                }
            };
            for node in path {
                above[node as usize] = found;
            }
        }
        above
    }

    /// The last message that ends a branch, and the rows without children that hang on it.
    fn leaf(&self, above: &[u32]) -> Option<(u32, Vec<u32>)> {
        let mut has_child = vec![false; self.index.nodes.len()];
        for node in self.nodes() {
            if let Some(up) = self.up(node) {
                has_child[up as usize] = true;
            }
        }
        let ends: Vec<u32> = self.nodes().filter(|&node| !has_child[node as usize]).collect();
        let leaves = ends.iter().map(|&end| above[end as usize]);
        let leaves: Vec<u32> = leaves.filter(|&n| n != NONE && self.holds(n)).collect();
        let told = leaves.iter().copied().filter(|&leaf| !self.index.node(leaf).meta).max();
        // Without an end there are only circles: then the last message is as good as any.
        let last = || self.nodes().rev().find(|&node| self.index.node(node).is_message());
        let leaf = told.or_else(|| leaves.iter().copied().max()).or_else(last)?;
        Some((leaf, ends.into_iter().filter(|&end| above[end as usize] == leaf).collect()))
    }

    fn climb(&self, leaf: u32, seen: &mut [bool], notices: &mut Notices) -> Vec<u32> {
        let mut path = Vec::new();
        let mut at = leaf;
        loop {
            if seen[at as usize] {
                notices.push(self.notice(NoticeKind::ParentCycle, path.last().copied()));
                return path;
            }
            seen[at as usize] = true;
            path.push(at);
            let next = match self.index.node(at).parent {
                Parent::Node(up) => Some(up),
                Parent::Root => self.before_compaction(at, seen),
                Parent::Missing => self.before_missing(at, seen, notices),
            };
            let Some(next) = next else { return path };
            at = next;
        }
    }

    /// Where the conversation goes on above a row whose parent is not in the file. When another
    /// file has the parent, nowhere: files are not stitched. Else the parent was lost, most likely
    /// with a row that could not be read, and the nearest earlier row takes its place: one damaged
    /// row must not hide all that was said before it.
    fn before_missing(&self, at: u32, seen: &[bool], notices: &mut Notices) -> Option<u32> {
        let elsewhere = (self.neighbour)(at);
        let next = if elsewhere.is_none() { self.nearest_earlier(at, seen) } else { None };
        let detail = match (elsewhere, next) {
            (Some(file), _) => format!("the row before it is in {file}"),
            (None, Some(_)) => "the conversation goes on with the nearest earlier row".to_owned(),
            (None, None) => "the row before it is not in this file".to_owned(),
        };
        notices.push(self.notice(NoticeKind::MissingParent, Some(at)).with_detail(detail));
        next
    }

    fn nearest_earlier(&self, at: u32, seen: &[bool]) -> Option<u32> {
        (0..at).rev().find(|&n| self.holds(n) && !seen[n as usize])
    }

    /// Where the conversation went on before a compaction that begins a new tree.
    fn before_compaction(&self, root: u32, seen: &[bool]) -> Option<u32> {
        let node = self.index.node(root);
        let is_compaction = match node.kind {
            Kind::System(system) => system == System::Boundary,
            Kind::User(said) => matches!(said, Said::Summary | Said::Continuation),
            Kind::Assistant { .. } | Kind::Attachment(_) | Kind::Progress => false,
        };
        if !is_compaction {
            return None;
        }
        let logical = Some(node.logical).filter(|&n| n != NONE && !seen[n as usize]);
        logical.or_else(|| self.nearest_earlier(root, seen))
    }

    /// A compaction that leaves rows in place is not above the rows after it: they go on from the
    /// last row left. It stands in the conversation all the same, with its summary.
    fn add_passed_compactions(&self, path: &mut Vec<u32>, seen: &mut [bool]) {
        for boundary in self.nodes().filter(|&n| self.index.node(n).preserves) {
            if seen[boundary as usize] {
                continue;
            }
            let tail = self.index.node(boundary).logical;
            let Some(at) = path.iter().position(|&node| node == tail) else { continue };
            if path.get(at + 1).is_none_or(|&next| next < boundary) {
                continue;
            }
            let answers = |n: u32| self.index.node(n).parent == Parent::Node(boundary);
            let is_summary = |n: u32| {
                matches!(self.index.node(n).kind, Kind::User(Said::Summary | Said::Continuation))
            };
            let added: Vec<u32> = std::iter::once(boundary)
                .chain(self.nodes().filter(|&n| answers(n) && is_summary(n)))
                .collect();
            for &node in &added {
                seen[node as usize] = true;
            }
            path.splice(at + 1..at + 1, added);
        }
    }

    fn notice(&self, kind: NoticeKind, node: Option<u32>) -> Notice {
        let notice = Notice::new(kind);
        match node.map(|node| self.index.node(node)) {
            Some(node) => notice.at(node.row.into(), node.span.at, node.span.len.into()),
            None => notice,
        }
    }
}
