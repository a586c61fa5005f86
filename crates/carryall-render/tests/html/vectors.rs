//! `render-vectors.json`: texts that try to break out of the page.

use crate::page::{assert_inert, render};
use crate::places::{PLACES, Place};
use serde::Deserialize;

#[derive(Deserialize)]
struct Vectors {
    vectors: Vec<Vector>,
    byte_level: Vec<ByteLevel>,
}

#[derive(Deserialize)]
struct Vector {
    id: String,
    r#where: String,
    text: String,
    html: Rule,
}

#[derive(Deserialize)]
struct Rule {
    holds: Vec<String>,
}

#[derive(Deserialize)]
struct ByteLevel {
    id: String,
    r#where: String,
    bytes_hex: Option<String>,
    source_json: Option<String>,
    repeat: Option<Repeat>,
}

#[derive(Deserialize)]
struct Repeat {
    text: String,
    times: usize,
}

fn vectors() -> Vectors {
    serde_json::from_str(include_str!("../render-vectors.json")).unwrap()
}

fn place(name: &str) -> &'static Place {
    PLACES.iter().find(|place| place.name == name).unwrap_or_else(|| panic!("no place {name}"))
}

fn check(id: &str, place: &Place, text: &str) {
    let page = place.render(text);
    assert_inert(&page);
    if let Some(expected) = place.expected(text) {
        assert_eq!(place.shown(&page), expected, "{id}");
    }
}

#[test]
fn every_text_is_exact_and_inert_in_its_place() {
    let vectors = vectors().vectors;
    for vector in &vectors {
        assert_eq!(vector.html.holds, ["text-exact", "inert"], "{}", vector.id);
        check(&vector.id, place(&vector.r#where), &vector.text);
    }
    assert_eq!(vectors.len(), 159);
}

/// A place that is safe for its own vectors should be safe for all. Each text goes to a quarter of
/// the places, each place gets a quarter of the texts: thousands of pages take their time.
#[test]
fn texts_meant_for_one_place_break_out_of_no_other() {
    for (n, vector) in vectors().vectors.iter().enumerate() {
        for place in PLACES.iter().skip(n % 4).step_by(4) {
            check(&format!("{} as {}", vector.id, place.name), place, &vector.text);
        }
    }
}

/// Bytes that are no text are decoded by a reader; what a page is told is text already.
#[test]
fn texts_that_were_damaged_arrive_with_their_replacements() {
    for vector in vectors().byte_level {
        let text = match (&vector.bytes_hex, &vector.source_json) {
            (Some(hex), _) => {
                let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
                let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            (None, Some(json)) => {
                json.trim_matches('"').replace("\\ud800", "\u{fffd}").replace("\\udc00", "\u{fffd}")
            }
            (None, None) => continue,
        };
        assert!(text.contains('\u{fffd}'), "{}", vector.id);
        check(&vector.id, place(&vector.r#where), &text);
    }
}

/// Texts of a size at which anything but one pass would be seen. The parser is spared: the page is
/// compared with what stands around the text.
#[test]
fn large_texts_pass_through_once() {
    let mut seen = 0;
    for vector in vectors().byte_level {
        let Some(repeat) = vector.repeat else { continue };
        let times = repeat.times.min(1 << 20);
        let text = repeat.text.repeat(times);
        let page = render(|page| (place(&vector.r#where).write)(page, &text));
        let escaped = text.replace('>', "&gt;");
        let set = page.replace("<span class=\"fence\">", "").replace("</span>", "");
        assert!(set.contains(&escaped), "{}", vector.id);
        seen += 1;
    }
    assert_eq!(seen, 6);
}
