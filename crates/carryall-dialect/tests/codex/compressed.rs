//! Compressed rollouts, whole and otherwise.

use crate::heard::hear;
use crate::made::{Home, meta, name, user};
use crate::oracle::Beat;
use crate::{context, open, try_open};
use carryall_dialect::codex::Codex;
use carryall_dialect::{Dialect, Listed, Probe};
use carryall_model::NoticeKind;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::fs;
use std::path::{Path, PathBuf};

const SKIPPABLE: &[u8] = b"\x53\x2a\x4d\x18\x05\0\0\0extra";

fn pack(text: &str) -> Vec<u8> {
    compress_to_vec(text.as_bytes(), CompressionLevel::Fastest)
}

fn thread(prompts: usize) -> String {
    // Texts that do not repeat, so that there are several blocks.
    let text = |n: usize| format!("p{n} {:x}", (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    meta(1) + &(0..prompts).map(|n| user(&text(n))).collect::<String>()
}

fn write(home: &Home, bytes: &[u8]) -> PathBuf {
    let path = home.day().join(name(1) + ".zst");
    fs::write(&path, bytes).unwrap();
    path
}

fn prompts(path: &Path) -> (usize, bool) {
    let (heard, found) = hear(&*open(path));
    assert!(heard.beats.iter().enumerate().all(|(n, beat)| {
        matches!(beat, Beat::Prompt(text) if text.starts_with(&format!("p{n} ")))
    }));
    let torn = found.notices.kept().iter().filter(|notice| {
        let detail = notice.detail.as_deref().unwrap_or_default();
        notice.kind == NoticeKind::CutShort && detail.starts_with("the compressed file")
    });
    (heard.beats.len(), torn.count() == 1)
}

#[test]
fn frames_may_follow_each_other() {
    let home = Home::new();
    let text = thread(10);
    let (first, second) = text.split_at(text.len() / 2);
    for bytes in [
        pack(&text),
        [pack(first), pack(second)].concat(),
        [pack(first), SKIPPABLE.to_vec(), pack(""), pack(second), pack("")].concat(),
        [SKIPPABLE.to_vec(), pack(&text)].concat(),
    ] {
        let path = write(&home, &bytes);
        assert_eq!(prompts(&path), (10, false));
        let probe = Probe::new(&path, cap_std::ambient_authority()).unwrap();
        assert!(Codex::default().claims(&probe));
        let listed = Listed { id: String::new(), path, is_subagent: false };
        let title = Codex::default().peek(&listed, &context()).unwrap().title;
        assert!(title.unwrap().starts_with("p0 "));
    }
}

#[test]
fn of_a_frame_that_breaks_off_all_whole_blocks_are_kept() {
    let home = Home::new();
    let text = thread(4_000);
    let packed = pack(&text);
    let whole = prompts(&write(&home, &packed));
    assert_eq!(whole, (4_000, false));
    let mut last = 0;
    // Each block unpacks to 128 KiB, some 600 rows.
    for end in (1..20).map(|part| packed.len() * part / 20) {
        let path = write(&home, &packed[..end]);
        let Ok(_) = try_open(&path) else {
            assert_eq!(last, 0, "up to byte {end}");
            continue;
        };
        let (rows, torn) = prompts(&path);
        assert!(torn && rows >= last && rows < 4_000, "{rows} up to byte {end}");
        last = rows;
    }
    assert!(last > 3_000, "{last}");
}

#[test]
fn what_follows_the_frames_takes_nothing_away() {
    let home = Home::new();
    for garbage in [&b"garbage"[..], b"\0\0\0\0", b"\x28\xb5\x2f\xfd", b"{\"type\":\"x\"}\n"] {
        let path = write(&home, &[&pack(&thread(10)), garbage].concat());
        assert_eq!(prompts(&path), (10, true), "{garbage:?}");
    }
    assert!(try_open(&write(&home, &pack(""))).is_err());
    assert!(try_open(&write(&home, SKIPPABLE)).is_err());
    assert!(try_open(&write(&home, b"\x28\xb5\x2f\xfd")).is_err());
}

#[test]
fn a_file_that_is_there_in_both_forms_is_read_as_asked_and_listed_once() {
    let home = Home::new();
    let plain = home.thread(1, thread(2));
    let packed = write(&home, &pack(&thread(3)));
    assert_eq!(prompts(&plain).0, 2);
    assert_eq!(prompts(&packed).0, 3);
    fs::remove_file(&plain).unwrap();
    assert_eq!(prompts(&plain).0, 3, "it changed its form meanwhile");
    fs::remove_file(&packed).unwrap();
    home.thread(1, thread(4));
    assert_eq!(prompts(&packed).0, 4, "and back");
}
