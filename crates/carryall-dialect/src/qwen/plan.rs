//! What the second pass reads, entry by entry: numbers of rows and of their parts.
//!
//! Every [`Item`] is one entry, so an entry's number is its place in the plan and reading may begin
//! anywhere.

use super::index::{Index, Kind, NONE, Row};
use super::known::What;
use carryall_model::TokenUsage;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

/// One entry.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// What the model thought, said and called in one go.
    Assistant(Assistant),
    /// A prompt, or text in its place.
    User { row: u32, part: UserPart },
    /// A command that the host answered.
    Command { row: u32, answer: u32 },
    /// The summary of a compaction.
    Summary { row: u32 },
    /// An answer without its call.
    Orphan(Place),
}

/// Which part of a message in a person's place an entry shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UserPart {
    /// What was typed.
    Typed,
    /// What the host added to it.
    Added,
    /// All of a message that nobody typed.
    Injected,
}

/// A part of a message: its row, and its number in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) row: u32,
    pub(super) at: u32,
}

/// Parts of one response.
#[derive(Clone, Debug)]
pub(super) struct Assistant {
    /// Reasoning, then texts, of [`Plan::parts`].
    pub(super) parts: Range<u32>,
    /// Where among them the texts begin.
    pub(super) said_from: u32,
    /// The calls, of [`Plan::calls`].
    pub(super) calls: Range<u32>,
    /// The row it begins in.
    pub(super) row: u32,
    /// The model's word.
    pub(super) model: u32,
    /// Its tokens, by their number in the index.
    pub(super) usage: u32,
}

/// A call, and its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) place: Place,
    pub(super) answer: Option<Place>,
}

/// All entries of a conversation.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) items: Vec<Item>,
    pub(super) parts: Vec<Place>,
    pub(super) calls: Vec<Call>,
    /// Prompts that a person typed.
    pub(super) prompts: u64,
    /// Message records.
    pub(super) messages: u64,
    /// The words of the models, in the order of their first use; and of the one used last.
    pub(super) models: Vec<u32>,
    pub(super) last_model: u32,
    pub(super) usage: TokenUsage,
}

/// Turns the conversation into entries.
pub(super) fn build(index: &Index, nodes: &[u32]) -> Plan {
    let plan = Plan { last_model: NONE, ..Plan::default() };
    let mut build = Build { index, plan, open: None, answers: answers(index, nodes) };
    for &node in nodes {
        build.node(node);
    }
    build.plan
}

/// The answers of a conversation: to each call, and those that are none's.
#[derive(Default)]
struct Answers {
    of: HashMap<(u32, u32), Place>,
    orphans: HashSet<Place>,
}

/// An answer belongs to the first call with its id that has none; some providers write no ids, and
/// there it belongs to the first call of its tool.
fn answers(index: &Index, nodes: &[u32]) -> Answers {
    let mut by_id: HashMap<u32, VecDeque<Place>> = HashMap::new();
    let mut by_name: HashMap<u32, VecDeque<Place>> = HashMap::new();
    let mut answers = Answers::default();
    for row in nodes.iter().flat_map(|&node| index.rows_of(node)) {
        for piece in index.parts_of(&index.rows[row as usize]) {
            let place = Place { row, at: piece.at };
            match piece.kind {
                Kind::Call(NONE, name) => by_name.entry(name).or_default().push_back(place),
                Kind::Call(id, _) => by_id.entry(id).or_default().push_back(place),
                Kind::Output(id, name) => {
                    let call = by_id.get_mut(&id).and_then(VecDeque::pop_front);
                    let by_name = || by_name.get_mut(&name).and_then(VecDeque::pop_front);
                    match call.or_else(by_name) {
                        Some(call) => drop(answers.of.insert((call.row, call.at), place)),
                        None => drop(answers.orphans.insert(place)),
                    }
                }
                Kind::Thought | Kind::Said | Kind::File | Kind::Silent => {}
            }
        }
    }
    answers
}

struct Build<'i> {
    index: &'i Index,
    plan: Plan,
    /// The entry of the model that is being made.
    open: Option<Assistant>,
    answers: Answers,
}

/// The order inside of an entry; a part that would step back opens the next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Stage {
    Thought,
    Said,
    Called,
}

