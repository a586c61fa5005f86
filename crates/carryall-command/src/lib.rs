//! `/export`: its grammar, plan, run and reply, for any chat surface.
//!
//! A surface hands over what was typed, a [`Transcript`](carryall_model::Transcript), a
//! [`Workspace`](carryall_workspace::Workspace) and the time, and shows the [`Reply`]. There is no
//! model turn in it, no printing, no clock and no environment. The shell twin makes the same
//! [`Request`] from its options and calls the same [`export()`], so both give the same bytes.
//!
//! What stays on the way from the transcript to the file is in [`Trim`]; what is counted is the
//! same in every format.
#![warn(clippy::wildcard_enum_match_arm)]

mod catalogue;
mod document;
mod error;
mod export;
mod grammar;
mod plan;
mod reply;
mod tally;
mod trim;

pub use catalogue::{CatalogueEntry, catalogue};
pub use document::{DocumentError, Settings, Summary, write_document};
pub use error::CommandError;
pub use export::{Exported, export};
pub use grammar::{Request, SYNOPSIS, Word, parse, recognise, split};
pub use plan::Plan;
pub use reply::{Reply, run};
pub use trim::Trim;
