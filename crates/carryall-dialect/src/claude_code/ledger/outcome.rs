//! What became of each row that has a place in the tree.

use crate::Fate;
use crate::claude_code::index::{Attached, Index, Kind, Part, System};
use crate::claude_code::plan::without_copies;
use crate::claude_code::session::Told;
use std::collections::HashSet;

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Shown,
    OtherBranch,
    /// It is in the document of a subagent whose rows stand in this file.
    BySubagent,
    /// A compaction wrote it once more.
    Copied,
    /// A row of its own repeats the queued prompt.
    QueuedAgain,
    /// A compaction's place, where a summary tells of it.
    Summarised,
    Progress,
    /// A reminder or a fact for the agent.
    Reminder,
    /// A mentioned file that no prompt stands before.
    FileAlone,
    /// A fact about the run.
    AboutRun,
    /// A message in which there is nothing that can be read.
    Blank,
    /// A message that no entry takes up.
    Unclaimed,
}

impl Outcome {
    pub(super) fn fate(self) -> Fate {
        match self {
            Self::Shown => Fate::Shown,
            Self::OtherBranch => Fate::OtherBranch,
            Self::BySubagent
            | Self::Copied
            | Self::QueuedAgain
            | Self::Summarised
            | Self::Progress
            | Self::Reminder
            | Self::FileAlone
            | Self::AboutRun
            | Self::Blank
            | Self::Unclaimed => Fate::LeftOut,
        }
    }

    pub(super) fn reason(self) -> Option<&'static str> {
        Some(match self {
            Self::Shown => return None,
            Self::OtherBranch => "the conversation went on without it",
            Self::BySubagent => "in the document of its subagent",
            Self::Copied => "a compaction wrote it once more",
            Self::QueuedAgain => "a row of its own repeats the prompt",
            Self::Summarised => "the summary after it tells of the compaction",
            Self::Progress => "tells what is running, and links rows",
            Self::Reminder => "a reminder or fact for the agent",
            Self::FileAlone => "a mentioned file without a prompt before it",
            Self::AboutRun => "a fact about the run",
            Self::Blank => "nothing in it can be read",
            Self::Unclaimed => "no entry takes it up",
        })
    }
}

/// The outcomes of a file's rows, by the offset at which a row begins.
pub(super) struct Outcomes(Vec<(u64, Outcome)>);

impl Outcomes {
    /// Looks at the conversations of a file: the main one first, then its side chains.
    pub(super) fn of(index: &Index, told: &[Told<'_>]) -> Self {
        let mut places = vec![Place::Nowhere; index.nodes.len()];
        let mut shown = HashSet::new();
        for (number, told) in told.iter().enumerate() {
            for &row in told.rows {
                places[row as usize] = Place::Copy;
            }
            for row in without_copies(index, told.rows) {
                places[row as usize] = Place::Told { by_subagent: number > 0 };
            }
            shown.extend(told.plan.spans().map(|span| span.at));
        }
        let rows = index.nodes.iter().zip(&places).enumerate().map(|(number, (node, place))| {
            let is_shown = shown.contains(&node.span.at);
            (node.span.at, outcome(index, number as u32, *place, is_shown))
        });
        let mut outcomes: Vec<_> = rows.collect();
        // Rows are indexed in the order of the file; only a promise of the reader says so.
        outcomes.sort_by_key(|&(at, _)| at);
        Self(outcomes)
    }

    /// The outcome of the row that begins there; none when it is no node, or a copy of one.
    pub(super) fn at(&self, at: u64) -> Option<Outcome> {
        let found = self.0.binary_search_by_key(&at, |&(at, _)| at).ok()?;
        Some(self.0[found].1)
    }
}

/// Where a row stands among the conversations.
#[derive(Clone, Copy)]
enum Place {
    /// In none.
    Nowhere,
    /// In one, which tells it at an earlier row.
    Copy,
    /// In one.
    Told { by_subagent: bool },
}

fn outcome(index: &Index, number: u32, place: Place, is_shown: bool) -> Outcome {
    let node = index.node(number);
    match place {
        Place::Nowhere => return Outcome::OtherBranch,
        Place::Copy => return Outcome::Copied,
        Place::Told { by_subagent: true } if is_shown => return Outcome::BySubagent,
        Place::Told { by_subagent: false } if is_shown => return Outcome::Shown,
        Place::Told { .. } => {}
    }
    match node.kind {
        Kind::Progress => Outcome::Progress,
        Kind::System(System::Boundary) => Outcome::Summarised,
        Kind::System(System::Silent) => Outcome::AboutRun,
        Kind::Attachment(Attached::Prompt) => Outcome::QueuedAgain,
        Kind::Attachment(Attached::File) => Outcome::FileAlone,
        Kind::Attachment(Attached::Silent) => Outcome::Reminder,
        Kind::User(_) | Kind::Assistant { .. }
            if index.parts_of(number).iter().all(|part| matches!(part, Part::Silent)) =>
        {
            Outcome::Blank
        }
        Kind::User(_) | Kind::Assistant { .. } | Kind::System(_) | Kind::Attachment(_) => {
            Outcome::Unclaimed
        }
    }
}
