//! What a browser, a keyboard and a screen reader find.

use crate::page::{Page, assert_inert, begin, child, header};
use crate::session;
use carryall_model::{
    Edit, Entry, EntryKind, EntrySink, Facts, Found, Input, LeftOut, ListedChild, Notice,
    NoticeKind, Place, SinkError, ToolCall, ToolResult,
};
use carryall_render::{Html, Product, Renderer};
use std::cell::RefCell;
use std::collections::HashSet;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::Duration;

#[test]
fn the_page_of_a_session_with_everything() {
    let page = Page::of(session::write);
    assert_inert(&page);
    let (head, body) = page.html.split_once("<style>").unwrap();
    let (_, body) = body.split_once("</style>").unwrap();
    insta::assert_snapshot!("page", format!("{head}<style>…</style>{body}"));
}

#[test]
fn every_link_has_its_target_and_every_id_is_one() {
    let page = Page::of(session::write);
    let ids: Vec<&str> = page.all("[id]").iter().filter_map(|it| it.value().attr("id")).collect();
    let unique: HashSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len());
    for link in page.all("[href], [aria-labelledby]") {
        let href = link.value().attr("href").map(|href| &href[1..]);
        let target = href.or(link.value().attr("aria-labelledby")).unwrap();
        assert!(unique.contains(target), "{target}");
    }
    assert_eq!(page.all("a.n").len(), page.all("article, .call").len());
}

#[test]
fn headings_go_down_one_level_at_a_time() {
    let page = Page::of(session::write);
    let mut before = 0;
    for heading in page.all("h1, h2, h3, h4") {
        let level: u32 = heading.value().name()[1..].parse().unwrap();
        assert!(level <= before + 1, "h{level} after h{before}");
        before = level;
    }
    page.one("h1");
    for article in page.all("article, section, footer") {
        let label = article.value().attr("aria-labelledby").unwrap();
        let heading = page.one(&format!("#{label}"));
        assert!(heading.value().name().starts_with('h'));
    }
}

