//! What is known of a session as a whole.

use super::index::{Index, NONE};
use super::known::What;
use super::plan::{Item, Plan};
use super::replay::replay;
use super::{NAME, store};
use crate::source::Source;
use crate::title;
use carryall_model::Facts;
use std::path::Path;

/// How many prompts are looked at for one with a text.
const PROMPTS: usize = 16;

/// The facts; the counts of other branches and damage are the caller's.
pub(super) fn gather(source: &Source, index: &Index, path: &[u32], plan: &Plan) -> Facts {
    let file = source.path();
    let header = index.header.as_ref();
    let stem = || file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let named = || store::session_id(file).map(str::to_owned);
    let name = index.name.as_deref().map(title::one_line).filter(|name| !name.is_empty());
    let word = |number: u32| index.word(number).map(str::to_owned);
    Facts {
        id: header.and_then(|header| header.id.clone()).or_else(named).unwrap_or_else(stem),
        title: name.or_else(|| first_prompt(source, index, plan)),
        cwd: header.and_then(|header| header.cwd.clone()),
        model: word(plan.last_model).or_else(|| set_model(index, path)),
        models: plan.models.iter().filter_map(|&model| word(model)).collect(),
        started_at: header.and_then(|header| header.timestamp.clone()),
        ended_at: index.ended_at.clone(),
        parent_id: header.and_then(|header| header.parent.as_deref()).map(session_of),
        message_count: plan.messages,
        user_turns: plan.prompts,
        token_usage: plan.tokens,
        cost_usd: plan.cost.filter(|&cost| cost > 0.0).map(rounded),
        source: carryall_model::Source {
            agent: Some(NAME.to_owned()),
            agent_version: None,
            path: Some(file.to_string_lossy().into_owned()),
        },
        ..Facts::default()
    }
}

/// The model that was set last, where none has answered.
fn set_model(index: &Index, path: &[u32]) -> Option<String> {
    let set = path.iter().rev().map(|&node| index.nodes[node as usize].model);
    let set = set.into_iter().find(|&model| model != NONE);
    let set = set.and_then(|model| index.word(model)).map(str::to_owned);
    set.or_else(|| index.header.as_ref()?.model.clone())
}

/// The session that a file is of, by the path that another one names it with.
fn session_of(path: &str) -> String {
    let path = Path::new(path);
    let id = store::session_id(path).map(str::to_owned);
    id.unwrap_or_else(|| path.file_stem().unwrap_or_default().to_string_lossy().into_owned())
}

/// Without what only the adding of many small numbers put behind it.
fn rounded(cost: f64) -> f64 {
    const PARTS: f64 = 1e9;
    (cost * PARTS).round() / PARTS
}

fn first_prompt(source: &Source, index: &Index, plan: &Plan) -> Option<String> {
    let items = plan.items.iter().enumerate().skip(plan.first_prompt? as usize);
    let prompts = items.filter(|(_, item)| matches!(item, Item::Row { what: What::User, .. }));
    prompts.take(PROMPTS).find_map(|(at, _)| {
        let mut text = title::Beginning::default();
        replay(source, index, plan, at as u32..at as u32 + 1, &mut text).ok()?;
        text.title()
    })
}
