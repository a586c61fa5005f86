//! The Markdown export, as readers and viewers see it.

#![allow(clippy::unwrap_used, clippy::wildcard_enum_match_arm, reason = "this is all tests")]

mod bytes;
mod frame;
mod properties;
mod reader;
mod session;
#[path = "../support/mod.rs"]
mod support;
mod units;
mod vectors;
mod views;
