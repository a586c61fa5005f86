//! An open session: its facts, its plan, and the file that both come from.

use super::chain::{Branch, Conversation, select};
use super::index::{Index, Scan};
use super::plan::{self, Plan};
use super::replay::replay;
use super::{NAME, facts};
use crate::source::Source;
use cap_std::AmbientAuthority;
use carryall_model::{
    EntrySink, Facts, FileId, Found, Notice, NoticeKind, Notices, OpenError, ReplayError,
    Transcript,
};
use std::ops::Range;
use std::path::Path;

/// An open session.
pub(super) struct Session {
    pub(super) source: Source,
    pub(super) index: Index,
    pub(super) conversation: Conversation,
    pub(super) plan: Plan,
    facts: Facts,
    notices: Notices,
    sources: [FileId; 1],
}

impl Session {
    /// The first pass over a file.
    pub(super) fn open(path: &Path, authority: AmbientAuthority) -> Result<Self, OpenError> {
        let source = Source::open(path, authority)?;
        let mut notices = Notices::default();
        let mut scan = Scan::default();
        let failed = |error| OpenError::Io { path: path.to_owned(), source: error };
        let scanned = scan.file(&source, &mut notices).map_err(failed)?;
        scanned.verdict(&source, NAME)?;
        let unreadable_rows = notices.unreadable_rows();
        let index = scan.finish(&mut notices);
        if index.header.is_none() && !index.nodes.iter().any(|node| node.what.is_message()) {
            let reason = "no row is of a kind that it writes".to_owned();
            return Err(OpenError::NotThisDialect { path: path.to_owned(), agent: NAME, reason });
        }
        let conversation = select(&index, &mut notices);
        for branch in &conversation.branches {
            notices.push(other_branch(branch, &index));
        }
        let plan = plan::build(&index, &conversation.path);
        let mut facts = facts::gather(&source, &index, &conversation.path, &plan);
        facts.other_branches = conversation.branches.len() as u64;
        facts.unreadable_rows = unreadable_rows;
        let sources = [source.id()];
        Ok(Self { source, index, conversation, plan, facts, notices, sources })
    }
}

impl Transcript for Session {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn replay(&self, which: Range<u32>, sink: &mut dyn EntrySink) -> Result<Found, ReplayError> {
        let mut found = replay(&self.source, &self.index, &self.plan, which, sink)?;
        let mut notices = self.notices.clone();
        notices.extend(&found.notices);
        if self.source.has_grown() {
            notices.push(Notice::new(NoticeKind::SourceGrowing));
        }
        found.notices = notices;
        Ok(found)
    }

    fn sources(&self) -> &[FileId] {
        &self.sources
    }
}

fn other_branch(branch: &Branch, index: &Index) -> Notice {
    let span = index.nodes[branch.first as usize].span;
    let detail = match branch.messages {
        1 => "1 message".to_owned(),
        messages => format!("{messages} messages"),
    };
    let notice = Notice::new(NoticeKind::OtherBranch).with_detail(detail);
    notice.at(span.row.into(), span.at, span.len.into())
}
