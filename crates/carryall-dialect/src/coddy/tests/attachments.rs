//! The blocks that coddy puts beside what was typed.

use super::super::attachments::{Said, split};
use std::borrow::Cow;

fn files<'a>(said: &'a Said<'_>) -> Vec<(&'a str, &'a str)> {
    said.files.iter().map(|file| (&*file.path, &*file.name)).collect()
}

#[test]
fn u26_three_forms_of_a_block() {
    let said = split(
        "see @a.md and @b.md\n\n\
         <coddy_attachment name=\"a.md\" path=\"dir/a.md\" extra=\"1\">\n<![CDATA[a]]>\n</coddy_attachment>\n\
         <coddy_attachment>\n<![CDATA[no attributes]]>\n</coddy_attachment>\n\
         <coddy_attachment\tpath=\"b &amp; c.md\" name=\"b.md\">\n<![CDATA[b]]>\n</coddy_attachment>",
    );
    assert_eq!(said.text, "see @a.md and @b.md");
    assert_eq!(files(&said), [("dir/a.md", "a.md"), ("b & c.md", "b.md")]);
}

#[test]
fn u27_a_closing_tag_inside_the_data_closes_nothing() {
    let said = split(
        "review please\n\n<coddy_attachment path=\"r.go\">\n\
         <![CDATA[w(\"</coddy_attachment>\")\nx := \"]]]]><![CDATA[>\"]]>\n\
         </coddy_attachment>\n\nand tell me",
    );
    assert_eq!(said.text, "review please\n\nand tell me");
    assert_eq!(files(&said), [("r.go", "")]);
}

#[test]
fn u28_what_is_no_block_stays_as_it_was_typed() {
    for text in [
        "the <coddy_attachment> tag is unterminated here",
        "a longer word <coddy_attachments> is none</coddy_attachment>",
        "<coddy_attachment path=\"x\">\n<![CDATA[never closed</coddy_attachment>",
        "<coddy_attachment path=\"x\"",
        "\n\n  leading and trailing space  \n\n\n\nkept as typed\n",
        "<coddy_session_assets> without an end",
        "",
    ] {
        let said = split(text);
        assert!(matches!(said.text, Cow::Borrowed(same) if same == text), "{text:?}");
        assert!(said.files.is_empty(), "{text:?}");
    }
}

#[test]
fn a_broken_block_does_not_hide_the_one_behind_it() {
    let said = split(
        "<coddy_attachment path=\"a\"><![CDATA[x <coddy_attachments> <coddy_attachment path=\"b\">y</coddy_attachment> z",
    );
    assert_eq!(said.text, "<coddy_attachment path=\"a\"><![CDATA[x <coddy_attachments>  z");
    assert_eq!(files(&said), [("b", "")]);
}

#[test]
fn text_beside_the_data_ends_with_the_first_closing_tag() {
    let said = split(
        "<coddy_attachment path=\"a\"><![CDATA[x]]> y</coddy_attachment> z</coddy_attachment>",
    );
    assert_eq!(said.text, "z</coddy_attachment>");
}

#[test]
fn the_note_on_uploads_goes_and_so_does_the_gap() {
    let said = split(
        "look\n\n<coddy_session_assets>saved to\n- /a/photo.png\n</coddy_session_assets>\n\n\n  here",
    );
    assert_eq!(said.text, "look\n\n  here");
}

#[test]
fn an_attribute_is_told_from_a_value_and_from_a_longer_name() {
    let said =
        split("<coddy_attachment mypath=\"no\" name=\" path=\" path=\"yes\">x</coddy_attachment>");
    assert_eq!(files(&said), [("yes", " path=")]);
    assert_eq!(said.text, "");
}

#[test]
fn character_references_are_those_of_the_writer() {
    let said = split(
        "<coddy_attachment path=\"&lt;&gt;&amp;&#34;&#x27;&quot;&apos;&none;&#xD800;& &amp;lt;\">x</coddy_attachment>",
    );
    assert_eq!(files(&said), [("<>&\"'\"'&none;&#xD800;& &lt;", "")]);
}

#[test]
fn many_beginnings_without_an_end_are_read_once() {
    let beginnings = "<coddy_attachment><![CDATA[".repeat(200_000);
    assert_eq!(split(&beginnings).text, beginnings);
    let closed_early = format!("<![CDATA[]]>{beginnings}</coddy_attachment>");
    assert_eq!(split(&closed_early).text, closed_early);
}
