//! What Markdown and HTML say in words: the facts of the header, sizes, and what is missing.

use carryall_model::{Found, Header, LeftOut};

/// A fact of the header, with its label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    /// The label, such as `Git branch`.
    pub(crate) label: &'static str,
    /// The value in plain text, never blank.
    pub(crate) value: String,
    /// How the value is set.
    pub(crate) kind: FactKind,
}

/// How a fact is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FactKind {
    /// A value out of the transcript: code in Markdown, isolated in HTML.
    Value,
    /// A path out of the transcript, never cut.
    Path,
    /// A time.
    Time,
    /// Our own words.
    Words,
    /// Our own words that point to the end of the document.
    AtTheEnd,
}

/// The facts of a header in the order of the Markdown list, blank ones left out.
pub(crate) fn facts(_header: &Header<'_>) -> Vec<Fact> {
    Vec::new()
}

/// A line of the closing section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    /// The notice's word, or `left-out`, `hidden-characters`, `more-notices`.
    pub(crate) word: &'static str,
    /// A sentence.
    pub(crate) sentence: String,
}

/// The lines of the section **What is missing**; none when there is nothing to say.
pub(crate) fn missing(_found: &Found, _left_out: &LeftOut) -> Vec<Missing> {
    Vec::new()
}

/// A size for people: `96 B`, `2.1 kB`, `3.4 MB`.
pub(crate) fn size(bytes: u64) -> String {
    bytes.to_string()
}

/// A number with a comma between thousands.
pub(crate) fn grouped(n: u64) -> String {
    n.to_string()
}
