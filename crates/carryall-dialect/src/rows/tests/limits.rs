//! Rows of every size, and rows that are made to cost time.

use super::*;

#[test]
fn a_row_over_the_limit_is_passed_over() {
    let limits = Limits { row: A.len(), lines: 3 };
    let long = format!("{{\"id\":\"long\",\"text\":\"{}\"}}", "x".repeat(600_000));
    for end in ["\n", "\r\n"] {
        let text = format!("{A}{end}{long}{end}{B}{end}{C}{end}{A}");
        let walked = walk_within(text.as_bytes(), limits);
        // C is longer than A by two letters.
        assert_eq!(walked.ids(), ["a", "b", "a"]);
        let kinds: Vec<_> = walked.damage().iter().map(|d| (d.0, d.1)).collect();
        assert_eq!(kinds, [(NoticeKind::RowTooLong, 2), (NoticeKind::RowTooLong, 4)]);
        assert_eq!(walked.damage()[0].3, (long.len() + end.len() - 1) as u64);
    }
    let walked = walk_within(format!("{A}\n{A}x").as_bytes(), limits);
    assert_eq!(
        walked.damage(),
        [(NoticeKind::RowTooLong, 2, A.len() as u64 + 1, A.len() as u64 + 1)]
    );
}

#[test]
fn the_cr_of_a_row_at_the_limit_may_stand_in_the_next_read() {
    for size in 262_140..262_146 {
        let text = "x".repeat(size - 20);
        let file = format!("{{\"id\":\"l\",\"text\":\"{text}\"}}\r\n{A}");
        let walked = walk_within(file.as_bytes(), Limits { row: size, lines: 3 });
        assert_eq!(walked.ids(), ["l", "a"], "{size}");
        let walked = walk_within(file.as_bytes(), Limits { row: size - 1, lines: 3 });
        assert_eq!(walked.ids(), ["a"], "{size}");
    }
}

#[test]
fn rows_of_every_size_around_the_buffer_survive() {
    for size in [262_143, 262_144, 262_145, 524_288, 1_000_000] {
        let text = "x".repeat(size - A.len());
        let walked = walk(format!("{A}\n{{\"id\":\"l\",\"text\":\"{text}\"}}\n{B}\n").as_bytes());
        assert_eq!(walked.ids(), ["a", "l", "b"], "{size}");
        assert_eq!(walked.texts()[1], text);
    }
}

#[test]
fn a_row_of_a_hundred_megabytes_is_read_in_a_buffer_of_its_size() {
    const SIZE: usize = 100 << 20;
    let mut row = b"{\"id\":\"huge\",\"skipped\":\"".to_vec();
    row.resize(SIZE, b'x');
    row.extend_from_slice(b"\"}\n");
    row.extend_from_slice(A.as_bytes());
    let source = source(&row);
    drop(row);
    let (mut sizes, mut notices) = (Vec::new(), Notices::default());
    let mut lines = lines::Lines::new(&source, MAX_ROW).unwrap();
    scan(&source, &mut notices, &mut |bytes, _| {
        let _: Row<'_> = serde_json::from_slice(bytes)?;
        sizes.push(bytes.len());
        Ok(())
    })
    .unwrap();
    assert_eq!(sizes, [SIZE + 2, A.len()]);
    assert!(notices.is_empty());
    assert!(matches!(lines.line(0).unwrap(), lines::Next::Line(_)));
    assert!(lines.held() <= 2 * SIZE, "{}", lines.held());
}

#[test]
fn hostile_rows_take_linear_time() {
    let pieces = [
        "{",
        "}{",
        "{\"a\":",
        "{\"a\":[",
        "[",
        "\"",
        "{\"",
        "\\",
        "{\"a\":{}",
        "{\"a\":\"{",
        "{ ",
        "\0{",
        "{\"a\":[{},\n",
        "{\n",
        "{\"a\":\"\n",
        "\\ud83d",
        "é",
        "{\"a\":1}",
        "{}{",
    ];
    for piece in pieces {
        for before in ["", "{\"a\":\"", "{\"a\":["] {
            let work = |size: usize| {
                offered(&[before.as_bytes(), &piece.as_bytes().repeat(size)].concat())
            };
            // Eight times the row is at most about eight times the work; quadratic is sixty-four.
            let (small, large) = (work(2_000), work(16_000));
            assert!(large <= small * 12, "{before:?} {piece:?}: {small} bytes, then {large}");
        }
    }
}

/// How many bytes the ladder hands to the parser for a log, and looks at for the rest of a record.
fn offered(bytes: &[u8]) -> u64 {
    let mut offered = 0;
    let scanned = scan(&source(bytes), &mut Notices::default(), &mut |bytes, _| {
        offered += bytes.len() as u64;
        serde_json::from_slice::<Row<'_>>(bytes).map(|_| ())
    });
    offered + scanned.unwrap().looked_in_vain
}

#[test]
fn lines_that_could_all_be_joined_and_never_are_cost_little() {
    let log = "{\"a\":[{},\n".repeat(60_000);
    // Looked at as often as the limit of lines alone allows, each byte is looked at a thousand times.
    let offered = offered(log.as_bytes());
    assert!(offered < 20 * log.len() as u64, "{offered} of {}", log.len());
}
