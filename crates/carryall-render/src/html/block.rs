//! Blocks of text: the `pre` elements, their labels and folds, lists of files.

use super::ansi;
use super::input::Json;
use super::text::{self, Extent};
use crate::wording;
use carryall_model::FileRef;
use std::io::{self, Write};

/// How a block of text is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pre {
    /// What a model wrote, or stands for it.
    Prose,
    /// What a model was told.
    Prompt,
    /// What a tool answered.
    Result,
    /// The command of a call, after a `$`.
    Command,
    /// An argument of a call.
    Argument,
    /// The arguments of a call as JSON.
    Json,
    /// What a person typed for the host.
    Typed,
    /// What the host printed, or a result without its call.
    Printed,
}

impl Pre {
    /// The start tag. `dir` lets each paragraph follow its own first letter; JSON runs left to
    /// right.
    pub(super) fn tag(self) -> &'static str {
        match self {
            Self::Prose | Self::Prompt => r#"<pre class="text" dir="auto">"#,
            Self::Result | Self::Argument => r#"<pre dir="auto">"#,
            Self::Command => r#"<pre class="cmd" dir="auto">"#,
            Self::Json => "<pre>",
            Self::Typed | Self::Printed => r#"<pre class="out" dir="auto">"#,
        }
    }

    /// From how many lines and characters on the text is folded.
    fn limit(self) -> Option<(usize, usize)> {
        match self {
            Self::Result | Self::Argument | Self::Command | Self::Json | Self::Printed => {
                Some((24, 4_000))
            }
            Self::Prompt => Some((30, 3_000)),
            Self::Prose | Self::Typed => None,
        }
    }

    /// Whether a text of that extent is folded; its characters are counted only if need be.
    pub(super) fn is_long(self, extent: Extent, characters: impl FnOnce() -> usize) -> bool {
        self.limit().is_some_and(|(lines, most)| extent.exceeds(lines, most, characters))
    }
}

/// Writes a text in its element.
pub(super) fn pre<W: Write>(out: &mut W, pre: Pre, content: &str) -> io::Result<()> {
    out.write_all(pre.tag().as_bytes())?;
    // A parser drops the line feed that follows the tag: this one, so that the text keeps its own.
    out.write_all(b"\n")?;
    match pre {
        Pre::Prose | Pre::Prompt => text::prose(out, content)?,
        Pre::Result | Pre::Printed => ansi::output(out, content)?,
        Pre::Command | Pre::Argument | Pre::Json | Pre::Typed => text::text(out, content)?,
    }
    out.write_all(b"</pre>\n")
}

/// Writes a text under a summary that says how long it is.
pub(super) fn fold<W: Write>(out: &mut W, label: &str, kind: Pre, content: &str) -> io::Result<()> {
    write_fold_start(out, label, Extent::of(content))?;
    pre(out, kind, content)?;
    out.write_all(b"</details>\n")
}

/// Writes the arguments of a call, closed.
pub(super) fn folded_json<W: Write>(out: &mut W, json: Json<'_>) -> io::Result<()> {
    write_fold_start(out, "Input as JSON", json.measure().0)?;
    json.write(out)?;
    out.write_all(b"</details>\n")
}

fn write_fold_start<W: Write>(out: &mut W, label: &str, extent: Extent) -> io::Result<()> {
    write!(out, "<details class=\"fold\">\n<summary>{label}{extent}</summary>\n")
}

/// Writes the arguments of a call, open unless they are long.
pub(super) fn open_json<W: Write>(out: &mut W, json: Json<'_>) -> io::Result<()> {
    let (extent, long) = json.measure();
    if !long {
        write_label(out, "Input", extent)?;
        return json.write(out);
    }
    write_long_start(out, "input", extent)?;
    json.write(out)?;
    out.write_all(b"</details>\n")
}

/// Writes a text that shows only its beginning until it is opened.
pub(super) fn long<W: Write>(out: &mut W, name: &str, kind: Pre, content: &str) -> io::Result<()> {
    write_long_start(out, name, Extent::of(content))?;
    pre(out, kind, content)?;
    out.write_all(b"</details>\n")
}

fn write_long_start<W: Write>(out: &mut W, name: &str, extent: Extent) -> io::Result<()> {
    out.write_all(b"<details class=\"fold long\">\n<summary>Whole ")?;
    text::value(out, name)?;
    writeln!(out, "{extent}</summary>")
}

/// Writes a text as it is, or folded when it is [too long](Pre::is_long). `name` says then what
/// it is.
pub(super) fn block<W: Write>(out: &mut W, name: &str, kind: Pre, content: &str) -> io::Result<()> {
    if kind.is_long(Extent::of(content), || content.chars().count()) {
        return long(out, name, kind, content);
    }
    pre(out, kind, content)
}

/// The same with a label above.
pub(super) fn labelled<W: Write>(
    out: &mut W,
    label: &str,
    name: &str,
    kind: Pre,
    content: &str,
) -> io::Result<()> {
    let extent = Extent::of(content);
    if kind.is_long(extent, || content.chars().count()) {
        return long(out, name, kind, content);
    }
    write_label(out, label, extent)?;
    pre(out, kind, content)
}

/// A label; from four lines on it says how long the text is.
fn write_label<W: Write>(out: &mut W, label: &str, extent: Extent) -> io::Result<()> {
    out.write_all(b"<p class=\"label\">")?;
    text::value(out, label)?;
    if extent.lines > 3 {
        write!(out, "{extent}")?;
    }
    out.write_all(b"</p>\n")
}

/// Writes a list of files; nothing when there is none.
pub(super) fn files<W: Write>(out: &mut W, label: &str, files: &[FileRef<'_>]) -> io::Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    writeln!(out, r#"<ul class="files" aria-label="{label}">"#)?;
    for file in files {
        out.write_all(b"<li>")?;
        self::file(out, file)?;
        out.write_all(b"</li>\n")?;
    }
    out.write_all(b"</ul>\n")
}

/// The path, whole, then what else is known.
fn file<W: Write>(out: &mut W, file: &FileRef<'_>) -> io::Result<()> {
    let name = file.name.filter(|name| !name.is_empty());
    let (first, second) = match (file.path, name) {
        ("", name) => (name.unwrap_or("–"), None),
        (path, name) => (path, name.filter(|&name| name != path)),
    };
    out.write_all(b"<code>")?;
    text::text(out, first)?;
    out.write_all(b"</code>")?;
    let mut space = " ";
    for known in [second, file.media_type].into_iter().flatten() {
        out.write_all(space.as_bytes())?;
        text::value(out, known)?;
        space = " · ";
    }
    match file.bytes {
        Some(bytes) => write!(out, "{space}{}", wording::size(bytes)),
        None => Ok(()),
    }
}
