//! The style sheet, the same in every page, and the hash by which the page's policy admits it.

/// The sheet. It stands in the page after one line feed.
pub(super) const SHEET: &str = include_str!("style.css");

/// The SHA-256 of a line feed and [`SHEET`], in base64, for the content security policy. It is a
/// constant so that the sheet cannot change unnoticed; a test computes it anew.
pub(super) const HASH: &str = "a8t0Og71buNUTMWpXwvvKQVjO1X/VJxuHbqymlTavXM=";

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use sha2::{Digest, Sha256};

    #[test]
    fn the_hash_is_that_of_the_sheet() {
        let digest = Sha256::digest(format!("\n{SHEET}"));
        assert_eq!(base64::engine::general_purpose::STANDARD.encode(digest), HASH);
    }

    #[test]
    fn the_sheet_loads_nothing_and_cannot_end_its_element() {
        for word in ["url(", "@import", "<", "src:"] {
            assert!(!SHEET.contains(word), "{word}");
        }
    }
}
