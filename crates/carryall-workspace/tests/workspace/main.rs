//! The sandbox against hostile requests, hostile neighbours, kills, crowds and full disks.
//!
//! Some tests need a process of their own: system call filters cannot be taken off again, and a
//! kill must not hit the test runner. They start this binary once more with one job, see `child`.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests build hostile trees with the plain calls that the crate avoids, and say figures"
)]

mod child;
mod crowds;
mod filters;
mod kills;
mod limits;
mod names;
mod output;
mod properties;
mod races;
mod requests;
mod scratch;
mod vectors;
