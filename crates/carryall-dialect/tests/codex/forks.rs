//! Threads that go on from others: found or not, whole or not, in a circle, in a long row.

use crate::heard::{check, hear};
use crate::made::{Home, assistant, id, meta_with, name, user};
use crate::oracle::Beat;
use crate::{open, try_open};
use carryall_model::NoticeKind;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// What goes on from a part of the n-th thread.
fn base(n: u32, ordinal: Option<usize>, offset: Option<usize>) -> Value {
    let base = json!({"thread_id": id(n), "end_ordinal_exclusive": ordinal,
        "end_byte_offset": offset});
    json!({"history_base": base})
}

/// Numbers rows.
fn numbered(from: usize, rows: &[String]) -> String {
    let number = |(at, row): (usize, &String)| {
        let mut row: Value = serde_json::from_str(row).unwrap();
        row["ordinal"] = json!(from + at);
        row.to_string() + "\n"
    };
    rows.iter().enumerate().map(number).collect()
}

/// What was said, and what is told of the parents.
fn told(path: &Path) -> (Vec<String>, Vec<String>) {
    let (heard, found) = hear(&*open(path));
    let texts = heard.beats.into_iter().map(|beat| match beat {
        Beat::Prompt(text) | Beat::Said(text) => text,
        other => panic!("{other:?}"),
    });
    let missing = found.notices.kept().iter().filter(|n| n.kind == NoticeKind::MissingParent);
    (texts.collect(), missing.map(|n| n.detail.clone().unwrap_or_default()).collect())
}

/// A parent of five rows, of which the first three are inherited, and how long those are.
fn parent() -> (String, usize) {
    let rows = [meta_with(1, &json!({})), user("p1"), assistant("a1"), user("p2"), user("p3")];
    (numbered(0, &rows), numbered(0, &rows[..3]).len())
}

fn child(base: &Value) -> String {
    numbered(3, &[meta_with(2, base), user("c1")])
}

#[test]
fn a_fork_holds_the_part_that_it_goes_on_from() {
    let (parent, end) = parent();
    let inherited = ["p1", "a1", "c1"];
    let silent: [&str; 0] = [];
    // By its bytes, by its rows, by both; and when the bytes end no row, by the rows.
    for base in [
        base(1, None, Some(end)),
        base(1, Some(3), None),
        base(1, Some(3), Some(end)),
        base(1, Some(3), Some(end - 10)),
    ] {
        let home = Home::new();
        home.thread(1, &parent);
        let child = home.thread(2, child(&base));
        assert_eq!(
            told(&child),
            (inherited.map(str::to_owned).into(), silent.map(str::to_owned).into())
        );
    }
    let home = Home::new();
    home.thread(1, parent);
    check(&home.thread(2, child(&base(1, Some(3), Some(end)))));
}

#[test]
fn a_parent_may_be_compressed_or_put_away() {
    let (parent, end) = parent();
    let packed = ruzstd::encoding::compress_to_vec(
        parent.as_bytes(),
        ruzstd::encoding::CompressionLevel::Fastest,
    );
    for folder in ["sessions/2026/03/04", "sessions/2025/01/01", "archived_sessions"] {
        for (name, bytes) in [(name(1), parent.as_bytes()), (name(1) + ".zst", &packed)] {
            let home = Home::new();
            fs::create_dir_all(home.path().join(folder)).unwrap();
            fs::write(home.path().join(folder).join(&name), bytes).unwrap();
            let child = home.thread(2, child(&base(1, Some(3), Some(end))));
            let expected = ["p1", "a1", "c1"].map(str::to_owned);
            assert_eq!(told(&child), (expected.into(), Vec::new()), "{folder}/{name}");
        }
    }
}

