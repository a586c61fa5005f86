//! What Markdown and HTML say in words: the facts of the header, sizes, and what is missing.

use carryall_model::{Found, Header, LeftOut, Notice, NoticeKind, Options, Place, TokenUsage};

/// A fact of the header, with its label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    /// The label, such as `Git branch`.
    pub(crate) label: &'static str,
    /// The value in plain text, never blank.
    pub(crate) value: String,
    /// How the value is set.
    pub(crate) kind: FactKind,
}

/// How a fact is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FactKind {
    /// A value out of the transcript: code in Markdown, isolated in HTML.
    Value,
    /// A path out of the transcript, never cut.
    Path,
    /// A time.
    Time,
    /// Our own words.
    Words,
    /// Our own words that point to the end of the document.
    AtTheEnd,
}

/// The facts of a header in the order of the Markdown list, blank ones left out. A subagent's
/// list has no title, which is its heading, and nothing that is said once for the whole export.
pub(crate) fn facts(header: &Header<'_>) -> Vec<Fact> {
    let facts = header.facts;
    let own = header.place == Place::Root;
    let agent = [&facts.source.agent, &facts.source.agent_version];
    let agent: Vec<&str> = agent.into_iter().filter_map(|part| part.as_deref()).collect();
    let mut list = Vec::new();
    let mut add = |label, kind, value: Option<&str>| {
        if let Some(value) = value.filter(|value| !value.trim().is_empty()) {
            list.push(Fact { label, value: value.to_owned(), kind });
        }
    };
    add("Agent", FactKind::Value, Some(agent.join(" ").as_str()).filter(|_| own));
    add("Session", FactKind::Value, Some(&facts.id));
    add("Title", FactKind::Value, facts.title.as_deref().filter(|_| own));
    add("Workspace", FactKind::Path, facts.cwd.as_deref());
    add("Git branch", FactKind::Value, facts.git_branch.as_deref());
    add("Git commit", FactKind::Value, facts.git_commit.as_deref());
    add("Model", FactKind::Value, facts.model.as_deref());
    add("Started", FactKind::Time, facts.started_at.as_deref());
    add("Ended", FactKind::Time, facts.ended_at.as_deref());
    add("Exported", FactKind::Time, Some(header.exported_at).filter(|_| own));
    let (messages, turns) = (facts.message_count, facts.user_turns);
    let transcript = format!("{messages} message(s), {turns} user turn(s)");
    add("Transcript", FactKind::Words, Some(&transcript));
    add("Tokens", FactKind::Words, facts.token_usage.map(tokens).as_deref());
    let branches = facts.other_branches;
    add("Other branches", FactKind::Words, (branches > 0).then(|| grouped(branches)).as_deref());
    add("Left out", FactKind::Words, Some(left_out_by_option(header.options)).filter(|_| own));
    let unreadable = unreadable(facts.unreadable_rows);
    add("Not readable", FactKind::AtTheEnd, unreadable.as_deref());
    list
}

fn tokens(usage: TokenUsage) -> String {
    if usage.is_zero() {
        return String::new();
    }
    let TokenUsage { input_tokens, output_tokens, total_tokens, .. } = usage;
    format!("{input_tokens} in, {output_tokens} out, {total_tokens} total")
}

fn left_out_by_option(options: Options) -> &'static str {
    match (options.no_tools, options.no_thinking) {
        (true, true) => "tool calls, their results and shell commands; reasoning",
        (true, false) => "tool calls, their results and shell commands",
        (false, true) => "reasoning",
        (false, false) => "",
    }
}

fn unreadable(rows: u64) -> Option<String> {
    (rows > 0).then(|| format!("{} (listed at the end)", count(rows, "row", "rows")))
}

/// A line of the closing section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    /// The notice's word, or `left-out`, `hidden-characters`, `more-notices`.
    pub(crate) word: &'static str,
    /// A sentence in plain text, on one line. It may hold names out of the transcript.
    pub(crate) sentence: String,
}

