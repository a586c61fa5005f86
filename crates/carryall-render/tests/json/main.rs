//! The JSON and JSON Lines exports.

#![allow(clippy::unwrap_used, reason = "this is all tests")]

mod inputs;
mod properties;
mod session;
#[path = "../support/mod.rs"]
mod support;
mod units;
