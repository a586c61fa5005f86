//! The commands that a chat surface offers.

use crate::grammar::SYNOPSIS;

/// A command as a surface lists it; names carry no slash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatalogueEntry {
    /// The name without its slash.
    pub name: &'static str,
    /// One line on what it does, with the synopsis.
    pub description: &'static str,
    /// What may follow the name, for clients that show a hint.
    pub hint: &'static str,
    /// The whole synopsis.
    pub synopsis: &'static str,
    /// Whether it may run while the agent is at work.
    pub during_turn: bool,
}

/// The commands that this crate runs, in the order in which they are listed.
#[must_use]
pub fn catalogue() -> &'static [CatalogueEntry] {
    &[CatalogueEntry {
        name: "export",
        description: "Write this session to a file: /export [md|html|json|jsonl] [path] [--no-tools] [--no-thinking]",
        hint: "[md|html|json|jsonl] [path] [--no-tools] [--no-thinking]",
        synopsis: SYNOPSIS,
        during_turn: true,
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u41_every_command_is_described_and_named_without_slash() {
        for entry in catalogue() {
            assert!(!entry.name.starts_with('/') && !entry.name.is_empty());
            assert!(entry.description.contains(entry.synopsis), "{}", entry.description);
            assert_eq!(entry.synopsis, format!("/{} {}", entry.name, entry.hint));
        }
    }
}