#[test]
fn the_conversation_comes_before_the_contents() {
    let page = Page::of(session::write);
    let order = ["class=\"skip\"", "<header", "<main", "</main>", "<nav", "</nav>", "<footer"];
    let places: Vec<usize> = order.iter().map(|it| page.body().find(it).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
    let rows = page.texts("nav li");
    assert!(
        rows[0].starts_with("2 `ferry next --pier 4` panics on the last Sunday. Find out why;")
    );
    assert_eq!(
        rows[1],
        "8 1 WARN rows=3 2 WARN rows=3 3 WARN rows=3 4 WARN rows=3 5 WARN rows=3 6 WARN row"
    );
    assert_eq!(
        rows[2..],
        [
            "9 Plan: Local days",
            "10 Compaction summary",
            "14 Thank you.",
            "s1 Subagent: Find who relies on DAY",
            " What is missing",
        ]
        .map(str::to_owned)[..]
    );
    assert_eq!(page.text("nav summary"), "Contents · 3 prompts");
}

#[test]
fn a_subagent_and_its_call_link_to_each_other() {
    let page = Page::of(session::write);
    assert_eq!(page.one("#e5-c6 .body a[href='#s1']").text().collect::<String>(), "subagent s1");
    assert_eq!(page.text("#s1 > .meta > a[href='#e5-c6']"), "called from 5.6");
    assert_eq!(page.text("#e5-c6 .sum"), "subagent s146 s");
    assert_eq!(page.all("#s1 article h3").len(), 3);
    assert_eq!(page.text("#s1-e2-c1 h4 .verb"), "Search");
    assert_eq!(page.text("#s1-e2 > .head .n"), "s1/2");
}

#[test]
fn a_subagent_whose_document_never_comes_has_a_place_all_the_same() {
    let child = child("x", "Look around", "toolu_t");
    let page = Page::of(|page| {
        let listed = [ListedChild { child: &child, number: Some(1) }];
        begin(page, &Facts::default(), Place::Root, &listed);
        page.entry(&Entry::new(EntryKind::Assistant)).unwrap();
        page.call(&ToolCall::new("toolu_t", "Task")).unwrap();
        page.finish(&Found::default(), &LeftOut::default()).unwrap();
    });
    assert_inert(&page);
    assert_eq!(page.text("#s1 h2"), "Subagent s1: Look around");
    assert_eq!(page.text("#s1 .meta"), "not in this exportcalled from 1.1");
}

#[test]
fn a_subagent_of_a_subagent_stands_beside_it_and_links_to_its_call() {
    let (outer, inner) = (child("a", "Outer", "t1"), child("b", "Inner", "t2"));
    let page = Page::of(|page| {
        let documents =
            [(Place::Root, Some((&outer, 1)), "t1"), (Place::Child(1), Some((&inner, 2)), "t2")];
        for (place, listed, call) in documents {
            let listed = listed.map(|(child, n)| ListedChild { child, number: Some(n) });
            begin(page, &Facts::default(), place, listed.as_slice());
            page.entry(&Entry::new(EntryKind::Assistant)).unwrap();
            // Known by the call alone: this transcript names no subagent.
            page.call(&ToolCall::new(call, "Task")).unwrap();
            page.finish(&Found::default(), &LeftOut::default()).unwrap();
        }
        begin(page, &Facts::default(), Place::Child(2), &[]);
        page.finish(&Found::default(), &LeftOut::default()).unwrap();
    });
    assert_inert(&page);
    page.one("#s1-e1-c1 a[href='#s2']");
    assert_eq!(page.text("main > #s2 > .meta > a[href='#s1-e1-c1']"), "called from s1/1.1");
}

#[test]
fn a_subagent_that_does_not_follow_is_named_by_its_id() {
    let call = ToolCall { subagent: Some("agent-<9>"), ..ToolCall::new("t", "Task") };
    let page = Page::of_call(&call);
    assert_eq!(page.text(".sum"), "subagentno result");
    assert!(page.texts(".label")[0].ends_with("not in this export: agent-<9>"));
    assert!(page.all("[href^='#s']").is_empty());
}

#[test]
fn what_is_missing_of_a_subagent_stands_under_its_name() {
    let mut found = Found::default();
    found.notices.push(Notice::new(NoticeKind::CutShort));
    let page = Page::of(|page| {
        begin(page, &Facts::default(), Place::Root, &[]);
        page.finish(&Found::default(), &LeftOut::default()).unwrap();
        begin(page, &Facts { unreadable_rows: 1, ..Facts::default() }, Place::Child(1), &[]);
        page.finish(&found, &LeftOut::default()).unwrap();
    });
    assert_inert(&page);
    assert_eq!(page.text("#end h3 a[href='#s1']"), "Subagent s1");
    assert_eq!(page.text("#end li code"), "cut-short");
    assert_eq!(page.text("#s1 .meta a[href='#end']"), "1 row not readable");
}

#[test]
fn a_page_without_anything_missing_does_not_say_so() {
    let page = Page::of_entry(&Entry { text: Some("Hi"), ..Entry::new(EntryKind::User) }, &[]);
    assert!(page.all("footer, [href='#end']").is_empty());
    // A count in the header without a notice must not lead nowhere.
    let page = Page::of_facts(&Facts { unreadable_rows: 2, ..Facts::default() }, |_| {});
    page.one("#end");
    assert_inert(&page);
}

#[test]
fn the_header_says_its_facts_in_words() {
    let page = Page::of(session::write);
    let labels = page.texts(".facts dt");
    let values = page.texts(".facts dd");
    let value = |label: &str| values[labels.iter().position(|it| it == label).unwrap()].as_str();
    assert_eq!(value("Agent"), "claude-code 2.1.42");
    assert_eq!(value("Transcript"), "1,031 messages, 3 user turns");
    assert_eq!(value("Tokens"), "412,906 in, 18,377 out, 431,283 total");
    assert_eq!(value("Other branches"), "2 (not shown)");
    assert_eq!(value("Started"), "2026-09-14 23:30:02 UTC");
    assert!(!labels.contains(&"Title".to_owned()));
    assert_eq!(page.text("h1"), session::facts().title.unwrap());
    assert_eq!(page.text("title"), session::facts().title.unwrap());
}

#[test]
fn times_name_the_day_only_when_it_changes() {
    let page = Page::of(session::write);
    let time = |entry: u32| page.text(&format!("#e{entry} time"));
    assert_eq!(time(2), "23:30:02");
    assert_eq!(time(6), "2026-09-15 00:10:00");
    assert_eq!(time(7), "00:11:00");
    assert_eq!(page.text("#s1-e1 time"), "23:33:00");
    assert_eq!(page.one("#e6 time").value().attr("datetime"), Some("2026-09-15T00:10:00Z"));
    assert!(page.all("#e13 time").is_empty());
    assert!(page.html.contains("<span>yesterday</span>"));
}

#[test]
fn answers_that_follow_each_other_are_one() {
    let page = Page::of(session::write);
    let continued = page.all("article.cont");
    let ids: Vec<_> = continued.iter().map(|it| it.value().attr("id").unwrap()).collect();
    assert_eq!(ids, ["e4", "e5", "e6", "s1-e3"]);
    assert_eq!(page.one("#e4-h").value().attr("class"), Some("vh"));
    assert!(page.text("#e3 .head").contains("claude-opus-4-1"));
    assert!(!page.text("#e4 .head").contains("claude-opus-4-1"));
}

#[test]
fn injected_messages_are_closed_and_say_how_long_they_are() {
    let page = Page::of(session::write);
    assert_eq!(page.text("#e1 summary"), "Injected message · 3 lines · 28 B");
    assert_eq!(page.text("#e1 pre"), "<env>\nPlatform: linux\n</env>");
    assert_eq!(page.one("#e1 details").value().attr("open"), None);
}

#[test]
fn long_prompts_and_results_are_folded_and_answers_never() {
    let lines = "line\n".repeat(400);
    let entry = |kind| Entry { text: Some(&lines), ..Entry::new(kind) };
    let long = |kind| !Page::of_entry(&entry(kind), &[]).all("details.long").is_empty();
    for kind in [EntryKind::User, EntryKind::System, EntryKind::Other, EntryKind::ToolResult] {
        assert!(long(kind), "{kind:?}");
    }
    for kind in [
        EntryKind::Assistant,
        EntryKind::PlanDocument,
        EntryKind::CompactionSummary,
        EntryKind::Command,
    ] {
        assert!(!long(kind), "{kind:?}");
    }
    let result = Some(ToolResult { text: &lines, ..ToolResult::default() });
    let page = Page::of_call(&ToolCall { result, ..ToolCall::new("", "Bash") });
    assert_eq!(page.text(".long summary"), "Whole result · 400 lines · 2.0 kB");
    assert_eq!(page.text(".sum"), "400 lines");
}

/// A writer that can be looked at, and that takes only so many bytes.
#[derive(Clone)]
struct Paper {
    bytes: Rc<RefCell<Vec<u8>>>,
    room: usize,
}

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = self.bytes.borrow_mut();
        if written.len() + bytes.len() > self.room {
            return Err(io::ErrorKind::StorageFull.into());
        }
        written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn entries_and_calls_are_on_paper_before_the_next_is_known() {
    let paper = Paper { bytes: Rc::default(), room: usize::MAX };
    let mut page = Html::new(&Product::new("Carryall", "carryall"), paper.clone());
    let ends = |words: &str| {
        let written = String::from_utf8(paper.bytes.borrow().clone()).unwrap();
        assert!(written[written.len() - 200..].contains(words), "{words}");
    };
    begin(&mut page, &Facts::default(), Place::Root, &[]);
    ends("<main");
    page.entry(&Entry { text: Some("a prompt"), ..Entry::new(EntryKind::User) }).unwrap();
    ends("a prompt</pre>");
    page.entry(&Entry { text: Some("an answer"), ..Entry::new(EntryKind::Assistant) }).unwrap();
    ends("an answer</pre>");
    let result = Some(ToolResult { text: "a result", ..ToolResult::default() });
    page.call(&ToolCall { result, ..ToolCall::new("t", "Read") }).unwrap();
    ends("a result</pre>");
}

#[test]
fn a_writer_that_fails_is_an_error_wherever_it_happens() {
    let whole = Page::of(session::write).html.len();
    for room in (0..whole).step_by(97) {
        let paper = Paper { bytes: Rc::default(), room };
        let mut page = Html::new(&Product::new("Carryall", "carryall"), paper);
        let facts = session::facts();
        let written = page.begin(&header(&facts)).and_then(|()| {
            page.entry(&Entry { text: Some("text"), ..Entry::new(EntryKind::User) })?;
            page.call(&ToolCall::new("t", "Read"))?;
            page.finish(&Found::default(), &LeftOut::default())?;
            page.close()
        });
        match written {
            Ok(()) => return,
            Err(SinkError::Write(error)) => assert_eq!(error.kind(), io::ErrorKind::StorageFull),
            Err(error) => panic!("{error}"),
        }
    }
    panic!("there was never room enough");
}

/// The line of a call: verb, argument, facts.
fn line(call: &ToolCall<'_>) -> (String, String, String) {
    let page = Page::of_call(call);
    assert_inert(&page);
    let join = |selector| page.texts(selector).join(" · ");
    (join(".verb"), join(".call > summary .arg"), join(".call > summary > .sum > span"))
}

fn line_of(name: &str, input: &str) -> (String, String) {
    let input = session::raw(input);
    let call = ToolCall { input: Some(Input::Json(&input)), ..ToolCall::new("t", name) };
    let (verb, argument, _) = line(&call);
    (verb, argument)
}

#[test]
fn a_call_is_known_by_a_verb_and_an_argument() {
    for (name, input, verb, argument) in [
        ("TodoWrite", r#"{"todos":[1,2,3]}"#, "Plan", "todos × 3"),
        ("update_plan", r#"{"explanation":"why","plan":[]}"#, "Plan", "explanation=why"),
        ("Bash", r#"{"description":"d","command":"ls\n-la"}"#, "Shell", "ls …"),
        ("shell", r#"{"command":["bash","-lc","cargo test"]}"#, "Shell", "cargo test"),
        ("shell", r#"{"command":["git","log","-5"]}"#, "Shell", "git log -5"),
        ("exec_command", r#"{"cmd":"pwd"}"#, "Shell", "pwd"),
        ("MultiEdit", r#"{"file_path":"a.rs","edits":[]}"#, "Edit", "a.rs"),
        ("str_replace_based_edit_tool", r#"{"path":"a.rs"}"#, "Edit", "a.rs"),
        ("write_file", r#"{"path":"a.rs","content":"x"}"#, "Write", "a.rs"),
        ("readFile", r#"{"path":"a.rs"}"#, "Read", "a.rs"),
        ("Grep", r#"{"path":"src","pattern":"x"}"#, "Search", "x in src"),
        ("LS", r#"{"path":"."}"#, "Find", "."),
        (
            "WebFetch",
            r#"{"prompt":"p","url":"https://example.invalid/"}"#,
            "Fetch",
            "https://example.invalid/",
        ),
        ("Task", r#"{"prompt":"p","description":"d"}"#, "Subagent", "d"),
        (
            "TaskUpdate",
            r#"{"taskId":"2","status":"completed"}"#,
            "Plan",
            "taskId=2 status=completed",
        ),
        ("mcp__a__bash", r#"{"a":1,"b":"two","c":true}"#, "mcp__a__bash", "a=1 b=two"),
        ("frobnicate", r#"{"command":"","name":"n"}"#, "frobnicate", "n"),
        ("frobnicate", r#""just\ntext""#, "frobnicate", "just …"),
        ("frobnicate", "{}", "frobnicate", ""),
        ("", "{}", "–", ""),
    ] {
        assert_eq!(line_of(name, input), (verb.to_owned(), argument.to_owned()), "{name} {input}");
    }
    let long = format!(r#"{{"command":"{}"}}"#, "é".repeat(161));
    assert_eq!(line_of("Bash", &long).1, format!("{} …", "é".repeat(160)));
}

#[test]
fn paths_in_the_workspace_are_shortened() {
    for (input, argument) in [
        (r#"{"file_path":"/home/mira/ferry/src/day.rs"}"#, "src/day.rs"),
        (r#"{"path":"/home/mira/ferry/"}"#, "."),
        (r#"{"path":"/home/mira/ferry2/a"}"#, "/home/mira/ferry2/a"),
        (r#"{"pattern":"x","path":"/home/mira/ferry/src"}"#, "x in src"),
        (r#"{"url":"/home/mira/ferry/src"}"#, "/home/mira/ferry/src"),
    ] {
        let facts = Facts { cwd: Some("/home/mira/ferry".into()), ..Facts::default() };
        let page = Page::of_facts(&facts, |page| {
            let input = session::raw(input);
            page.entry(&Entry::new(EntryKind::Assistant)).unwrap();
            let input = Some(Input::Json(&input));
            page.call(&ToolCall { input, ..ToolCall::new("t", "Read") }).unwrap();
        });
        assert_eq!(page.text(".arg"), argument);
    }
}

fn facts_of(name: &str, result: Option<ToolResult<'_>>, duration: Option<Duration>) -> String {
    line(&ToolCall { result, duration, ..ToolCall::new("t", name) }).2
}

#[test]
fn a_call_says_what_came_of_it() {
    let result = |text| Some(ToolResult { text, ..ToolResult::default() });
    let failed = |text| Some(ToolResult { text, is_error: true, ..ToolResult::default() });
    for (name, result, facts) in [
        ("Bash", None, "no result"),
        ("Bash", result(""), "no output"),
        ("Bash", result("one"), ""),
        ("Bash", result("one\ntwo"), "2 lines"),
        ("Bash", failed("x"), "failed"),
        ("Bash", failed("Exit code 101\nx"), "exit 101"),
        ("Bash", result("a\nb\nc\nd\ne\nProcess exited with code 3.\n"), "exit 3"),
        ("Bash", result("a\nb\nc\nexit code 3\ne\nf\ng"), "7 lines"),
        ("Bash", result("exit code 0"), ""),
        ("Bash", result("it printed exit code 7"), ""),
        ("Read", result("exit code 7"), ""),
        ("mcp__x__y", result("Exit status: -1"), "exit -1"),
    ] {
        assert_eq!(facts_of(name, result, None), facts, "{name} {result:?}");
    }
    for (millis, took) in [
        (400, ""),
        (1_000, ""),
        (1_450, "1.4 s"),
        (2_000, "2 s"),
        (2_130, "2.1 s"),
        (46_000, "46 s"),
        (184_000, "3 min 4 s"),
        (7_500_000, "2 h 5 min"),
    ] {
        assert_eq!(facts_of("Bash", result("x"), Some(Duration::from_millis(millis))), took);
    }
}

#[test]
fn failure_and_absence_are_marked_and_short_edits_stand_open() {
    let page = Page::of(session::write);
    assert_eq!(page.all(".call.bad").len(), 2);
    assert_eq!(page.all(".call.lost").len(), 1);
    let open: Vec<_> =
        page.all(".call[open]").iter().map(|it| it.value().attr("id").unwrap()).collect();
    assert_eq!(open, ["e4-c1", "e4-c2"]);
    assert_eq!(page.text("#e4-c1 .sum"), "+1 −1");
    assert_eq!(page.text("#e4-c2 .arg"), "a.rs and 1 more");
    assert_eq!(page.texts("#e4-c2 .label code"), ["a.rs", "b.rs"]);
    assert!(page.all("#e4-c1 .label").is_empty());
    assert_eq!(page.texts("#e4-c2 details summary"), ["Input · 3 lines · 33 B"]);
    let new = "x\n".repeat(31);
    let edits = [Edit::Replace { path: None, old: "", new: &new }];
    let page = Page::of_call(&ToolCall { edits: &edits, ..ToolCall::new("t", "Write") });
    assert!(page.all(".call[open]").is_empty());
    let edits = [Edit::Replace { path: None, old: "a", new: "b" }];
    let result = Some(ToolResult { text: "no", is_error: true, ..ToolResult::default() });
    let page = Page::of_call(&ToolCall { edits: &edits, result, ..ToolCall::new("t", "Edit") });
    assert!(page.all(".call[open]").is_empty());
}

#[test]
fn arguments_are_shown_as_a_person_reads_them() {
    let page = Page::of(session::write);
    assert_eq!(page.text("#e3-c3 pre.cmd"), "git log --oneline\ngit status");
    assert_eq!(page.texts("#e5-c6 .label")[0], "prompt");
    assert_eq!(page.texts("#e5-c6 pre")[0], "Find every use.\nChange nothing.");
    // Closed where the line says it, open where it does not.
    assert!(page.texts("#e3-c1 summary").contains(&"Input as JSON · 4 lines · 67 B".to_owned()));
    assert_eq!(page.texts("#e5-c2 .label")[0], "Input · 9 lines · 101 B");
    assert!(page.texts("#e5-c4 .label")[0].starts_with("Input"));
}
