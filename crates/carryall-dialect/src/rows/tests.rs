//! Every kind of damage, one test each; what holds for all of them is in [`properties`].

mod limits;
mod properties;

use super::*;
use carryall_model::{NoticeKind, Text};
use std::fs::File;
use std::io::{Seek, Write};
use std::path::PathBuf;

/// A record as a dialect reads it: flat, with what it needs.
#[derive(Deserialize)]
struct Row<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    input: Option<&'a serde_json::value::RawValue>,
}

/// What a walk gave.
#[derive(Debug)]
struct Walked {
    /// `id`, `text` and replaced characters of each record.
    records: Vec<(String, String, u64)>,
    rows: Vec<u64>,
    notices: Notices,
    scanned: Scanned,
}

impl Walked {
    fn ids(&self) -> Vec<&str> {
        self.records.iter().map(|(id, ..)| id.as_str()).collect()
    }

    fn texts(&self) -> Vec<&str> {
        self.records.iter().map(|(_, text, _)| text.as_str()).collect()
    }

    /// Kind, row, offset and bytes of each notice.
    fn damage(&self) -> Vec<(NoticeKind, u64, u64, u64)> {
        let flat = |n: &Notice| (n.kind, n.row.unwrap(), n.offset.unwrap(), n.bytes.unwrap());
        self.notices.kept().iter().map(flat).collect()
    }
}

fn source(bytes: &[u8]) -> Source {
    let mut file: File = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    Source::from_file(file, PathBuf::from("log.jsonl")).unwrap()
}

fn walk(bytes: &[u8]) -> Walked {
    walk_within(bytes, Limits { row: MAX_ROW, lines: MAX_JOINED })
}

/// Walks, and reads every record again by its span, as the second pass does.
fn walk_within(bytes: &[u8], limits: Limits) -> Walked {
    let source = source(bytes);
    let (mut notices, mut places, mut first) = (Notices::default(), Vec::new(), Vec::new());
    let tell = &mut |notice| notices.push(notice);
    let scanned = scan_within(&source, limits, tell, &mut |bytes, place| {
        let row: Row<'_> = serde_json::from_slice(bytes)?;
        first.push((string(&row.id), string(&row.text)));
        places.push(place);
        Ok(())
    })
    .unwrap();
    let (mut buf, mut scratch) = (Vec::new(), Vec::new());
    let mut records = Vec::new();
    for place in &places {
        let bytes = source.read_span(place.span, &mut buf).unwrap();
        let Parsed { value, replaced } = parse::<Row<'_>>(bytes, &mut scratch).unwrap();
        records.push((string(&value.id), string(&value.text), replaced));
    }
    let second: Vec<_> = records.iter().map(|(id, text, _)| (id.clone(), text.clone())).collect();
    assert_eq!(first, second, "the second pass reads what the first one saw");
    assert_eq!(scanned.records, records.len() as u64);
    Walked { records, rows: places.iter().map(|place| place.row).collect(), notices, scanned }
}

fn string(text: &Option<Text<'_>>) -> String {
    text.as_deref().unwrap_or_default().to_owned()
}

const A: &str = r#"{"id":"a","text":"one"}"#;
const B: &str = r#"{"id":"b","text":"two"}"#;
const C: &str = r#"{"id":"c","text":"three"}"#;

#[test]
fn undamaged_rows_pass_without_a_word() {
    let walked = walk(format!("{A}\n\n{B}\n \t \n{C}").as_bytes());
    assert_eq!(walked.ids(), ["a", "b", "c"]);
    assert_eq!(walked.rows, [1, 3, 5]);
    assert!(walked.notices.is_empty());
    assert_eq!(walked.scanned, Scanned { rows: 3, records: 3, ..Scanned::default() });
}

#[test]
fn crlf_and_a_byte_order_mark_are_no_part_of_a_row() {
    let walked = walk(format!("\u{feff}{A}\r\n{B}\r\n").as_bytes());
    assert_eq!(walked.ids(), ["a", "b"]);
    assert!(walked.notices.is_empty());
}

#[test]
fn files_that_were_appended_to_each_other_keep_their_byte_order_marks() {
    let walked = walk(format!("\u{feff}{A}\n\u{feff}{B}\n").as_bytes());
    assert_eq!(walked.ids(), ["a", "b"]);
    assert!(walked.notices.is_empty());
}

