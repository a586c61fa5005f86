//! The subagents of a session: sessions in folders of their own below it.

use super::bundle::Bundle;
use super::plan::Spawn;
use super::session::Session;
use super::store;
use carryall_model::{Child, OpenError, Transcript};
use std::collections::HashMap;
use std::path::PathBuf;

/// The subagents of one session, in the order in which they were started.
#[derive(Debug, Default)]
pub(super) struct Agents {
    pub(super) children: Vec<Child>,
    folders: Vec<PathBuf>,
    /// The id of the subagent that a call started, by the call's id.
    pub(super) started: HashMap<String, String>,
}

impl Agents {
    /// Finds the subagents of a session.
    pub(super) fn of(session: &Session) -> Self {
        let found = store::subagents(&session.bundle.folder).into_iter();
        let mut agents: Vec<_> = found.map(|(name, folder)| look(session, name, folder)).collect();
        agents.sort_by(|a, b| a.order().cmp(&b.order()));
        let started = agents
            .iter()
            .filter_map(|agent| Some((agent.child.tool_call_id.clone()?, agent.child.id.clone())));
        Self {
            started: started.collect(),
            folders: agents.iter().map(|agent| agent.folder.clone()).collect(),
            children: agents.into_iter().map(|agent| agent.child).collect(),
        }
    }

    /// Opens one of them. One whose rows cannot be read opens all the same and says so: it must not
    /// keep its parent from being exported.
    pub(super) fn open(&self, number: usize, parent: &Session) -> Result<Session, OpenError> {
        let folder = self.folders.get(number).ok_or(OpenError::NoSuchChild { number })?;
        Ok(Session::open_child(Bundle::open(folder, parent.bundle.authority)?, parent))
    }
}

/// A subagent that was found.
struct Agent {
    child: Child,
    folder: PathBuf,
    started_at: Option<String>,
}

impl Agent {
    fn order(&self) -> (bool, Option<&str>, &str) {
        (self.started_at.is_none(), self.started_at.as_deref(), &self.child.id)
    }
}

fn look(parent: &Session, name: String, folder: PathBuf) -> Agent {
    let Ok(bundle) = Bundle::open(&folder, parent.bundle.authority) else {
        return Agent { child: Child { id: name, ..Child::default() }, folder, started_at: None };
    };
    let session = Session::open_child(bundle, parent);
    let (facts, meta) = (session.facts(), &session.bundle.meta);
    let child = Child {
        id: facts.id.clone(),
        title: facts.title.clone(),
        tool_call_id: call_of(&parent.plan.spawns, &facts.id, meta.task_id.as_deref()),
        message_count: facts.message_count,
    };
    let started_at = facts.started_at.clone().or_else(|| meta.created_at.clone());
    Agent { child, folder, started_at }
}

/// The call that started a subagent, when there is one and only one that may have: its result names
/// the subagent's session, or else the background task that ran it.
fn call_of(spawns: &[Spawn], id: &str, task: Option<&str>) -> Option<String> {
    [Some(id), task].into_iter().flatten().find_map(|key| {
        let mut calls = spawns.iter().filter(|spawn| names(&spawn.said, key));
        let only = calls.next().filter(|_| calls.next().is_none());
        only.map(|spawn| spawn.call.clone())
    })
}

/// Whether a line holds an id as a word of its own.
fn names(line: &str, id: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    line.split(|c| !is_part(c)).any(|word| word == id)
}
