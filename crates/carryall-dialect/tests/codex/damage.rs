//! Whatever is done to a file, reading it ends without a panic, and what is whole stays.

use crate::heard::{Heard, hear};
use crate::made::{Home, assistant, assistant_event, call, meta, name, output, user, user_event};
use crate::oracle::Beat;
use crate::{context, files, open, try_open};
use carryall_dialect::codex::Codex;
use carryall_dialect::{Dialect, Locator, Totals};
use carryall_model::{NoticeKind, OpenError};
use proptest::prelude::*;
use std::fs;
use std::path::Path;

/// What may happen to a row.
#[derive(Clone, Debug)]
enum Harm {
    Swap(usize, usize),
    Drop(usize),
    Double(usize, usize),
    Cut(usize, usize),
    Bytes(usize, usize, Vec<u8>),
    Glue(usize),
}

fn harm() -> impl Strategy<Value = Harm> {
    let at = || any::<prop::sample::Index>().prop_map(|index| index.index(1 << 20));
    let bytes = prop::collection::vec(any::<u8>(), 1..9);
    prop_oneof![
        (at(), at()).prop_map(|(a, b)| Harm::Swap(a, b)),
        at().prop_map(Harm::Drop),
        (at(), at()).prop_map(|(a, b)| Harm::Double(a, b)),
        (at(), at()).prop_map(|(a, b)| Harm::Cut(a, b)),
        (at(), at(), bytes).prop_map(|(a, b, bytes)| Harm::Bytes(a, b, bytes)),
        at().prop_map(Harm::Glue),
    ]
}

fn apply(rows: &mut Vec<Vec<u8>>, harm: &Harm) {
    let count = rows.len();
    if count == 0 {
        return;
    }
    match harm {
        Harm::Swap(a, b) => rows.swap(a % count, b % count),
        Harm::Drop(a) => drop(rows.remove(a % count)),
        Harm::Double(a, b) => rows.insert(b % count, rows[a % count].clone()),
        Harm::Cut(a, b) => {
            let length = rows[a % count].len().max(1);
            rows[a % count].truncate(b % length);
        }
        Harm::Bytes(a, b, bytes) => {
            let row = &mut rows[a % count];
            let at = b % row.len().max(1);
            let end = (at + bytes.len()).min(row.len());
            row.splice(at.min(end)..end, bytes.iter().copied());
        }
        Harm::Glue(a) => {
            let row = rows.remove(a % count);
            match rows.get_mut(a % count) {
                Some(next) => drop(next.splice(0..0, row)),
                None => rows.push(row),
            }
        }
    }
}

/// Reads a thread whole, in parts, with its subagents, and its ledger.
fn read(path: &Path) {
    let thread = match try_open(path) {
        Ok(thread) => thread,
        Err(
            OpenError::Empty { .. }
            | OpenError::NothingReadable { .. }
            | OpenError::NotThisDialect { .. },
        ) => return,
        Err(e) => panic!("{e}"),
    };
    let (whole, _) = hear(&*thread);
    assert_eq!(thread.facts().message_count, u64::from(whole.entries));
    let mut parts = 0;
    for number in 0..whole.entries {
        let mut part = Heard::default();
        thread.replay(number..number + 1, &mut part).expect("it replays");
        parts += part.entries;
    }
    assert_eq!(parts, whole.entries);
    for number in 0..thread.children().len() {
        hear(&*thread.open_child(number).expect("the child opens"));
    }
    let ledger = Codex::default().ledger(&Locator::new(path), &context()).expect("it has opened");
    let mut totals = Totals::default();
    ledger
        .records(&mut |record| {
            totals.take(record);
            Ok(())
        })
        .expect("the ledger is told");
    assert!(totals.add_up(), "{totals:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn harmed_files_are_read_without_a_panic(
        case in prop::sample::select(files::fixtures()),
        harms in prop::collection::vec(harm(), 1..12),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let bytes = fs::read(&case).expect("the fixture");
        let mut rows: Vec<Vec<u8>> = bytes.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
        harms.iter().for_each(|harm| apply(&mut rows, harm));
        let mut bytes = rows.join(&b'\n');
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        // Its parents and subagents lie beside it as they are.
        let home = Home::new();
        for beside in fs::read_dir(case.parent().unwrap()).unwrap() {
            let beside = beside.unwrap();
            fs::copy(beside.path(), home.day().join(beside.file_name())).unwrap();
        }
        let path = home.day().join(case.file_name().unwrap());
        fs::write(&path, bytes).expect("a file");
        read(&path);
    }
}

