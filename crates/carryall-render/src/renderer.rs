//! What every format has in common.

use crate::{Format, Html, Json, JsonLines, Markdown};
use carryall_model::{EntrySink, Found, Header, LeftOut, SinkError};
use std::io::Write;

/// Writes one export.
///
/// The order of calls: [`begin`](Self::begin) with the session's header, its entries and calls,
/// [`finish`](Self::finish); the same three again for each subagent that follows; at last
/// [`close`](Self::close).
pub trait Renderer: EntrySink {
    /// Starts a document: the session's, then each subagent's.
    ///
    /// # Errors
    /// When the writer fails.
    fn begin(&mut self, header: &Header<'_>) -> Result<(), SinkError>;

    /// Ends the document that was begun last.
    ///
    /// # Errors
    /// When the writer fails.
    fn finish(&mut self, found: &Found, left_out: &LeftOut) -> Result<(), SinkError>;

    /// Ends the export. The writer is not flushed.
    ///
    /// # Errors
    /// When the writer fails.
    fn close(&mut self) -> Result<(), SinkError>;
}

/// The program in whose name an export is made; an agent that embeds the library sets its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Product {
    /// The first heading of a Markdown export is `# <title> session export`.
    pub title: String,
    /// Generated names begin with `<slug>-export-`.
    pub slug: String,
}

impl Product {
    /// A product with its title (`Carryall`) and slug (`carryall`).
    #[must_use]
    pub fn new(title: impl Into<String>, slug: impl Into<String>) -> Self {
        Self { title: title.into(), slug: slug.into() }
    }
}

/// The renderer of a format over a writer, which should be buffered (256 kB serve best).
pub fn renderer<'w, W: Write + 'w>(
    format: Format,
    product: &Product,
    out: W,
) -> Box<dyn Renderer + 'w> {
    match format {
        Format::Markdown => Box::new(Markdown::new(product, out)),
        Format::Html => Box::new(Html::new(product, out)),
        Format::Json => Box::new(Json::new(out)),
        Format::JsonLines => Box::new(JsonLines::new(out)),
    }
}
