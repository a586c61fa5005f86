//! The four formats, by the words and extensions that people type.

/// An export format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// For people, in any editor.
    Markdown,
    /// For people, in a browser: one page without scripts.
    Html,
    /// For programs: one document.
    Json,
    /// For programs: one object a line.
    JsonLines,
}

impl Format {
    /// All formats, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Markdown, Self::Html, Self::Json, Self::JsonLines];

    /// The format that a word names, in any letter case: `md markdown html json jsonl`.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "md" | "markdown" => Some(Self::Markdown),
            "html" => Some(Self::Html),
            "json" => Some(Self::Json),
            "jsonl" => Some(Self::JsonLines),
            _ => None,
        }
    }

    /// The format that a file name's extension stands for, without its dot, in any letter case.
    /// `htm` is an extension only, never a word.
    #[must_use]
    pub fn from_extension(extension: &str) -> Option<Self> {
        if extension.eq_ignore_ascii_case("htm") {
            return Some(Self::Html);
        }
        Self::from_word(extension)
    }

    /// The extension of generated names.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Json => "json",
            Self::JsonLines => "jsonl",
        }
    }

    /// The name in a reply: `Session exported to <label>: …`.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Html => "HTML",
            Self::Json => "JSON",
            Self::JsonLines => "JSON Lines",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u1_format_words() {
        for (word, format) in [
            ("md", Format::Markdown),
            ("MD", Format::Markdown),
            ("markdown", Format::Markdown),
            ("html", Format::Html),
            ("HTML", Format::Html),
            ("json", Format::Json),
            ("jsonl", Format::JsonLines),
        ] {
            assert_eq!(Format::from_word(word), Some(format), "{word}");
        }
        for word in ["", "txt", "md.txt", "xml", "chat.md", "htm", " md"] {
            assert_eq!(Format::from_word(word), None, "{word}");
        }
    }

    #[test]
    fn extensions_of_generated_names_name_their_format() {
        for format in Format::ALL {
            assert_eq!(Format::from_extension(format.extension()), Some(format));
        }
        assert_eq!(Format::from_extension("HTM"), Some(Format::Html));
        assert_eq!(Format::from_extension("txt"), None);
    }
}
