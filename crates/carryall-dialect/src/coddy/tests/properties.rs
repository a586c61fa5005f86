//! What holds for any text and any document.

use super::super::attachments::split;
use super::super::document::walk;
use super::*;
use carryall_model::Notices;
use proptest::prelude::*;

/// Texts made of what the scanner looks for, with other things between.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<coddy_attachment".to_owned()),
        Just("</coddy_attachment>".to_owned()),
        Just("<coddy_session_assets>".to_owned()),
        Just("</coddy_session_assets>".to_owned()),
        Just("<![CDATA[".to_owned()),
        Just("]]>".to_owned()),
        Just(" path=\"a&amp;b\"".to_owned()),
        Just(" name=\"ä&#x".to_owned()),
        Just("\"".to_owned()),
        Just(">".to_owned()),
        Just("\n\n\n".to_owned()),
        ".{0,3}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn rows_of(bytes: &[u8]) -> (Vec<Value>, Notices) {
    let (mut rows, mut notices) = (Vec::new(), Notices::default());
    walk(bytes, &mut notices, &mut |row, place| {
        assert_eq!(&bytes[place], row);
        rows.push(serde_json::from_slice(row).map_err(|e| e.to_string())?);
        Ok(())
    });
    (rows, notices)
}

proptest! {
    #[test]
    fn a_message_is_taken_apart_without_a_panic(text in pieces()) {
        let said = split(&text);
        if said.files.is_empty() && !text.contains("</coddy_") {
            prop_assert_eq!(&*said.text, &text);
        } else {
            prop_assert!(said.text.len() <= text.len());
        }
    }

    #[test]
    fn any_bytes_are_walked_without_a_panic(
        bytes in prop::collection::vec(prop::sample::select(&b"{}[]\",:\\ \nmesag\xff0truol"[..]), 0..80),
    ) {
        rows_of(&bytes);
        let mut listed = b"{\"messages\":[".to_vec();
        listed.extend(bytes);
        rows_of(&listed);
    }

    #[test]
    fn a_cut_anywhere_leaves_the_whole_rows_before_it(
        texts in prop::collection::vec(".{0,12}", 1..5),
        pretty: bool,
        cut in any::<prop::sample::Index>(),
    ) {
        let rows: Vec<_> = texts.iter().map(|text| user(text)).collect();
        let document = json!({"messages": rows, "version": 1});
        let whole = match pretty {
            true => serde_json::to_string_pretty(&document),
            false => serde_json::to_string(&document),
        }
        .unwrap();
        let at = cut.index(whole.len());
        let (read, notices) = rows_of(&whole.as_bytes()[..at]);
        prop_assert_eq!(&read[..], &rows[..read.len()]);
        prop_assert_eq!(notices.kept().len(), 1);
        // A row is whole when its closing brace is.
        let ends = rows.iter().scan(0, |from, row| {
            let row = match pretty {
                true => serde_json::to_string_pretty(row).unwrap().replace('\n', "\n    "),
                false => row.to_string(),
            };
            let found = whole[*from..].find(&row)? + *from + row.len();
            *from = found;
            Some(found)
        });
        prop_assert_eq!(read.len(), ends.filter(|&end| end <= at).count());
    }

    #[test]
    fn a_flipped_byte_costs_the_rows_it_touches_at_most(
        texts in prop::collection::vec("[a-z\"{}]{0,8}", 3..6),
        at in any::<prop::sample::Index>(),
        byte in prop::sample::select(&b"x\"{}[],\\"[..]),
    ) {
        let rows: Vec<_> = texts.iter().map(|text| user(text)).collect();
        let mut bytes = written(&rows).into_bytes();
        let list = bytes.iter().position(|&b| b == b'[').unwrap() + 1;
        let end = bytes.iter().rposition(|&b| b == b']').unwrap();
        bytes[list + at.index(end - list)] = byte;
        let (read, _) = rows_of(&bytes);
        let lost = rows.iter().filter(|row| !read.contains(row)).count();
        prop_assert!(lost <= 2, "{} rows lost of {:?}", lost, String::from_utf8_lossy(&bytes));
    }
}
