//! Units of the seed that belong to the sandbox (U17, U18, U21–U23, U31), and what the vectors do
//! not say: sources, moves, what a dropped write leaves, what a reply is told.

use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use carryall_workspace::{ErrorKind, FileId, Name, Note};

use crate::scratch::{
    STEM, Scratch, export, export_from, is_temporary, names, object, refused, skipped, snapshot,
};

const GENERATED: Name<'_> = Name::Generated { stem: STEM, extension: "md" };

#[test]
fn u17_targets_are_told_apart_and_nothing_is_made() {
    let scratch = Scratch::in_memory();
    scratch.dir("root/existing");
    scratch.file("root/file.md", "old");
    scratch.link("root/to-existing", "existing");
    let (workspace, before) = (scratch.workspace(), snapshot(&scratch.base));
    let root = scratch.root();
    let absolute = |path: &str| root.join(path).to_str().unwrap().to_owned();

    for directory in ["", ".", "./", "existing", "notes/", "to-existing", "a/b/c/", "existing/.."] {
        let target = workspace.target(directory).unwrap();
        assert!(target.is_directory() && target.file_name().is_none(), "{directory:?}");
    }
    assert!(workspace.target(absolute("existing")).unwrap().is_directory());
    let files = ["chat.md", "notes/chat.md", "file.md", "yaml", "a/b/c", ".md", "chat."];
    for file in files.map(str::to_owned).into_iter().chain([absolute("chat.md")]) {
        let target = workspace.target(&file).unwrap();
        assert_eq!(target.file_name(), Path::new(&file).file_name(), "{file:?}");
        assert!(!target.is_directory());
        assert_eq!(target.request(), Path::new(&file));
    }
    assert_eq!(snapshot(&scratch.base), before);
}

#[test]
fn u17_paths_of_the_reply() {
    let scratch = Scratch::in_memory();
    scratch.dir("root/existing");
    let (workspace, root) = (scratch.workspace(), scratch.root());
    let inside = root.join("abs.md");
    let cases = [
        ("", "carryall-export-T.md"),
        (".", "carryall-export-T-2.md"),
        ("existing", "existing/carryall-export-T.md"),
        ("notes/", "notes/carryall-export-T.md"),
        ("chat.md", "chat.md"),
        ("notes/chat.md", "notes/chat.md"),
        ("notes/../up.md", "up.md"),
        (inside.to_str().unwrap(), "abs.md"),
    ];
    for (request, shown) in cases {
        let written = export(&workspace, request, b"text").unwrap();
        assert_eq!(written.path, Path::new(shown), "{request:?}");
        assert_eq!(written.full_path, root.join(shown), "{request:?}");
        assert_eq!((written.bytes, written.replaced), (4, false), "{request:?}");
    }
    assert_eq!(workspace.path(), root);
}

#[test]
fn u18_what_leads_outside_is_refused() {
    let scratch = Scratch::in_memory();
    let (workspace, outside) = (scratch.workspace(), scratch.out().join("chat.md"));
    scratch.dir("root/notes");
    for request in ["../chat.md", "notes/../../chat.md", outside.to_str().unwrap()] {
        let refusal = workspace.target(request).unwrap_err();
        assert_eq!(refusal.kind(), ErrorKind::Escape, "{request:?}");
        let text = refusal.to_string();
        assert!(text.ends_with("leads outside the workspace"), "{text}");
    }
    assert_eq!(names(&scratch.out()), [] as [&str; 0]);
}

#[test]
fn the_look_alone_finds_what_could_never_be_written() {
    let scratch = Scratch::in_memory();
    scratch.dir("root/.git");
    scratch.file("root/file", "old");
    scratch.link("root/dangling", "nowhere");
    scratch.link("root/self", "self");
    scratch.link("root/git", ".git");
    let (workspace, before) = (scratch.workspace(), snapshot(&scratch.base));
    let cases = [
        ("dangling/x.md", "not-a-directory"),
        ("dangling/", "not-a-directory"),
        ("dangling", "symlink"),
        ("file/x.md", "not-a-directory"),
        ("self/x.md", "loop"),
        ("git/x.md", "protected"),
        ("git", "protected"),
        ("new/../x.md", "dotdot-in-missing"),
        ("new\n/x.md", "bad-name"),
        ("new/x\n.md", "bad-name"),
    ];
    for (request, word) in cases {
        let refusal = workspace.target(request).unwrap_err();
        assert_eq!(refusal.kind().word(), word, "{request:?}: {refusal}");
    }
    assert_eq!(snapshot(&scratch.base), before);
}

