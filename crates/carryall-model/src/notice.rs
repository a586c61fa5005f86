//! What could not be read, or is not shown, and why.

/// How many notices of one document are kept; the rest is counted.
pub const MAX_NOTICES: usize = 10_000;

/// The kind of a notice; [`NoticeKind::as_str`] is its name in every format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NoticeKind {
    /// The last row has no end.
    CutShort,
    /// A row could not be read.
    BadRow,
    /// Several records stood on one row; the whole ones were kept.
    GluedRows,
    /// A row held the beginning of a record and then a whole one; the whole one was kept.
    TornRow,
    /// A run of NUL bytes.
    NulRun,
    /// A row over the limit.
    RowTooLong,
    /// Characters that were not valid text were replaced by U+FFFD.
    ReplacedCharacters,
    /// A record of a kind this reader does not know.
    UnknownKind,
    /// A row names a parent that is not in the source.
    MissingParent,
    /// Rows name each other as parents in a circle.
    ParentCycle,
    /// Two different rows have the same id.
    RepeatedId,
    /// A file named by the transcript is not there or may not be opened.
    MissingFile,
    /// A branch of the conversation that is not shown.
    OtherBranch,
    /// A turn that was taken back.
    RolledBack,
    /// Messages that were reverted.
    Reverted,
    /// Who said this is not certain.
    UncertainAttribution,
    /// The agent was still working.
    TurnInProgress,
    /// The source grew while it was read; what came later is not shown.
    SourceGrowing,
}

impl NoticeKind {
    /// The word for it in every format.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CutShort => "cut-short",
            Self::BadRow => "bad-row",
            Self::GluedRows => "glued-rows",
            Self::TornRow => "torn-row",
            Self::NulRun => "nul-run",
            Self::RowTooLong => "row-too-long",
            Self::ReplacedCharacters => "replaced-characters",
            Self::UnknownKind => "unknown-kind",
            Self::MissingParent => "missing-parent",
            Self::ParentCycle => "parent-cycle",
            Self::RepeatedId => "repeated-id",
            Self::MissingFile => "missing-file",
            Self::OtherBranch => "other-branch",
            Self::RolledBack => "rolled-back",
            Self::Reverted => "reverted",
            Self::UncertainAttribution => "uncertain-attribution",
            Self::TurnInProgress => "turn-in-progress",
            Self::SourceGrowing => "source-growing",
        }
    }

    /// A row, or a part of it, could not be read.
    #[must_use]
    pub fn is_damage(self) -> bool {
        matches!(
            self,
            Self::CutShort | Self::BadRow | Self::TornRow | Self::NulRun | Self::RowTooLong
        )
    }
}

/// One thing that could not be read or is not shown. It never quotes a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What kind of thing.
    pub kind: NoticeKind,
    /// The row, counted from 1, where the source has rows.
    pub row: Option<u64>,
    /// Where the row begins, in bytes from the start of the source.
    pub offset: Option<u64>,
    /// How many bytes it is about.
    pub bytes: Option<u64>,
    /// A sentence without its full stop: what it is, never message text.
    pub detail: Option<String>,
}

impl Notice {
    /// A notice about the source as a whole.
    #[must_use]
    pub fn new(kind: NoticeKind) -> Self {
        Self { kind, row: None, offset: None, bytes: None, detail: None }
    }

    /// The same notice, about a row (counted from 1) that begins at `offset` and has `bytes`.
    #[must_use]
    pub fn at(self, row: u64, offset: u64, bytes: u64) -> Self {
        Self { row: Some(row), offset: Some(offset), bytes: Some(bytes), ..self }
    }

    /// The same notice with a sentence, which never quotes message text.
    #[must_use]
    pub fn with_detail(self, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..self }
    }
}

/// Notices in the order in which they were met, the first [`MAX_NOTICES`] kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notices {
    kept: Vec<Notice>,
    more: u64,
    unreadable_rows: u64,
}

impl Notices {
    /// Adds a notice, or counts it when enough are kept.
    pub fn push(&mut self, notice: Notice) {
        self.unreadable_rows += u64::from(notice.kind.is_damage());
        if self.kept.len() < MAX_NOTICES {
            self.kept.push(notice);
        } else {
            self.more = self.more.saturating_add(1);
        }
    }

    /// Adds all of another list.
    pub fn extend(&mut self, other: &Self) {
        let room = MAX_NOTICES - self.kept.len();
        self.kept.extend(other.kept.iter().take(room).cloned());
        let left = other.kept.len().saturating_sub(room) as u64;
        self.more = self.more.saturating_add(other.more).saturating_add(left);
        self.unreadable_rows = self.unreadable_rows.saturating_add(other.unreadable_rows);
    }

    /// The notices that were kept.
    #[must_use]
    pub fn kept(&self) -> &[Notice] {
        &self.kept
    }

    /// How many more there were.
    #[must_use]
    pub fn more(&self) -> u64 {
        self.more
    }

    /// There was nothing to say.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.more == 0
    }

    /// How many rows could not be read, wholly or in part; notices that are not kept count too.
    #[must_use]
    pub fn unreadable_rows(&self) -> u64 {
        self.unreadable_rows
    }
}

/// What only reading the whole transcript could tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// What could not be read or is not shown.
    pub notices: Notices,
    /// Characters of shown text that were not valid and became U+FFFD.
    pub replaced_characters: u64,
    /// Invisible and direction-changing characters in shown text.
    pub hidden_characters: u64,
}

impl Found {
    /// There was nothing to say.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.notices.is_empty() && self.replaced_characters == 0 && self.hidden_characters == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_beyond_the_limit_are_counted() {
        let mut notices = Notices::default();
        for _ in 0..MAX_NOTICES + 3 {
            notices.push(Notice::new(NoticeKind::BadRow));
        }
        assert_eq!(notices.kept().len(), MAX_NOTICES);
        assert_eq!(notices.more(), 3);
        assert_eq!(notices.unreadable_rows(), MAX_NOTICES as u64 + 3);
        let mut twice = notices.clone();
        twice.extend(&notices);
        assert_eq!(twice.more(), MAX_NOTICES as u64 + 6);
        assert_eq!(twice.unreadable_rows(), 2 * notices.unreadable_rows());
    }
}
