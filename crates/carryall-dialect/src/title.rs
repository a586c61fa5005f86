//! Titles: one line, and short where it is made of a prompt.

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

/// Enough of a prompt for its title, without reading the rest of it.
pub(crate) fn beginning(prompt: &str) -> String {
    let mut beginning = String::new();
    for word in prompt.split_whitespace() {
        beginning.push_str(word);
        beginning.push(' ');
        if beginning.len() > LENGTH * char::MAX_LEN_UTF8 {
            break;
        }
    }
    beginning
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