#[test]
fn a_parent_that_is_not_what_it_was_is_told() {
    let (parent, end) = parent();
    let cut = &parent[..parent.find("p1").unwrap() + 6];
    let first = &parent[..parent.find('\n').unwrap() + 1];
    let detail =
        |what: &str| vec![format!("what came before stands in the thread {}, {what}", id(1))];
    let cases: [(&str, Value, &[&str], &str); 5] = [
        ("", base(1, Some(3), Some(end)), &["c1"], "whose file ends before"),
        (first, base(1, Some(3), Some(end)), &["c1"], "whose file ends before"),
        (cut, base(1, None, Some(end)), &["c1"], "whose file ends before"),
        (&parent, base(1, None, Some(end - 10)), &["c1"], "which is not what it was"),
        (
            &parent,
            base(1, None, Some(usize::MAX >> 1)),
            &["p1", "a1", "p2", "p3", "c1"],
            "whose file ends before",
        ),
    ];
    for (parent, base, expected, what) in cases {
        let home = Home::new();
        home.thread(1, parent);
        let child = home.thread(2, child(&base));
        let expected: Vec<String> = expected.iter().map(|&text| text.to_owned()).collect();
        assert_eq!(told(&child), (expected, detail(what)), "{base}");
    }
    let home = Home::new();
    let child = home.thread(2, child(&base(1, Some(3), Some(end))));
    assert_eq!(told(&child), (vec!["c1".to_owned()], detail("which is not there")));
    fs::create_dir(home.day().join(name(1) + ".zst")).unwrap();
    assert_eq!(told(&child), (vec!["c1".to_owned()], detail("which is not there")));
    rustix_fifo(&home.day().join(name(1)));
    assert_eq!(told(&child), (vec!["c1".to_owned()], detail("which is not there")));
}

fn rustix_fifo(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

#[test]
fn threads_that_go_on_from_each_other_end() {
    let home = Home::new();
    let itself = home.thread(1, meta_with(1, &base(1, None, None)) + &user("p1"));
    let detail = |n: u32, what: &str| {
        vec![format!("what came before stands in the thread {}, {what}", id(n))]
    };
    let round = "which goes on from this one";
    assert_eq!(told(&itself), (vec!["p1".to_owned()], detail(1, round)));
    home.thread(2, meta_with(2, &base(3, None, None)) + &user("p2"));
    let third = home.thread(3, meta_with(3, &base(2, None, None)) + &user("p3"));
    assert_eq!(told(&third), (vec!["p2".to_owned(), "p3".to_owned()], detail(3, round)));
    // A copy under a new name, whose first row was not touched.
    let copy = home.day().join(name(4));
    fs::write(&copy, meta_with(5, &base(4, None, None)) + &user("p5")).unwrap();
    let same = "whose file is that of a thread that goes on from it";
    assert_eq!(told(&copy), (vec!["p5".to_owned()], detail(4, same)));
}

#[test]
fn a_long_row_of_threads_is_read_so_far_back() {
    let home = Home::new();
    home.thread(0, meta_with(0, &json!({})) + &user("p0"));
    for n in 1..=100 {
        home.thread(n, meta_with(n, &base(n - 1, None, None)) + &user(&format!("p{n}")));
    }
    let (texts, missing) = told(&home.day().join(name(100)));
    let expected: Vec<String> = (36..=100).map(|n| format!("p{n}")).collect();
    assert_eq!(texts, expected);
    let what = "and too many threads come between";
    let missed = format!("what came before stands in the thread {}, {what}", id(35));
    assert_eq!(missing, [missed]);
    let (texts, missing) = told(&home.day().join(name(64)));
    assert_eq!((texts.len(), missing.len()), (65, 0));
}

#[test]
fn hostile_words_in_the_place_of_a_parent_are_not_followed() {
    for thread in ["../../../../etc/passwd", "", "/etc/passwd", "\u{1b}[31m", "a\nb"] {
        let home = Home::new();
        let base = json!({"history_base": {"thread_id": thread, "end_ordinal_exclusive": 1}});
        let path = home.thread(1, meta_with(1, &base) + &user("p1"));
        let (texts, missing) = told(&path);
        assert_eq!(texts, ["p1"]);
        assert!(missing.iter().all(|detail| !detail.contains(char::is_control)), "{missing:?}");
    }
    assert!(try_open(Path::new("/nowhere")).is_err());
}