/// A thread in which every text occurs once as an item and once as an event.
fn rows() -> Vec<(String, &'static [&'static str])> {
    vec![
        (user("p1"), &["p1"]),
        (user_event("p1"), &["p1"]),
        (assistant("a1"), &["a1"]),
        (assistant_event("a1"), &["a1"]),
        (call("c1"), &["call c1"]),
        (output("c1", "r1"), &["r1"]),
        (assistant("a2"), &["a2"]),
        (user_event("p2"), &["p2"]),
        (user("p2"), &["p2"]),
        (assistant_event("a3"), &["a3"]),
    ]
}

fn texts(beats: &[Beat]) -> Vec<String> {
    let mut texts = Vec::new();
    for beat in beats {
        match beat {
            Beat::Prompt(text) | Beat::Orphan(text) => texts.push(text.clone()),
            Beat::Said(text) => texts.extend(text.split("\n\n").map(str::to_owned)),
            Beat::Call { id, result, .. } => {
                texts.push(format!("call {id}"));
                texts.extend(result.clone());
            }
            other => panic!("{other:?}"),
        }
    }
    texts
}

#[test]
fn one_row_that_is_lost_takes_nothing_else_with_it() {
    let all = rows();
    for lost in 0..all.len() {
        let row = all[lost].0.trim_end();
        let damages = [
            String::new(),
            format!("{}\n", &row[..row.len() / 2]),
            format!("{}\n", "\0".repeat(row.len())),
            // Torn, and the next row right behind it.
            row[..row.len() / 2].to_owned(),
        ];
        for damage in damages {
            let mut text = meta(1);
            for (at, (row, _)) in all.iter().enumerate() {
                text.push_str(if at == lost { &damage } else { row });
            }
            let home = Home::new();
            let (heard, _) = hear(&*open(&home.thread(1, text)));
            let mut expected: Vec<&str> = Vec::new();
            for (_, texts) in
                all.iter().enumerate().filter(|(at, _)| *at != lost).map(|(_, row)| row)
            {
                expected.extend(texts.iter());
            }
            // A text has two rows; they stand together.
            expected.dedup();
            assert_eq!(texts(&heard.beats), expected, "without row {lost}: {damage}");
        }
    }
}

#[test]
fn a_file_that_ends_anywhere_holds_what_came_before() {
    let all = meta(1) + &rows().into_iter().map(|(row, _)| row).collect::<String>();
    let home = Home::new();
    let whole = texts(&hear(&*open(&home.thread(1, &all))).0.beats);
    for end in meta(1).len()..all.len() {
        let (heard, found) = hear(&*open(&home.thread(1, &all.as_bytes()[..end])));
        let texts = texts(&heard.beats);
        assert_eq!(texts, whole[..texts.len()], "up to byte {end}");
        let is_cut = !matches!(all.as_bytes()[end - 1], b'\n' | b'}');
        let told = found.notices.kept().iter().any(|n| n.kind == NoticeKind::CutShort);
        assert!(told || !is_cut, "up to byte {end}");
    }
}

#[test]
fn the_facts_are_read_whatever_stands_around_them() {
    let rest = user("go");
    let facts = meta(7);
    let lone = facts.replace("\"/w\"", "\"/w\",\"git\":{\"branch\":\"\\ud83d\"}");
    let twice = facts.replace("\"cwd\"", "\"cwd\":\"/other\",\"cwd\"");
    let crlf = (facts.clone() + &rest).replace('\n', "\r\n");
    for text in [
        facts.clone() + &rest,
        format!("\u{feff}{facts}{rest}"),
        crlf,
        format!("\n\nnot json\n{facts}{rest}"),
        lone + &rest,
        twice + &rest,
    ] {
        let home = Home::new();
        // The name of the file tells another thread.
        let path = home.day().join(name(8));
        fs::write(&path, &text).unwrap();
        let thread = open(&path);
        let facts = thread.facts();
        assert_eq!(facts.id, crate::made::id(7), "{text}");
        assert_eq!(facts.cwd.as_deref(), Some("/w"), "{text}");
        let listed = carryall_dialect::Listed { id: facts.id.clone(), path, is_subagent: false };
        let peek = Codex::default().peek(&listed, &context()).unwrap();
        assert_eq!((peek.cwd, peek.title), (facts.cwd.clone(), facts.title.clone()), "{text}");
    }
}
