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

mod attacks;
mod child;
mod controls;
mod crowds;
mod filters;
mod harness;
mod kills;
mod limits;
mod modes;
mod names;
mod output;
mod properties;
mod races;
mod requests;
mod scenarios;
mod scratch;
mod vectors;
