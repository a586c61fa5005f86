//! The subagents of a session that have files of their own, in a folder named for the session.
//!
//! Nothing in those files is known to name the call that started one, so none is linked to it.

use super::session::Session;
use super::store;
use crate::beside;
use cap_std::AmbientAuthority;
use carryall_model::{Child, FileId, Transcript};
use std::path::{Path, PathBuf};

/// The subagents of a session, in the order in which they were started.
#[derive(Debug, Default)]
pub(super) struct Agents {
    pub(super) children: Vec<Child>,
    paths: Vec<PathBuf>,
}

impl Agents {
    /// Looks for the subagents of the session in a file. A file that cannot be read is passed over.
    pub(super) fn find(session: &Path, authority: AmbientAuthority) -> Self {
        let files = store::agents_of(session).map(|folder| store::agents(&folder));
        let mut found: Vec<_> = files
            .unwrap_or_default()
            .into_iter()
            .filter_map(|(path, id)| {
                let agent = Session::open(&path, authority).ok()?;
                let facts = agent.facts();
                let child = Child {
                    id,
                    title: facts.title.clone(),
                    tool_call_id: None,
                    message_count: facts.message_count,
                };
                Some((facts.started_at.clone(), path, child))
            })
            .collect();
        found.sort_by(|(a, _, _), (b, _, _)| a.cmp(b));
        let (paths, children) = found.into_iter().map(|(_, path, child)| (path, child)).unzip();
        Self { children, paths }
    }

    /// The identities of their files.
    pub(super) fn files(&self) -> impl Iterator<Item = FileId> {
        self.paths.iter().filter_map(|path| beside::id(path))
    }

    /// The file of one of them.
    pub(super) fn path(&self, number: usize) -> Option<&Path> {
        self.paths.get(number).map(PathBuf::as_path)
    }
}
