//! Markdown: plain and pleasant to read, and safe to take apart again.
//!
//! Two readers find the structure without being fooled by any text. One jumps by the lengths in
//! the markers; a CommonMark parser sees the same markers as HTML blocks of the top level, which
//! no text can bring forth, because a text with raw HTML is fenced. See [`prose`] for the texts
//! that people read as Markdown and [`payload`] for those that stand in a fence always.

mod call;
mod doubt;
mod entry;
mod head;
mod marker;
mod payload;
mod prose;
mod span;

use crate::wording::{self, Missing, count};
use crate::{Product, Renderer};
use carryall_model::{Entry, EntrySink, Found, Header, LeftOut, Place, SinkError, ToolCall};
use head::Subagents;
use marker::Spot;
use prose::Prose;
use std::io::{self, Write};

/// Writes an export as Markdown.
///
/// Every entry and call begins with a marker, an HTML comment that no viewer shows:
/// `<!-- carryall 7 assistant reasoning:120 text:1234 -->`. The numbers behind the colons are the
/// lengths of the parts in bytes, as they stand in this file; a part is listed if and only if the
/// JSON document has the field.
#[derive(Debug)]
pub struct Markdown<W: Write> {
    out: W,
    title: String,
    spot: Spot,
    /// Injected messages since the last entry that was shown.
    injected: u64,
    /// The last entry was injected, and so are its calls.
    hidden: bool,
    prose: Prose,
    subagents: Subagents,
    missing: Vec<(Place, Missing)>,
}

impl<W: Write> Markdown<W> {
    /// A renderer for one export. The writer should be buffered.
    pub fn new(product: &Product, out: W) -> Self {
        Self {
            out,
            title: product.title.clone(),
            spot: Spot { place: Place::Root, entry: 0, call: 0 },
            injected: 0,
            hidden: false,
            prose: Prose::default(),
            subagents: Subagents::default(),
            missing: Vec::new(),
        }
    }

    /// One line for a run of messages that nobody typed.
    fn tell_injected(&mut self) -> io::Result<()> {
        let injected = std::mem::take(&mut self.injected);
        if injected == 0 {
            return Ok(());
        }
        let messages = count(injected, "injected message", "injected messages");
        let are = if injected == 1 { "it is" } else { "they are" };
        writeln!(self.out, "\n\n*{messages} not shown ({are} in the JSON export).*")
    }

    fn close_document(&mut self) -> io::Result<()> {
        if self.missing.is_empty() {
            return Ok(());
        }
        self.out.write_all(b"\n\n## What is missing\n\n")?;
        for (place, Missing { word, sentence }) in &self.missing {
            let sentence = span::sentence(sentence);
            match place {
                Place::Root => writeln!(self.out, "- **{word}**: {sentence}")?,
                Place::Child(n) => writeln!(self.out, "- **{word}**, subagent s{n}: {sentence}")?,
            }
        }
        writeln!(self.out, "\n{}", wording::EXACT_TEXT)
    }
}

impl<W: Write> EntrySink for Markdown<W> {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        self.spot.entry += 1;
        self.spot.call = 0;
        self.hidden = entry.is_meta;
        if entry.is_meta {
            self.injected += 1;
            return Ok(());
        }
        self.tell_injected()?;
        Ok(entry::write(&mut self.out, self.spot, entry, &mut self.prose)?)
    }

    fn call(&mut self, call: &ToolCall<'_>) -> Result<(), SinkError> {
        self.spot.call += 1;
        if self.hidden {
            return Ok(());
        }
        let subagent = self.subagents.called(self.spot, call);
        Ok(call::write(&mut self.out, self.spot, call, subagent.as_ref())?)
    }
}

impl<W: Write> Renderer for Markdown<W> {
    fn begin(&mut self, header: &Header<'_>) -> Result<(), SinkError> {
        self.spot = Spot { place: header.place, entry: 0, call: 0 };
        self.hidden = false;
        match header.place {
            Place::Root => head::session(&mut self.out, &self.title, header)?,
            Place::Child(number) => {
                let about = self.subagents.take(number);
                head::subagent(&mut self.out, number, about, header)?;
            }
        }
        self.subagents.list(header.subagents);
        Ok(())
    }

    fn finish(&mut self, found: &Found, left_out: &LeftOut) -> Result<(), SinkError> {
        self.tell_injected()?;
        let place = self.spot.place;
        let lines = wording::missing(found, left_out);
        self.missing.extend(lines.into_iter().map(|line| (place, line)));
        Ok(())
    }

    fn close(&mut self) -> Result<(), SinkError> {
        Ok(self.close_document()?)
    }
}