/// The lines of the section **What is missing**; none when there is nothing to say.
pub(crate) fn missing(found: &Found, left_out: &LeftOut) -> Vec<Missing> {
    let mut lines: Vec<Missing> = found
        .notices
        .kept()
        .iter()
        .map(|notice| Missing { word: notice.kind.as_str(), sentence: sentence(notice) })
        .collect();
    let mut add = |word, n: u64, sentence: &dyn Fn() -> String| {
        if n > 0 {
            lines.push(Missing { word, sentence: sentence() });
        }
    };
    let more = found.notices.more();
    add("more-notices", more, &|| {
        format!("{} not listed.", count(more, "more notice is", "more notices are"))
    });
    add("left-out", left_out.tools, &|| {
        let was = [
            "tool call, result or shell command was",
            "tool calls, results and shell commands were",
        ];
        format!("{} left out as asked.", count(left_out.tools, was[0], was[1]))
    });
    add("left-out", left_out.thinking, &|| {
        format!(
            "The reasoning of {} was left out as asked.",
            count(left_out.thinking, "entry", "entries")
        )
    });
    let replaced = found.replaced_characters;
    add("replaced-characters", replaced, &|| {
        format!("{} replaced by U+FFFD.", count(replaced, "character was", "characters were"))
    });
    let hidden = found.hidden_characters;
    add("hidden-characters", hidden, &|| {
        let kind = "invisible or direction-changing";
        format!(
            "{} in the texts.",
            count(hidden, &format!("{kind} character stands"), &format!("{kind} characters stand"))
        )
    });
    lines
}

/// The last paragraph of that section.
pub(crate) const EXACT_TEXT: &str = "Texts stand as they were recorded. Control characters are \
    shown as pictures; the JSON export of this session has the exact text.";

/// A notice as a sentence: where, what, and the detail behind a colon.
#[must_use]
pub fn sentence(notice: &Notice) -> String {
    let mut sentence = what(notice);
    let detail = notice.detail.as_deref().unwrap_or_default();
    let mut separator = ": ";
    for word in detail.trim().trim_end_matches('.').split_whitespace() {
        sentence.push_str(separator);
        sentence.push_str(word);
        separator = " ";
    }
    sentence.push('.');
    sentence
}

fn what(notice: &Notice) -> String {
    let here = place(notice);
    match notice.kind {
        NoticeKind::CutShort => format!("{here}, the last one, has no end"),
        NoticeKind::BadRow => format!("{here} could not be read"),
        NoticeKind::GluedRows => format!("{here} holds several records; the whole ones were kept"),
        NoticeKind::TornRow => {
            format!("{here} holds the beginning of a record and a whole one, which was kept")
        }
        NoticeKind::NulRun => format!("{here} holds a run of NUL bytes"),
        NoticeKind::RowTooLong => format!("{here} is over the limit and was not read"),
        NoticeKind::ReplacedCharacters => {
            format!("{here} holds characters that are not valid text and became U+FFFD")
        }
        NoticeKind::UnknownKind => format!("{here} is of a kind that this reader does not know"),
        NoticeKind::MissingParent => format!("{here} names a parent that is not in the source"),
        NoticeKind::ParentCycle => format!("{here} is its own ancestor"),
        NoticeKind::RepeatedId => format!("{here} has the id of another row"),
        NoticeKind::MissingFile => {
            format!("{here} names a file that is not there or that may not be opened")
        }
        NoticeKind::OtherBranch => "Another branch of the conversation is not shown".to_owned(),
        NoticeKind::RolledBack => "A turn that was taken back is not shown".to_owned(),
        NoticeKind::Reverted => "Messages that were reverted are not shown".to_owned(),
        NoticeKind::UncertainAttribution => format!("{here}: who said this is not certain"),
        NoticeKind::TurnInProgress => {
            "The agent was still working; its last turn may not be whole".to_owned()
        }
        NoticeKind::SourceGrowing => {
            "The source grew while it was read; what came later is not shown".to_owned()
        }
    }
}

/// `Row 118 (byte 402,113, 96 bytes)`, as far as it is known.
fn place(notice: &Notice) -> String {
    let row = notice.row.map_or_else(|| "A row".to_owned(), |row| format!("Row {}", grouped(row)));
    let offset = notice.offset.map(|offset| format!("byte {}", grouped(offset)));
    let bytes = notice.bytes.map(|bytes| count(bytes, "byte", "bytes"));
    match (offset, bytes) {
        (Some(offset), Some(bytes)) => format!("{row} ({offset}, {bytes})"),
        (Some(one), None) | (None, Some(one)) => format!("{row} ({one})"),
        (None, None) => row,
    }
}

/// `1 row`, `2 rows`, `1,234 rows`.
pub(crate) fn count(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n), if n == 1 { one } else { many })
}

