//! Documents that are cut off, damaged inside, or none at all.

use super::*;
use std::io::ErrorKind;

fn refusal(messages: impl AsRef<[u8]>) -> OpenError {
    open(&Folder::raw(json!({}), messages).path).err().unwrap()
}

#[test]
fn a_document_that_is_cut_off_gives_its_whole_rows() {
    let whole = written(&[user("one"), answer("tw\"o ]}"), user("three")]);
    let at = whole.find("three").unwrap();
    let seen = Folder::raw(json!({}), &whole[..at]).read();
    assert_eq!(seen.texts(), ["one", "tw\"o ]}"]);
    assert_eq!(seen.notices(), [NoticeKind::CutShort]);
    let notice = &seen.found.notices.kept()[0];
    let row = whole[..at].rfind("    {\n").unwrap() + 4;
    assert_eq!((notice.row, notice.offset), (Some(3), Some(row as u64)));
    assert_eq!(notice.bytes, Some((at - row) as u64));
    assert_eq!((seen.facts.unreadable_rows, seen.facts.message_count), (1, 2));
}

#[test]
fn a_document_without_its_end_says_so_even_when_no_row_is_torn() {
    for end in ["", " ", ",", "]"] {
        let cut = format!("{{\"messages\":[{}{end}", user("one"));
        let seen = Folder::raw(json!({}), cut).read();
        assert_eq!(seen.texts(), ["one"], "{end:?}");
        assert_eq!(seen.notices(), [NoticeKind::CutShort], "{end:?}");
    }
}

#[test]
fn a_document_of_which_nothing_can_be_read_is_an_error() {
    for messages in [
        "{\n  \"version\": 1,\n  \"messages\": [\n    {\n      \"role\": \"user\",\n      \"content\": \"cut he",
        "{\"version\": 1, \"messages\": [",
        "{\"version\": 1,",
        "not JSON",
        "[]",
        "{\"messages\": \"text\"}",
        "{\"messages\": [1, \"two\", null, []]}",
        "\0\0\0\0",
    ] {
        let error = refusal(messages);
        assert!(
            matches!(error, OpenError::NothingReadable { row: 1, .. }),
            "{messages:?}: {error}"
        );
    }
}

#[test]
fn a_session_in_which_nothing_was_said_is_no_damage() {
    for messages in ["{\"messages\": null}", "{\"messages\": []}", "{\"version\": 1}"] {
        let seen = Folder::raw(json!({}), messages).read();
        assert_eq!(seen.facts.message_count, 0, "{messages:?}");
        assert!(seen.entries.is_empty() && seen.found.is_empty(), "{messages:?}");
    }
    let folder = Folder::new(json!([]));
    fs::remove_file(folder.path.join("messages.json")).unwrap();
    assert_eq!(folder.read().facts.message_count, 0);
}

#[test]
fn an_empty_file_is_called_empty() {
    assert!(matches!(refusal(""), OpenError::Empty { path } if path.ends_with("messages.json")));
    assert!(matches!(refusal(" \n"), OpenError::Empty { .. }));
}

#[test]
fn a_row_that_has_lost_a_quote_or_a_brace_does_not_take_the_next_ones_along() {
    let whole = written(&[user("one"), user("two"), user("three"), user("four")]);
    for damaged in [
        whole.replace("two\"", "two"),
        whole.replace("\"two", "two"),
        whole.replace("\"content\": \"two\"", "\"content\": \"two\", {["),
        whole.replace("\"content\": \"two\"", "\"content\": "),
    ] {
        let seen = Folder::raw(json!({}), &damaged).read();
        assert_eq!(seen.texts(), ["one", "three", "four"], "{damaged}");
        assert_eq!(seen.notices(), [NoticeKind::BadRow], "{damaged}");
        assert_eq!(seen.found.notices.kept()[0].row, Some(2));
    }
}

#[test]
fn a_row_that_is_none_is_told_and_passed_over() {
    let seen = Folder::new(json!([user("one"), null, 7, ["x"], user("two")])).read();
    assert_eq!(seen.texts(), ["one", "two"]);
    assert_eq!(seen.notices(), [NoticeKind::BadRow; 3]);
    assert_eq!(seen.facts.unreadable_rows, 3);
}

#[test]
fn bytes_behind_the_document_are_told() {
    let seen = Folder::raw(json!({}), written(&[user("one")]) + "}").read();
    assert_eq!(seen.texts(), ["one"]);
    assert_eq!(seen.notices(), [NoticeKind::BadRow]);
}

#[test]
fn lone_surrogates_and_bytes_that_are_no_text_are_replaced_and_counted() {
    let mut messages =
        br#"{"messages":[{"role":"user","content":"a \ud800 b"},{"role":"assistant","#.to_vec();
    messages.extend(
        b"\"content\":\"c \xff d\",\"tool_calls\":[{\"id\":\"x\",\"name\":\"\\udc00\"}]}]}",
    );
    let seen = Folder::raw(json!({}), messages).read();
    assert_eq!(seen.texts(), ["a \u{fffd} b", "c \u{fffd} d"]);
    assert_eq!(seen.entries[1]["calls"][0]["name"], "\u{fffd}");
    assert_eq!(seen.found.replaced_characters, 3);
    assert!(seen.found.notices.is_empty());
}

#[test]
fn raw_control_characters_and_repeated_keys_cost_no_row() {
    let messages =
        "\u{feff}{\"messages\":[{\"role\":\"user\",\"role\":\"assistant\",\"content\":\"a\tb\"}]}";
    let seen = Folder::raw(json!({}), messages).read();
    assert_eq!(seen.entries, [json!({"type": "assistant", "text": "a\tb"})]);
}

#[test]
fn facts_that_cannot_be_read_come_from_the_place() {
    let folder = Folder::new(json!([user("one")]));
    folder.put("session.json", "{\"id\": ");
    let seen = folder.read();
    assert_eq!(seen.facts.id, "sess_one");
    assert_eq!(seen.facts.title.as_deref(), Some("one"));
    assert_eq!(seen.notices(), [NoticeKind::BadRow]);
}

#[test]
fn a_document_over_the_limit_is_refused_unread() {
    let folder = Folder::new(json!([]));
    let file = fs::File::options().write(true).open(folder.path.join("messages.json")).unwrap();
    file.set_len((256 << 20) + 1).unwrap();
    let error = open(&folder.path).err().unwrap();
    assert!(matches!(error, OpenError::TooLarge { bytes, .. } if bytes == (256 << 20) + 1));
}

#[test]
fn messages_that_are_no_regular_file_are_refused() {
    let folder = Folder::new(json!([]));
    fs::remove_file(folder.path.join("messages.json")).unwrap();
    fs::create_dir(folder.path.join("messages.json")).unwrap();
    let error = open(&folder.path).err().unwrap();
    assert!(
        matches!(&error, OpenError::Io { source, .. } if source.kind() == ErrorKind::InvalidInput),
        "{error:?}"
    );
}

#[test]
fn many_beginnings_of_rows_are_not_searched_for_ever() {
    let messages = format!("{{\"messages\":[{}", "{\"role\":\"".repeat(200_000));
    assert!(matches!(refusal(messages), OpenError::NothingReadable { row: 1, .. }));
}
