//! What is known of a session as a whole.

use super::agents::Started;
use super::index::{Index, Response};
use super::plan::{Item, Plan, Tally};
use super::replay::{Reading, replay};
use super::row::Envelope;
use super::spill::Spills;
use super::{NAME, store};
use crate::rows;
use crate::source::{Source, Span};
use crate::title;
use carryall_model::{Facts, Policy};

/// How many prompts are looked at for one with a text.
const PROMPTS: usize = 16;

/// How many rows at either end are looked at for a fact.
const ROWS: usize = 32;

/// What the facts are gathered from.
pub(super) struct Gathered<'g> {
    pub(super) source: &'g Source,
    pub(super) index: &'g Index,
    pub(super) responses: &'g [Response],
    pub(super) spills: &'g Spills,
    pub(super) rows: &'g [u32],
    pub(super) plan: &'g Plan,
    pub(super) tally: &'g Tally,
    pub(super) is_side: bool,
}

impl Gathered<'_> {
    /// The facts of the conversation; the counts of other branches and damage are the caller's.
    pub(super) fn facts(&self) -> Facts {
        let tally = self.tally;
        let word = |n: u32| self.index.word(n).map(str::to_owned);
        let mut facts = Facts {
            title: self.title(),
            model: tally.model.and_then(word),
            models: tally.models.iter().filter_map(|&n| word(n)).collect(),
            message_count: tally.messages,
            user_turns: tally.prompts,
            cost_usd: self.index.cost_usd.filter(|_| !self.is_side),
            token_usage: Some(tally.usage).filter(|usage| !usage.is_zero()),
            ..Facts::default()
        };
        facts.policy = self
            .index
            .permission_mode
            .clone()
            .map(|mode| Policy { approval: Some(mode), ..Policy::default() });
        facts.source.agent = Some(NAME.to_owned());
        facts.source.path = Some(self.source.path().to_string_lossy().into_owned());
        self.repeated(&mut facts);
        facts
    }

    fn span(&self, row: u32) -> Span {
        self.index.node(row).span
    }

    /// What every row repeats: of the first row that has it, or of the last.
    fn repeated(&self, facts: &mut Facts) {
        let mut session = None;
        for &row in self.rows.iter().take(ROWS) {
            self.envelope(self.span(row), |row| {
                keep(&mut facts.started_at, row.timestamp.filled());
                keep(&mut facts.cwd, row.cwd.filled());
                let origin = row.forked_from.0.as_ref();
                keep(&mut facts.parent_id, origin.and_then(|from| from.session_id.filled()));
            });
            if facts.started_at.is_some() && facts.cwd.is_some() {
                break;
            }
        }
        for &row in self.rows.iter().rev().take(ROWS) {
            self.envelope(self.span(row), |row| {
                keep(&mut facts.ended_at, row.timestamp.filled());
                keep(&mut facts.git_branch, row.git_branch.filled());
                keep(&mut facts.source.agent_version, row.version.filled());
                keep(&mut session, row.session_id.filled());
            });
            if facts.ended_at.is_some() && facts.git_branch.is_some() && session.is_some() {
                break;
            }
        }
        self.ids(facts, session.or_else(|| self.index.session_id.clone()));
    }

    /// A file is named by its session. An agent's rows name the session that it worked for.
    fn ids(&self, facts: &mut Facts, session: Option<String>) {
        let path = self.source.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if self.is_side && store::agent_id(path).is_some() {
            let parent = session.map(|id| id.split('#').next().unwrap_or("").to_owned());
            facts.parent_id = parent.filter(|id| !id.is_empty());
            facts.id = stem;
        } else if store::is_uuid(&stem) {
            facts.id = stem;
        } else {
            facts.id = session.unwrap_or(stem);
        }
    }

    fn envelope(&self, span: Span, each: impl FnOnce(Envelope<'_>)) {
        let (mut row, mut repaired) = (Vec::new(), Vec::new());
        let Ok(bytes) = self.source.read_span(span, &mut row) else { return };
        if let Ok(parsed) = rows::parse(bytes, &mut repaired) {
            each(parsed.value);
        }
    }

    fn title(&self) -> Option<String> {
        let titles = &self.index.titles;
        let given =
            titles.custom.as_ref().or(titles.generated.as_ref()).or(titles.summary.as_ref());
        let given = given.filter(|_| !self.is_side).map(|given| title::one_line(given));
        given.filter(|title| !title.is_empty()).or_else(|| self.first_prompt())
    }

    fn first_prompt(&self) -> Option<String> {
        let first = self.tally.first_prompt?;
        let is_prompt = |item: &Item| {
            matches!(item, Item::User { meta: false, .. } | Item::Queued { meta: false, .. })
        };
        let items = self.plan.items.iter().enumerate().skip(first as usize);
        let prompts = items.filter(|(_, item)| is_prompt(item)).take(PROMPTS);
        prompts.map(|(at, _)| at as u32).find_map(|at| self.prompt(at))
    }

    fn prompt(&self, at: u32) -> Option<String> {
        let reading = Reading {
            source: self.source,
            responses: self.responses,
            words: &self.index.words,
            spills: self.spills,
            started: &Started::default(),
        };
        let mut text = title::Beginning::default();
        replay(&reading, self.plan, at..at + 1, &mut text).ok()?;
        text.title()
    }
}

fn keep(fact: &mut Option<String>, value: Option<&str>) {
    if fact.is_none() {
        *fact = value.map(str::to_owned);
    }
}
