//! Titles: one line, and short where it is made of a prompt.

use carryall_model::{Entry, EntrySink, SinkError, ToolCall};

/// The length of a title that is the beginning of a prompt, in characters.
pub(crate) const LENGTH: usize = 120;

/// White space becomes single spaces.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The beginning of a prompt as a title; `None` of one without a word.
pub(crate) fn of_prompt(prompt: &str) -> Option<String> {
    let line = one_line(prompt);
    match line.char_indices().nth(LENGTH) {
        _ if line.is_empty() => None,
        None => Some(line),
        Some((end, _)) => Some(format!("{}...", &line[..end])),
    }
}

/// Takes an entry, and enough of its text for a title.
#[derive(Debug, Default)]
pub(crate) struct Beginning(String);

impl Beginning {
    /// The title that the entry gives.
    pub(crate) fn title(&self) -> Option<String> {
        of_prompt(&self.0)
    }
}

impl EntrySink for Beginning {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        self.0.clear();
        for word in entry.text.unwrap_or("").split_whitespace() {
            self.0.push_str(word);
            self.0.push(' ');
            if self.0.len() > LENGTH * char::MAX_LEN_UTF8 {
                break;
            }
        }
        Ok(())
    }

    fn call(&mut self, _: &ToolCall<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_one_line_of_at_most_120_characters() {
        assert_eq!(of_prompt(" \n\t"), None);
        assert_eq!(of_prompt("a\n  b\u{3000}c"), Some("a b c".into()));
        let exact = "ä".repeat(120);
        assert_eq!(of_prompt(&exact), Some(exact.clone()));
        assert_eq!(of_prompt(&format!("{exact}x")), Some(format!("{exact}...")));
    }
}
