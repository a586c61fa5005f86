//! What is counted of everything that is shown, the same for every format.

use carryall_model::{Entry, EntrySink, Found, Input, SinkError, ToolCall};
use carryall_render::{hidden_characters, unpaired_surrogates};

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

    fn wants_tools(&self) -> bool {
        self.inner.wants_tools()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carryall_model::{EntryKind, ToolResult};

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
