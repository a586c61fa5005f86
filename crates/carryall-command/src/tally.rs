//! What is counted of everything that is shown, the same for every format.

use carryall_model::{Entry, EntrySink, Found, Input, SinkError, ToolCall};
use carryall_render::hidden_characters;
use memchr::{memchr, memmem};

/// Counts entries and odd characters on the way to a renderer.
#[derive(Debug)]
pub(crate) struct Tally<S> {
    inner: S,
    entries: u64,
    hidden: u64,
    replaced: u64,
}

impl<S: EntrySink> Tally<S> {
    /// A counter in front of `inner`.
    pub(crate) fn new(inner: S) -> Self {
        Self { inner, entries: 0, hidden: 0, replaced: 0 }
    }

    /// How many entries passed.
    pub(crate) fn entries(&self) -> u64 {
        self.entries
    }

    /// Adds what was counted to what the transcript found.
    pub(crate) fn add_to(&self, found: &mut Found) {
        found.hidden_characters += self.hidden;
        found.replaced_characters += self.replaced;
    }

    fn look(&mut self, text: Option<&str>) {
        self.hidden += text.map_or(0, hidden_characters);
    }
}

impl<S: EntrySink> EntrySink for Tally<S> {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        self.entries += 1;
        self.look(entry.text);
        self.look(entry.reasoning);
        self.look(entry.result);
        self.inner.entry(entry)
    }

    fn call(&mut self, call: &ToolCall<'_>) -> Result<(), SinkError> {
        match call.input {
            Some(Input::Json(raw)) => {
                self.look(Some(raw.get()));
                self.replaced += unpaired_surrogates(raw.get());
            }
            Some(Input::Text(text)) => self.look(Some(text)),
            None => {}
        }
        self.look(call.result.map(|result| result.text));
        self.inner.call(call)
    }
}

/// How many `\u` escapes in JSON text are halves of a surrogate pair without the other half. A raw
/// value may hold them since nothing has decoded it; each is shown as U+FFFD.
fn unpaired_surrogates(json: &str) -> u64 {
    let bytes = json.as_bytes();
    // Most inputs have no such escape at all, but thousands of others.
    if memmem::find(bytes, b"\\u").is_none() {
        return 0;
    }
    let (mut at, mut alone, mut high_ends_at) = (0, 0, None);
    while let Some(found) = memchr(b'\\', &bytes[at..]) {
        let start = at + found;
        let Some(unit) = unit_at(bytes, start) else {
            at = (start + 2).min(bytes.len());
            continue;
        };
        at = start + 6;
        match unit {
            0xd800..=0xdbff => {
                alone += 1;
                high_ends_at = Some(at);
            }
            // The low half of the pair that the escape right before it began.
            0xdc00..=0xdfff if high_ends_at.take() == Some(start) => alone -= 1,
            0xdc00..=0xdfff => alone += 1,
            _ => {}
        }
    }
    alone
}

/// The code unit of a `\uXXXX` escape that begins at `start`.
fn unit_at(bytes: &[u8], start: usize) -> Option<u16> {
    let digits = bytes.get(start + 1..start + 6)?.strip_prefix(b"u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use carryall_model::{EntryKind, ToolResult};

    #[test]
    fn halves_of_surrogate_pairs_are_counted_and_whole_pairs_are_not() {
        for (json, alone) in [
            (r#""plain""#, 0),
            (r#""\ud83d\ude00""#, 0),
            (r#""\ud83d""#, 1),
            (r#""\ude00""#, 1),
            (r#""\ude00\ud83d""#, 2),
            (r#""\ud83d\ud83d\ude00""#, 1),
            (r#""\ud83d \ude00""#, 2),
            (r#""\\ud83d""#, 0),
            (r#""\ud83""#, 0),
            ("\"\\", 0),
        ] {
            assert_eq!(unpaired_surrogates(json), alone, "{json}");
        }
    }

    struct Nothing;

    impl EntrySink for Nothing {
        fn entry(&mut self, _: &Entry<'_>) -> Result<(), SinkError> {
            Ok(())
        }
        fn call(&mut self, _: &ToolCall<'_>) -> Result<(), SinkError> {
            Ok(())
        }
    }

    #[test]
    fn every_text_that_is_shown_is_looked_at() {
        let hidden = "\u{202e}";
        let mut tally = Tally::new(Nothing);
        tally
            .entry(&Entry {
                text: Some(hidden),
                reasoning: Some(hidden),
                result: Some(hidden),
                ..Entry::new(EntryKind::Command)
            })
            .unwrap();
        let result = ToolResult { text: hidden, ..ToolResult::default() };
        let call = ToolCall {
            input: Some(Input::Text(hidden)),
            result: Some(result),
            ..ToolCall::new("a", "b")
        };
        tally.call(&call).unwrap();
        let mut found = Found { hidden_characters: 10, ..Found::default() };
        tally.add_to(&mut found);
        assert_eq!((found.hidden_characters, tally.entries()), (15, 1));
    }
}
