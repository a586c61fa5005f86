//! What is known of a thread as a whole.

use super::files::Files;
use super::index::{Index, NONE};
use super::lineage::Means;
use super::meta::Meta;
use super::plan::{Item, Plan};
use super::replay::{Reading, replay};
use super::{NAME, names, store};
use crate::title;
use carryall_model::{Facts, Policy, Source};
use std::collections::HashMap;

/// How many prompts are looked at for one with a text.
const PROMPTS: usize = 16;

/// The facts; the counts of other branches and damage are the caller's.
pub(super) fn gather(
    files: &Files,
    meta: &Meta,
    index: &Index,
    plan: &Plan,
    means: Means,
) -> Facts {
    let path = files.own().path();
    let named = path.file_name().and_then(store::thread_id);
    let stem = || path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let id = Some(meta.id.clone()).filter(|id| !id.is_empty()).or(named).unwrap_or_else(stem);
    let name = names::name_of(&id, path, means.authority).or_else(|| index.name.clone());
    let name = name.map(|name| title::one_line(&name)).filter(|name| !name.is_empty());
    let word = |number: u32| index.word(number).map(str::to_owned);
    Facts {
        title: name.or_else(|| first_prompt(files, index, plan)),
        cwd: meta.cwd.clone().or_else(|| index.cwd.clone()),
        git_branch: meta.branch.clone(),
        git_commit: meta.commit.clone(),
        git_origin_url: meta.origin.clone(),
        model: (plan.last_model != NONE).then(|| word(plan.last_model)).flatten(),
        models: plan.models.iter().filter_map(|&model| word(model)).collect(),
        started_at: meta.timestamp.clone().or_else(|| index.started_at.clone()),
        ended_at: index.ended_at.clone(),
        parent_id: meta.parent.clone().or_else(|| meta.forked_from.clone()),
        message_count: plan.items.len() as u64,
        user_turns: plan.prompts,
        token_usage: index.total,
        source: Source {
            agent: Some(NAME.to_owned()),
            agent_version: meta.version.clone(),
            path: Some(path.to_string_lossy().into_owned()),
        },
        policy: policy(index),
        id,
        ..Facts::default()
    }
}

fn policy(index: &Index) -> Option<Policy> {
    let policy = Policy { approval: index.approval.clone(), sandbox: index.sandbox.clone() };
    (policy != Policy::default()).then_some(policy)
}

fn first_prompt(files: &Files, index: &Index, plan: &Plan) -> Option<String> {
    let started = HashMap::new();
    let reading = Reading { files, words: &index.words, started: &started };
    let prompts = plan.items.iter().enumerate().skip(plan.first_prompt? as usize);
    let prompts = prompts.filter(|(_, item)| matches!(item, Item::User { meta: false, .. }));
    prompts.take(PROMPTS).find_map(|(at, _)| {
        let mut text = title::Beginning::default();
        replay(&reading, plan, at as u32..at as u32 + 1, &mut text).ok()?;
        text.title()
    })
}