/// A size for people: `96 B`, `2.1 kB`, `3.4 MB`.
#[must_use]
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut unit = 1000_u128;
    for name in UNITS {
        // Rounded to a tenth before it is compared, so that 999,950 bytes are 1.0 MB.
        let tenths = (u128::from(bytes) * 10 + unit / 2) / unit;
        if tenths < 10_000 {
            return format!("{}.{} {name}", tenths / 10, tenths % 10);
        }
        unit *= 1000;
    }
    format!("{} B", grouped(bytes))
}

/// A number with a comma between thousands.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use carryall_model::{Facts, Notices, Source};

    fn header(facts: &Facts, options: Options, place: Place) -> Vec<(&'static str, String)> {
        let header =
            Header { facts, exported_at: "2026-09-14T09:02:47Z", options, place, subagents: &[] };
        super::facts(&header).into_iter().map(|fact| (fact.label, fact.value)).collect()
    }

    fn full() -> Facts {
        let text = |text: &str| Some(text.to_owned());
        Facts {
            id: "5973b6c2".into(),
            title: text("Forecast panics"),
            cwd: text("/home/mira/src/tidepool"),
            git_branch: text("fix/dst-days"),
            git_commit: text("9f31c2e8"),
            model: text("claude-opus-4-1"),
            started_at: text("2026-09-14T08:30:02Z"),
            ended_at: text("2026-09-14T08:43:11Z"),
            message_count: 31,
            user_turns: 6,
            token_usage: Some(TokenUsage {
                input_tokens: 412_906,
                output_tokens: 18_377,
                total_tokens: 431_283,
                ..TokenUsage::default()
            }),
            source: Source {
                agent: text("claude-code"),
                agent_version: text("2.1.42"),
                path: None,
            },
            other_branches: 2,
            unreadable_rows: 3,
            ..Facts::default()
        }
    }

    #[test]
    fn the_header_names_its_facts_in_order() {
        let options = Options { no_tools: true, no_thinking: true, subagents: false };
        let list = header(&full(), options, Place::Root);
        let expected = [
            ("Agent", "claude-code 2.1.42"),
            ("Session", "5973b6c2"),
            ("Title", "Forecast panics"),
            ("Workspace", "/home/mira/src/tidepool"),
            ("Git branch", "fix/dst-days"),
            ("Git commit", "9f31c2e8"),
            ("Model", "claude-opus-4-1"),
            ("Started", "2026-09-14T08:30:02Z"),
            ("Ended", "2026-09-14T08:43:11Z"),
            ("Exported", "2026-09-14T09:02:47Z"),
            ("Transcript", "31 message(s), 6 user turn(s)"),
            ("Tokens", "412906 in, 18377 out, 431283 total"),
            ("Other branches", "2"),
            ("Left out", "tool calls, their results and shell commands; reasoning"),
            ("Not readable", "3 rows (listed at the end)"),
        ];
        assert_eq!(list, expected.map(|(label, value)| (label, value.to_owned())));
    }

    #[test]
    fn blank_facts_are_left_out() {
        let blank = Facts {
            title: Some("  ".into()),
            token_usage: Some(TokenUsage::default()),
            ..Facts::default()
        };
        let labels = |place| -> Vec<_> {
            header(&blank, Options::default(), place).into_iter().map(|fact| fact.0).collect()
        };
        assert_eq!(labels(Place::Root), ["Exported", "Transcript"]);
        assert_eq!(labels(Place::Child(1)), ["Transcript"]);
    }

    #[test]
    fn a_subagent_does_not_repeat_what_holds_for_the_whole_export() {
        let options = Options { no_tools: true, ..Options::default() };
        let labels: Vec<_> =
            header(&full(), options, Place::Child(1)).into_iter().map(|fact| fact.0).collect();
        for label in ["Agent", "Title", "Exported", "Left out"] {
            assert!(!labels.contains(&label), "{label}");
        }
        assert!(labels.contains(&"Session") && labels.contains(&"Not readable"));
    }

    const KINDS: [NoticeKind; 18] = [
        NoticeKind::CutShort,
        NoticeKind::BadRow,
        NoticeKind::GluedRows,
        NoticeKind::TornRow,
        NoticeKind::NulRun,
        NoticeKind::RowTooLong,
        NoticeKind::ReplacedCharacters,
        NoticeKind::UnknownKind,
        NoticeKind::MissingParent,
        NoticeKind::ParentCycle,
        NoticeKind::RepeatedId,
        NoticeKind::MissingFile,
        NoticeKind::OtherBranch,
        NoticeKind::RolledBack,
        NoticeKind::Reverted,
        NoticeKind::UncertainAttribution,
        NoticeKind::TurnInProgress,
        NoticeKind::SourceGrowing,
    ];

    #[test]
    fn every_kind_of_notice_has_a_sentence_of_its_own() {
        let mut found = Found::default();
        for kind in KINDS {
            found.notices.push(Notice::new(kind).at(1204, 655_360, 4096));
        }
        let lines = missing(&found, &LeftOut::default());
        let text: String =
            lines.iter().map(|line| format!("{}: {}\n", line.word, line.sentence)).collect();
        insta::assert_snapshot!(text.replace("Row 1,204 (byte 655,360, 4,096 bytes)", "R"), @r"
        cut-short: R, the last one, has no end.
        bad-row: R could not be read.
        glued-rows: R holds several records; the whole ones were kept.
        torn-row: R holds the beginning of a record and a whole one, which was kept.
        nul-run: R holds a run of NUL bytes.
        row-too-long: R is over the limit and was not read.
        replaced-characters: R holds characters that are not valid text and became U+FFFD.
        unknown-kind: R is of a kind that this reader does not know.
        missing-parent: R names a parent that is not in the source.
        parent-cycle: R is its own ancestor.
        repeated-id: R has the id of another row.
        missing-file: R names a file that is not there or that may not be opened.
        other-branch: Another branch of the conversation is not shown.
        rolled-back: A turn that was taken back is not shown.
        reverted: Messages that were reverted are not shown.
        uncertain-attribution: R: who said this is not certain.
        turn-in-progress: The agent was still working; its last turn may not be whole.
        source-growing: The source grew while it was read; what came later is not shown.
        ");
        let mut sentences: Vec<_> = lines.into_iter().map(|line| line.sentence).collect();
        sentences.sort_unstable();
        sentences.dedup();
        assert_eq!(sentences.len(), KINDS.len());
    }

    #[test]
    fn a_sentence_says_what_is_known_and_no_more() {
        let of = |notice: Notice| sentence(&notice);
        let bad = Notice::new(NoticeKind::BadRow);
        assert_eq!(of(bad.clone()), "A row could not be read.");
        assert_eq!(of(Notice { row: Some(3), ..bad.clone() }), "Row 3 could not be read.");
        assert_eq!(
            of(bad.clone().at(118, 402_113, 1)),
            "Row 118 (byte 402,113, 1 byte) could not be read."
        );
        assert_eq!(
            of(bad.with_detail(" not a\nJSON object. ")),
            "A row could not be read: not a JSON object."
        );
        assert_eq!(of(Notice::new(NoticeKind::NulRun)), "A row holds a run of NUL bytes.");
    }

    #[test]
    fn counts_are_told_after_the_notices() {
        let found =
            Found { notices: Notices::default(), replaced_characters: 1, hidden_characters: 1234 };
        let lines = missing(&found, &LeftOut { tools: 2, thinking: 1 });
        let lines: Vec<_> =
            lines.iter().map(|line| format!("{}: {}", line.word, line.sentence)).collect();
        assert_eq!(
            lines,
            [
                "left-out: 2 tool calls, results and shell commands were left out as asked.",
                "left-out: The reasoning of 1 entry was left out as asked.",
                "replaced-characters: 1 character was replaced by U+FFFD.",
                "hidden-characters: 1,234 invisible or direction-changing characters stand in the texts.",
            ]
        );
        assert!(missing(&Found::default(), &LeftOut::default()).is_empty());
    }

    #[test]
    fn notices_beyond_those_kept_are_counted_in_a_line() {
        let mut found = Found::default();
        for _ in 0..carryall_model::MAX_NOTICES + 1 {
            found.notices.push(Notice::new(NoticeKind::BadRow));
        }
        let lines = missing(&found, &LeftOut::default());
        assert_eq!(lines.len(), carryall_model::MAX_NOTICES + 1);
        assert_eq!(lines.last().unwrap().sentence, "1 more notice is not listed.");
    }

    #[test]
    fn sizes_are_for_people() {
        for (bytes, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (2_100, "2.1 kB"),
            (183_449, "183.4 kB"),
            (999_949, "999.9 kB"),
            (999_950, "1.0 MB"),
            (3_400_000, "3.4 MB"),
            (u64::MAX, "18.4 EB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn thousands_are_grouped() {
        for (n, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (402_113, "402,113"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(n), text);
        }
    }
}
