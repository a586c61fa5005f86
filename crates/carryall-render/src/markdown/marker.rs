//! Where an entry or call stands, and the comment that says so to readers of the file.

use carryall_model::Place;
use std::fmt;
use std::io::{self, Write};

/// The position of an entry, or of one of its calls, in an export: `7`, `7.1`, `s2/7.1`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) place: Place,
    /// The number of the entry among those of its JSON document, from 1.
    pub(super) entry: u64,
    /// The number of the call in its entry, from 1; 0 is the entry itself.
    pub(super) call: u64,
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Place::Child(number) = self.place {
            write!(f, "s{number}/")?;
        }
        write!(f, "{}", self.entry)?;
        if self.call > 0 {
            write!(f, ".{}", self.call)?;
        }
        Ok(())
    }
}

impl Spot {
    /// The id of the anchor in a call's heading: `c7-1`, `s2-c7-1`.
    pub(super) fn anchor(&self) -> String {
        match self.place {
            Place::Root => format!("c{}-{}", self.entry, self.call),
            Place::Child(number) => format!("s{number}-c{}-{}", self.entry, self.call),
        }
    }
}

/// Writes the marker of an entry or call: digits and fixed words only, so that it can hold neither
/// `--` nor `>`. Each part that is there comes with its length in bytes.
pub(super) fn write(
    out: &mut impl Write,
    spot: Spot,
    kind: &str,
    parts: &[(&str, Option<u64>)],
) -> io::Result<()> {
    write!(out, "<!-- carryall {spot} {kind}")?;
    for (name, length) in parts {
        if let Some(length) = length {
            write!(out, " {name}:{length}")?;
        }
    }
    out.write_all(b" -->\n\n")
}
