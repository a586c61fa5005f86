//! An open session: its facts, its plan, and the file that both come from.

use super::agents::{self, Agents, Started};
use super::chain::{self, Branch, Scope};
use super::facts::Gathered;
use super::index::{self, Index, Kind, NONE, Response, Task};
use super::neighbour;
use super::plan::{self, Plan};
use super::replay::{Reading, replay};
use super::spill::Spills;
use super::{NAME, store};
use crate::beside;
use crate::source::Source;
use cap_std::AmbientAuthority;
use carryall_model::{
    Child, EntrySink, Facts, FileId, Found, Notice, NoticeKind, Notices, OpenError, ReplayError,
    Transcript,
};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// What all conversations of one file share.
pub(super) struct Shared {
    pub(super) source: Source,
    pub(super) authority: AmbientAuthority,
    pub(super) responses: Vec<Response>,
    pub(super) words: Vec<String>,
    /// The calls that start subagents.
    pub(super) tasks: Vec<Task>,
    pub(super) spills: Spills,
}

/// One conversation of a file.
#[derive(Clone, Debug)]
pub(super) struct Conversation {
    pub(super) facts: Facts,
    pub(super) plan: Plan,
    notices: Notices,
    /// The fingerprint of the first text.
    pub(super) opening: u64,
}

/// A conversation as the first pass leaves it: its entries, and the rows that they come from.
pub(super) struct Told<'t> {
    pub(super) plan: &'t Plan,
    pub(super) rows: &'t [u32],
}

/// An open session.
pub(super) struct Session {
    pub(super) shared: Arc<Shared>,
    pub(super) conversation: Conversation,
    /// The side chains of old versions, which stand in their parent's file.
    pub(super) inline: Vec<Conversation>,
    agents: OnceLock<Agents>,
    sources: OnceLock<Vec<FileId>>,
}

impl Session {
    /// The first pass over a file.
    pub(super) fn open(path: &Path, authority: AmbientAuthority) -> Result<Self, OpenError> {
        Ok(Self::open_noting(path, authority, |_, _| ())?.0)
    }

