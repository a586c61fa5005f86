//! Objects and lists written field by field, so that no document is ever held.

use super::copy::{Layout, indent};
use super::escape::write_string;
use std::io::{self, Write};

/// An object that is being written. One that nobody closes stays open, to be gone on with later.
pub(super) struct Object<'w, W> {
    pub(super) out: &'w mut W,
    style: Style,
    empty: bool,
}

/// How a value is set, and how deep it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// On one line.
    Line,
    /// On lines of its own, below this many levels.
    Indented(usize),
}

impl Style {
    /// The style of what stands inside a value of this style.
    pub(super) fn inner(self) -> Self {
        match self {
            Self::Line => Self::Line,
            Self::Indented(level) => Self::Indented(level + 1),
        }
    }

    /// The layout of a JSON text that is a value of this style.
    pub(super) fn layout(self) -> Layout {
        match self {
            Self::Line => Layout::Compact,
            Self::Indented(level) => Layout::Indented(level),
        }
    }

    /// Begins a line for a value or bracket of this style.
    pub(super) fn new_line(self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Line => Ok(()),
            Self::Indented(level) => indent(out, level),
        }
    }

    /// Separates an item of this style from the one before it and begins its line.
    pub(super) fn item(self, out: &mut impl Write, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        self.new_line(out)
    }
}

impl<'w, W: Write> Object<'w, W> {
    /// Opens an object.
    pub(super) fn open(out: &'w mut W, style: Style) -> io::Result<Self> {
        out.write_all(b"{")?;
        Ok(Self { out, style, empty: true })
    }

    /// Goes on with an object that has fields already.
    pub(super) fn resume(out: &'w mut W, style: Style) -> Self {
        Self { out, style, empty: false }
    }

    /// Writes a key; its value must follow, in the style that is returned.
    pub(super) fn key(&mut self, name: &str) -> io::Result<Style> {
        let inner = self.style.inner();
        inner.item(self.out, self.empty)?;
        self.empty = false;
        self.out.write_all(b"\"")?;
        self.out.write_all(name.as_bytes())?;
        self.out.write_all(match self.style {
            Style::Line => b"\":".as_slice(),
            Style::Indented(_) => b"\": ",
        })?;
        Ok(inner)
    }

    /// A text, always.
    pub(super) fn string(&mut self, name: &str, value: &str) -> io::Result<()> {
        self.key(name)?;
        write_string(self.out, value)
    }

    /// A text, unless it is absent or empty.
    pub(super) fn text(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        match value.filter(|value| !value.is_empty()) {
            Some(value) => self.string(name, value),
            None => Ok(()),
        }
    }

    /// A number, always.
    pub(super) fn number(&mut self, name: &str, value: u64) -> io::Result<()> {
        self.key(name)?;
        write!(self.out, "{value}")
    }

    /// A number, unless it is 0.
    pub(super) fn count(&mut self, name: &str, value: u64) -> io::Result<()> {
        if value == 0 { Ok(()) } else { self.number(name, value) }
    }

    /// `true`, or nothing.
    pub(super) fn flag(&mut self, name: &str, value: bool) -> io::Result<()> {
        if !value {
            return Ok(());
        }
        self.key(name)?;
        self.out.write_all(b"true")
    }

    /// An object with the fields that `fields` writes.
    pub(super) fn object(
        &mut self,
        name: &str,
        fields: impl FnOnce(&mut Object<'_, W>) -> io::Result<()>,
    ) -> io::Result<()> {
        let style = self.key(name)?;
        let mut object = Object::open(self.out, style)?;
        fields(&mut object)?;
        object.close()
    }

    /// A list of values that `item` writes in the style it is given, unless there are none.
    pub(super) fn list<T>(
        &mut self,
        name: &str,
        items: &[T],
        mut item: impl FnMut(&mut W, Style, &T) -> io::Result<()>,
    ) -> io::Result<()> {
        if items.is_empty() {
            return Ok(());
        }
        let style = self.key(name)?;
        self.out.write_all(b"[")?;
        for (at, value) in items.iter().enumerate() {
            style.inner().item(self.out, at == 0)?;
            item(self.out, style.inner(), value)?;
        }
        style.new_line(self.out)?;
        self.out.write_all(b"]")
    }

    /// A list of objects, unless there are none.
    pub(super) fn objects<T>(
        &mut self,
        name: &str,
        items: &[T],
        fields: impl Fn(&mut Object<'_, W>, &T) -> io::Result<()>,
    ) -> io::Result<()> {
        self.list(name, items, |out, style, item| {
            let mut object = Object::open(out, style)?;
            fields(&mut object, item)?;
            object.close()
        })
    }

    /// Closes the object.
    pub(super) fn close(self) -> io::Result<()> {
        if !self.empty {
            self.style.new_line(self.out)?;
        }
        self.out.write_all(b"}")
    }
}
