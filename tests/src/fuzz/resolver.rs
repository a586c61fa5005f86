//! Any request against a real tree full of ways out, compared with a model of what paths mean.

use super::scratch;
use carryall_workspace::{Error, Name, Workspace};
use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What stands below the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    Dir,
    File,
    Link(&'static str),
}

const TREE: &[(&str, Node)] = &[
    ("a", Node::Dir),
    ("a/b", Node::Dir),
    ("a/b/c", Node::Dir),
    (".git", Node::Dir),
    ("file", Node::File),
    ("a/f", Node::File),
    ("here", Node::Link(".")),
    ("in", Node::Link("a/b")),
    ("a/back", Node::Link("../a/b/..")),
    ("to-file", Node::Link("file")),
    ("up", Node::Link("..")),
    ("out", Node::Link("../out")),
    ("a/up", Node::Link("../../out")),
    ("secret", Node::Link("../out/secret")),
    ("absolute", Node::Link("/")),
    ("self", Node::Link("self")),
    ("ping", Node::Link("pong")),
    ("pong", Node::Link("ping")),
    ("dangling", Node::Link("a/new")),
    ("dangling-out", Node::Link("../out/new")),
    ("git", Node::Link(".git")),
];

/// As many links as the kernel follows.
const LINKS_MAX: usize = 40;
const GENERATED: &str = "T.md";

/// A request: `$ROOT` and `$BASE` at its beginning are the places on this disk.
///
/// What is written lands where the model says, inside, private, and nothing else changes; what the
/// model lets pass and holds nothing odd is written.
///
/// # Panics
/// When a rule is broken.
pub fn resolver(input: &[u8]) {
    let scratch = scratch();
    let base = scratch.path().canonicalize().unwrap();
    let root = base.join("root");
    plant(&base);
    let request = placed(input, &base);
    let request = Path::new(OsStr::from_bytes(&request));
    look_only(&root, request);
    let workspace = Workspace::open(&root, cap_std::ambient_authority()).unwrap();
    let place = Model { root: &root }.place(request);
    match (write(&workspace, request), place) {
        (Ok(written), Some(place)) => {
            assert_eq!(written, root.join(&place), "{request:?}");
            assert!(!place.components().any(|part| part.as_os_str() == ".git"), "{request:?}");
            let metadata = std::fs::symlink_metadata(&written).unwrap();
            assert!(metadata.is_file() && metadata.permissions().mode() & 0o7777 == 0o600);
            assert_eq!(std::fs::read(&written).unwrap(), b"document");
        }
        (Ok(written), None) => panic!("{request:?} was written to {}", written.display()),
        (Err(refusal), Some(place)) => {
            assert!(!is_ordinary(request, &place), "{request:?} was refused: {refusal}");
        }
        (Err(_), None) => {}
    }
    assert_outside_untouched(&base);
    assert_no_temporary(&root, request);
}

fn plant(base: &Path) {
    std::fs::create_dir(base.join("out")).unwrap();
    std::fs::write(base.join("out/secret"), "precious").unwrap();
    std::fs::create_dir(base.join("root")).unwrap();
    for (path, node) in TREE {
        let path = base.join("root").join(path);
        match node {
            Node::Dir => std::fs::create_dir(path).unwrap(),
            Node::File => std::fs::write(path, "old").unwrap(),
            Node::Link(to) => std::os::unix::fs::symlink(to, path).unwrap(),
        }
    }
}

fn placed(input: &[u8], base: &Path) -> Vec<u8> {
    let base = base.as_os_str().as_bytes();
    if let Some(rest) = input.strip_prefix(b"$ROOT") {
        return [base, b"/root", rest].concat();
    }
    match input.strip_prefix(b"$BASE") {
        Some(rest) => [base, rest].concat(),
        None => input.to_owned(),
    }
}

/// The shell's output path may lead anywhere, so nothing is written there; a look makes nothing.
fn look_only(root: &Path, request: &Path) {
    let authority = cap_std::ambient_authority();
    if let Ok((workspace, rest)) = Workspace::for_output(root, request, authority) {
        let _ = workspace.target(rest);
    }
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let mut expected: Vec<PathBuf> = TREE
        .iter()
        .filter(|(path, _)| !path.contains('/'))
        .map(|(path, _)| root.join(path))
        .collect();
    expected.sort();
    assert_eq!(names, expected, "a look made something");
}

fn write(workspace: &Workspace, request: &Path) -> Result<PathBuf, Error> {
    let target = workspace.target(request)?;
    let name = match target.is_directory() {
        true => Name::Generated { stem: "T", extension: "md" },
        false => Name::Explicit,
    };
    let mut staged = workspace.stage(target, name, &[])?;
    staged.write_all(b"document").unwrap();
    staged.commit().map(|written| written.full_path)
}

