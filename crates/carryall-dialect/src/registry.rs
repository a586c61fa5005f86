//! All dialects, and which of them a file belongs to.

use crate::{
    Dialect, Probe, claude_code::ClaudeCode, coddy::Coddy, codex::Codex, pi::Pi, qwen::Qwen,
};

/// The dialects that are known, in the order in which they are asked.
pub struct Registry {
    dialects: Vec<Box<dyn Dialect>>,
}

impl Registry {
    /// All dialects of this crate.
    #[must_use]
    pub fn builtin() -> Self {
        Self {
            dialects: vec![
                Box::new(ClaudeCode),
                Box::new(Coddy),
                Box::new(Codex::default()),
                Box::new(Pi),
                Box::new(Qwen),
            ],
        }
    }

    /// The same registry with one more dialect, asked last.
    #[must_use]
    pub fn with(mut self, dialect: Box<dyn Dialect>) -> Self {
        self.dialects.push(dialect);
        self
    }

    /// All dialects.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Dialect> {
        self.dialects.iter().map(AsRef::as_ref)
    }

    /// The dialect of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&dyn Dialect> {
        self.iter().find(|dialect| dialect.name() == name)
    }

    /// The dialect that knows a file or folder by its own marks.
    #[must_use]
    pub fn detect(&self, probe: &Probe<'_>) -> Option<&dyn Dialect> {
        self.iter().find(|dialect| dialect.claims(probe))
    }
}
