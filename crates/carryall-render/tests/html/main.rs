//! The HTML export, read back as a browser would.

#![cfg(test)]

mod inert;
mod page;
mod places;
mod seed;
mod session;
mod structure;
mod vectors;