#[test]
fn u21_parents_are_made_and_the_file_is_private() {
    let scratch = Scratch::in_memory();
    let written = export(&scratch.workspace(), "notes/deep/chat.md", b"text").unwrap();
    let file = object(&written.full_path);
    assert_eq!((file.mode, file.content.as_slice()), (0o600, b"text".as_slice()));
    for folder in ["notes", "notes/deep"] {
        assert_eq!(object(&scratch.root().join(folder)).mode, 0o700);
    }
}

#[test]
fn u22_directory_link_to_outside_is_refused() {
    let scratch = Scratch::in_memory();
    scratch.link("root/link", "../out");
    let workspace = scratch.workspace();
    assert_eq!(refused(export(&workspace, "link/chat.md", b"text")), "escape");
    assert_eq!(names(&scratch.out()), [] as [&str; 0]);
}

#[test]
fn u23_file_link_to_outside_is_refused() {
    let scratch = Scratch::in_memory();
    let victim = scratch.file("out/victim.md", "precious");
    scratch.link("root/chat.md", "../out/victim.md");
    let workspace = scratch.workspace();
    assert_eq!(refused(export(&workspace, "chat.md", b"text")), "symlink");
    assert_eq!(std::fs::read(victim).unwrap(), b"precious");
}

#[test]
fn u31_replacing_gives_a_new_private_file_and_no_leftover() {
    let scratch = Scratch::in_memory();
    let old = scratch.file("root/chat.md", "old");
    std::fs::set_permissions(&old, PermissionsExt::from_mode(0o644)).unwrap();
    let inode = object(&old).inode;
    let written = export(&scratch.workspace(), "chat.md", b"new").unwrap();
    assert!(written.replaced && written.notes.is_empty(), "{written:?}");
    let new = object(&old);
    assert_eq!((new.mode, new.content.as_slice()), (0o600, b"new".as_slice()));
    assert_ne!(new.inode, inode);
    assert_eq!(names(&scratch.root()), ["chat.md"]);
}

#[test]
fn nothing_can_be_seen_before_the_commit() {
    let scratch = Scratch::in_memory();
    let old = scratch.file("root/chat.md", "old");
    let workspace = scratch.workspace();
    let target = workspace.target("chat.md").unwrap();
    let mut staged = workspace.stage(target, Name::Explicit, &[]).unwrap();
    staged.write_all(b"half").unwrap();
    assert_eq!(std::fs::read(&old).unwrap(), b"old");
    assert_eq!(names(&scratch.root()), ["chat.md"]);
    drop(staged);
    assert_eq!(std::fs::read(&old).unwrap(), b"old");
    assert_eq!(names(&scratch.root()), ["chat.md"]);
}

#[test]
fn a_dropped_write_removes_the_folders_it_made_while_they_are_empty() {
    let scratch = Scratch::in_memory();
    let workspace = scratch.workspace();
    let stage = |request| {
        let target = workspace.target(request).unwrap();
        workspace.stage(target, GENERATED, &[]).unwrap()
    };
    scratch.dir("root/old");
    let staged = stage("old/a/b/c/");
    assert!(scratch.root().join("old/a/b/c").is_dir());
    drop(staged);
    assert_eq!(names(&scratch.root().join("old")), [] as [&str; 0]);

    let staged = stage("a/b/");
    scratch.file("root/a/guest", "somebody else's");
    drop(staged);
    assert_eq!(names(&scratch.root().join("a")), ["guest"]);
}

#[test]
fn a_failed_commit_leaves_neither_folder_nor_file() {
    let scratch = Scratch::in_memory();
    let workspace = scratch.workspace();
    let target = workspace.target("a/b/chat.md").unwrap();
    let mut staged = workspace.stage(target, Name::Explicit, &[]).unwrap();
    staged.write_all(b"text").unwrap();
    let planted = scratch.root().join("a/b/chat.md");
    symlink("/etc/passwd", &planted).unwrap();
    assert_eq!(refused(staged.commit()), "symlink");
    assert_eq!(names(&scratch.root().join("a/b")), ["chat.md"]);
    assert!(planted.is_symlink());
}

