//! What each row becomes, and which result answers which call.

use super::attachments;
use super::row::{Kind, Row};
use crate::title;
use carryall_model::Facts;
use std::collections::HashMap;
use std::ops::Range;

/// The tool that starts a subagent.
const SPAWN: &str = "spawn_agent";

/// The entries of a session, in order.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) items: Vec<Item>,
    /// What is known of each call, in the order of the calls.
    pub(super) answers: Vec<Answer>,
    /// The calls that started subagents.
    pub(super) spawns: Vec<Spawn>,
}

/// A row that is an entry.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) kind: Kind,
    /// Where the row stands.
    pub(super) row: Range<usize>,
    /// Its calls, among all answers.
    pub(super) calls: Range<usize>,
}

/// What is known of a call.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    /// The row with its result.
    pub(super) row: Option<Range<usize>>,
    /// No other call of the session has its id, so what is kept under the id is this call's.
    pub(super) is_unique: bool,
}

/// A call that started a subagent.
#[derive(Debug)]
pub(super) struct Spawn {
    pub(super) call: String,
    /// The first line of its result, in which coddy names the subagent.
    pub(super) said: String,
}

/// Gathers the plan and the facts, row by row.
#[derive(Debug, Default)]
pub(super) struct Planner {
    plan: Plan,
    facts: Facts,
    ids: HashMap<String, Id>,
}

/// What is known of a call id.
#[derive(Debug, Default)]
struct Id {
    /// The calls that have it.
    calls: Vec<usize>,
    /// Those without a result: the entry, and the call among all answers.
    open: Vec<(usize, usize)>,
    is_spawn: bool,
}

impl Planner {
    /// Takes the next row, which stands at `place`.
    pub(super) fn take(&mut self, row: &Row<'_>, place: Range<usize>) {
        let kind = row.kind();
        self.note(kind, row);
        match kind {
            Kind::Assistant if row.is_blank() => {}
            Kind::Assistant => self.assistant(row, place),
            Kind::Result if self.answer(row, &place) => {}
            Kind::Result
            | Kind::Summary
            | Kind::Plan
            | Kind::Wake
            | Kind::User
            | Kind::System
            | Kind::Other => {
                let end = self.plan.answers.len();
                self.plan.items.push(Item { kind, row: place, calls: end..end });
            }
        }
    }

    /// The plan, and what the rows tell of the session.
    pub(super) fn finish(mut self) -> (Plan, Facts) {
        for id in self.ids.values().filter(|id| id.calls.len() > 1) {
            for &call in &id.calls {
                self.plan.answers[call].is_unique = false;
            }
        }
        (self.plan, self.facts)
    }

    fn note(&mut self, kind: Kind, row: &Row<'_>) {
        let facts = &mut self.facts;
        facts.message_count += 1;
        if let Some(time) = row.created_at.said() {
            facts.started_at.get_or_insert_with(|| time.to_owned());
            facts.ended_at = Some(time.to_owned());
        }
        if let (Kind::Assistant | Kind::Summary, Some(model)) = (kind, row.model.said()) {
            if !facts.models.iter().any(|known| known == model) {
                facts.models.push(model.to_owned());
            }
            facts.model = Some(model.to_owned());
        }
        if kind == Kind::User {
            facts.user_turns += 1;
            if facts.title.is_none() {
                facts.title = title::of_prompt(&attachments::split(row.content.get()).text);
            }
        }
    }

    fn assistant(&mut self, row: &Row<'_>, place: Range<usize>) {
        let (item, first) = (self.plan.items.len(), self.plan.answers.len());
        for call in row.tool_calls.iter() {
            let answer = self.plan.answers.len();
            self.plan.answers.push(Answer { row: None, is_unique: true });
            let id = self.ids.entry(call.id.get().to_owned()).or_default();
            id.calls.push(answer);
            id.open.push((item, answer));
            id.is_spawn = call.name.get() == SPAWN;
        }
        let calls = first..self.plan.answers.len();
        self.plan.items.push(Item { kind: Kind::Assistant, row: place, calls });
    }

    /// Gives a result to the call that it answers: of those before it with its id and without a
    /// result, the first of the nearest message.
    fn answer(&mut self, row: &Row<'_>, place: &Range<usize>) -> bool {
        let Some(id) = self.ids.get_mut(row.tool_call_id.get()) else { return false };
        let Some(&(nearest, _)) = id.open.last() else { return false };
        let Some(at) = id.open.iter().position(|&(item, _)| item == nearest) else { return false };
        let (_, answer) = id.open.remove(at);
        self.plan.answers[answer].row = Some(place.clone());
        if id.is_spawn {
            let said = row.content.get().lines().next().unwrap_or("").to_owned();
            self.plan.spawns.push(Spawn { call: row.tool_call_id.get().to_owned(), said });
        }
        true
    }
}
