//! What the tests of the whole program share: the binary, a home of its own for each test, the
//! corpus, and a reader for its list.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "tests make and break files of their own, and stop where something is not as expected"
)]

pub mod corpus;
pub mod fuzz;
pub mod peers;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The moment at which all tests export: 2026-09-06T12:00:00Z.
pub const NOW: &str = "1788696000";
/// The same moment as documents spell it.
pub const EXPORTED_AT: &str = "2026-09-06T12:00:00Z";

/// The folder of the repository.
#[must_use]
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ lies in the repository")
        .to_owned()
}

/// The binary, built once for all tests of a run.
///
/// `cargo test` builds the binary of a package for that package's own tests only, so it is asked
/// for here; with everything built that takes no time.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let built = Command::new(cargo)
            .args(["build", "--package", "carryall", "--message-format", "json"])
            .current_dir(repository())
            .output()
            .expect("cargo can be run");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        String::from_utf8_lossy(&built.stdout)
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .find_map(|message| message["executable"].as_str().map(PathBuf::from))
            .expect("cargo names the binary")
    })
}

/// A person's machine for one test: a home, a folder to stand in, and nothing else in the
/// environment.
#[derive(Debug)]
pub struct Sandbox {
    scratch: tempfile::TempDir,
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Sandbox {
    /// A new one, with an empty home and an empty folder.
    #[must_use]
    pub fn new() -> Self {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::create_dir(scratch.path().join("home")).unwrap();
        std::fs::create_dir(scratch.path().join("shell")).unwrap();
        Self { scratch }
    }

    /// The home folder.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.scratch.path().canonicalize().unwrap().join("home")
    }

    /// The folder in which commands run.
    #[must_use]
    pub fn shell(&self) -> PathBuf {
        self.scratch.path().canonicalize().unwrap().join("shell")
    }

    /// The binary, about to run in the shell folder at the fixed moment.
    pub fn command<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(binary());
        command
            .args(args)
            .current_dir(self.shell())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("SOURCE_DATE_EPOCH", NOW);
        command
    }

    /// Runs the binary and takes what it says.
    pub fn run<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Said {
        Said::from(self.command(args).output().expect("the binary can be run"))
    }

    /// The names in the shell folder, sorted.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        let mut names: Vec<_> = std::fs::read_dir(self.shell())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The text of a file in the shell folder.
    #[must_use]
    pub fn text(&self, path: impl AsRef<Path>) -> String {
        let path = self.shell().join(path);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// Puts a file below the home folder, with its folders.
    pub fn put(&self, below_home: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.home().join(below_home);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

/// What a run of the binary said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Copies a folder with all below it.
pub fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::write(&target, std::fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}
