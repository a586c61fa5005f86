//! The 136 requests of `path-vectors.json`, each in a fresh tree, in every mode.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};

use carryall_workspace::Note;
use serde::Deserialize;

use crate::child;
use crate::filters::Kernel;
use crate::scratch::{Scratch, export, is_temporary, open, skipped, snapshot};

const DOCUMENT: &[u8] = b"# new\n";
/// A user without rights, for the vectors that root cannot try.
const NOBODY: u32 = 65534;

#[derive(Deserialize)]
struct Vectors {
    refused_kinds: std::collections::BTreeMap<String, String>,
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    id: String,
    setup: Vec<Thing>,
    request: Option<String>,
    request_hex: Option<String>,
    expect: Expect,
    #[serde(default)]
    untouched: Vec<String>,
    #[serde(default)]
    needs: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    written: Option<String>,
    written_hex: Option<String>,
    refused: Option<String>,
}

#[derive(Deserialize)]
#[serde(tag = "t", rename_all = "kebab-case")]
enum Thing {
    Dir { p: String, mode: Option<String> },
    File { p: String, content: String, mode: Option<String> },
    Symlink { p: String, to: String },
    Hardlink { p: String, to: String },
    Fifo { p: String },
    Socket { p: String },
    CharDevice { p: String, dev: (u32, u32) },
}

fn vectors() -> Vec<Vector> {
    let text = include_str!("../path-vectors.json");
    let read: Vectors = serde_json::from_str(text).unwrap();
    for vector in &read.vectors {
        let kind = vector.expect.refused.as_ref();
        assert!(kind.is_none_or(|kind| read.refused_kinds.contains_key(kind)), "{}", vector.id);
    }
    read.vectors
}

#[test]
fn with_openat2() {
    run_in(Kernel::Openat2);
}

#[test]
fn with_openat2_answering_enosys() {
    run_in(Kernel::Enosys);
}

#[test]
fn with_openat2_answering_eperm() {
    run_in(Kernel::Eperm);
}

#[test]
fn without_unnamed_files() {
    run_in(Kernel::Named);
}

#[test]
fn without_unnamed_files_and_rename_flags() {
    run_in(Kernel::NoRenameFlags);
}

#[test]
fn without_links_from_descriptors() {
    run_in(Kernel::NoEmptyPath);
}

/// Runs all vectors as this user and, where this is root, once more as nobody with a umask that
/// takes everything. What neither could try is printed.
fn run_in(kernel: Kernel) {
    let all: BTreeSet<String> = vectors().into_iter().map(|vector| vector.id).collect();
    assert_eq!(all.len(), 136);
    let mut users = vec![(None, "0")];
    if rustix::process::geteuid().is_root() {
        users.push((Some(NOBODY), "777"));
    }
    let mut tried = BTreeSet::new();
    for (user, umask) in users {
        let mut command = child::command(&format!("vectors {} {umask}", kernel.word()));
        if let Some(user) = user {
            command.uid(user).gid(user);
        }
        let said = match child::try_finish(command) {
            Ok(said) => said,
            Err(cause) => {
                skipped(format_args!("vectors as user {user:?}, no way to start: {cause}"));
                continue;
            }
        };
        let run: BTreeSet<String> = said["ran"].split_whitespace().map(str::to_owned).collect();
        println!("{}: {} vectors as user {user:?}, umask {umask}", kernel.word(), run.len());
        tried.extend(run);
    }
    println!("{}: {} of 136 vectors tried", kernel.word(), tried.len());
    let missing: Vec<&String> = all.difference(&tried).collect();
    if !missing.is_empty() {
        skipped(format_args!("{} vectors in mode {}: {missing:?}", missing.len(), kernel.word()));
    }
    assert!(tried.is_subset(&all) && missing.len() <= 6, "too many skipped: {missing:?}");
}

pub(crate) fn job(words: &[&str]) {
    let umask = u32::from_str_radix(words[1], 8).unwrap();
    Kernel::parse(words[0]).enter();
    let mut ran = Vec::new();
    let mut failures = Vec::new();
    for vector in vectors() {
        match run(&vector, rustix::fs::Mode::from_raw_mode(umask)) {
            Ok(true) => ran.push(vector.id),
            Ok(false) => {}
            Err(failure) => failures.push(format!("{}: {failure}", vector.id)),
        }
    }
    assert!(failures.is_empty(), "{} failed\n{}", failures.len(), failures.join("\n"));
    child::say("ran", ran.join(" "));
}

