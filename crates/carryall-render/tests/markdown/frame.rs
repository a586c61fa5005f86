//! The frame of a Markdown export: what every viewer must see of it, whatever the text.
//!
//! The fuzz targets use this file as well, so its neighbours are named by `super`.

use super::reader::{Piece, pieces};
use super::views::{self, View};

pub(crate) fn all_views(markdown: &str) -> [(&'static str, View); 4] {
    [
        ("pulldown-cmark", views::pulldown(markdown, pulldown_cmark::Options::empty())),
        ("pulldown-cmark, GitHub", views::pulldown(markdown, views::pulldown_github())),
        ("comrak", views::comrak(markdown, &views::comrak_plain())),
        ("comrak, GitHub", views::comrak(markdown, &views::comrak_github())),
    ]
}

/// Every parser sees exactly the markers that a byte reader finds, each with its heading; so does
/// a browser over either kind of HTML.
pub(crate) fn check_frame(markdown: &str) -> Result<Vec<Piece>, String> {
    let pieces = pieces(markdown.as_bytes())?;
    let genuine: Vec<&str> = pieces.iter().map(|piece| piece.marker.as_str()).collect();
    for (name, view) in all_views(markdown) {
        let seen = view.framed_markers().map_err(|e| format!("{name}: {e}"))?;
        if seen != genuine {
            return Err(format!("{name} sees {seen:?}, not {genuine:?}"));
        }
    }
    for options in [views::comrak_plain(), views::comrak_github_page()] {
        let seen = views::browser(markdown, &options)?;
        if seen != genuine {
            return Err(format!("a browser sees {seen:?}, not {genuine:?}"));
        }
    }
    Ok(pieces)
}

/// The text as Markdown and HTML show it; spelled out once more, so that a wrong table fails.
pub(crate) fn shown(text: &str) -> String {
    text.chars()
        .map(|c| match u32::from(c) {
            0 | 0x80..=0x9f => '\u{fffd}',
            9 | 10 | 13 => c,
            n @ 1..=0x1f => char::from_u32(0x2400 + n).unwrap(),
            0x7f => '\u{2421}',
            _ => c,
        })
        .collect()
}
