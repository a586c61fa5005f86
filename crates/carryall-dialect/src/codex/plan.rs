//! What the second pass reads, entry by entry: places of rows, and nothing of the texts.
//!
//! Every [`Item`] is one entry, so an entry's number is its place in the plan and reading may begin
//! anywhere.

use super::index::{Index, Kind, NONE, Node, Place, Settled, SummaryText};
use carryall_model::TokenUsage;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

/// One entry.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// What the model thought, said and called in one go.
    Assistant(Assistant),
    /// A prompt, or text in its place.
    User { row: Place, part: UserPart, meta: bool },
    /// What the host told the model.
    Instructions { row: Place },
    /// A line that a person ran in a shell of the host's.
    Shell { row: Place },
    /// A message of another role.
    Other { row: Place },
    /// A summary, and what the model thought when it wrote it: a part, by its number.
    Summary { row: Place, text: SummaryText, thought: u32 },
    /// A proposed plan.
    Plan { row: Place },
    /// An error or a warning.
    Problem { row: Place },
    /// An answer without its call.
    Orphan { row: Place },
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
    /// The model's word.
    pub(super) model: u32,
    /// Its tokens, by their number in [`Plan::usages`].
    pub(super) usage: u32,
    /// The word for why it stopped, when it was stopped.
    pub(super) stop: u32,
    turn: u32,
}

/// Which part of a user row an entry shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UserPart {
    All,
    /// What an editor knew.
    Context,
    /// What was typed behind that.
    Request,
}

/// A call, and the row with its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) row: Place,
    pub(super) answer: Option<Place>,
}

/// All entries of a conversation.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) items: Vec<Item>,
    pub(super) parts: Vec<Place>,
    pub(super) usages: Vec<TokenUsage>,
    pub(super) calls: Vec<Call>,
    /// Prompts that a person typed.
    pub(super) prompts: u64,
    /// The entry that is the first of them.
    pub(super) first_prompt: Option<u32>,
    /// The words of the models, in the order of their first use; and of the one used last.
    pub(super) models: Vec<u32>,
    pub(super) last_model: u32,
}

/// Turns the conversation into entries.
pub(super) fn build(index: &Index, settled: &Settled) -> Plan {
    let plan = Plan { last_model: NONE, ..Plan::default() };
    let answers = answers(index, &settled.order);
    let mut build = Build { index, answers, plan, open: None, models: HashSet::new() };
    for &number in &settled.order {
        build.node(number, &index.nodes[number as usize]);
    }
    build.close();
    build.plan
}

/// The answer to each call, and `None` for an answer that is none's. Ids may repeat: an answer
/// belongs to the first call with its id that has none.
fn answers(index: &Index, order: &[u32]) -> HashMap<u32, Option<Place>> {
    let mut waiting: HashMap<u32, VecDeque<u32>> = HashMap::new();
    let mut early: HashMap<u32, VecDeque<u32>> = HashMap::new();
    let mut answers = HashMap::new();
    let place = |node: u32| index.nodes[node as usize].place;
    for &number in order {
        match index.nodes[number as usize].kind {
            Kind::Call(id) => match early.get_mut(&id).and_then(VecDeque::pop_front) {
                Some(output) => {
                    answers.insert(number, Some(place(output)));
                    answers.remove(&output);
                }
                None => waiting.entry(id).or_default().push_back(number),
            },
            Kind::Output(id) => match waiting.get_mut(&id).and_then(VecDeque::pop_front) {
                Some(call) => {
                    answers.insert(call, Some(place(number)));
                }
                None => {
                    early.entry(id).or_default().push_back(number);
                    answers.insert(number, None);
                }
            },
            _ => {}
        }
    }
    answers
}

struct Build<'i> {
    index: &'i Index,
    answers: HashMap<u32, Option<Place>>,
    plan: Plan,
    /// The entry of the model that is being made.
    open: Option<Assistant>,
    models: HashSet<u32>,
}

/// So many entries are looked at for the one that a row about a response belongs to.
const LOOK_BACK: usize = 16;

/// The order inside of an entry; a part that would step back opens the next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Stage {
    Thought,
    Said,
    Called,
}

