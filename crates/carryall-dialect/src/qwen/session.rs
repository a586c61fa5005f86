//! An open session: its facts, its plan, and the file that both come from.

use super::agents::Agents;
use super::chain::{self, Conversation};
use super::index::{Index, scan};
use super::plan::{self, Plan};
use super::replay::{Reading, replay};
use super::{NAME, facts};
use crate::source::Source;
use cap_std::AmbientAuthority;
use carryall_model::{
    Child, EntrySink, Facts, FileId, Found, Notice, NoticeKind, Notices, OpenError, ReplayError,
    Transcript,
};
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

/// An open session.
pub(super) struct Session {
    authority: AmbientAuthority,
    pub(super) source: Source,
    pub(super) index: Index,
    pub(super) conversation: Conversation,
    pub(super) plan: Plan,
    facts: Facts,
    notices: Notices,
    agents: OnceLock<Agents>,
    sources: OnceLock<Vec<FileId>>,
}

impl Session {
    /// The first pass over a session's file.
    pub(super) fn open(path: &Path, authority: AmbientAuthority) -> Result<Self, OpenError> {
        let source = Source::open(path, authority)?;
        let mut notices = Notices::default();
        let failed = |error| OpenError::Io { path: path.to_owned(), source: error };
        let (index, scanned) = scan(&source, &mut notices).map_err(failed)?;
        scanned.verdict(&source, NAME)?;
        if index.known == 0 {
            let reason = "no row is of a kind that it writes".to_owned();
            return Err(OpenError::NotThisDialect { path: path.to_owned(), agent: NAME, reason });
        }
        let unreadable_rows = notices.unreadable_rows();
        let conversation = chain::select(&index, &mut notices);
        let plan = plan::build(&index, &conversation.nodes);
        let mut facts = facts::gather(&source, &index, &conversation.nodes, &plan);
        facts.other_branches = conversation.branches;
        facts.unreadable_rows = unreadable_rows;
        let (agents, sources) = (OnceLock::new(), OnceLock::new());
        Ok(Self { authority, source, index, conversation, plan, facts, notices, agents, sources })
    }

    /// The subagents; they are looked for when they are first asked for.
    fn agents(&self) -> &Agents {
        self.agents.get_or_init(|| Agents::find(self.source.path(), self.authority))
    }
}

impl Transcript for Session {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn replay(&self, which: Range<u32>, sink: &mut dyn EntrySink) -> Result<Found, ReplayError> {
        let reading = Reading { source: &self.source, index: &self.index, plan: &self.plan };
        let mut found = replay(reading, which, sink)?;
        let mut notices = self.notices.clone();
        notices.extend(&found.notices);
        if self.source.has_grown() {
            notices.push(Notice::new(NoticeKind::SourceGrowing));
        }
        found.notices = notices;
        Ok(found)
    }

    fn sources(&self) -> &[FileId] {
        self.sources.get_or_init(|| {
            let mut ids = vec![self.source.id()];
            ids.extend(self.agents().files());
            ids
        })
    }

    fn children(&self) -> &[Child] {
        &self.agents().children
    }

    fn open_child(&self, number: usize) -> Result<Box<dyn Transcript + '_>, OpenError> {
        let path = self.agents().path(number).ok_or(OpenError::NoSuchChild { number })?;
        let mut child = Self::open(path, self.authority)?;
        child.facts.parent_id = Some(self.facts.id.clone());
        Ok(Box::new(child))
    }
}
