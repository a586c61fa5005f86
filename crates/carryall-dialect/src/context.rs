//! What a dialect may use, all of it handed in by the binary.

use cap_std::AmbientAuthority;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The means of opening a session.
#[derive(Clone, Copy)]
pub struct OpenContext<'a> {
    /// The right to open a path that a person named.
    pub authority: AmbientAuthority,
    /// Asks for the git branch of a folder, for agents that do not record it.
    pub branch_of: &'a dyn Fn(&Path) -> Option<String>,
    /// Makes an unnamed file that is gone when it is closed: what is compressed is spooled there.
    pub spool: Spool,
}

/// Makes an unnamed file for reading and writing.
pub type Spool = fn() -> io::Result<File>;

/// Where a person's stores are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a> {
    /// The environment's variables.
    pub env: &'a BTreeMap<OsString, OsString>,
    /// The home folder.
    pub home: Option<&'a Path>,
    /// The current directory.
    pub cwd: Option<&'a Path>,
}

impl Surroundings<'_> {
    /// The folder that a variable names; an empty value counts as unset.
    #[must_use]
    pub fn folder(&self, variable: &str) -> Option<PathBuf> {
        self.env.get(OsStr::new(variable)).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    /// A folder below the home folder.
    #[must_use]
    pub fn in_home(&self, below: &str) -> Option<PathBuf> {
        Some(self.home?.join(below))
    }
}
