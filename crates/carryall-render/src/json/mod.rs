//! JSON and JSON Lines: the exact text, for programs.
//!
//! Both write the same fields (see [`fields`]) as they come. An entry stays open until the next one
//! begins, since its calls are pushed after it; of an open entry only the few fields that stand
//! behind its calls are held, already serialised.

mod copy;
mod escape;
mod fields;
mod object;

pub(crate) use copy::{Audience, Layout, copy, decode_string};

use crate::Renderer;
use carryall_model::{Entry, EntrySink, Found, Header, LeftOut, Place, SinkError, ToolCall};
use object::{Object, Style};
use std::io::{self, Write};

/// Writes an export as one JSON document, version 1, indented by two spaces.
///
/// `version`, `session`, `entries`, `end` and `subagents` stand in this order; the last two only
/// when there is something to say. Tool inputs are copied token by token, so numbers keep their
/// spelling and objects their order and repeated keys.
#[derive(Debug)]
pub struct Json<W: Write> {
    entries: Entries<W>,
    /// The style of the document at hand.
    document: Style,
    first_entry: bool,
}

const ROOT: Style = Style::Indented(0);

/// A subagent's document stands in a list that is a field of the root.
const SUBAGENT: Style = Style::Indented(2);

impl<W: Write> Json<W> {
    /// A renderer for one export. The writer should be buffered.
    pub fn new(out: W) -> Self {
        Self { entries: Entries::new(out), document: ROOT, first_entry: true }
    }

    fn begin_document(&mut self, header: &Header<'_>) -> io::Result<()> {
        let out = &mut self.entries.out;
        if header.place != Place::Root {
            let first = self.document == ROOT;
            if first {
                Object::resume(out, ROOT).key("subagents")?;
                out.write_all(b"[")?;
            }
            SUBAGENT.item(out, first)?;
            self.document = SUBAGENT;
        }
        let mut document = Object::open(out, self.document)?;
        if header.place == Place::Root {
            document.number("version", fields::VERSION)?;
        }
        document.object("session", |to| fields::session(to, header))?;
        let list = document.key("entries")?;
        out.write_all(b"[")?;
        self.entries.style = list.inner();
        self.first_entry = true;
        Ok(())
    }

    fn finish_document(&mut self, found: &Found, left_out: &LeftOut) -> io::Result<()> {
        self.entries.close()?;
        let out = &mut self.entries.out;
        if !self.first_entry {
            self.document.inner().new_line(out)?;
        }
        out.write_all(b"]")?;
        let mut document = Object::resume(out, self.document);
        if !fields::is_end_empty(found, left_out) {
            document.object("end", |to| fields::end(to, found, left_out))?;
        }
        // The root stays open for the subagents.
        if self.document == ROOT { Ok(()) } else { document.close() }
    }

    fn close_root(&mut self) -> io::Result<()> {
        let out = &mut self.entries.out;
        if self.document != ROOT {
            ROOT.inner().new_line(out)?;
            out.write_all(b"]")?;
        }
        Object::resume(out, ROOT).close()?;
        out.write_all(b"\n")
    }
}

impl<W: Write> EntrySink for Json<W> {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        self.entries.close()?;
        self.entries.style.item(&mut self.entries.out, self.first_entry)?;
        self.first_entry = false;
        Ok(self.entries.open(entry)?)
    }

    fn call(&mut self, call: &ToolCall<'_>) -> Result<(), SinkError> {
        Ok(self.entries.call(call)?)
    }
}

impl<W: Write> Renderer for Json<W> {
    fn begin(&mut self, header: &Header<'_>) -> Result<(), SinkError> {
        Ok(self.begin_document(header)?)
    }

    fn finish(&mut self, found: &Found, left_out: &LeftOut) -> Result<(), SinkError> {
        Ok(self.finish_document(found, left_out)?)
    }

    fn close(&mut self) -> Result<(), SinkError> {
        Ok(self.close_root()?)
    }
}

/// Writes an export as JSON Lines: one object a line, LF only.
///
/// The first line is the session (`"type":"session"`), then one line an entry, then a line
/// `"type":"end"` when there is something to say. A subagent is another session line with its
/// `parent_id`, its entries and its end.
#[derive(Debug)]
pub struct JsonLines<W: Write> {
    entries: Entries<W>,
}

impl<W: Write> JsonLines<W> {
    /// A renderer for one export. The writer should be buffered.
    pub fn new(out: W) -> Self {
        Self { entries: Entries::new(out) }
    }

    /// Ends the line of the last entry, if one is open.
    fn end_entry(&mut self) -> io::Result<()> {
        if self.entries.close()? { self.entries.out.write_all(b"\n") } else { Ok(()) }
    }

    fn line(
        &mut self,
        fields: impl FnOnce(&mut Object<'_, W>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut line = Object::open(&mut self.entries.out, Style::Line)?;
        fields(&mut line)?;
        line.close()?;
        self.entries.out.write_all(b"\n")
    }
}

impl<W: Write> EntrySink for JsonLines<W> {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        self.end_entry()?;
        Ok(self.entries.open(entry)?)
    }

    fn call(&mut self, call: &ToolCall<'_>) -> Result<(), SinkError> {
        Ok(self.entries.call(call)?)
    }
}

impl<W: Write> Renderer for JsonLines<W> {
    fn begin(&mut self, header: &Header<'_>) -> Result<(), SinkError> {
        Ok(self.line(|to| {
            to.string("type", "session")?;
            to.number("version", fields::VERSION)?;
            fields::session(to, header)
        })?)
    }

    fn finish(&mut self, found: &Found, left_out: &LeftOut) -> Result<(), SinkError> {
        self.end_entry()?;
        if fields::is_end_empty(found, left_out) {
            return Ok(());
        }
        Ok(self.line(|to| {
            to.string("type", "end")?;
            fields::end(to, found, left_out)
        })?)
    }

    fn close(&mut self) -> Result<(), SinkError> {
        Ok(())
    }
}

/// Writes entries with their calls; at most one is open.
#[derive(Debug)]
struct Entries<W> {
    out: W,
    style: Style,
    is_open: bool,
    calls: u64,
    /// The fields of the open entry that stand after its calls.
    rest: Vec<u8>,
}

impl<W: Write> Entries<W> {
    fn new(out: W) -> Self {
        Self { out, style: Style::Line, is_open: false, calls: 0, rest: Vec::new() }
    }

    fn open(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        fields::before_calls(&mut Object::open(&mut self.out, self.style)?, entry)?;
        self.rest.clear();
        fields::after_calls(&mut Object::resume(&mut self.rest, self.style), entry)?;
        self.calls = 0;
        self.is_open = true;
        Ok(())
    }

    fn call(&mut self, call: &ToolCall<'_>) -> io::Result<()> {
        let list = self.style.inner();
        if self.calls == 0 {
            Object::resume(&mut self.out, self.style).key("tool_calls")?;
            self.out.write_all(b"[")?;
        }
        list.inner().item(&mut self.out, self.calls == 0)?;
        self.calls += 1;
        let mut object = Object::open(&mut self.out, list.inner())?;
        fields::call(&mut object, call)?;
        object.close()
    }

    /// Closes the open entry; tells whether there was one.
    fn close(&mut self) -> io::Result<bool> {
        if !std::mem::take(&mut self.is_open) {
            return Ok(false);
        }
        if self.calls > 0 {
            self.style.inner().new_line(&mut self.out)?;
            self.out.write_all(b"]")?;
        }
        self.out.write_all(&self.rest)?;
        Object::resume(&mut self.out, self.style).close()?;
        Ok(true)
    }
}
