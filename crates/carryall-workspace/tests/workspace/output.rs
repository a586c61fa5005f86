//! The root of an output path typed in a shell (U19, U20).

use std::path::{Path, PathBuf};

use carryall_workspace::{Error, Workspace};

use crate::scratch::{Scratch, export, names, snapshot};

fn for_output(cwd: &Path, out: impl AsRef<Path>) -> Result<(Workspace, PathBuf), Error> {
    Workspace::for_output(cwd, out, cap_std::ambient_authority())
}

/// The root below the base, the request, and whether it names a directory.
fn split(scratch: &Scratch, out: impl AsRef<Path>) -> Result<(String, String, bool), Error> {
    let (workspace, request) = for_output(&scratch.root(), out)?;
    let root = workspace.path().strip_prefix(&scratch.base).unwrap().to_str().unwrap().to_owned();
    let directory = workspace.target(&request)?.is_directory();
    Ok((root, request.to_str().unwrap().to_owned(), directory))
}

#[test]
fn u19_the_deepest_existing_folder_is_the_root() {
    let scratch = Scratch::in_memory();
    scratch.dir("root/existing/deep");
    scratch.file("root/file.md", "old");
    let before = snapshot(&scratch.base);
    let base = scratch.base.to_str().unwrap();
    let elsewhere = format!("{base}/out/reports/chat.html");
    let elsewhere_dir = format!("{base}/out/reports/");
    let inside = format!("{base}/root/chat.md");
    let cases = [
        ("", "root", "", true),
        (".", "root", "", true),
        ("chat.md", "root", "chat.md", false),
        ("file.md", "root", "file.md", false),
        ("notes/chat.md", "root", "notes/chat.md", false),
        ("exports/", "root", "exports/", true),
        ("existing", "root/existing", "", true),
        ("existing/", "root/existing", "", true),
        ("existing/deep/a/b.md", "root/existing/deep", "a/b.md", false),
        ("../up.md", "", "up.md", false),
        ("..", "", "", true),
        (&inside, "root", "chat.md", false),
        (&elsewhere, "out", "reports/chat.html", false),
        (&elsewhere_dir, "out", "reports/", true),
    ];
    for (out, root, request, directory) in cases {
        let found = split(&scratch, out).unwrap();
        assert_eq!(found, (root.into(), request.into(), directory), "{out:?}");
    }
    assert_eq!(snapshot(&scratch.base), before);
}

#[test]
fn u20_a_file_outside_the_working_directory_is_written_there() {
    let scratch = Scratch::in_memory();
    let out = scratch.out().join("reports/chat.html");
    let (workspace, request) = for_output(&scratch.root(), &out).unwrap();
    let written = export(&workspace, &request, b"text").unwrap();
    assert_eq!(written.full_path, out);
    assert_eq!(names(&scratch.root()), [] as [&str; 0]);
}

#[test]
fn links_to_folders_are_followed_on_the_way_to_the_root() {
    let scratch = Scratch::in_memory();
    scratch.link("root/link", scratch.out().to_str().unwrap());
    for (out, request) in [("link", ""), ("link/", ""), ("link/new/x.md", "new/x.md")] {
        let found = split(&scratch, out).unwrap();
        assert_eq!((found.0.as_str(), found.1.as_str()), ("out", request), "{out:?}");
    }
}

#[test]
fn the_last_name_is_never_a_link() {
    let scratch = Scratch::in_memory();
    let victim = scratch.file("out/victim.md", "precious");
    scratch.link("root/in-chat.md", victim.to_str().unwrap());
    scratch.link("root/dangling.md", "nowhere.md");
    scratch.link("root/self.md", "self.md");
    for out in ["in-chat.md", "dangling.md", "self.md"] {
        let (workspace, request) = for_output(&scratch.root(), out).unwrap();
        let refusal = export(&workspace, &request, b"text").unwrap_err();
        assert_eq!(refusal.kind().word(), "symlink", "{out:?}");
    }
    assert_eq!(std::fs::read(victim).unwrap(), b"precious");
}

#[test]
fn what_cannot_be_a_folder_is_refused_and_nothing_is_made() {
    let scratch = Scratch::in_memory();
    scratch.file("root/file", "");
    scratch.link("root/dangling", "nowhere");
    scratch.link("root/dangling-absolute", "/nowhere/at/all");
    scratch.link("root/self", "self");
    let before = snapshot(&scratch.base);
    let cases = [
        ("file/x.md", "not-a-directory"),
        ("file/", "not-a-directory"),
        ("file/a/b.md", "not-a-directory"),
        ("dangling/x.md", "not-a-directory"),
        ("dangling/", "not-a-directory"),
        ("dangling-absolute/x.md", "not-a-directory"),
        ("self/x.md", "loop"),
        ("new/../x.md", "dotdot-in-missing"),
        (".git/x.md", "protected"),
        ("new\n/x.md", "bad-name"),
        ("nul\0.md", "bad-name"),
    ];
    for (out, word) in cases {
        let refusal = split(&scratch, out).unwrap_err();
        assert_eq!(refusal.kind().word(), word, "{out:?}: {refusal}");
    }
    assert_eq!(snapshot(&scratch.base), before);
}

#[test]
fn a_link_planted_in_a_part_to_be_made_is_not_followed() {
    let scratch = Scratch::in_memory();
    let (workspace, request) = for_output(&scratch.root(), "new/x.md").unwrap();
    scratch.link("root/new", "../out");
    assert_eq!(export(&workspace, &request, b"text").unwrap_err().kind().word(), "escape");
    assert_eq!(names(&scratch.out()), [] as [&str; 0]);
}
