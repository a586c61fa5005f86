//! A whole session as JSON and as JSON Lines.

use crate::support::session;
use carryall_render::Format;

#[test]
fn a_session_with_every_kind_of_entry() {
    insta::assert_snapshot!(session(Format::Json));
}

#[test]
fn the_same_session_as_lines() {
    insta::assert_snapshot!(session(Format::JsonLines));
}