fn assert_outside_untouched(base: &Path) {
    let names = |folder: &Path| {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(names(base), ["out", "root"], "ESCAPED");
    assert_eq!(names(&base.join("out")), ["secret"], "ESCAPED");
    assert_eq!(std::fs::read(base.join("out/secret")).unwrap(), b"precious", "ESCAPED");
    assert_eq!(names(&base.join("root/.git")), [] as [&str; 0], ".git was written");
}

/// No hidden name that the request did not ask for.
fn assert_no_temporary(root: &Path, request: &Path) {
    for entry in std::fs::read_dir(root).unwrap() {
        let name = entry.unwrap().file_name();
        let asked = request.iter().any(|part| part == name);
        assert!(asked || !name.as_bytes().starts_with(b".carryall-"), "{name:?} is left");
    }
}

/// Nothing in it that the workspace refuses for another reason than where it leads.
fn is_ordinary(request: &Path, place: &Path) -> bool {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-$".contains(byte);
    let bytes = request.as_os_str().as_bytes();
    let lower = bytes.to_ascii_lowercase();
    bytes.iter().all(plain)
        && bytes.len() <= 4000
        && !lower.windows(3).any(|window| window == b"git")
        && !place.components().any(|part| part.as_os_str() == ".git")
        && place.components().count() <= 60
        && place.components().all(|part| part.as_os_str().len() <= 255)
}

/// What a path means below the root, worked out on the list above and not by the kernel.
struct Model<'a> {
    root: &'a Path,
}

/// How far a walk came.
enum Walk {
    /// To a directory.
    Dir(Vec<String>),
    /// To a directory in which the part of this number does not exist.
    Missing(Vec<String>, usize),
    /// Nowhere: out of the root, through a file, in a circle.
    Refused,
}

impl Model<'_> {
    /// The file below the root, or nothing where the request must be refused.
    fn place(&self, request: &Path) -> Option<PathBuf> {
        let bytes = request.as_os_str().as_bytes();
        if bytes.contains(&0) || bytes.len() > 4095 {
            return None;
        }
        let parts: Vec<&[u8]> = bytes.split(|&byte| byte == b'/').collect();
        let last = *parts.last().unwrap();
        let mut parts: Vec<&[u8]> =
            parts.into_iter().filter(|part| !matches!(*part, b"" | b".")).collect();
        if bytes.starts_with(b"/") {
            let root = self.root.as_os_str().as_bytes().split(|&byte| byte == b'/').skip(1);
            let root: Vec<&[u8]> = root.collect();
            parts = parts.strip_prefix(root.as_slice())?.to_vec();
        }
        let Some((name, parent)) = parts.split_last() else {
            return Some(GENERATED.into());
        };
        if matches!(last, b"" | b"." | b"..") {
            return Some(dir_to_be(&parts)?.join(GENERATED));
        }
        let dir = dir_to_be(parent)?;
        match node(&dir.join(OsStr::from_bytes(name))) {
            None | Some(Node::File) => Some(dir.join(OsStr::from_bytes(name))),
            Some(Node::Dir) => Some(dir_to_be(&parts)?.join(GENERATED)),
            // A link counts as the directory it leads to, and as nothing else.
            Some(Node::Link(_)) => match walk(&parts) {
                Walk::Dir(dir) => Some(dir.iter().collect::<PathBuf>().join(GENERATED)),
                Walk::Missing(..) | Walk::Refused => None,
            },
        }
    }
}

fn node(path: &Path) -> Option<Node> {
    TREE.iter().find(|(known, _)| Path::new(known) == path).map(|(_, node)| *node)
}

/// The directory, with the parts that a write may make.
fn dir_to_be(parts: &[&[u8]]) -> Option<PathBuf> {
    match walk(parts) {
        Walk::Dir(dir) => Some(dir.iter().collect()),
        Walk::Missing(dir, at) => {
            let missing = &parts[at..];
            let plain = !missing.contains(&b"..".as_slice());
            let missing = missing.iter().map(|part| OsStr::from_bytes(part));
            plain.then(|| dir.iter().map(OsStr::new).chain(missing).collect())
        }
        Walk::Refused => None,
    }
}

fn walk(parts: &[&[u8]]) -> Walk {
    let (mut dir, mut links) = (Vec::<String>::new(), 0);
    for (at, part) in parts.iter().enumerate() {
        // What is left to do for this part: itself, then whatever its links say.
        let mut todo: Vec<Vec<u8>> = vec![part.to_vec()];
        let mut typed = true;
        while let Some(step) = todo.pop() {
            match step.as_slice() {
                b"" | b"." => continue,
                b".." => match dir.pop() {
                    Some(_) => continue,
                    None => return Walk::Refused,
                },
                name => {
                    let path = dir.iter().collect::<PathBuf>().join(OsStr::from_bytes(name));
                    match node(&path) {
                        Some(Node::Dir) => dir.push(String::from_utf8(name.to_vec()).unwrap()),
                        Some(Node::Link(to)) if !to.starts_with('/') && links < LINKS_MAX => {
                            (links, typed) = (links + 1, false);
                            todo.extend(to.split('/').rev().map(|part| part.as_bytes().to_vec()));
                        }
                        // Behind a link nothing may be made.
                        None if typed => {
                            return Walk::Missing(dir, at);
                        }
                        None | Some(Node::Link(_) | Node::File) => return Walk::Refused,
                    }
                }
            }
        }
    }
    Walk::Dir(dir)
}
