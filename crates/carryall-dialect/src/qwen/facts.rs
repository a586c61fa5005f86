//! What is known of a session as a whole.

use super::index::{Index, NONE};
use super::plan::{Item, Plan, UserPart};
use super::record::Record;
use super::replay::{Reading, replay};
use super::{NAME, store};
use crate::rows;
use crate::source::{Source, Span};
use crate::title;
use carryall_model::Facts;

/// How many prompts are looked at for one with a text.
const PROMPTS: usize = 16;

/// How many records at either end are looked at for a fact.
const ROWS: usize = 32;

/// The facts; the counts of other branches and damage are the caller's.
pub(super) fn gather(source: &Source, index: &Index, nodes: &[u32], plan: &Plan) -> Facts {
    let word = |number: u32| index.word(number).map(str::to_owned);
    let mut facts = Facts {
        title: given(index).or_else(|| first_prompt(Reading { source, index, plan })),
        cwd: index.cwd.clone(),
        model: (plan.last_model != NONE).then(|| word(plan.last_model)).flatten(),
        models: plan.models.iter().filter_map(|&model| word(model)).collect(),
        message_count: plan.messages,
        user_turns: plan.prompts,
        token_usage: Some(plan.usage).filter(|usage| !usage.is_zero()),
        source: carryall_model::Source {
            agent: Some(NAME.to_owned()),
            agent_version: None,
            path: Some(source.path().to_string_lossy().into_owned()),
        },
        ..Facts::default()
    };
    repeated(&mut facts, source, index, nodes);
    ids(&mut facts, source, index);
    facts
}

/// What every record repeats: of the first record that has it, or of the last.
fn repeated(facts: &mut Facts, source: &Source, index: &Index, nodes: &[u32]) {
    let spans = |node: &u32| index.first(*node).span;
    for span in nodes.iter().take(ROWS).map(spans) {
        if facts.started_at.is_some() {
            break;
        }
        read(source, span, |record| keep(&mut facts.started_at, record.timestamp.filled()));
    }
    for span in nodes.iter().rev().take(ROWS).map(spans) {
        read(source, span, |record| {
            keep(&mut facts.ended_at, record.timestamp.filled());
            keep(&mut facts.git_branch, record.git_branch.filled());
            keep(&mut facts.source.agent_version, record.version.filled());
        });
        if facts.ended_at.is_some() && facts.git_branch.is_some() {
            break;
        }
    }
}

fn read(source: &Source, span: Span, each: impl FnOnce(&Record<'_>)) {
    let (mut row, mut repaired) = (Vec::new(), Vec::new());
    let Ok(bytes) = source.read_span(span, &mut row) else { return };
    if let Ok(parsed) = rows::parse(bytes, &mut repaired) {
        each(&parsed.value);
    }
}

/// A file is named by its session. A subagent's records name the session that it worked for.
fn ids(facts: &mut Facts, source: &Source, index: &Index) {
    let path = source.path();
    let recorded = index.session_id.clone();
    facts.parent_id = index.forked_from.clone();
    if let Some(agent) = store::agent_id(path).filter(|_| index.is_side) {
        facts.parent_id = recorded;
        facts.id = agent;
        return;
    }
    let stem = || path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    facts.id = store::session_id(path).or(recorded).unwrap_or_else(stem);
}

fn given(index: &Index) -> Option<String> {
    let given = index.titles.manual.as_ref().or(index.titles.auto.as_ref());
    given.map(|given| title::one_line(given)).filter(|title| !title.is_empty())
}

fn first_prompt(reading: Reading<'_>) -> Option<String> {
    let is_prompt = |item: &Item| matches!(item, Item::User { part: UserPart::Typed, .. });
    let prompts = reading.plan.items.iter().enumerate().filter(|(_, item)| is_prompt(item));
    prompts.take(PROMPTS).find_map(|(at, _)| {
        let mut text = title::Beginning::default();
        replay(reading, at as u32..at as u32 + 1, &mut text).ok()?;
        text.title()
    })
}

fn keep(fact: &mut Option<String>, value: Option<&str>) {
    if fact.is_none() {
        *fact = value.map(str::to_owned);
    }
}
