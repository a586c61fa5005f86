//! Who may read what was written: any umask, a default ACL, a tree of somebody else.

use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::Path;

use carryall_workspace::Note;
use rustix::fs::{Mode, XattrFlags, setxattr};

use crate::child;
use crate::filters::Kernel;
use crate::scratch::{Scratch, export, object, open, skipped};

/// Nobody in particular.
const NOBODY: u32 = 65534;
const DEFAULT_ACL: &str = "system.posix_acl_default";
const ACL: &str = "system.posix_acl_access";

pub(crate) fn job(words: &[&str]) {
    let root = Path::new(words[1]);
    match words[0] {
        "umask" => umask(root, u32::from_str_radix(words[2], 8).unwrap(), Kernel::parse(words[3])),
        // Says whether this process may read the file.
        "read" => child::say("may", std::fs::read(root).is_ok()),
        other => panic!("no such job: {other}"),
    }
}

fn umask(root: &Path, umask: u32, kernel: Kernel) {
    let naive = root.join("naive.md");
    rustix::process::umask(Mode::from_raw_mode(umask));
    kernel.enter();
    std::fs::write(&naive, "document").unwrap();
    assert_eq!(std::fs::metadata(&naive).unwrap().mode() & 0o777, 0o666 & !umask, "no umask");
    let workspace = open(root);
    for request in ["chat.md", "chat.md", "new/deep/chat.md", "other/"] {
        let written = export(&workspace, request, b"document").unwrap();
        assert_eq!(object(&written.full_path).mode, 0o600, "{request}");
    }
    for folder in ["new", "new/deep", "other"] {
        assert_eq!(object(&root.join(folder)).mode, 0o700, "{folder}");
    }
    child::say("held", "");
}

#[test]
fn no_umask_has_a_say() {
    for umask in ["0", "777", "22", "177"] {
        for kernel in Kernel::ALL {
            let scratch = Scratch::in_memory();
            let root = scratch.root();
            let job = format!("modes umask {} {umask} {}", root.display(), kernel.word());
            assert!(child::finish(child::command(&job)).contains_key("held"));
        }
    }
}

/// An access control list as the kernel takes it: version 2, then entries of tag, permissions and
/// id, each in little-endian.
fn acl(entries: &[(u16, u16, u32)]) -> Vec<u8> {
    let entry = |&(tag, permissions, id): &(u16, u16, u32)| {
        [&tag.to_le_bytes()[..], &permissions.to_le_bytes(), &id.to_le_bytes()].concat()
    };
    [2_u32.to_le_bytes().to_vec(), entries.iter().flat_map(entry).collect()].concat()
}

/// Everybody may do everything with what is made in the folder, nobody in particular by name.
fn open_to_all() -> Vec<u8> {
    const UNNAMED: u32 = u32::MAX;
    let (owner, user, group, mask, others) = (0x01, 0x02, 0x04, 0x10, 0x20);
    acl(&[
        (owner, 7, UNNAMED),
        (user, 7, NOBODY),
        (group, 7, UNNAMED),
        (mask, 7, UNNAMED),
        (others, 7, UNNAMED),
    ])
}

/// What another user may do counts, not only what the mode says. Nothing where no process of
/// another user can be started.
fn nobody_may_read(path: &Path) -> Option<bool> {
    if !rustix::process::geteuid().is_root() {
        skipped("reading as another user: only root can try");
        return None;
    }
    let mut command = child::command(&format!("modes read {}", path.display()));
    std::os::unix::process::CommandExt::uid(&mut command, NOBODY);
    match child::try_finish(command) {
        Ok(said) => Some(said["may"] == "true"),
        Err(cause) => {
            skipped(format_args!("reading as another user: {cause}"));
            None
        }
    }
}

#[test]
fn a_default_acl_has_no_say() {
    let scratch = Scratch::in_memory();
    let folder = scratch.dir("root/shared");
    if let Err(cause) = setxattr(&folder, DEFAULT_ACL, &open_to_all(), XattrFlags::empty()) {
        return skipped(format_args!("default ACL: {cause}"));
    }
    // The way there is open, or the other user could read nothing whatever its mode.
    for way in [&scratch.base, &scratch.root(), &folder] {
        std::fs::set_permissions(way, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    let naive = folder.join("naive.md");
    std::fs::write(&naive, "document").unwrap();
    let mut files = Vec::new();
    for request in ["shared/chat.md", "shared/chat.md", "shared/", "shared/new/chat.md"] {
        let written = export(&scratch.workspace(), request, b"document").unwrap();
        assert_eq!(object(&written.full_path).mode, 0o600, "{request}");
        files.push(written.full_path);
    }
    assert_eq!(object(&folder.join("new")).mode, 0o700);
    // The entry that names nobody is inherited all the same; the mask makes it void.
    let mut list = [0; 128];
    let length = rustix::fs::getxattr(&files[0], ACL, &mut list).unwrap_or_default();
    println!("the list of the written file has {length} bytes");
    assert_ne!(nobody_may_read(&naive), Some(false), "the list lets nobody in: it shows nothing");
    for file in files {
        assert_ne!(nobody_may_read(&file), Some(true), "{}", file.display());
    }
}

/// Root writes in a tree of somebody else: root's file, and said so; the tree stays theirs.
#[test]
fn the_tree_of_another_user_stays_theirs() {
    if !rustix::process::geteuid().is_root() {
        return skipped("the tree of another user: only root can write for others");
    }
    let scratch = Scratch::in_memory();
    for path in [scratch.root(), scratch.dir("root/notes"), scratch.file("root/chat.md", "old")] {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    for request in ["", "chat.md", "notes/", "notes/new/chat.md"] {
        let written = export(&scratch.workspace(), request, b"document").unwrap();
        assert!(matches!(written.notes.as_slice(), [Note::OwnedByRoot]), "{request}: {written:?}");
        assert_eq!(std::fs::metadata(&written.full_path).unwrap().uid(), 0, "{request}");
        assert_ne!(nobody_may_read(&written.full_path), Some(true));
    }
    for path in ["", "notes"] {
        assert_eq!(std::fs::metadata(scratch.root().join(path)).unwrap().uid(), NOBODY);
    }
}
