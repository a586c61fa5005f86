//! Fixtures, one trap each.
