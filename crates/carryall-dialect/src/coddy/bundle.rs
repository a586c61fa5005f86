//! The folder of a session: its two files, what `session.json` says, and what lies beside them.

use super::NAME;
use super::fields::{Maybe, Number, Shape, Word};
use crate::beside;
use crate::rows;
use crate::source::Source;
use crate::title::one_line;
use cap_std::AmbientAuthority;
use cap_std::fs::Dir;
use carryall_model::{FileId, OpenError, TokenUsage};
use serde::Deserialize;
use std::io;
use std::path::{Path, PathBuf};

/// The file with a session's facts. A folder that holds it is a session.
pub(super) const SESSION: &str = "session.json";

/// The file with a session's rows.
pub(super) const MESSAGES: &str = "messages.json";

/// The largest document that is read whole.
const LIMIT: u64 = rows::MAX_ROW as u64;

/// A side file beyond this is none.
const SIDE_LIMIT: u64 = 16 << 20;

/// An open session folder.
pub(super) struct Bundle {
    /// The folder, in the spelling in which it was opened.
    pub(super) folder: PathBuf,
    /// What was asked for: the folder, or one of the two files in it.
    pub(super) path: PathBuf,
    /// Everything beside the two files is opened below this handle.
    pub(super) dir: Dir,
    /// What `session.json` says.
    pub(super) meta: Meta,
    /// `session.json` could not be read.
    pub(super) is_meta_damaged: bool,
    /// The files that were read.
    pub(super) sources: Vec<FileId>,
    pub(super) authority: AmbientAuthority,
}

impl Bundle {
    /// Opens a session by its folder or by one of its two files, and reads its facts.
    pub(super) fn open(path: &Path, authority: AmbientAuthority) -> Result<Self, OpenError> {
        let failed = |source| OpenError::Io { path: path.to_owned(), source };
        let other = |reason: &str| OpenError::NotThisDialect {
            path: path.to_owned(),
            agent: NAME,
            reason: reason.to_owned(),
        };
        let is_folder = std::fs::metadata(path).map_err(failed)?.is_dir();
        let is_part = path.file_name().is_some_and(|name| name == SESSION || name == MESSAGES);
        if !is_folder && !is_part {
            return Err(other("neither a session's folder nor one of its two files"));
        }
        let folder = if is_folder { path } else { path.parent().unwrap_or(path) };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        if !folder.join(SESSION).exists() {
            return Err(other("its folder holds no session.json"));
        }
        let source = Source::open(&folder.join(SESSION), authority)?;
        let bytes = whole(&source)?;
        let read =
            rows::parse::<RawMeta<'_>>(&bytes, &mut Vec::new()).map(|read| read.value.owned());
        let is_meta_damaged = read.is_err();
        let mut meta = read.unwrap_or_default();
        meta.fill(folder);
        Ok(Self {
            folder: folder.to_owned(),
            path: path.to_owned(),
            dir: Dir::open_ambient_dir(folder, authority).map_err(failed)?,
            meta,
            is_meta_damaged,
            sources: beside::files(folder),
            authority,
        })
    }

    /// The bytes of `messages.json`. A session in which nothing has been said may have none.
    pub(super) fn messages(&mut self) -> Result<Option<Vec<u8>>, OpenError> {
        let path = self.folder.join(MESSAGES);
        let source = match Source::open(&path, self.authority) {
            Err(OpenError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                return Ok(None);
            }
            opened => opened?,
        };
        let bytes = whole(&source)?;
        if bytes.trim_ascii().is_empty() {
            return Err(OpenError::Empty { path });
        }
        Ok(Some(bytes))
    }

    /// The tokens that `stats.json` counts.
    pub(super) fn token_usage(&self) -> Option<TokenUsage> {
        let bytes = read(&self.dir, Path::new("stats.json"))?;
        let total = serde_json::from_slice::<Stats>(&bytes).ok()?.token_usage_total.0?;
        let usage = TokenUsage {
            input_tokens: total.input_tokens.0.unwrap_or(0),
            output_tokens: total.output_tokens.0.unwrap_or(0),
            total_tokens: total.total_tokens.0.unwrap_or(0),
            ..TokenUsage::default()
        };
        Some(usage).filter(|usage| !usage.is_zero())
    }
}

/// Reads a small file below a session's folder.
pub(super) fn read(dir: &Dir, path: &Path) -> Option<Vec<u8>> {
    beside::read(dir, path, SIDE_LIMIT)
}

/// Reads a document that is replaced as a whole when it changes.
fn whole(source: &Source) -> Result<Vec<u8>, OpenError> {
    let path = || source.path().to_owned();
    if source.len() > LIMIT {
        return Err(OpenError::TooLarge { path: path(), bytes: source.len(), limit: LIMIT });
    }
    let mut bytes = vec![0; source.len() as usize];
    let mut filled = 0;
    while filled < bytes.len() {
        match source.read_at(&mut bytes[filled..], filled as u64) {
            Ok(0) => return Err(OpenError::SourceChanged { path: path() }),
            Ok(n) => filled += n,
            Err(source) => return Err(OpenError::Io { path: path(), source }),
        }
    }
    Ok(bytes)
}

/// What `session.json` says of a session.
#[derive(Debug, Default)]
pub(super) struct Meta {
    pub(super) id: String,
    pub(super) cwd: Option<String>,
    title: Option<String>,
    pub(super) created_at: Option<String>,
    pub(super) parent_id: Option<String>,
    /// The background task that ran a subagent.
    pub(super) task_id: Option<String>,
}

impl Meta {
    /// The title on one line: the one that a person gave over the one that is shown.
    pub(super) fn title(&self) -> Option<String> {
        self.title.as_deref().map(one_line)
    }

    /// Fills from the folder's place what the file does not say: its name is the id, and a folder
    /// below `subagents` belongs to the session above.
    fn fill(&mut self, folder: &Path) {
        let name = |path: &Path| Some(path.file_name()?.to_string_lossy().into_owned());
        if self.id.is_empty() {
            self.id = name(folder).unwrap_or_default();
        }
        let above = folder.parent().filter(|above| above.ends_with(super::store::SUBAGENTS));
        let parent = above.and_then(Path::parent).and_then(name);
        self.parent_id = self.parent_id.take().or(parent);
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct RawMeta<'a> {
    #[serde(borrow)]
    id: Word<'a>,
    #[serde(borrow)]
    cwd: Word<'a>,
    #[serde(borrow)]
    title: Word<'a>,
    #[serde(borrow)]
    title_pinned: Word<'a>,
    #[serde(borrow)]
    created_at: Word<'a>,
    #[serde(borrow)]
    parent_session_id: Word<'a>,
    #[serde(borrow)]
    subagent_task_id: Word<'a>,
}

impl RawMeta<'_> {
    fn owned(&self) -> Meta {
        let owned = |word: &Word<'_>| word.said().map(str::to_owned);
        Meta {
            id: self.id.get().to_owned(),
            cwd: owned(&self.cwd),
            title: owned(&self.title_pinned).or_else(|| owned(&self.title)),
            created_at: owned(&self.created_at),
            parent_id: owned(&self.parent_session_id),
            task_id: owned(&self.subagent_task_id),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Stats {
    token_usage_total: Maybe<Total>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Total {
    input_tokens: Number,
    output_tokens: Number,
    total_tokens: Number,
}

impl Shape for Total {
    const BEGINS: &'static [u8] = b"{";
}
