//! What a session is.
//!
//! A coding agent's conversation, whatever wrote it, is a [`Facts`] (what is known of the whole)
//! and a run of [`Entry`] and [`ToolCall`] values, pushed one by one into an [`EntrySink`] by a
//! [`Transcript`]. Entries borrow from the reader's buffers, so a transcript of any length passes
//! through in the memory of its largest tool call.
//!
//! This crate owns the words that all others share. It deliberately reads no file, writes no
//! file, and knows no agent and no output format.
//!
//! ```
//! use carryall_model::*;
//!
//! /// A sink that counts what passes.
//! #[derive(Default)]
//! struct Count(usize);
//!
//! impl EntrySink for Count {
//!     fn entry(&mut self, _: &Entry<'_>) -> Result<(), SinkError> {
//!         self.0 += 1;
//!         Ok(())
//!     }
//!     fn call(&mut self, _: &ToolCall<'_>) -> Result<(), SinkError> {
//!         Ok(())
//!     }
//! }
//!
//! let mut count = Count::default();
//! count.entry(&Entry { text: Some("hello"), ..Entry::new(EntryKind::User) })?;
//! assert_eq!(count.0, 1);
//! # Ok::<(), SinkError>(())
//! ```

mod call;
mod entry;
mod error;
mod facts;
mod header;
mod notice;
mod text;
mod transcript;

pub use call::{Edit, Input, ToolCall, ToolResult};
pub use entry::{Entry, EntryKind, FileRef, Plan};
pub use error::{Candidate, OpenError, ReplayError, SinkError};
pub use facts::{Facts, Policy, Source, TokenUsage};
pub use header::{Header, LeftOut, ListedChild, Options, Place};
pub use notice::{Found, MAX_NOTICES, Notice, NoticeKind, Notices};
pub use text::Text;
pub use transcript::{Child, EntrySink, FileId, Transcript};
