//! A session as one page: no script, no request, nothing to install.
//!
//! The page is written as entries come. What only the end can tell, the contents and what is
//! missing, stands after the conversation and is put in its place by the style sheet. No text of
//! a transcript becomes an element, an attribute, an id, an address or a style.

mod ansi;
mod block;
mod call;
mod contents;
mod diff;
mod document;
mod entry;
mod input;
mod page;
mod spot;
mod style;
mod summary;
mod text;
mod time;
mod todo;

use crate::{Product, Renderer, wording};
use carryall_model::{Entry, EntrySink, Found, Header, LeftOut, SinkError, ToolCall};
use contents::{Children, Contents};
use document::Document;
use page::Ending;
use std::io::Write;

/// Writes a page for people: collapsible calls and reasoning, edits as differences, light, dark,
/// on paper and on a phone.
pub struct Html<W: Write> {
    out: W,
    /// The product's title.
    product: String,
    document: Document,
    /// The section of a subagent is open.
    in_child: bool,
    /// The day on which the session began.
    day: Option<i64>,
    contents: Contents,
    children: Children,
    endings: Vec<Ending>,
    /// Something links to the closing section.
    points_to_end: bool,
}

impl<W: Write> Html<W> {
    /// A page in the name of a product. The writer should be buffered.
    pub fn new(product: &Product, out: W) -> Self {
        Self {
            out,
            product: product.title.clone(),
            document: Document::default(),
            in_child: false,
            day: None,
            contents: Contents::default(),
            children: Children::default(),
            endings: Vec::new(),
            points_to_end: false,
        }
    }
}

impl<W: Write> EntrySink for Html<W> {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        Ok(self.write_entry(entry)?)
    }

    fn call(&mut self, call: &ToolCall<'_>) -> Result<(), SinkError> {
        Ok(self.write_call(call)?)
    }
}

impl<W: Write> Renderer for Html<W> {
    fn begin(&mut self, header: &Header<'_>) -> Result<(), SinkError> {
        Ok(self.write_beginning(header)?)
    }

    fn finish(&mut self, found: &Found, left_out: &LeftOut) -> Result<(), SinkError> {
        self.close_entry()?;
        self.note_missing(wording::missing(found, left_out));
        Ok(())
    }

    fn close(&mut self) -> Result<(), SinkError> {
        Ok(self.write_ending()?)
    }
}