#[test]
fn a_target_that_turns_into_something_else_is_refused_at_the_commit() {
    let scratch = Scratch::in_memory();
    let workspace = scratch.workspace();
    let path = scratch.root().join("chat.md");
    let plant: [(&str, &dyn Fn()); 3] = [
        ("symlink", &|| symlink("../out/x", &path).unwrap()),
        ("directory", &|| std::fs::create_dir(&path).unwrap()),
        ("socket", &|| drop(std::os::unix::net::UnixListener::bind(&path).unwrap())),
    ];
    for (word, plant) in plant {
        let target = workspace.target("chat.md").unwrap();
        let staged = workspace.stage(target, Name::Explicit, &[]).unwrap();
        plant();
        let planted = object(&path);
        assert_eq!(refused(staged.commit()), word);
        assert_eq!(object(&path), planted, "{word}");
        assert_eq!(names(&scratch.root()), ["chat.md"], "{word}");
        let _ = std::fs::remove_file(&path);
        let _ = std::fs::remove_dir(&path);
    }
}

#[test]
fn a_source_is_never_a_target() {
    let scratch = Scratch::in_memory();
    let source = scratch.file("root/session.jsonl", "{}");
    let id = FileId::from(&std::fs::metadata(&source).unwrap());
    std::fs::hard_link(&source, scratch.root().join("other-name.md")).unwrap();
    let workspace = scratch.workspace();
    for request in ["session.jsonl", "other-name.md"] {
        let refusal = export_from(&workspace, request, b"text", &[id]);
        assert_eq!(refused(refusal), "is-source");
    }
    assert_eq!(std::fs::read(&source).unwrap(), b"{}");
    assert!(export_from(&workspace, "free.md", b"text", &[id]).is_ok());
}

#[test]
fn a_source_that_comes_under_the_name_during_the_write_is_put_back() {
    let scratch = Scratch::in_memory();
    let source = scratch.file("root/session.jsonl", "{}");
    let id = FileId::from(&std::fs::metadata(&source).unwrap());
    let workspace = scratch.workspace();
    let target = workspace.target("chat.md").unwrap();
    let staged = workspace.stage(target, Name::Explicit, &[id]).unwrap();
    let moved = scratch.root().join("chat.md");
    std::fs::rename(source, &moved).unwrap();
    assert_eq!(refused(staged.commit()), "is-source");
    assert_eq!(std::fs::read(moved).unwrap(), b"{}");
    assert_eq!(names(&scratch.root()), ["chat.md"]);
}

#[test]
fn a_parent_that_leaves_the_root_during_the_write_is_reported() {
    let scratch = Scratch::in_memory();
    let parent = scratch.dir("root/p");
    let away = scratch.out().join("p");
    let workspace = scratch.workspace();
    let target = workspace.target("p/chat.md").unwrap();
    let staged = workspace.stage(target, Name::Explicit, &[]).unwrap();
    std::fs::rename(parent, &away).unwrap();
    let refusal = staged.commit().unwrap_err();
    assert_eq!(refusal.kind().word(), "moved");
    let place = away.join("chat.md");
    assert!(refusal.to_string().contains(place.to_str().unwrap()), "{refusal}");
    assert!(place.is_file());
}

#[test]
fn a_link_planted_after_the_look_is_not_followed() {
    let scratch = Scratch::in_memory();
    let workspace = scratch.workspace();
    let target = workspace.target("new/chat.md").unwrap();
    scratch.link("root/new", "../out");
    let refusal = workspace.stage(target, Name::Explicit, &[]).unwrap_err();
    assert_eq!(refusal.kind(), ErrorKind::Escape);
    assert_eq!(names(&scratch.out()), [] as [&str; 0]);
}

#[test]
fn a_folder_made_by_another_after_the_look_is_used() {
    let scratch = Scratch::in_memory();
    let workspace = scratch.workspace();
    let target = workspace.target("new/chat.md").unwrap();
    scratch.dir("root/new");
    assert!(workspace.stage(target, Name::Explicit, &[]).unwrap().commit().is_ok());
    assert_eq!(names(&scratch.root().join("new")), ["chat.md"]);
}

