//! Whatever is done to a file, reading it ends, and ends without a panic.

use crate::{fixtures, open, try_open};
use carryall_model::{Entry, EntrySink, OpenError, SinkError, ToolCall};
use proptest::prelude::*;
use std::fs;

#[derive(Default)]
struct Count(u32, u32);

impl EntrySink for Count {
    fn entry(&mut self, entry: &Entry<'_>) -> Result<(), SinkError> {
        self.0 += 1;
        self.1 += entry.calls;
        Ok(())
    }

    fn call(&mut self, _: &ToolCall<'_>) -> Result<(), SinkError> {
        self.1 = self.1.checked_sub(1).expect("no more calls than the entry said");
        Ok(())
    }
}

const CASES: [&str; 8] = [
    "parallel-results",
    "compaction-preserved",
    "compaction-copied",
    "subagents-inline",
    "queued-prompt",
    "commands",
    "orphan-results",
    "repeated-id",
];

/// What may happen to a row.
#[derive(Clone, Debug)]
enum Harm {
    Swap(usize, usize),
    Drop(usize),
    Double(usize, usize),
    Cut(usize, usize),
    Byte(usize, usize, u8),
    Glue(usize),
    Link(usize, usize),
}

fn harm() -> impl Strategy<Value = Harm> {
    let at = || any::<prop::sample::Index>().prop_map(|index| index.index(1 << 20));
    prop_oneof![
        (at(), at()).prop_map(|(a, b)| Harm::Swap(a, b)),
        at().prop_map(Harm::Drop),
        (at(), at()).prop_map(|(a, b)| Harm::Double(a, b)),
        (at(), at()).prop_map(|(a, b)| Harm::Cut(a, b)),
        (at(), at(), any::<u8>()).prop_map(|(a, b, byte)| Harm::Byte(a, b, byte)),
        at().prop_map(Harm::Glue),
        (at(), at()).prop_map(|(a, b)| Harm::Link(a, b)),
    ]
}

fn apply(rows: &mut Vec<Vec<u8>>, harm: &Harm) {
    let count = rows.len();
    if count == 0 {
        return;
    }
    match *harm {
        Harm::Swap(a, b) => rows.swap(a % count, b % count),
        Harm::Drop(a) => drop(rows.remove(a % count)),
        Harm::Double(a, b) => rows.insert(b % count, rows[a % count].clone()),
        Harm::Cut(a, b) => {
            let length = rows[a % count].len().max(1);
            rows[a % count].truncate(b % length);
        }
        Harm::Byte(a, b, byte) => {
            let row = &mut rows[a % count];
            let length = row.len().max(1);
            if let Some(old) = row.get_mut(b % length) {
                *old = byte;
            }
        }
        Harm::Glue(a) => {
            let row = rows.remove(a % count);
            match rows.get_mut(a % count) {
                Some(next) => drop(next.splice(0..0, row)),
                None => rows.push(row),
            }
        }
        Harm::Link(a, b) => link(rows, a % count, b % count),
    }
}

/// Hangs one row on another, which may close a circle.
fn link(rows: &mut [Vec<u8>], child: usize, parent: usize) {
    let field = |row: &[u8], name: &str| {
        let text = String::from_utf8_lossy(row).into_owned();
        let at = text.find(name)? + name.len();
        text.get(at..at + 36).map(|id| (at, id.to_owned()))
    };
    let Some((_, id)) = field(&rows[parent], "\"uuid\":\"") else { return };
    if let Some((at, _)) = field(&rows[child], "\"parentUuid\":\"") {
        rows[child].splice(at..at + 36, id.bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn harmed_files_are_read_without_a_panic(
        case in prop::sample::select(&CASES[..]),
        harms in prop::collection::vec(harm(), 1..12),
    ) {
        let bytes = fs::read(fixtures::session(case)).expect("the fixture");
        let mut rows: Vec<Vec<u8>> = bytes.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
        for harm in &harms {
            apply(&mut rows, harm);
        }
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("5e551010-0000-4000-8000-000000000099.jsonl");
        fs::write(&path, rows.join(&b'\n')).expect("a file");
        let session = match try_open(&path) {
            Ok(session) => session,
            Err(OpenError::Empty { .. } | OpenError::NothingReadable { .. } | OpenError::NotThisDialect { .. }) => return Ok(()),
            Err(e) => panic!("{e}"),
        };
        let mut whole = Count::default();
        session.replay(0..u32::MAX, &mut whole).expect("it replays");
        prop_assert_eq!(whole.1, 0, "every call was pushed");
        for number in 0..session.children().len() {
            let child = session.open_child(number).expect("the child opens");
            child.replay(0..u32::MAX, &mut Count::default()).expect("it replays");
        }
        // Any part of it is what the whole has there.
        let mut parts = Count::default();
        for number in 0..whole.0 {
            session.replay(number..number + 1, &mut parts).expect("it replays");
        }
        prop_assert_eq!(parts.0, whole.0);
    }
}

#[test]
fn a_chain_of_many_rows_is_climbed_in_no_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("5e551010-0000-4000-8000-000000000098.jsonl");
    let mut text = String::new();
    // Every row stands below the row that answers it, and all of them are silent but the first.
    for n in (0..50_000u32).rev() {
        let kind = if n == 0 { "user" } else { "progress" };
        let message = if n == 0 { r#","message":{"content":"Hello"}"# } else { "" };
        let parent = if n == 0 { "null".to_owned() } else { format!("\"r{}\"", n - 1) };
        text.push_str(&format!(
            "{{\"type\":\"{kind}\",\"uuid\":\"r{n}\",\"parentUuid\":{parent},\"isSidechain\":{},\"sessionId\":\"s\"{message}}}\n",
            n % 2 == 1 && n > 40_000
        ));
    }
    fs::write(&path, text).expect("a file");
    let session = open(&path);
    let mut count = Count::default();
    session.replay(0..u32::MAX, &mut count).expect("it replays");
    assert_eq!(count.0, 1);
}
