//! A whole session as Markdown.

use crate::support::session;
use carryall_render::Format;

#[test]
fn a_session_with_every_kind_of_entry() {
    insta::assert_snapshot!(session(Format::Markdown));
}