#[test]
fn only_lf_ends_a_row() {
    for odd in ["\u{85}", "\u{2028}", "\u{2029}", "\u{b}", "\u{c}", "\u{1c}", "\u{1d}", "\u{1e}"] {
        let walked = walk(format!("{{\"id\":\"a\",\"text\":\"x{odd}y\"}}\n{B}\n").as_bytes());
        assert_eq!(walked.texts(), [format!("x{odd}y").as_str(), "two"], "{odd:?}");
        assert!(walked.notices.is_empty(), "{odd:?}");
        assert_eq!(walked.records[0].2, 0, "{odd:?} was kept, not replaced");
    }
}

#[test]
fn raw_tabs_and_returns_inside_strings_are_kept() {
    let walked = walk(b"{\"id\":\"a\",\"text\":\"x\ty\rz\0\x01\x1f\"}\n");
    assert_eq!(walked.texts(), ["x\ty\rz\0\x01\x1f"]);
    assert!(walked.notices.is_empty());
}

#[test]
fn lone_surrogates_become_one_replacement_each() {
    for (text, shown, replaced) in [
        (r"\ud83d", "\u{fffd}", 1),
        (r"\ude00", "\u{fffd}", 1),
        (r"\ude00\ud83d", "\u{fffd}\u{fffd}", 2),
        (r"\ud83d\ud83d\ude00", "\u{fffd}😀", 1),
        (r"\ud83d\\ude00", "\u{fffd}\\ude00", 1),
        (r"\\ud83d", "\\ud83d", 0),
        (r"\uD83D\uDE00", "😀", 0),
        (r"a\ud83d", "a\u{fffd}", 1),
        (r"\ud83db\ude00", "\u{fffd}b\u{fffd}", 2),
    ] {
        let walked = walk(format!("{{\"id\":\"a\",\"text\":\"{text}\"}}\n").as_bytes());
        assert_eq!(walked.records, [("a".into(), shown.into(), replaced)], "{text}");
        assert!(walked.notices.is_empty(), "{text}");
    }
}

