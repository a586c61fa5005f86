//! What became of every record of a source: the proof that nothing was lost silently.
//!
//! A [`Ledger`] tells each record with its [`Fate`] and quotes none. Every byte of a source that
//! is no blank line belongs to a record, so the fates add up to the number of records, always.

mod totals;

pub use totals::{Counts, Reason, Totals, Version};

use carryall_model::{ReplayError, SinkError, Transcript};

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fate {
    /// An entry, a call or a result of the document comes from it, or a part of one.
    Shown,
    /// The document's header says what it says.
    Facts,
    /// It belongs to a branch of the conversation that is not shown.
    OtherBranch,
    /// It was understood, and is not in the document; the reason says why.
    LeftOut,
    /// It, or a part of it, is of a kind that the reader does not know.
    Unknown,
    /// It could not be read.
    Damaged,
}

impl Fate {
    /// All fates, in the order in which they are told.
    pub const ALL: [Self; 6] =
        [Self::Shown, Self::Facts, Self::OtherBranch, Self::LeftOut, Self::Unknown, Self::Damaged];

    /// The word for it in every format.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shown => "shown",
            Self::Facts => "facts",
            Self::OtherBranch => "other_branch",
            Self::LeftOut => "left_out",
            Self::Unknown => "unknown",
            Self::Damaged => "damaged",
        }
    }
}

/// A record of a source, and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The file it stands in, relative to the session's folder; `None` for the session's own file.
    pub file: Option<&'a str>,
    /// The row it begins in, counted from 1; several records may stand in one row.
    pub row: u64,
    /// Offset of its first byte in its file.
    pub at: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// What the source calls it, such as `user` or `attachment/hook_success`, made safe by
    /// [`kind_name`]; of a damaged one the word of its notice, such as `bad-row`.
    pub kind: &'a str,
    /// What became of it.
    pub fate: Fate,
    /// Why; always there for records that are left out, unknown or damaged. Words of the reader,
    /// never of the source.
    pub reason: Option<&'a str>,
    /// The version of the agent that wrote it, where it says so.
    pub version: Option<&'a str>,
}

/// Takes records one by one.
pub type EachRecord<'e> = dyn FnMut(&Record<'_>) -> Result<(), SinkError> + 'e;

/// An open session whose records can be told.
pub trait Ledger {
    /// The session as an export sees it: facts, subagents, and (from a replay of no entries) the
    /// notices that opening it gave. Subagents are sessions of their own: their files are not in
    /// this ledger.
    fn transcript(&self) -> &dyn Transcript;

    /// Tells every record once, in the order of the source; a second call tells the same. Memory
    /// stays bounded by the number of records, not by their size.
    ///
    /// # Errors
    /// I/O, a source that changed, and whatever `each` answers.
    fn records(&self, each: &mut EachRecord<'_>) -> Result<(), ReplayError>;
}

/// The longest name of a kind or version, in characters.
const NAME_LENGTH: usize = 60;

/// A name out of a source that is safe to print and is no message: the letters, digits and signs
/// of names, at most 60.
#[must_use]
pub fn kind_name(raw: &str) -> String {
    let word = |c: &char| c.is_ascii_alphanumeric() || "_-./+:".contains(*c);
    raw.chars().filter(word).take(NAME_LENGTH).collect()
}