impl Build<'_> {
    fn node(&mut self, node: u32) {
        let index = self.index;
        let is_message = index.first(node).what.is_message();
        self.plan.messages += u64::from(is_message);
        let mut usage = NONE;
        for number in index.rows_of(node) {
            let row = &index.rows[number as usize];
            self.row(number, row);
            usage = if row.usage == NONE { usage } else { row.usage };
        }
        self.close(usage);
    }

    fn row(&mut self, number: u32, row: &Row) {
        match row.what {
            What::Assistant => self.response(number, row),
            What::Results => self.orphans(number, row),
            What::Prompt => {
                self.plan.prompts += u64::from(row.says.typed);
                self.user(number, row.says.typed, UserPart::Typed);
                self.user(number, row.says.added, UserPart::Added);
            }
            What::Injected | What::UnknownUser => {
                self.user(number, row.says.added, UserPart::Injected);
            }
            What::Invoked => self.command(number, row, NONE),
            What::Answered => self.answered(number, row),
            What::Compaction => self.plan.items.push(Item::Summary { row: number }),
            What::Rewind
            | What::Title
            | What::Facts
            | What::LeftOut(_)
            | What::Outside(_)
            | What::Unknown => {}
        }
    }

    fn user(&mut self, row: u32, says: bool, part: UserPart) {
        if says {
            self.plan.items.push(Item::User { row, part });
        }
    }

    /// A command takes the place of the prompt that the host made of it before it knew.
    fn command(&mut self, number: u32, row: &Row, answer: u32) {
        if let Some(&Item::User { row: echo, part: UserPart::Typed }) = self.plan.items.last()
            && self.index.rows[echo as usize].says.print == row.says.print
        {
            self.plan.items.pop();
            self.plan.prompts -= 1;
            self.plan.messages -= 1;
        }
        self.plan.items.push(Item::Command { row: number, answer });
    }

    fn answered(&mut self, number: u32, row: &Row) {
        let index = self.index;
        let is_its = |item: &&mut Item| match item {
            Item::Command { row: asked, answer: NONE } => {
                index.rows[*asked as usize].says.print == row.says.print
            }
            _ => false,
        };
        match self.plan.items.iter_mut().rev().take(2).find(is_its) {
            Some(Item::Command { answer, .. }) => {
                *answer = number;
                self.plan.messages -= 1;
            }
            _ => self.command(number, row, number),
        }
    }

    fn orphans(&mut self, number: u32, row: &Row) {
        for piece in self.index.parts_of(row) {
            let place = Place { row: number, at: piece.at };
            if matches!(piece.kind, Kind::Output(..)) && self.answers.orphans.contains(&place) {
                self.plan.items.push(Item::Orphan(place));
            }
        }
    }

    fn response(&mut self, number: u32, row: &Row) {
        if row.model != NONE {
            self.plan.last_model = row.model;
            if !self.plan.models.contains(&row.model) {
                self.plan.models.push(row.model);
            }
        }
        for piece in self.index.parts_of(row) {
            let place = Place { row: number, at: piece.at };
            match piece.kind {
                Kind::Thought => self.part(place, row, Stage::Thought),
                Kind::Said => self.part(place, row, Stage::Said),
                Kind::Call(..) => {
                    let answer = self.answers.of.get(&(number, piece.at)).copied();
                    self.entry(number, row, Stage::Called).calls.end += 1;
                    self.plan.calls.push(Call { place, answer });
                }
                // A file of the model's own is an attachment of the text it stands beside.
                Kind::File => self.part(place, row, Stage::Said),
                Kind::Output(..) | Kind::Silent => {}
            }
        }
    }

    /// The entry that a part belongs to: the open one, unless the part would step back in it.
    fn entry(&mut self, number: u32, row: &Row, stage: Stage) -> &mut Assistant {
        if self.open.as_ref().is_some_and(|open| open.stage() > stage) {
            self.close(NONE);
        }
        let (part, call) = (self.plan.parts.len() as u32, self.plan.calls.len() as u32);
        let (parts, calls) = (part..part, call..call);
        let (said_from, usage) = (NONE, NONE);
        let (row, model) = (number, row.model);
        self.open.get_or_insert(Assistant { parts, said_from, calls, row, model, usage })
    }

    fn part(&mut self, place: Place, row: &Row, stage: Stage) {
        let entry = self.entry(place.row, row, stage);
        if stage == Stage::Said && entry.said_from == NONE {
            entry.said_from = entry.parts.end;
        }
        entry.parts.end += 1;
        self.plan.parts.push(place);
    }

    /// Ends an entry; the tokens stand on the last one of a response.
    fn close(&mut self, usage: u32) {
        if let Some(usage) = self.index.usages.get(usage as usize) {
            self.plan.usage.add(usage);
        }
        let Some(mut entry) = self.open.take() else { return };
        entry.said_from = entry.said_from.min(entry.parts.end);
        entry.usage = usage;
        self.plan.items.push(Item::Assistant(entry));
    }
}

impl Assistant {
    fn stage(&self) -> Stage {
        match (self.calls.is_empty(), self.said_from) {
            (false, _) => Stage::Called,
            (true, NONE) => Stage::Thought,
            (true, _) => Stage::Said,
        }
    }
}
