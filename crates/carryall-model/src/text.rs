//! A string of a log row: borrowed where the row holds it as it is, owned where it had escapes.

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

/// A decoded JSON string that borrows from its row whenever it can.
///
/// `Option<Cow<'a, str>>` with `#[serde(borrow)]` never borrows (the attribute reaches only a bare
/// `Cow<str>`), and does so silently; this type's own visitor does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Text<'a>(pub Cow<'a, str>);

impl Text<'_> {
    /// The string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Self(Cow::Owned(text))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text::from(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text::from(text.to_owned()))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
        Ok(Text::from(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Row<'a> {
        #[serde(borrow)]
        plain: Option<Text<'a>>,
        #[serde(borrow)]
        escaped: Option<Text<'a>>,
    }

    #[test]
    fn a_plain_string_is_borrowed_even_inside_an_option() {
        let row: Row<'_> =
            serde_json::from_str(r#"{"plain":"as it is","escaped":"a\nb"}"#).unwrap();
        assert!(matches!(row.plain.unwrap().0, Cow::Borrowed("as it is")));
        assert!(matches!(row.escaped.unwrap().0, Cow::Owned(text) if text == "a\nb"));
    }
}
