//! A session as Markdown, HTML, JSON or JSON Lines.
//!
//! Each format is a [`Renderer`]: it is told the [`Header`](carryall_model::Header), then takes
//! entries and calls as they come, then hears what was found and left out. Text goes straight to
//! the writer; what is held is at most one call.
//!
//! Two promises are kept here: no text of a transcript becomes structure of the file, and no
//! renderer knows which agent it renders.
#![warn(clippy::wildcard_enum_match_arm)]

mod chars;
mod format;
mod html;
mod json;
mod markdown;
mod renderer;
mod wording;
mod words;

pub use chars::{hidden_characters, is_hidden, unpaired_surrogates};
pub use format::Format;
pub use html::Html;
pub use json::{Json, JsonLines};
pub use markdown::Markdown;
pub use renderer::{Product, Renderer, renderer};
pub use wording::{sentence, size};