/// `Ok(false)` when this user or machine cannot try the vector.
fn run(vector: &Vector, umask: rustix::fs::Mode) -> Result<bool, String> {
    let scratch = Scratch::on_disk();
    if !vector.needs.iter().all(|need| has(need, &scratch)) {
        return Ok(false);
    }
    for thing in &vector.setup {
        if !make(&scratch, thing) {
            return Ok(false);
        }
    }
    let spelled = scratch.base.join("linkroot");
    let root = if spelled.is_symlink() { spelled } else { scratch.root() };
    let before = snapshot(&scratch.base);

    let workspace = open(&root);
    let request = match &vector.request_hex {
        Some(hex) => from_hex(hex),
        None => OsString::from(fill(&scratch, vector.request.as_ref().unwrap())),
    };
    let usual = rustix::process::umask(umask);
    let outcome = export(&workspace, Path::new(&request), DOCUMENT);
    rustix::process::umask(usual);

    let after = snapshot(&scratch.base);
    reopen(&scratch, &vector.setup);
    for path in &vector.untouched {
        let path = Path::new(path);
        check(before.contains_key(path) && before.get(path) == after.get(path), || {
            format!("{} was touched", path.display())
        })?;
    }
    let expected = expected(&vector.expect);
    match (outcome, expected) {
        (Err(refusal), None) => {
            let word = vector.expect.refused.as_deref();
            check(word == Some(refusal.kind().word()), || format!("refused: {refusal:?}"))?;
            check(before == after, || format!("left traces: {before:?} {after:?}"))
        }
        (Ok(written), Some(expected)) => {
            let below = expected.strip_prefix("root").unwrap();
            let paths = (written.path == below, written.full_path == scratch.base.join(&expected));
            check(paths == (true, true), || format!("wrong paths: {written:?}"))?;
            let unflushed = |note: &Note| matches!(note, Note::NotFlushed { .. });
            check(written.notes.iter().any(unflushed) == (vector.id == "perm-wx-only"), || {
                format!("notes: {:?}", written.notes)
            })?;
            check(written.replaced == before.contains_key(&expected), || {
                format!("replaced: {}", written.replaced)
            })?;
            check_written(&before, &after, &expected)
        }
        (outcome, _) => Err(format!("got {outcome:?}")),
    }
    .map(|()| true)
}

type Tree = std::collections::BTreeMap<PathBuf, crate::scratch::Object>;

/// Nothing but the expected file is new or changed, except private folders on the way to it.
fn check_written(before: &Tree, after: &Tree, expected: &Path) -> Result<(), String> {
    let file = after.get(expected).ok_or("not there")?;
    let shape = (file.kind, file.mode, file.content.as_slice());
    check(shape == ("file", 0o600, DOCUMENT), || format!("{shape:?}"))?;
    check(before.get(expected).is_none_or(|old| old.inode != file.inode), || {
        "the old inode was written".into()
    })?;
    for (path, object) in after.iter().filter(|(path, _)| *path != expected) {
        let name = path.file_name().unwrap().to_string_lossy();
        check(!is_temporary(&name), || format!("{} is left", path.display()))?;
        let is_new_parent =
            object.kind == "directory" && object.mode == 0o700 && expected.starts_with(path);
        let is_as_before = before.get(path) == Some(object);
        let is_fine = is_as_before || !before.contains_key(path) && is_new_parent;
        check(is_fine, || format!("{} changed: {object:?}", path.display()))?;
    }
    check(before.keys().all(|path| after.contains_key(path)), || "something is gone".into())
}

fn check(holds: bool, failure: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(failure()) }
}

fn expected(expect: &Expect) -> Option<PathBuf> {
    let hex = expect.written_hex.as_deref().map(from_hex);
    hex.or_else(|| expect.written.as_ref().map(OsString::from)).map(PathBuf::from)
}

fn has(need: &str, scratch: &Scratch) -> bool {
    let is_root = rustix::process::geteuid().is_root();
    match need {
        "posix" => true,
        "root" => is_root,
        "non-root" => !is_root,
        "case-sensitive" => {
            let probe = scratch.file("probe", "");
            let same = scratch.base.join("PROBE").exists();
            std::fs::remove_file(probe).unwrap();
            !same
        }
        other => panic!("unknown need: {other}"),
    }
}

/// `false` when the machine does not let us make it (device nodes in containers).
fn make(scratch: &Scratch, thing: &Thing) -> bool {
    use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
    let at = |p: &String| {
        let path = scratch.base.join(p);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        path
    };
    let private = Mode::RUSR | Mode::WUSR;
    match thing {
        Thing::Dir { p, mode } => {
            std::fs::create_dir_all(at(p)).unwrap();
            set_mode(&at(p), mode);
        }
        Thing::File { p, content, mode } => {
            std::fs::write(at(p), content).unwrap();
            set_mode(&at(p), mode);
        }
        Thing::Symlink { p, to } => {
            std::os::unix::fs::symlink(fill(scratch, to), at(p)).unwrap();
        }
        Thing::Hardlink { p, to } => std::fs::hard_link(scratch.base.join(to), at(p)).unwrap(),
        Thing::Fifo { p } => mknodat(CWD, at(p), FileType::Fifo, private, 0).unwrap(),
        Thing::Socket { p } => drop(std::os::unix::net::UnixListener::bind(at(p)).unwrap()),
        Thing::CharDevice { p, dev } => {
            let device = makedev(dev.0, dev.1);
            return mknodat(CWD, at(p), FileType::CharacterDevice, private, device).is_ok();
        }
    }
    true
}

fn set_mode(path: &Path, mode: &Option<String>) {
    if let Some(mode) = mode {
        let mode = u32::from_str_radix(mode, 8).unwrap();
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }
}

/// Closed folders could not be removed with the rest.
fn reopen(scratch: &Scratch, setup: &[Thing]) {
    for thing in setup {
        if let Thing::Dir { p, mode: Some(_) } = thing {
            set_mode(&scratch.base.join(p), &Some("0700".into()));
        }
    }
}

fn fill(scratch: &Scratch, text: &str) -> String {
    let base = scratch.base.to_str().unwrap();
    text.replace("$LINKROOT", &format!("{base}/linkroot"))
        .replace("$ROOT", &format!("{base}/root"))
        .replace("$OUT", &format!("{base}/out"))
        .replace("$BASE", base)
}

fn from_hex(hex: &str) -> OsString {
    let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect();
    assert!(!OsString::from_vec(bytes.clone()).as_bytes().is_empty());
    OsString::from_vec(bytes)
}
