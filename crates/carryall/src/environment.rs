//! What surrounds the process: variables, home, current folder, clock. Read here and nowhere else.
#![expect(
    clippy::disallowed_methods,
    reason = "this module is where the environment is read; all others are handed the values"
)]

use crate::failure::Failure;
use cap_std::AmbientAuthority;
use carryall_dialect::Surroundings;
use chrono::{DateTime, Datelike, Utc};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The surroundings of one run.
pub(crate) struct Environment {
    pub(crate) authority: AmbientAuthority,
    variables: BTreeMap<OsString, OsString>,
    home: Option<PathBuf>,
    cwd: PathBuf,
    now: DateTime<Utc>,
}

impl Environment {
    /// Reads everything once.
    pub(crate) fn read(authority: AmbientAuthority) -> Result<Self, Failure> {
        let variables: BTreeMap<_, _> = std::env::vars_os().collect();
        let home = variables.get(OsStr::new("HOME")).filter(|home| !home.is_empty());
        Ok(Self {
            authority,
            home: home.map(PathBuf::from),
            cwd: std::env::current_dir().map_err(|source| {
                Failure::new("the current folder cannot be told").because(source)
            })?,
            now: clock(&variables)?,
            variables,
        })
    }

    /// Where stores are looked for.
    pub(crate) fn surroundings(&self) -> Surroundings<'_> {
        Surroundings { env: &self.variables, home: self.home.as_deref(), cwd: Some(&self.cwd) }
    }

    /// The current folder.
    pub(crate) fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// A path as the person means it from where they stand.
    pub(crate) fn absolute(&self, path: &Path) -> PathBuf {
        self.cwd.join(path)
    }

    /// The home folder.
    pub(crate) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Whether the terminal can move its cursor, as far as `TERM` tells.
    pub(crate) fn has_cursor(&self) -> bool {
        self.variables.get(OsStr::new("TERM")).is_none_or(|name| name != "dumb")
    }

    /// The time of the run; one run has one time.
    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.now
    }
}

/// The system's clock, or the moment that `SOURCE_DATE_EPOCH` fixes for reproducible output.
fn clock(variables: &BTreeMap<OsString, OsString>) -> Result<DateTime<Utc>, Failure> {
    let Some(fixed) = variables.get(OsStr::new("SOURCE_DATE_EPOCH")) else {
        return Ok(Utc::now());
    };
    fixed
        .to_str()
        .and_then(|seconds| seconds.parse().ok())
        .and_then(|seconds| DateTime::from_timestamp(seconds, 0))
        // RFC 3339 has years of four digits.
        .filter(|moment| (0..=9999).contains(&moment.year()))
        .ok_or_else(|| {
            Failure::new("SOURCE_DATE_EPOCH is not a number of seconds since 1970")
                .hint("unset it, or set it to a whole number")
        })
}
