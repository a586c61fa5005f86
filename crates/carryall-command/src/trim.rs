//! What `--no-tools` and `--no-thinking` take away, on the way from a transcript to a renderer.

use carryall_model::{Entry, EntryKind, EntrySink, LeftOut, Options, SinkError, ToolCall};

/// Leaves out what the options name and counts it; an assistant entry in which nothing is left to
/// see goes too.
#[derive(Debug)]
pub struct Trim<S> {
    inner: S,
    options: Options,
    left_out: LeftOut,
}

impl<S: EntrySink> Trim<S> {
    /// A filter in front of `inner`.
    pub fn new(inner: S, options: Options) -> Self {
        Self { inner, options, left_out: LeftOut::default() }
    }

    /// How much was left out, and the sink behind.
    pub fn into_parts(self) -> (LeftOut, S) {
        (self.left_out, self.inner)
    }

    /// Whether an entry of this kind is all tool.
    fn is_tool(entry: &Entry<'_>) -> bool {
        match entry.kind {
            EntryKind::ToolResult => true,
            EntryKind::Command => entry.ran_shell,
            EntryKind::User
            | EntryKind::Assistant
            | EntryKind::CompactionSummary
            | EntryKind::PlanDocument
            | EntryKind::System
            | EntryKind::Other => false,
        }
    }
}

impl<S: EntrySink> EntrySink for Trim<S> {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        let mut kept = *entry;
        if self.options.no_tools {
            if Self::is_tool(entry) {
                self.left_out.tools += 1;
                return Ok(());
            }
            kept.calls = 0;
        }
        if self.options.no_thinking && kept.reasoning.take().is_some_and(|text| !text.is_empty()) {
            self.left_out.thinking += 1;
        }
        if kept.is_blank() {
            return Ok(());
        }
        self.inner.entry(&kept)
    }

    fn call(&mut self, call: &ToolCall<'_>) -> Result<(), SinkError> {
        if self.options.no_tools {
            self.left_out.tools += 1;
            return Ok(());
        }
        self.inner.call(call)
    }

    fn wants_tools(&self) -> bool {
        !self.options.no_tools && self.inner.wants_tools()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Seen(Vec<String>);

    impl EntrySink for Seen {
        fn entry(&mut self, e: &Entry<'_>) -> Result<(), SinkError> {
            self.0.push(format!("{} {:?} {:?} {}", e.kind.as_str(), e.text, e.reasoning, e.calls));
            Ok(())
        }
        fn call(&mut self, c: &ToolCall<'_>) -> Result<(), SinkError> {
            self.0.push(format!("call {}", c.id));
            Ok(())
        }
    }

    fn through(options: Options) -> (LeftOut, Vec<String>) {
        let mut trim = Trim::new(Seen::default(), options);
        let assistant = Entry::new(EntryKind::Assistant);
        let command = Entry { text: Some("!ls"), ..Entry::new(EntryKind::Command) };
        for (entry, calls) in [
            (Entry { text: Some(""), ..Entry::new(EntryKind::User) }, &[][..]),
            (
                Entry { text: Some("hm"), reasoning: Some("why"), calls: 2, ..assistant },
                &["a", "b"],
            ),
            (Entry { calls: 1, ..assistant }, &["c"]),
            (Entry { reasoning: Some("only"), ..assistant }, &[]),
            (Entry { text: Some(""), ..assistant }, &[]),
            (Entry { text: Some(" "), ..assistant }, &[]),
            (Entry { text: Some("late"), ..Entry::new(EntryKind::ToolResult) }, &[]),
            (Entry { ran_shell: true, ..command }, &[]),
            (Entry { text: Some("/model"), ..command }, &[]),
            (Entry { text: Some("so far"), ..Entry::new(EntryKind::CompactionSummary) }, &[]),
        ] {
            trim.entry(&entry).unwrap();
            for id in calls {
                trim.call(&ToolCall::new(id, "read")).unwrap();
            }
        }
        let (left_out, seen) = trim.into_parts();
        (left_out, seen.0)
    }

    #[test]
    fn u33_both_options_leave_the_conversation_and_say_what_went() {
        let all = Options { no_tools: true, no_thinking: true, subagents: false };
        let (left_out, seen) = through(all);
        assert_eq!(left_out, LeftOut { tools: 5, thinking: 2 });
        assert_eq!(
            seen,
            [
                "user Some(\"\") None 0",
                "assistant Some(\"hm\") None 0",
                "assistant Some(\" \") None 0",
                "command Some(\"/model\") None 0",
                "compaction_summary Some(\"so far\") None 0",
            ]
        );
    }

    #[test]
    fn u34_without_thinking_calls_stay() {
        let (left_out, seen) = through(Options { no_thinking: true, ..Options::default() });
        assert_eq!(left_out, LeftOut { tools: 0, thinking: 2 });
        assert_eq!(seen.iter().filter(|line| line.starts_with("call")).count(), 3);
        assert!(!seen.iter().any(|line| line.contains("why") || line.contains("only")));
    }

    #[test]
    fn without_options_only_blank_answers_go() {
        let (left_out, seen) = through(Options::default());
        assert_eq!(left_out, LeftOut::default());
        assert_eq!(seen.len(), 9 + 3);
    }
}
