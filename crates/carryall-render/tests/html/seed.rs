//! What the seed's own tests ask of its HTML export (U32, U36, U39).

use crate::page::{Page, assert_inert};
use carryall_model::{Entry, EntryKind, Facts, FileRef, ToolCall, ToolResult};

#[test]
fn u36_the_page_begins_with_its_doctype_and_holds_no_script_and_no_raw_markup() {
    let facts = Facts { title: Some("Tides & times".into()), ..Facts::default() };
    let page = Page::of_facts(&facts, |page| {
        let text = Some("raw <b>&</b> and <script>alert(1)</script>");
        page.entry(&Entry { text, ..Entry::new(EntryKind::User) }).unwrap();
    });
    assert!(page.html.starts_with("<!doctype html>"));
    assert!(!page.html.contains("<script") && !page.html.contains("<b>"));
    assert!(page.html.contains("<title>Tides &amp; times</title>"));
    assert!(page.html.contains("raw &lt;b&gt;&amp;&lt;/b&gt; and"));
    assert_inert(&page);
}

#[test]
fn u32_a_title_of_several_lines_is_one_in_the_tab_and_entries_without_a_role_do_not_fail() {
    let facts = Facts { title: Some("first\nsecond\tthird".into()), ..Facts::default() };
    let page = Page::of_facts(&facts, |page| {
        let said = Some("said");
        page.entry(&Entry { text: said, ..Entry::new(EntryKind::System) }).unwrap();
        page.entry(&Entry { text: said, ..Entry::new(EntryKind::Other) }).unwrap();
        page.entry(&Entry { text: said, role: Some(""), ..Entry::new(EntryKind::Other) }).unwrap();
    });
    assert_eq!(page.text("title"), "first second third");
    assert_eq!(page.texts("article h2"), ["System", "Other", "Other"]);
    assert!(page.all(".head code").is_empty());
    assert_inert(&page);
}

#[test]
fn u39_a_picture_of_a_result_is_listed_with_its_name_and_path_and_never_shown() {
    let picture = FileRef {
        path: "assets/tool/shot.png",
        name: Some("shot.png"),
        media_type: Some("image/png"),
        bytes: Some(48_200),
    };
    let pictures = [picture];
    let result = ToolResult { text: "saved", pictures: &pictures, ..ToolResult::default() };
    let page =
        Page::of_call(&ToolCall { result: Some(result), ..ToolCall::new("t", "screenshot") });
    assert_eq!(
        page.text("ul[aria-label='Pictures'] li"),
        "assets/tool/shot.png shot.png · image/png · 48.2 kB"
    );
    assert_eq!(page.text(".sum"), "1 picture");
    assert!(page.all("img, picture, [src]").is_empty());
    assert_inert(&page);
}
