//! What went wrong, for a person: what happened, then what to do.

use std::error::Error;
use std::process::ExitCode;

/// An error of the command line: a message, lines under it, hints, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    rows: Vec<String>,
    hint: Option<String>,
    code: u8,
    silent: bool,
    kind: &'static str,
}

impl Failure {
    /// Something that was found only while working: exit code 1.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        let message = message.into();
        Self { message, rows: Vec::new(), hint: None, code: 1, silent: false, kind: "io" }
    }

    /// The line itself is not understood: exit code 2.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { code: 2, kind: "usage", ..Self::new(message) }
    }

    /// Whoever reads standard output has gone: exit code 1, and nothing is said.
    pub(crate) fn broken_pipe() -> Self {
        Self { silent: true, ..Self::new("the reader has gone") }
    }

    /// The same failure after it has been answered in another way: nothing more is said.
    pub(crate) fn answered(self) -> Self {
        Self { silent: true, ..self }
    }

    /// The same failure with its cause, and the cause's causes, in the message.
    pub(crate) fn because(mut self, cause: impl Error) -> Self {
        self.message = chain(&self.message, Some(&cause));
        self
    }

    /// The same failure with lines under the message.
    pub(crate) fn rows(self, rows: Vec<String>) -> Self {
        Self { rows, ..self }
    }

    /// The same failure with what to do about it.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The same failure with its word for programs.
    pub(crate) fn kind(self, kind: &'static str) -> Self {
        Self { kind, ..self }
    }

    /// The word for programs.
    pub(crate) fn word(&self) -> &'static str {
        self.kind
    }

    /// All lines as they are printed; none when nothing is to be said.
    pub(crate) fn lines(&self) -> Vec<String> {
        if self.silent {
            return Vec::new();
        }
        let hint = self.hint.iter().map(|hint| format!("hint: {hint}"));
        std::iter::once(format!("error: {}", self.message))
            .chain(self.rows.iter().map(|row| format!("  {row}")))
            .chain(hint)
            .collect()
    }

    /// The exit code.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }
}

/// A typed error of a library, with its causes on the same line.
impl<E: Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::new(chain(&error.to_string(), error.source()))
    }
}

/// A message and its causes, a cause that the message already says left out.
fn chain(message: &str, mut cause: Option<&dyn Error>) -> String {
    let mut whole = message.to_owned();
    while let Some(error) = cause {
        let text = error.to_string();
        if !whole.contains(&text) {
            whole = format!("{whole}: {text}");
        }
        cause = error.source();
    }
    whole
}