impl Build<'_> {
    fn node(&mut self, number: u32, node: &Node) {
        let row = node.place;
        let item = match node.kind {
            Kind::Thought => return self.part(node, Stage::Thought),
            Kind::Said => return self.part(node, Stage::Said),
            Kind::Call(_) => return self.call(number, node),
            Kind::Usage(usage) => return self.usage(node.turn, usage),
            Kind::Aborted(reason) => return self.stopped(node.turn, reason),
            Kind::RolledBack(_) | Kind::Elsewhere => return,
            Kind::Output(_) if !self.answers.contains_key(&number) => return,
            Kind::Output(_) => Item::Orphan { row },
            Kind::Prompt => return self.prompt(row, UserPart::All),
            Kind::EditorPrompt => {
                self.push(Item::User { row, part: UserPart::Context, meta: true });
                return self.prompt(row, UserPart::Request);
            }
            Kind::Injected => Item::User { row, part: UserPart::All, meta: true },
            Kind::Instructions => Item::Instructions { row },
            Kind::Shell => Item::Shell { row },
            Kind::Other | Kind::AgentMessage => Item::Other { row },
            Kind::Plan => Item::Plan { row },
            Kind::Problem => Item::Problem { row },
            Kind::Summary { text, thought } => {
                self.close();
                let node = self.index.nodes.get(thought as usize);
                let thought = node.map_or(NONE, |_| self.plan.parts.len() as u32);
                self.plan.parts.extend(node.map(|node| node.place));
                Item::Summary { row, text, thought }
            }
        };
        self.push(item);
    }

    fn push(&mut self, item: Item) {
        self.close();
        self.plan.items.push(item);
    }

    fn prompt(&mut self, row: Place, part: UserPart) {
        self.close();
        self.plan.prompts += 1;
        self.plan.first_prompt.get_or_insert(self.plan.items.len() as u32);
        self.plan.items.push(Item::User { row, part, meta: false });
    }

    /// The entry that a part belongs to: the open one, unless the part would step back in it.
    fn entry(&mut self, node: &Node, stage: Stage) -> &mut Assistant {
        let goes_on = self.open.as_ref().is_some_and(|open| {
            open.turn == node.turn && open.stage() <= stage && open.model == node.model
        });
        if !goes_on {
            self.close();
        }
        let (part, call) = (self.plan.parts.len() as u32, self.plan.calls.len() as u32);
        let (parts, calls) = (part..part, call..call);
        self.open.get_or_insert(Assistant {
            parts,
            said_from: NONE,
            calls,
            model: node.model,
            usage: NONE,
            stop: NONE,
            turn: node.turn,
        })
    }

    fn part(&mut self, node: &Node, stage: Stage) {
        let entry = self.entry(node, stage);
        if stage == Stage::Said && entry.said_from == NONE {
            entry.said_from = entry.parts.end;
        }
        entry.parts.end += 1;
        self.plan.parts.push(node.place);
    }

    fn call(&mut self, number: u32, node: &Node) {
        let answer = self.answers.get(&number).copied().flatten();
        self.entry(node, Stage::Called).calls.end += 1;
        self.plan.calls.push(Call { row: node.place, answer });
    }

    /// The model's last entry in a turn, when it is not far back.
    fn last(&mut self, turn: u32) -> Option<&mut Assistant> {
        let made = self.plan.items.iter_mut().rev().take(LOOK_BACK).filter_map(|item| match item {
            Item::Assistant(entry) => Some(entry),
            _ => None,
        });
        self.open.iter_mut().chain(made).find(|entry| entry.turn == turn)
    }

    fn usage(&mut self, turn: u32, number: u32) {
        let usage = self.index.usages[number as usize];
        let next = self.plan.usages.len() as u32;
        let Some(entry) = self.last(turn) else { return };
        let number = if entry.usage == NONE { next } else { entry.usage };
        entry.usage = number;
        match self.plan.usages.get_mut(number as usize) {
            Some(known) => known.add(&usage),
            None => self.plan.usages.push(usage),
        }
    }

    fn stopped(&mut self, turn: u32, reason: u32) {
        if let Some(entry) = self.last(turn) {
            entry.stop = reason;
        }
    }

    fn close(&mut self) {
        let Some(mut entry) = self.open.take() else { return };
        entry.said_from = entry.said_from.min(entry.parts.end);
        if entry.model != NONE {
            self.plan.last_model = entry.model;
            if self.models.insert(entry.model) {
                self.plan.models.push(entry.model);
            }
        }
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
