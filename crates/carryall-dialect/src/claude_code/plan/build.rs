//! From rows to entries.

use super::pairs::Pairs;
use super::{Answer, Item, Piece, Plan, Take, Tally};
use crate::claude_code::index::{Attached, Index, Kind, NONE, Node, Parent, Part, Said, System};
use crate::source::Span;
use std::collections::HashSet;
use std::ops::Range;

/// Turns the rows of a conversation into entries.
pub(in crate::claude_code) fn build(index: &Index, rows: &[u32]) -> (Plan, Tally) {
    let mut build = Build::new(index, without_copies(index, rows));
    for place in 0..build.rows.len() {
        build.row(place);
    }
    (build.plan, build.tally)
}

/// The rows without those that a compaction wrote a second time: the earlier place counts.
pub(in crate::claude_code) fn without_copies(index: &Index, rows: &[u32]) -> Vec<u32> {
    let mut before = HashSet::new();
    let mut since = Vec::new();
    let mut kept = Vec::new();
    for &node in rows {
        let row = index.node(node);
        if is_summary(index, node) {
            before.extend(since.drain(..));
        } else if row.is_message() {
            if before.contains(&row.print) {
                continue;
            }
            since.push(row.print);
        }
        kept.push(node);
    }
    kept
}

fn is_summary(index: &Index, node: u32) -> bool {
    let row = index.node(node);
    match row.kind {
        Kind::User(Said::Summary) => true,
        Kind::User(Said::Continuation) => match row.parent {
            Parent::Node(up) => index.node(up).kind == Kind::System(System::Boundary),
            Parent::Root | Parent::Missing => true,
        },
        Kind::User(_)
        | Kind::Assistant { .. }
        | Kind::System(_)
        | Kind::Attachment(_)
        | Kind::Progress => false,
    }
}

struct Build<'i> {
    index: &'i Index,
    rows: Vec<u32>,
    pairs: Pairs,
    /// The rows of each response, as (response, node), sorted.
    of_response: Vec<(u32, u32)>,
    /// Responses that have been written, and output rows that a command has taken.
    done: HashSet<u32>,
    taken: HashSet<usize>,
    plan: Plan,
    tally: Tally,
}

impl<'i> Build<'i> {
    fn new(index: &'i Index, rows: Vec<u32>) -> Self {
        let mut of_response: Vec<(u32, u32)> =
            rows.iter().map(|&node| (index.node(node).response, node)).collect();
        of_response.retain(|&(response, _)| response != NONE);
        of_response.sort_unstable();
        Self {
            index,
            pairs: Pairs::new(index, &rows),
            rows,
            of_response,
            done: HashSet::new(),
            taken: HashSet::new(),
            plan: Plan::default(),
            tally: Tally::default(),
        }
    }

