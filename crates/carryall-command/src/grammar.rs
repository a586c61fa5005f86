//! What a person types after `/export`, and what it asks for.

use crate::CommandError;
use carryall_model::Options;
use carryall_render::Format;
use std::borrow::Cow;
use std::path::PathBuf;

/// The command's synopsis, as catalogues and usage lines show it.
pub const SYNOPSIS: &str = "/export [md|html|json|jsonl] [path] [--no-tools] [--no-thinking]";

/// The command with its slash.
const COMMAND: &str = "/export";

/// One word of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word<'a> {
    /// A word as typed: an option, a format, or a part of the path.
    Typed(Cow<'a, str>),
    /// A whole path that the surface knows as such (a mentioned file): never an option or a format,
    /// and white space in it stays.
    Path(Cow<'a, str>),
}

/// What was asked for, before anything is looked up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The format that was named; without one the path decides.
    pub format: Option<Format>,
    /// The path as typed; empty when none was. A trailing slash asks for a folder.
    pub path: PathBuf,
    /// What to leave out.
    pub options: Options,
}

/// The arguments of the command when a prompt is one: `/export`, alone or followed by a space, tab
/// or line break. The name is case-sensitive; `/exports` and `/export:md` are ordinary prompts.
#[must_use]
pub fn recognise(prompt: &str) -> Option<&str> {
    let rest = prompt.trim().strip_prefix(COMMAND)?;
    match rest.chars().next() {
        None | Some(' ' | '\t' | '\n' | '\r') => Some(rest),
        Some(_) => None,
    }
}

/// Splits a line at white space, as Unicode has it. There are no quotes and no escapes.
#[must_use]
pub fn split(line: &str) -> Vec<Word<'_>> {
    line.split_whitespace().map(|word| Word::Typed(Cow::Borrowed(word))).collect()
}

/// Reads words: options anywhere, then a format if the first word left names one, then the path,
/// whose words are joined by single spaces.
///
/// # Errors
/// [`CommandError::UnknownOption`] for every other word that begins with two dashes.
pub fn parse(words: &[Word<'_>]) -> Result<Request, CommandError> {
    let mut request = Request::default();
    let mut unknown = Vec::new();
    let mut path: Vec<&str> = Vec::new();
    for word in words {
        match word {
            Word::Path(whole) => path.push(whole),
            Word::Typed(word) => match word.as_ref() {
                "--no-tools" => request.options.no_tools = true,
                "--no-thinking" => request.options.no_thinking = true,
                option if option.starts_with("--") => unknown.push(option),
                name if path.is_empty() && request.format.is_none() => {
                    request.format = Format::from_word(name);
                    if request.format.is_none() {
                        path.push(name);
                    }
                }
                part => path.push(part),
            },
        }
    }
    if !unknown.is_empty() {
        return Err(CommandError::UnknownOption { options: unknown.join(", ") });
    }
    request.path = path.join(" ").into();
    Ok(request)
}

#[cfg(test)]
mod tests;
