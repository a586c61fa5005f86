//! Places of a page that can be linked to.

use std::fmt;

/// An entry, or a call of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spot {
    /// The subagent in whose document it stands.
    pub(super) child: Option<u32>,
    /// The entry's number in its document, from 1.
    pub(super) entry: u32,
    /// The call's number in its entry, from 1; 0 is the entry itself.
    pub(super) call: u32,
}

impl Spot {
    /// The place as an id of the page: `e7`, `e7-c2`, `s1-e2-c1`.
    pub(super) fn id(self) -> Id {
        Id(self)
    }

    /// The place as people write it: `7`, `7.2`, `s1/2.1`.
    pub(super) fn label(self) -> Label {
        Label(self)
    }
}

/// See [`Spot::id`].
#[derive(Clone, Copy)]
pub(super) struct Id(Spot);

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spot { child, entry, call } = self.0;
        if let Some(child) = child {
            write!(f, "s{child}-")?;
        }
        write!(f, "e{entry}")?;
        if call == 0 { Ok(()) } else { write!(f, "-c{call}") }
    }
}

/// See [`Spot::label`].
#[derive(Clone, Copy)]
pub(super) struct Label(Spot);

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spot { child, entry, call } = self.0;
        if let Some(child) = child {
            write!(f, "s{child}/")?;
        }
        write!(f, "{entry}")?;
        if call == 0 { Ok(()) } else { write!(f, ".{call}") }
    }
}
