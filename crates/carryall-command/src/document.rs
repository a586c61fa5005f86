//! One export from beginning to end: the session, then the subagents that follow it.

use crate::{tally::Tally, trim::Trim};
use carryall_model::{
    EntrySink, Facts, Found, Header, LeftOut, ListedChild, Notice, NoticeKind, Notices, OpenError,
    Options, Place, ReplayError, SinkError, Transcript,
};
use carryall_render::{Format, Product, Renderer, renderer};
use chrono::{DateTime, SecondsFormat, Utc};
use std::io::Write;
use std::ops::Range;

/// Subagents of subagents are followed this deep.
const MAX_DEPTH: u32 = 32;

/// What an export is made with, apart from the session and the place it goes to.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// The format.
    pub format: Format,
    /// What is left out or added.
    pub options: Options,
    /// When the export is made.
    pub now: DateTime<Utc>,
    /// In whose name.
    pub product: &'a Product,
}

/// What an export turned out to hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Entries of the session's own document, after trimming; the same in every format.
    pub entries: u64,
    /// What could not be read, of the session and of the subagents that follow it.
    pub notices: Notices,
}

/// Why a document could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The transcript could not be read to its end, or the output took no more.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A subagent could not be opened.
    #[error(transparent)]
    Child(#[from] OpenError),
}

impl From<SinkError> for DocumentError {
    fn from(error: SinkError) -> Self {
        Self::Replay(error.into())
    }
}

/// Writes a session as one document. The same session, settings and clock give the same bytes,
/// wherever they go.
///
/// # Errors
/// When the transcript or a subagent cannot be read, or the writer fails; what was written until
/// then is then of no use.
pub fn write_document<W: Write>(
    transcript: &dyn Transcript,
    settings: &Settings<'_>,
    out: W,
) -> Result<Summary, DocumentError> {
    let exported_at = settings.now.to_rfc3339_opts(SecondsFormat::Secs, true);
    let mut renderer = renderer(settings.format, settings.product, out);
    let tree = if settings.options.subagents { number(transcript)? } else { Vec::new() };
    let mut export = Export { renderer: &mut *renderer, settings, exported_at: &exported_at };
    let summary = export.session(transcript, Place::Root, &tree)?;
    export.renderer.close()?;
    Ok(summary)
}

/// A subagent that follows, with its number and its own subagents.
struct Node {
    number: u32,
    children: Vec<Node>,
}

/// A subagent whose source cannot be opened: it stands in its place, empty, and says why. One file
/// that is damaged beyond reading must not take the whole export with it.
struct Unopened {
    facts: Facts,
    found: Found,
}

impl Transcript for Unopened {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn replay(&self, _: Range<u32>, _: &mut dyn EntrySink) -> Result<Found, ReplayError> {
        Ok(self.found.clone())
    }
}

/// Opens a subagent, or puts an empty one in its place. Only a source that has just changed is an
/// error, since opening it once more may help.
fn open_child(
    parent: &dyn Transcript,
    number: usize,
) -> Result<Box<dyn Transcript + '_>, OpenError> {
    let error = match parent.open_child(number) {
        Err(error @ OpenError::SourceChanged { .. }) => return Err(error),
        Err(error) => error,
        opened => return opened,
    };
    let child = parent.children().get(number).cloned().unwrap_or_default();
    let mut found = Found::default();
    let notice = Notice::new(NoticeKind::MissingFile).with_detail(error.to_string());
    found.notices.push(notice);
    let facts = Facts {
        id: child.id,
        title: child.title,
        parent_id: Some(parent.facts().id.clone()),
        ..Facts::default()
    };
    Ok(Box::new(Unopened { facts, found }))
}

/// Numbers all subagents from 1 in the order in which they follow: depth first.
///
/// The numbers must be known before the first entry is written, since a call names the section that
/// its subagent has, so every subagent is opened once for its own list and again to be read.
fn number(transcript: &dyn Transcript) -> Result<Vec<Node>, OpenError> {
    fn below(
        transcript: &dyn Transcript,
        next: &mut u32,
        path: &mut Vec<String>,
    ) -> Result<Vec<Node>, OpenError> {
        let mut nodes = Vec::new();
        path.push(transcript.facts().id.clone());
        for (at, child) in transcript.children().iter().enumerate() {
            *next += 1;
            let number = *next;
            // A subagent that is its own ancestor, or too deep, is shown without its own.
            let leaf = path.contains(&child.id) || path.len() >= MAX_DEPTH as usize;
            let children =
                if leaf { Vec::new() } else { below(&*open_child(transcript, at)?, next, path)? };
            nodes.push(Node { number, children });
        }
        path.pop();
        Ok(nodes)
    }
    below(transcript, &mut 0, &mut Vec::new())
}

struct Export<'a> {
    renderer: &'a mut dyn Renderer,
    settings: &'a Settings<'a>,
    exported_at: &'a str,
}

impl Export<'_> {
    /// Writes a session's document and then those of its subagents.
    fn session(
        &mut self,
        transcript: &dyn Transcript,
        place: Place,
        tree: &[Node],
    ) -> Result<Summary, DocumentError> {
        let mut summary = self.document(transcript, place, tree)?;
        for (at, node) in tree.iter().enumerate() {
            let child = open_child(transcript, at)?;
            let below = self.session(&*child, Place::Child(node.number), &node.children)?;
            summary.notices.extend(&below.notices);
        }
        Ok(summary)
    }

    fn document(
        &mut self,
        transcript: &dyn Transcript,
        place: Place,
        tree: &[Node],
    ) -> Result<Summary, DocumentError> {
        let listed: Vec<_> = transcript
            .children()
            .iter()
            .enumerate()
            .map(|(at, child)| ListedChild { child, number: tree.get(at).map(|node| node.number) })
            .collect();
        self.renderer.begin(&Header {
            facts: transcript.facts(),
            exported_at: self.exported_at,
            options: self.settings.options,
            place,
            subagents: &listed,
        })?;
        let (found, left_out, entries) = self.entries(transcript)?;
        self.renderer.finish(&found, &left_out)?;
        Ok(Summary { entries, notices: found.notices })
    }

    fn entries(
        &mut self,
        transcript: &dyn Transcript,
    ) -> Result<(Found, LeftOut, u64), DocumentError> {
        let mut sink = Trim::new(Tally::new(&mut *self.renderer), self.settings.options);
        let mut found = transcript.replay(0..u32::MAX, &mut sink)?;
        let (left_out, tally) = sink.into_parts();
        tally.add_to(&mut found);
        Ok((found, left_out, tally.entries()))
    }
}