#[test]
fn sixty_four_folders_may_be_made_and_not_one_more() {
    let scratch = Scratch::in_memory();
    let workspace = scratch.workspace();
    let deep = |count: usize| "d/".repeat(count) + "chat.md";
    assert_eq!(refused(export(&workspace, deep(65), b"text")), "name-too-long");
    assert_eq!(names(&scratch.root()), [] as [&str; 0]);
    assert!(export(&workspace, deep(64), b"text").is_ok());
}

#[test]
fn name_and_target_must_fit_each_other() {
    let scratch = Scratch::in_memory();
    let workspace = scratch.workspace();
    let stage = |request: &str, name| {
        let staged = workspace.stage(workspace.target(request).unwrap(), name, &[]);
        staged.unwrap_err().kind().word()
    };
    assert_eq!(stage("notes/", Name::Explicit), "directory");
    assert_eq!(stage("chat.md", GENERATED), "not-a-directory");
    let generated = |stem| Name::Generated { stem, extension: "md" };
    assert_eq!(stage("", generated("a/b")), "bad-name");
    assert_eq!(stage("", generated("a\nb")), "bad-name");
    assert_eq!(stage("", generated("")), "bad-name");
    assert_eq!(names(&scratch.root()), [] as [&str; 0]);
}

#[test]
fn git_is_closed_through_links_at_any_depth() {
    let scratch = Scratch::in_memory();
    scratch.dir("root/.git/hooks");
    scratch.dir("root/sub/.git/hooks");
    scratch.link("root/a", ".git/hooks");
    scratch.link("root/b", "sub/.git");
    let before = snapshot(&scratch.root());
    let workspace = scratch.workspace();
    for request in ["a/post-commit", "a/", "a", "b/config", "b/hooks/x", "a/new/x", "sub/.git"] {
        assert_eq!(refused(export(&workspace, request, b"text")), "protected", "{request}");
    }
    assert_eq!(snapshot(&scratch.root()), before);
}

#[test]
fn a_read_only_file_is_replaced_with_a_note() {
    let scratch = Scratch::in_memory();
    let old = scratch.file("root/chat.md", "old");
    std::fs::set_permissions(&old, PermissionsExt::from_mode(0o400)).unwrap();
    let written = export(&scratch.workspace(), "chat.md", b"new").unwrap();
    assert!(matches!(written.notes.as_slice(), [Note::ReplacedReadOnly]), "{written:?}");
}

#[test]
fn root_in_the_tree_of_another_is_noted() {
    if !rustix::process::geteuid().is_root() {
        skipped("owner note: only root can write for others");
        return;
    }
    let scratch = Scratch::in_memory();
    let folder = scratch.dir("root/theirs");
    std::os::unix::fs::chown(&folder, Some(65534), Some(65534)).unwrap();
    for request in ["theirs/chat.md", "theirs/new/chat.md"] {
        let written = export(&scratch.workspace(), request, b"new").unwrap();
        assert!(matches!(written.notes.as_slice(), [Note::OwnedByRoot]), "{written:?}");
    }
}

#[test]
fn a_refusal_shows_invisible_characters_and_speaks_plainly() {
    let scratch = Scratch::in_memory();
    let workspace = scratch.workspace();
    let refusal = workspace.target("a\u{1b}[31m\u{202e}.md").unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "a\\u{1b}[31m\\u{202e}.md: a new name cannot hold a control, bidirectional or zero-width \
         character"
    );
    assert!(refusal.hint().is_some());
}

#[test]
fn a_workspace_that_is_none_is_an_error() {
    let scratch = Scratch::in_memory();
    let file = scratch.file("file", "");
    let open = |path: &Path| {
        let opened = carryall_workspace::Workspace::open(path, cap_std::ambient_authority());
        opened.unwrap_err().kind().word()
    };
    assert_eq!(open(&scratch.base.join("missing")), "io");
    assert_eq!(open(&file), "not-a-directory");
}

#[test]
fn the_longest_name_is_replaced_without_a_longer_temporary() {
    let scratch = Scratch::in_memory();
    let name = "n".repeat(255);
    scratch.file(&format!("root/{name}"), "old");
    assert!(export(&scratch.workspace(), &name, b"new").unwrap().replaced);
    assert!(!names(&scratch.root()).iter().any(|name| is_temporary(name)));
}