    /// The first pass; `note` may look at what it knew of each row before that is forgotten.
    pub(super) fn open_noting<T>(
        path: &Path,
        authority: AmbientAuthority,
        note: impl FnOnce(&Index, &[Told<'_>]) -> T,
    ) -> Result<(Self, T), OpenError> {
        let source = Source::open(path, authority)?;
        let mut notices = Notices::default();
        let failed = |source| OpenError::Io { path: path.to_owned(), source };
        let (index, scanned) = index::scan(&source, &mut notices).map_err(failed)?;
        scanned.verdict(&source, NAME)?;
        if index.known == 0 {
            let reason = "no row is of a kind that it writes".to_owned();
            return Err(OpenError::NotThisDialect { path: path.to_owned(), agent: NAME, reason });
        }
        Ok(Self::build(source, authority, index, notices, note))
    }

    fn build<T>(
        source: Source,
        authority: AmbientAuthority,
        index: Index,
        notices: Notices,
        note: impl FnOnce(&Index, &[Told<'_>]) -> T,
    ) -> (Self, T) {
        let spills = Spills { folder: session_folder(source.path(), &index), authority };
        let builder = Builder { source: &source, authority, index: &index, spills: &spills };
        let is_agent = store::agent_id(source.path()).is_some();
        let has_side = index.nodes.iter().any(|node| node.side && node.is_message());
        let has_main = index.nodes.iter().any(|node| !node.side && node.is_message());
        let inline = if has_side && has_main { builder.side_chains() } else { Vec::new() };
        let scope = if has_side && !has_main { Scope::All } else { Scope::Main };
        let main = builder.conversation(scope, notices, is_agent);
        let all = std::iter::once(&main).chain(&inline);
        let told: Vec<_> = all.map(|(chain, rows)| Told { plan: &chain.plan, rows }).collect();
        let noted = note(&index, &told);
        let conversation = main.0;
        let inline = inline.into_iter().map(|(chain, _)| chain).collect();
        let Index { responses, words, tasks, .. } = index;
        let shared = Shared { source, authority, responses, words, tasks, spills };
        let (agents, sources) = (OnceLock::new(), OnceLock::new());
        (Self { shared: Arc::new(shared), conversation, inline, agents, sources }, noted)
    }

    /// A side chain of this session's file, as a session of its own.
    pub(super) fn side_chain(&self, number: usize) -> Option<Self> {
        let conversation = self.inline.get(number)?.clone();
        let shared = Arc::clone(&self.shared);
        // What it started stands in the same file and belongs to the session, as it does itself.
        let agents = OnceLock::from(Agents::default());
        Some(Self { shared, conversation, inline: Vec::new(), agents, sources: OnceLock::new() })
    }

    /// The subagents; they are looked for when they are first asked for.
    fn agents(&self) -> &Agents {
        self.agents.get_or_init(|| agents::find(self))
    }
}

impl Transcript for Session {
    fn facts(&self) -> &Facts {
        &self.conversation.facts
    }

    fn replay(&self, which: Range<u32>, sink: &mut dyn EntrySink) -> Result<Found, ReplayError> {
        let shared = &*self.shared;
        // A session that started no subagent does not look for any.
        let nobody = Started::default();
        let started = if shared.tasks.is_empty() { &nobody } else { &self.agents().started };
        let reading = Reading {
            source: &shared.source,
            responses: &shared.responses,
            words: &shared.words,
            spills: &shared.spills,
            started,
        };
        let mut found = replay(&reading, &self.conversation.plan, which, sink)?;
        let mut notices = self.conversation.notices.clone();
        notices.extend(&found.notices);
        if shared.source.has_grown() {
            notices.push(Notice::new(NoticeKind::SourceGrowing));
        }
        found.notices = notices;
        Ok(found)
    }

    fn sources(&self) -> &[FileId] {
        self.sources.get_or_init(|| {
            let mut ids = vec![self.shared.source.id()];
            ids.extend(beside::files(&self.shared.spills.folder));
            ids.extend(self.agents().files().filter_map(beside::id));
            ids
        })
    }

    fn children(&self) -> &[Child] {
        &self.agents().children
    }

    fn open_child(&self, number: usize) -> Result<Box<dyn Transcript + '_>, OpenError> {
        let mut child = self.agents().open(number, self)?;
        let listed = &self.children()[number];
        child.conversation.facts.parent_id = Some(self.facts().id.clone());
        child.conversation.facts.id = listed.id.clone();
        if listed.title.is_some() {
            child.conversation.facts.title = listed.title.clone();
        }
        Ok(Box::new(child))
    }
}

/// The folder that belongs to a session: beside its file, with its id for a name.
fn session_folder(path: &Path, index: &Index) -> PathBuf {
    let above =
        path.ancestors().find(|folder| folder.file_name().is_some_and(|n| n == "subagents"));
    if let Some(session) = above.and_then(Path::parent) {
        return session.to_owned();
    }
    match (store::agent_id(path), &index.session_id) {
        (Some(_), Some(id)) if store::is_uuid(id) => path.with_file_name(id),
        _ => path.with_extension(""),
    }
}

struct Builder<'b> {
    source: &'b Source,
    authority: AmbientAuthority,
    index: &'b Index,
    spills: &'b Spills,
}

impl Builder<'_> {
    /// A conversation, and its rows.
    fn conversation(
        &self,
        scope: Scope<'_>,
        mut notices: Notices,
        is_side: bool,
    ) -> (Conversation, Vec<u32>) {
        let unreadable_rows = notices.unreadable_rows();
        let neighbour = |node| {
            neighbour::holding_parent(self.source, self.authority, self.index.node(node).span)
        };
        let found = chain::select(self.index, scope, &neighbour, &mut notices);
        for branch in &found.branches {
            notices.push(self.other_branch(branch));
        }
        let (plan, tally) = plan::build(self.index, &found.rows);
        let gathered = Gathered {
            source: self.source,
            index: self.index,
            responses: &self.index.responses,
            spills: self.spills,
            rows: &found.rows,
            plan: &plan,
            tally: &tally,
            is_side,
        };
        let mut facts = gathered.facts();
        facts.other_branches = found.branches.len() as u64;
        facts.unreadable_rows = unreadable_rows;
        let first = found.rows.iter().map(|&row| self.index.node(row));
        let opening = first.into_iter().find(|node| matches!(node.kind, Kind::User(_)));
        let opening = opening.map_or(0, |node| node.said);
        (Conversation { facts, plan, notices, opening }, found.rows)
    }

    fn other_branch(&self, branch: &Branch) -> Notice {
        let node = self.index.node(branch.first);
        let detail = match branch.messages {
            1 => "1 message".to_owned(),
            messages => format!("{messages} messages"),
        };
        let notice = Notice::new(NoticeKind::OtherBranch).with_detail(detail);
        notice.at(node.row.into(), node.span.at, node.span.len.into())
    }

    /// The side chains that stand among the rows of a session, in the order of their roots.
    fn side_chains(&self) -> Vec<(Conversation, Vec<u32>)> {
        let roots = chain::side_roots(self.index);
        let mut firsts: Vec<u32> = roots.iter().copied().filter(|&root| root != NONE).collect();
        firsts.sort_unstable();
        firsts.dedup();
        let chains = firsts.into_iter().map(|root| {
            let notices = Notices::default();
            let mut chain = self.conversation(Scope::Side(root, &roots), notices, true);
            chain.0.facts.id = self.side_id(root);
            chain
        });
        chains.filter(|(chain, _)| chain.facts.message_count > 0).collect()
    }

    fn side_id(&self, root: u32) -> String {
        let (mut row, mut repaired) = (Vec::new(), Vec::new());
        let bytes = self.source.read_span(self.index.node(root).span, &mut row);
        let parsed = bytes.ok().and_then(|bytes| agents::Root::parse(bytes, &mut repaired));
        parsed.unwrap_or_else(|| format!("row-{}", self.index.node(root).row))
    }
}
