//! The subagents of a thread: threads with files of their own that name it as their parent.

use super::files::{Buffer, Files};
use super::lineage::Means;
use super::output::{Output, spawned};
use super::plan::Plan;
use super::session::Session;
use super::store;
use carryall_model::{Child, OpenError, Transcript};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The subagents of one thread, in the order in which they were started.
#[derive(Debug, Default)]
pub(super) struct Agents {
    pub(super) children: Vec<Child>,
    pub(super) files: Vec<PathBuf>,
    /// The thread that each call started, by the call's id.
    pub(super) started: HashMap<String, String>,
}

impl Agents {
    /// Opens one of them.
    pub(super) fn open(&self, number: usize, means: Means) -> Result<Session, OpenError> {
        let path = self.files.get(number).ok_or(OpenError::NoSuchChild { number })?;
        Session::open(path, means)
    }
}

/// Finds the subagents of a thread that has called tools that start some.
pub(super) fn find(session: &Session) -> Agents {
    let mut agents = Agents { started: calls(&session.files, &session.plan), ..Agents::default() };
    let own = session.files.own().path();
    for path in candidates(own, &agents.started) {
        let meta = session.means.facts(&path);
        let is_child = |parent: &String| *parent == session.facts().id;
        let Some(meta) = meta.filter(|meta| meta.parent.as_ref().is_some_and(is_child)) else {
            continue;
        };
        let opened = Session::open(&path, session.means).ok();
        let facts = opened.as_ref().map(|child| child.facts());
        let by = agents.started.iter().find(|(_, thread)| **thread == meta.id);
        agents.children.push(Child {
            tool_call_id: by.map(|(call, _)| call.clone()),
            title: facts.and_then(|facts| facts.title.clone()).or(meta.nickname),
            message_count: facts.map_or(0, |facts| facts.message_count),
            id: meta.id,
        });
        agents.files.push(path);
    }
    let known: Vec<&String> = agents.children.iter().map(|child| &child.id).collect();
    agents.started.retain(|_, thread| known.contains(&&*thread));
    agents
}

/// The threads that calls say they have started.
fn calls(files: &Files, plan: &Plan) -> HashMap<String, String> {
    let (mut first, mut second) = (Buffer::default(), Buffer::default());
    let mut started = HashMap::new();
    for call in &plan.calls {
        let Some(answer) = call.answer else { continue };
        let Ok(record) = files.read(call.row, &mut first) else { continue };
        let payload = &record.value.payload;
        if !payload.name.get().is_some_and(|name| name.contains("spawn")) {
            continue;
        }
        let Ok(answer) = files.read(answer, &mut second) else { continue };
        let thread = spawned(Output::of(&answer.value.payload).text());
        started.extend(payload.call_id.filled().map(str::to_owned).zip(thread));
    }
    started
}

/// The rollouts that may be those of subagents: they began after this one. Names begin with the
/// time, so nothing older is opened.
fn candidates(own: &Path, started: &HashMap<String, String>) -> Vec<PathBuf> {
    let Some(name) = own.file_name() else { return Vec::new() };
    let Some(place) = store::home_of(own).or(own.parent()) else { return Vec::new() };
    let mut candidates = Vec::new();
    let _ = store::list(place, &mut |listed| {
        let later = listed.path.file_name().is_some_and(|other| other > name);
        if listed.path != own && (later || started.values().any(|id| *id == listed.id)) {
            candidates.push(listed.path);
        }
    });
    candidates.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
    candidates
}