    fn at(&self, place: usize) -> Option<&'i Node> {
        self.rows.get(place).map(|&node| self.index.node(node))
    }

    fn row(&mut self, place: usize) {
        let Some(node) = self.at(place) else { return };
        match node.kind {
            Kind::User(said) => self.user(place, node, said),
            Kind::Assistant { local } => self.assistant(place, node, local),
            Kind::System(system) => self.system(place, node, system),
            Kind::Attachment(attached) => self.attachment(place, node, attached),
            Kind::Progress => {}
        }
    }

    fn user(&mut self, place: usize, node: &Node, said: Said) {
        let row = node.span;
        self.orphans(place);
        if self.taken.contains(&place) {
            return;
        }
        self.tally.messages += 1;
        if is_summary(self.index, self.rows[place]) {
            self.plan.items.push(Item::Summary { row });
            return;
        }
        match said {
            Said::Nothing | Said::Summary => {}
            Said::Typed | Said::Continuation => self.prompt(place, row, Take::All),
            Said::Injected => self.injected(row, Take::All),
            Said::Mixed => {
                self.injected(row, Take::Injected);
                self.prompt(place, row, Take::Typed);
            }
            Said::Command => match self.output(place, false) {
                None => self.prompt(place, row, Take::Line),
                output => self.command(Some(row), output, false),
            },
            Said::Shell => {
                let output = self.output(place, true);
                self.command(Some(row), output, true);
            }
            Said::Output => self.command(None, Some(row), false),
            Said::ShellOutput => self.command(None, Some(row), true),
        }
    }

    fn orphans(&mut self, place: usize) {
        let node = self.rows[place];
        let row = self.index.node(node).span;
        for (block, part) in self.index.parts_of(node).iter().enumerate() {
            let Part::Result(call) = part else { continue };
            if self.pairs.is_orphan(*call, place as u32, block as u32) {
                self.plan.items.push(Item::Orphan { row, block: block as u32 });
            }
        }
    }

    fn prompt(&mut self, place: usize, row: Span, take: Take) {
        let files = self.files(place);
        self.count_prompt();
        self.plan.items.push(Item::User { row, take, meta: false, files });
    }

    fn count_prompt(&mut self) {
        self.tally.prompts += 1;
        self.tally.first_prompt.get_or_insert(self.plan.items.len() as u32);
    }

    fn injected(&mut self, row: Span, take: Take) {
        self.plan.items.push(Item::User { row, take, meta: true, files: 0..0 });
    }

    /// The files that the rows after a prompt name, up to the next message.
    fn files(&mut self, place: usize) -> Range<u32> {
        let from = self.plan.files.len() as u32;
        for at in place + 1..self.rows.len() {
            let Some(node) = self.at(at).filter(|node| !node.is_message()) else { break };
            if node.kind == Kind::Attachment(Attached::File) {
                self.plan.files.push(node.span);
            }
        }
        from..self.plan.files.len() as u32
    }

    fn command(&mut self, line: Option<Span>, output: Option<Span>, shell: bool) {
        self.plan.items.push(Item::Command { line, output, shell });
    }

    /// The row with what a command printed: the next row that says something.
    fn output(&mut self, place: usize, shell: bool) -> Option<Span> {
        for at in place + 1..self.rows.len() {
            let node = self.at(at)?;
            let is_output = match node.kind {
                Kind::User(said) if shell => said == Said::ShellOutput,
                Kind::User(said) => said == Said::Output,
                Kind::System(system) => system == System::Output && !shell,
                Kind::Attachment(_) | Kind::Progress => continue,
                Kind::Assistant { .. } => return None,
            };
            if is_output {
                self.taken.insert(at);
                return Some(node.span);
            }
            if node.is_message() || node.kind == Kind::System(System::Command) {
                return None;
            }
        }
        None
    }

    fn system(&mut self, place: usize, node: &Node, system: System) {
        let row = node.span;
        if system == System::Silent || self.taken.contains(&place) {
            return;
        }
        if system == System::Boundary && self.is_summarised(place) {
            return;
        }
        self.tally.messages += 1;
        match system {
            System::Silent => {}
            System::Boundary => self.plan.items.push(Item::Summary { row }),
            System::Text => self.plan.items.push(Item::System { row, meta: false }),
            System::Hook => self.plan.items.push(Item::System { row, meta: true }),
            System::Output => self.command(None, Some(row), false),
            System::Command => {
                let output = self.output(place, false);
                self.command(Some(row), output, false);
            }
        }
    }

    /// Whether the next message after a boundary is its summary.
    fn is_summarised(&self, place: usize) -> bool {
        let next = self.rows[place + 1..].iter().find(|&&n| self.index.node(n).is_message());
        next.is_some_and(|&node| is_summary(self.index, node))
    }

    fn attachment(&mut self, place: usize, node: &Node, attached: Attached) {
        let row = node.span;
        match attached {
            Attached::Prompt if !self.is_repeated(place, node) => {
                self.tally.messages += 1;
                self.count_prompt();
                self.plan.items.push(Item::Queued { row, meta: false });
            }
            Attached::Queued => {
                self.tally.messages += 1;
                self.plan.items.push(Item::Queued { row, meta: true });
            }
            Attached::Hook => {
                self.tally.messages += 1;
                self.plan.items.push(Item::Hook { row });
            }
            Attached::Prompt | Attached::File | Attached::Silent => {}
        }
    }

    /// Whether a user row repeats a queued prompt: by its id, or as the next message with its text.
    fn is_repeated(&self, place: usize, node: &Node) -> bool {
        if self.index.repeated_prompts.contains(&self.rows[place]) {
            return true;
        }
        let next = self.rows[place + 1..].iter().map(|&n| self.index.node(n));
        let next = next.into_iter().find(|node| node.is_message());
        next.is_some_and(|next| matches!(next.kind, Kind::User(_)) && next.said == node.said)
    }

    fn assistant(&mut self, place: usize, node: &Node, local: bool) {
        if node.response != NONE && self.done.insert(node.response) {
            self.tally.messages += 1;
            if !local {
                self.count_response(node.response);
            }
            self.response(node.response, local);
        }
        self.orphans(place);
    }

    fn count_response(&mut self, response: u32) {
        let response = self.index.responses[response as usize];
        if let Some(usage) = &response.usage {
            self.tally.usage.add(usage);
        }
        if response.model != NONE {
            self.tally.model = Some(response.model);
            if !self.tally.models.contains(&response.model) {
                self.tally.models.push(response.model);
            }
        }
    }

    /// Writes the entries of a response. Inside one, reasoning comes first, then text, then calls;
    /// a part that would step back opens the next.
    fn response(&mut self, response: u32, meta: bool) {
        let from = self.of_response.partition_point(|&(n, _)| n < response);
        let to = self.of_response.partition_point(|&(n, _)| n <= response);
        let mut entry = self.open_entry();
        let mut stage = 0;
        for at in from..to {
            let node = self.of_response[at].1;
            for (block, part) in self.index.parts_of(node).iter().enumerate() {
                let step = match part {
                    Part::Reasoning => 0,
                    Part::Text => 1,
                    Part::Call(_) => 2,
                    Part::Result(_) | Part::Picture | Part::Silent => continue,
                };
                if step < stage {
                    self.close_entry(entry, None, meta);
                    entry = self.open_entry();
                }
                stage = step;
                self.part(node, block as u32, *part, entry.0);
            }
        }
        self.close_entry(entry, Some(response), meta);
    }

    fn open_entry(&self) -> (u32, u32) {
        (self.plan.pieces.len() as u32, self.plan.answers.len() as u32)
    }

    fn close_entry(&mut self, (pieces, calls): (u32, u32), closes: Option<u32>, meta: bool) {
        let (pieces, calls) =
            (pieces..self.plan.pieces.len() as u32, calls..self.plan.answers.len() as u32);
        if !pieces.is_empty() {
            self.plan.items.push(Item::Assistant { pieces, calls, closes, meta });
        }
    }

    fn part(&mut self, node: u32, block: u32, part: Part, entry: u32) {
        let row = self.index.node(node).span;
        let open = self.plan.pieces.len() > entry as usize;
        let known = self.plan.pieces.last_mut().filter(|piece| open && piece.row == row);
        let piece = match known {
            Some(piece) => piece,
            None => {
                let new = Piece { row, from: block, to: block, head: false, calls: 0 };
                self.plan.pieces.push(new);
                // Just pushed, so the list has a last piece.
                let Some(piece) = self.plan.pieces.last_mut() else { return };
                piece
            }
        };
        piece.to = block + 1;
        if let Part::Call(call) = part {
            piece.calls += 1;
            let answer = self.pairs.answer(call).map(|node| self.index.node(node));
            let answer = answer.map(|node| Answer { row: node.span, twin: node.twin });
            self.plan.answers.push(answer);
        } else {
            piece.head = true;
        }
    }
}