#[test]
fn a_lone_surrogate_in_a_part_that_is_not_decoded_costs_nothing() {
    let row = br#"{"id":"a","skipped":"\ud83d","input":{"b":"\ud83d","b":1}}"#;
    let mut scratch = Vec::new();
    let Parsed { value, replaced } = parse::<Row<'_>>(row, &mut scratch).unwrap();
    assert_eq!(replaced, 0);
    assert_eq!(value.input.unwrap().get(), r#"{"b":"\ud83d","b":1}"#);
}

#[test]
fn invalid_utf8_becomes_one_replacement_a_maximal_subpart() {
    for (bytes, shown, replaced) in [
        (&b"\xff"[..], "\u{fffd}", 1),
        (b"\xf0\x9f\x98", "\u{fffd}", 1),
        (b"\xc0\xaf", "\u{fffd}\u{fffd}", 2),
        (b"\xed\xa0\x80", "\u{fffd}\u{fffd}\u{fffd}", 3),
        (b"\xe2\x82z", "\u{fffd}z", 1),
        ("\u{fffd}".as_bytes(), "\u{fffd}", 0),
    ] {
        let row = [b"{\"id\":\"a\",\"text\":\"", bytes, b"\"}\n"].concat();
        let walked = walk(&row);
        assert_eq!(walked.records, [("a".into(), shown.into(), replaced)], "{bytes:?}");
    }
    // In a part that is skipped nobody sees it, and it costs nothing either.
    assert_eq!(walk(b"{\"id\":\"a\",\"other\":\"\xff\"}\n").records[0].2, 0);
}

#[test]
fn the_last_of_repeated_keys_wins() {
    let walked = walk(br#"{"id":"x","text":"old","id":"a","te\u0078t":"new","text":"one"}"#);
    assert_eq!(walked.records, [("a".into(), "one".into(), 0)]);
    assert!(walked.notices.is_empty());
}

#[test]
fn repeated_keys_inside_a_repeated_member_go_with_it() {
    let walked =
        walk(br#"{"id":"x","k":{"a":1,"a":{"b":2,"b":3},"c":4},"k":[{"b":5,"b":6}],"id":"a"}"#);
    assert_eq!(walked.ids(), ["a"]);
    assert!(walked.notices.is_empty());
}

#[test]
fn repeated_keys_of_tool_input_stay_when_a_row_is_repaired() {
    let row = br#"{"id":"\ud83d","input":{"b":1,"b":{"c":2,"c":3}}}"#;
    let mut scratch = Vec::new();
    let Parsed { value, replaced } = parse::<Row<'_>>(row, &mut scratch).unwrap();
    assert_eq!(replaced, 1);
    assert_eq!(value.input.unwrap().get(), r#"{"b":1,"b":{"c":2,"c":3}}"#);
}

#[test]
fn glued_records_are_all_kept() {
    let walked = walk(format!("{A}{B}\n{A} {B}{C}\n").as_bytes());
    assert_eq!(walked.ids(), ["a", "b", "a", "b", "c"]);
    assert_eq!(walked.rows, [1, 1, 2, 2, 2]);
    let size = |rows: &[&str]| rows.concat().len() as u64;
    assert_eq!(
        walked.damage(),
        [
            (NoticeKind::GluedRows, 1, 0, size(&[A, B])),
            (NoticeKind::GluedRows, 2, size(&[A, B]) + 1, size(&[A, " ", B, C])),
        ]
    );
}

#[test]
fn glued_records_are_repaired_one_by_one() {
    let walked =
        walk(format!(r#"{A}{{"id":"s","text":"\ud83d}}{{"}}{{"id":"r","id":"d"}}"#).as_bytes());
    assert_eq!(walked.ids(), ["a", "s", "d"]);
    assert_eq!(walked.texts(), ["one", "\u{fffd}}{", ""]);
}

/// A record with everything that can confuse a search for record starts.
const LONG: &str = r#"{"id":"torn","time":[1.5e-3,-2,true,null],"text":"a \"{\" b {\"k\":1} \\","input":{"k":[{"id":"nested","text":"no"},{}],"é":"\u00e9"},"z":{"id":"nested","text":"no"}}"#;

#[test]
fn a_whole_record_behind_a_torn_one_is_kept_wherever_the_cut_is() {
    for cut in 1..LONG.len() {
        let other = LONG.replace("torn", "b");
        for rest in [other.clone(), format!("{other}{C}"), format!(" {other}"), LONG.to_owned()] {
            let mut row = LONG.as_bytes()[..cut].to_vec();
            row.extend_from_slice(rest.as_bytes());
            let walked = walk(&[&row, &b"\n"[..], C.as_bytes()].concat());
            let mut expected = vec![if rest == LONG { "torn" } else { "b" }];
            expected.extend(rest.ends_with(C).then_some("c"));
            expected.push("c");
            assert_eq!(walked.ids(), expected, "{}", String::from_utf8_lossy(&row));
            let torn: Vec<_> =
                walked.damage().into_iter().filter(|d| d.0 == NoticeKind::TornRow).collect();
            assert_eq!(torn.len(), 1, "cut at {cut}");
            assert_eq!(torn[0].2, 0);
        }
    }
}

#[test]
fn an_object_inside_a_torn_record_is_not_a_record() {
    for cut in 1..LONG.len() {
        let torn = &LONG.as_bytes()[..cut];
        let walked = walk(&[torn, b"\n", B.as_bytes(), b"\n"].concat());
        assert_eq!(walked.ids(), ["b"], "{}", String::from_utf8_lossy(torn));
        assert_eq!(walked.damage(), [(NoticeKind::BadRow, 1, 0, cut as u64)]);
        // Nor is it one in a record that lost its beginning.
        let tail = &LONG.as_bytes()[cut..];
        let walked = walk(&[tail, b"\n", B.as_bytes(), b"\n"].concat());
        assert_eq!(walked.ids(), ["b"], "{}", String::from_utf8_lossy(tail));
    }
}

#[test]
fn a_torn_last_line_is_cut_short_wherever_the_cut_is() {
    for cut in 1..LONG.len() {
        let walked = walk(&[A.as_bytes(), b"\n", &LONG.as_bytes()[..cut]].concat());
        assert_eq!(walked.ids(), ["a"]);
        let at = A.len() as u64 + 1;
        assert_eq!(walked.damage(), [(NoticeKind::CutShort, 2, at, cut as u64)]);
    }
}

#[test]
fn a_torn_last_line_behind_a_whole_record_is_cut_short() {
    let walked = walk(format!("{A}{{\"id\":\"x\",\"te").as_bytes());
    assert_eq!(walked.ids(), ["a"]);
    assert_eq!(walked.damage(), [(NoticeKind::CutShort, 1, A.len() as u64, 13)]);
}

#[test]
fn what_follows_a_whole_record_does_not_cost_it() {
    let walked = walk(format!("{A}{{\"id\":\"x\",\"te\n{A}xt\":\"lost head\"}}\n{B}\n").as_bytes());
    assert_eq!(walked.ids(), ["a", "a", "b"]);
    let kinds: Vec<_> = walked.damage().iter().map(|d| (d.0, d.1)).collect();
    assert_eq!(kinds, [(NoticeKind::TornRow, 1), (NoticeKind::TornRow, 2)]);
}

#[test]
fn nul_runs_alone_and_around_records() {
    let nuls = "\0".repeat(4096);
    let walked = walk(format!("{A}\n{nuls}\n{nuls}{B}\n{C}{nuls}").as_bytes());
    assert_eq!(walked.ids(), ["a", "b", "c"]);
    let at = A.len() as u64 + 1;
    let last = at + 2 * 4096 + 1 + (B.len() + 1 + C.len()) as u64;
    assert_eq!(
        walked.damage(),
        [
            (NoticeKind::NulRun, 2, at, 4096),
            (NoticeKind::NulRun, 3, at + 4097, 4096),
            (NoticeKind::NulRun, 4, last, 4096),
        ]
    );
}

#[test]
fn a_row_that_cannot_be_read_begins_behind_its_nul_bytes() {
    let walked = walk(b"\0\0}\n \0 text\n  text\n");
    assert_eq!(
        walked.damage(),
        [
            (NoticeKind::NulRun, 1, 0, 2),
            (NoticeKind::BadRow, 1, 2, 1),
            (NoticeKind::NulRun, 2, 4, 3),
            (NoticeKind::BadRow, 2, 7, 4),
            (NoticeKind::BadRow, 3, 12, 6),
        ]
    );
}

#[test]
fn nul_bytes_inside_a_torn_record_belong_to_it() {
    let walked = walk(format!("{{\"id\":\"x\",\"text\":\"ab\0\0\0{B}\n").as_bytes());
    assert_eq!(walked.ids(), ["b"]);
    assert_eq!(walked.damage(), [(NoticeKind::TornRow, 1, 0, 23)]);
}

#[test]
fn a_file_that_ends_inside_a_character_is_cut_short() {
    let row = "{\"id\":\"x\",\"text\":\"😀".as_bytes();
    for gone in 1..4 {
        let walked = walk(&[A.as_bytes(), b"\n", &row[..row.len() - gone]].concat());
        assert_eq!(walked.ids(), ["a"]);
        assert_eq!(walked.damage()[0].0, NoticeKind::CutShort);
    }
}

#[test]
fn a_record_over_several_lines_is_joined() {
    let walked =
        walk(format!("{A}\n{{\"id\":\"x\",\"text\":\"one\ntwo\r\n\nthree\"}}\n{B}\n").as_bytes());
    assert_eq!(walked.ids(), ["a", "x", "b"]);
    assert_eq!(walked.texts()[1], "one\ntwo\r\n\nthree");
    assert_eq!(walked.rows, [1, 2, 6]);
    assert!(walked.notices.is_empty());
    assert_eq!(walked.records[1].2, 0);
}

#[test]
fn a_record_with_line_ends_between_its_tokens_is_joined() {
    let walked =
        walk(format!("{{\n  \"id\": \"x\",\n  \"text\":\n    \"y\"\n}}\n{B}\n").as_bytes());
    assert_eq!(walked.ids(), ["x", "b"]);
    assert_eq!(walked.rows, [1, 6]);
    assert!(walked.notices.is_empty());
}

#[test]
fn a_record_behind_another_is_joined_with_the_lines_after_it() {
    let walked = walk(format!("{A}{{\"id\":\"x\",\"text\":\"one\ntwo\"}}\n{B}\n").as_bytes());
    assert_eq!(walked.texts(), ["one", "one\ntwo", "two"]);
}

#[test]
fn a_torn_row_never_swallows_the_record_on_the_next_line() {
    for torn in
        ["{\"id\":\"x\",\"text\":\"cut", "{\"id\":", "{\"id\":[", "{\"id\":\"x\",\"list\":[{},"]
    {
        for next in
            [B.to_owned(), format!("  {B}  "), format!("{B}{C}"), format!("{{\"id\":\"cut{B}")]
        {
            let walked = walk(format!("{torn}\n{next}\n").as_bytes());
            assert_eq!(walked.ids()[0], "b", "{torn} {next}");
            assert_eq!(walked.damage()[0].0, NoticeKind::BadRow);
        }
    }
}

#[test]
fn a_record_on_a_line_of_its_own_is_not_taken_for_a_part_of_another() {
    for (torn, end) in [("{\"list\":[", "]}"), ("{\"z\":", "}")] {
        let walked = walk(format!("{torn}\n{B}\n{end}\n").as_bytes());
        assert_eq!(walked.ids(), ["b"], "{torn}");
        assert_eq!(walked.damage().len(), 2);
    }
}

#[test]
fn an_object_behind_what_is_no_json_is_not_a_record() {
    for row in [
        r#"{"id":nope,"text":"x","k":{"id":"n","text":"no"}"#,
        r#"{"id":'x',"k":[1,{"id":"n","text":"no"}"#,
        r#"{"id":'x',"k":{"id":"n","text":"no"}}"#,
    ] {
        let walked = walk(format!("{row}\n{A}\n").as_bytes());
        assert_eq!(walked.ids(), ["a"], "{row}");
    }
}

#[test]
fn lines_are_joined_up_to_the_limit() {
    let record = format!("{{\"id\":\"x\",\"text\":\"{}\"}}\n{B}\n", "\n".repeat(5));
    let walked = walk_within(record.as_bytes(), Limits { row: 100, lines: 5 });
    assert_eq!(walked.ids(), ["x", "b"]);
    let walked = walk_within(record.as_bytes(), Limits { row: 100, lines: 4 });
    assert_eq!(walked.ids(), ["b"]);
    let size = "{\"id\":\"x\",\"text\":\"\"}".len() + 5;
    let walked = walk_within(record.as_bytes(), Limits { row: size, lines: 5 });
    assert_eq!(walked.ids()[0], "x");
    let walked = walk_within(record.as_bytes(), Limits { row: size - 1, lines: 5 });
    assert_eq!(walked.ids(), ["b"]);
}

#[test]
fn what_is_no_object_is_a_bad_row() {
    let bad = ["\"text\"", "42", "null", "[{\"id\":\"x\"}]", "[", "]", "text", "{]", "{\"id\":1}"];
    for row in bad {
        let walked = walk(format!("{row}\n{A}\n").as_bytes());
        assert_eq!(walked.ids(), ["a"], "{row}");
        assert_eq!(walked.damage(), [(NoticeKind::BadRow, 1, 0, row.len() as u64)], "{row}");
        // Without a line end it is not cut short either: no record begins in it.
        let walked = walk(format!("{A}\n{row}").as_bytes());
        assert_eq!(walked.damage()[0].0, NoticeKind::BadRow, "{row}");
    }
}

#[test]
fn no_notice_quotes_a_row() {
    let rows = [
        r#"{"id":{"secret":1}}"#,
        r#"{"id":123454321}"#,
        r#"{"id":"secret","id":123454321}"#,
        r#""secret""#,
        r#"{"secret"#,
        r#"{secret}"#,
        r#"{"id":"a"}secret"#,
        r#"secret{"id":"a"}"#,
    ];
    let walked = walk(rows.join("\n").as_bytes());
    for notice in walked.notices.kept() {
        let detail = notice.detail.as_deref().unwrap_or_default();
        assert!(!detail.contains("secret") && !detail.contains("123454321"), "{detail}");
    }
    assert!(walked.notices.kept().len() >= rows.len());
}

#[test]
fn the_verdict_tells_empty_from_unreadable() {
    let verdict = |bytes: &[u8]| {
        let walked = walk(bytes);
        walked.scanned.verdict(&source(bytes), "codex").map_err(|e| e.to_string())
    };
    assert_eq!(verdict(b""), Err("log.jsonl: the file is empty".into()));
    assert_eq!(verdict(b"\xef\xbb\xbf\r\n \n"), Err("log.jsonl: the file is empty".into()));
    assert_eq!(
        verdict(b"\n\"text\"\n{\n"),
        Err("log.jsonl: no row could be read as codex (row 2: not a JSON object)".into())
    );
    assert_eq!(
        verdict(b"\0\0"),
        Err("log.jsonl: no row could be read as codex (row 1: 2 NUL bytes)".into())
    );
    assert_eq!(
        verdict(b"{\"id\":\"x"),
        Err("log.jsonl: no row could be read as codex (row 1: the last row has no end)".into())
    );
    assert_eq!(verdict(A.as_bytes()), Ok(()));
    assert_eq!(verdict(b"bad\n{}"), Ok(()));
}
