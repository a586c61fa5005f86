//! What the first row of a rollout says of its thread.

use crate::lenient::{Number, Object, Word};
use crate::rows::{self, BOM};
use serde::Deserialize;

/// The facts of a thread, as its `session_meta` has them; the first versions write them bare.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Meta {
    pub(super) id: String,
    pub(super) timestamp: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) version: Option<String>,
    pub(super) commit: Option<String>,
    pub(super) branch: Option<String>,
    pub(super) origin: Option<String>,
    /// The thread that this one was forked from.
    pub(super) forked_from: Option<String>,
    /// The thread that started this one as its subagent.
    pub(super) parent: Option<String>,
    /// What a subagent is called, or what it is for.
    pub(super) nickname: Option<String>,
    /// The inherited part of another thread.
    pub(super) base: Option<Base>,
    /// Rows before this one are a subagent's inherited context.
    pub(super) own_from: Option<u64>,
}

/// A part of another thread that comes before this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Base {
    /// The other thread.
    pub(super) thread: String,
    /// The first row of it, by its number in the thread, that is not inherited.
    pub(super) end_ordinal: Option<u64>,
    /// The same in bytes of its file.
    pub(super) end_offset: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Raw<'a> {
    #[serde(borrow)]
    id: Word<'a>,
    #[serde(borrow)]
    timestamp: Word<'a>,
    #[serde(borrow)]
    cwd: Word<'a>,
    #[serde(borrow)]
    cli_version: Word<'a>,
    #[serde(borrow)]
    git: Object<Git<'a>>,
    #[serde(borrow)]
    forked_from_id: Word<'a>,
    #[serde(borrow)]
    parent_thread_id: Word<'a>,
    #[serde(borrow)]
    agent_nickname: Word<'a>,
    #[serde(borrow)]
    source: Object<Source<'a>>,
    #[serde(borrow)]
    history_base: Object<HistoryBase<'a>>,
    subagent_history_start_ordinal: Number,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Git<'a> {
    #[serde(borrow)]
    commit_hash: Word<'a>,
    #[serde(borrow)]
    branch: Word<'a>,
    #[serde(borrow)]
    repository_url: Word<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Source<'a> {
    #[serde(borrow)]
    subagent: Object<Subagent<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Subagent<'a> {
    #[serde(borrow)]
    thread_spawn: Object<Spawn<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Spawn<'a> {
    #[serde(borrow)]
    parent_thread_id: Word<'a>,
    #[serde(borrow)]
    agent_nickname: Word<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct HistoryBase<'a> {
    #[serde(borrow)]
    thread_id: Word<'a>,
    end_ordinal_exclusive: Number,
    end_byte_offset: Number,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Envelope<'a> {
    #[serde(rename = "type", borrow)]
    kind: Word<'a>,
    #[serde(borrow)]
    payload: Object<Raw<'a>>,
}

impl Meta {
    /// The facts in a row as it stands in a file, repaired when it needs to be.
    pub(super) fn of(row: &[u8]) -> Option<Self> {
        let row = row.strip_prefix(BOM).unwrap_or(row).trim_ascii();
        if !row.starts_with(b"{") {
            return None;
        }
        rows::parse_with(row, &mut Vec::new(), Self::parse).ok()?.value
    }

    fn parse(row: &[u8]) -> Result<Option<Self>, serde_json::Error> {
        let envelope: Envelope<'_> = serde_json::from_slice(row)?;
        let raw = match (envelope.kind.get(), envelope.payload.0) {
            (Some("session_meta"), Some(raw)) => raw,
            (None, None) => serde_json::from_slice(row)?,
            _ => return Ok(None),
        };
        Ok(raw.id.filled().is_some().then(|| raw.meta()))
    }
}

impl Raw<'_> {
    fn meta(self) -> Meta {
        let own = |word: &Word<'_>| word.filled().map(str::to_owned);
        let git = self.git.0.unwrap_or_default();
        let spawn = self.source.0.and_then(|source| source.subagent.0);
        let spawn = spawn.and_then(|subagent| subagent.thread_spawn.0).unwrap_or_default();
        Meta {
            id: own(&self.id).unwrap_or_default(),
            timestamp: own(&self.timestamp),
            cwd: own(&self.cwd),
            version: own(&self.cli_version),
            commit: own(&git.commit_hash),
            branch: own(&git.branch),
            origin: own(&git.repository_url),
            forked_from: own(&self.forked_from_id),
            parent: own(&self.parent_thread_id).or(own(&spawn.parent_thread_id)),
            nickname: own(&self.agent_nickname).or(own(&spawn.agent_nickname)),
            base: self.history_base.0.and_then(|base| {
                Some(Base {
                    thread: own(&base.thread_id)?,
                    end_ordinal: base.end_ordinal_exclusive.0,
                    end_offset: base.end_byte_offset.0,
                })
            }),
            own_from: self.subagent_history_start_ordinal.0,
        }
    }
}
