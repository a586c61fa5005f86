//! What holds whatever the bytes are.

use super::*;
use proptest::prelude::*;

/// A record whose text holds what confuses splitters.
fn record() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{\"".to_owned()),
        Just("}{".to_owned()),
        Just("\"},{\"id\":\"no\"}".to_owned()),
        Just("\\".to_owned()),
        Just("\n".to_owned()),
        "[ -~]{0,12}",
        "\\PC{0,6}",
    ];
    let text = prop::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat());
    (any::<u32>(), text, any::<bool>()).prop_map(|(id, text, nested)| {
        let text = serde_json::to_string(&text).unwrap();
        let inner = if nested { r#","z":[{"k":{"text":"no"}},1.5]"# } else { "" };
        format!(r#"{{"id":"{id}","text":{text}{inner}}}"#)
    })
}

/// One place where a file can be hurt, and the records that it costs.
#[derive(Clone, Debug)]
enum Damage {
    Nothing,
    /// The line end after a record is missing.
    Glued,
    /// The record is cut off at this share of its length, its line end kept.
    Torn(prop::sample::Index),
    /// The record and its line end are cut off, the next one follows at once.
    TornInto(prop::sample::Index),
    /// NUL bytes stand before the record.
    Nuls(usize),
    /// A line of something else stands before it.
    Line(Vec<u8>),
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        3 => Just(Damage::Nothing),
        1 => Just(Damage::Glued),
        1 => any::<prop::sample::Index>().prop_map(Damage::Torn),
        1 => any::<prop::sample::Index>().prop_map(Damage::TornInto),
        1 => (1usize..40).prop_map(Damage::Nuls),
        1 => prop::collection::vec(1u8..b'"', 1..20).prop_map(Damage::Line),
    ]
}

/// The file, and the records in it that nothing happened to.
fn hurt(records: &[(String, Damage)]) -> (Vec<u8>, Vec<String>) {
    let (mut file, mut whole) = (Vec::new(), Vec::new());
    for (record, damage) in records {
        let cut = |index: &prop::sample::Index| 1 + index.index(record.len() - 1);
        match damage {
            Damage::Nuls(n) => file.resize(file.len() + n, 0),
            Damage::Line(line) => {
                file.extend(line.iter().map(|&b| if b == b'\n' { b'.' } else { b }));
                file.push(b'\n');
            }
            Damage::Nothing | Damage::Glued | Damage::Torn(_) | Damage::TornInto(_) => {}
        }
        match damage {
            Damage::Torn(index) | Damage::TornInto(index) => {
                file.extend_from_slice(&record.as_bytes()[..cut(index)]);
            }
            Damage::Nothing | Damage::Glued | Damage::Nuls(_) | Damage::Line(_) => {
                file.extend_from_slice(record.as_bytes());
                whole.push(record.clone());
            }
        }
        if !matches!(damage, Damage::Glued | Damage::TornInto(_)) {
            file.push(b'\n');
        }
    }
    (file, whole)
}

/// The id and text of a record, read by another parser.
fn by_value(record: &str) -> (String, String) {
    let value: serde_json::Value = serde_json::from_str(record).unwrap();
    let field = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    (field("id"), field("text"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_undamaged_record_is_kept_and_nothing_else(
        records in prop::collection::vec((record(), damage()), 1..12),
    ) {
        let (file, whole) = hurt(&records);
        let walked = walk(&file);
        let got: Vec<_> =
            walked.records.iter().map(|(id, text, _)| (id.clone(), text.clone())).collect();
        let expected: Vec<_> = whole.iter().map(|record| by_value(record)).collect();
        prop_assert_eq!(got, expected, "{}", String::from_utf8_lossy(&file));
    }

    #[test]
    fn undamaged_input_reads_as_by_a_slow_reader(
        records in prop::collection::vec(record(), 0..12),
        ends in prop::collection::vec(prop::sample::select(vec!["\n", "\r\n", "\n\n", "\n \r\n"]), 12),
        mark in any::<bool>(),
    ) {
        let mut file = if mark { "\u{feff}".to_owned() } else { String::new() };
        for (record, end) in records.iter().zip(&ends) {
            file += record;
            file += end;
        }
        let walked = walk(file.as_bytes());
        let slow = file.trim_start_matches('\u{feff}').split('\n');
        let slow: Vec<_> = slow.filter(|row| !row.trim().is_empty()).map(by_value).collect();
        let got: Vec<_> =
            walked.records.iter().map(|(id, text, _)| (id.clone(), text.clone())).collect();
        prop_assert_eq!(got, slow);
        prop_assert!(walked.notices.is_empty());
    }

    #[test]
    fn any_bytes_are_walked(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        walk(&bytes);
    }

    #[test]
    fn any_run_of_tokens_is_walked(
        tokens in prop::collection::vec(prop::sample::select(vec![
            "{", "}", "[", "]", "\"", ":", ",", "\\", "\\u", "\\ud83d", "a", "1", "true", "\n",
            "\r\n", "\0", " ", "{\"id\":", "{\"id\":\"x\"}", "\u{feff}", "\u{1}", "é",
        ]), 0..60),
    ) {
        walk(tokens.concat().as_bytes());
    }

    #[test]
    fn a_bit_flip_costs_at_most_the_rows_around_it(
        records in prop::collection::vec(record(), 3..8),
        at in any::<prop::sample::Index>(),
        bit in 0u8..8,
    ) {
        let mut file = (records.join("\n") + "\n").into_bytes();
        let at = at.index(file.len());
        file[at] ^= 1 << bit;
        let hit = file[..at].iter().filter(|&&b| b == b'\n').count().min(records.len() - 1);
        let got = walk(&file).records;
        for (n, record) in records.iter().enumerate() {
            let (id, text) = by_value(record);
            let near = n == hit || n == hit + 1;
            prop_assert!(near || got.iter().any(|r| (&r.0, &r.1) == (&id, &text)));
        }
    }
}
