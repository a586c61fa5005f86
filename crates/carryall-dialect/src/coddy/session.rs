//! An open session.

use super::NAME;
use super::agents::Agents;
use super::bundle::{Bundle, MESSAGES};
use super::document::{self, Walked};
use super::plan::{Plan, Planner};
use super::replay::{Reading, replay};
use crate::rows;
use carryall_model::{
    Child, EntrySink, Facts, FileId, Found, Notice, NoticeKind, Notices, OpenError, ReplayError,
    Transcript,
};
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

/// An open session: its folder, the bytes of its rows, and what they become.
pub(super) struct Session {
    pub(super) bundle: Bundle,
    pub(super) bytes: Vec<u8>,
    pub(super) plan: Plan,
    facts: Facts,
    notices: Notices,
    agents: OnceLock<Agents>,
}

/// Asks for the git branch of a folder.
type BranchOf<'a> = dyn Fn(&Path) -> Option<String> + 'a;

impl Session {
    /// Reads a session's rows.
    pub(super) fn open(mut bundle: Bundle, branch_of: &BranchOf<'_>) -> Result<Self, OpenError> {
        let bytes = bundle.messages()?.unwrap_or_default();
        let mut session = Self::new(bundle, bytes);
        let walked = session.read();
        if let (0, Some((row, reason))) = (walked.read, walked.first_bad) {
            let path = session.bundle.folder.join(MESSAGES);
            return Err(OpenError::NothingReadable { path, agent: NAME, row, reason });
        }
        session.facts.git_branch =
            session.facts.cwd.as_deref().and_then(|cwd| branch_of(Path::new(cwd)));
        Ok(session)
    }

    /// Reads a subagent's rows; that they cannot be read is a notice. It ran where its parent ran,
    /// else its branch is not known.
    pub(super) fn open_child(mut bundle: Bundle, parent: &Self) -> Self {
        let bytes = bundle.messages();
        let is_lost = bytes.is_err();
        let mut child = Self::new(bundle, bytes.ok().flatten().unwrap_or_default());
        if is_lost {
            child.notices.push(unreadable(MESSAGES));
        }
        child.read();
        child.facts.parent_id = Some(parent.facts.id.clone());
        if child.facts.cwd == parent.facts.cwd {
            child.facts.git_branch = parent.facts.git_branch.clone();
        }
        child
    }

    fn new(bundle: Bundle, bytes: Vec<u8>) -> Self {
        let mut notices = Notices::default();
        if bundle.is_meta_damaged {
            notices.push(unreadable(super::bundle::SESSION));
        }
        let (plan, facts, agents) = (Plan::default(), Facts::default(), OnceLock::new());
        Self { bundle, bytes, plan, facts, notices, agents }
    }

    fn read(&mut self) -> Walked {
        let mut planner = Planner::default();
        let mut scratch = Vec::new();
        let walked = match self.bytes.is_empty() {
            true => Walked::default(),
            false => document::walk(&self.bytes, &mut self.notices, &mut |row, place| {
                let row = rows::parse(row, &mut scratch).map_err(|e| rows::reason(&e))?;
                planner.take(&row.value, place);
                Ok(())
            }),
        };
        let (plan, facts) = planner.finish();
        let (bundle, meta) = (&self.bundle, &self.bundle.meta);
        self.plan = plan;
        self.facts = Facts {
            id: meta.id.clone(),
            title: meta.title().or(facts.title),
            cwd: meta.cwd.clone(),
            parent_id: meta.parent_id.clone(),
            token_usage: bundle.token_usage(),
            unreadable_rows: self.notices.unreadable_rows(),
            ..facts
        };
        self.facts.source.agent = Some(NAME.to_owned());
        self.facts.source.path = Some(bundle.path.to_string_lossy().into_owned());
        walked
    }

    /// The subagents; they are looked for when they are first asked for.
    fn agents(&self) -> &Agents {
        self.agents.get_or_init(|| Agents::of(self))
    }
}

fn unreadable(file: &str) -> Notice {
    Notice::new(NoticeKind::BadRow).with_detail(format!("{file} could not be read"))
}

impl Transcript for Session {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn replay(&self, which: Range<u32>, sink: &mut dyn EntrySink) -> Result<Found, ReplayError> {
        let reading = Reading {
            bundle: &self.bundle,
            bytes: &self.bytes,
            plan: &self.plan,
            started: &self.agents().started,
        };
        let mut found = replay(&reading, which, sink)?;
        found.notices = self.notices.clone();
        Ok(found)
    }

    fn sources(&self) -> &[FileId] {
        &self.bundle.sources
    }

    fn children(&self) -> &[Child] {
        &self.agents().children
    }

    fn open_child(&self, number: usize) -> Result<Box<dyn Transcript + '_>, OpenError> {
        Ok(Box::new(self.agents().open(number, self)?))
    }
}
