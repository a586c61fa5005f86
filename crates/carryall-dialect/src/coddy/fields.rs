//! Fields that take whatever stands in them: a value of an unexpected type is an absent one, never
//! a lost row.

use carryall_model::Text;
use serde::de::{Deserialize, Deserializer, Error};
use serde_json::value::RawValue;

/// A type of which the first byte of its JSON tells enough.
///
/// Only that byte decides whether a value is of the type. What then fails to parse is damage, which
/// must reach the row's reader, since a repaired copy of the row may still hold the value.
pub(super) trait Shape {
    /// The bytes that such a value can begin with.
    const BEGINS: &'static [u8];
}

impl Shape for Text<'_> {
    const BEGINS: &'static [u8] = b"\"";
}

impl Shape for bool {
    const BEGINS: &'static [u8] = b"tf";
}

impl<T> Shape for Vec<T> {
    const BEGINS: &'static [u8] = b"[";
}

/// A value of that type, or nothing.
#[derive(Debug)]
pub(super) struct Maybe<T>(pub(super) Option<T>);

/// A string, or nothing.
pub(super) type Word<'a> = Maybe<Text<'a>>;

/// A list with what it holds of that type, or nothing.
pub(super) type List<T> = Maybe<Vec<Maybe<T>>>;

impl<T> Default for Maybe<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de> + Shape> Deserialize<'de> for Maybe<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        if !raw.as_bytes().first().is_some_and(|first| T::BEGINS.contains(first)) {
            return Ok(Self(None));
        }
        serde_json::from_str(raw).map(|value| Self(Some(value))).map_err(D::Error::custom)
    }
}

impl Maybe<Text<'_>> {
    /// The string; empty when there is none.
    pub(super) fn get(&self) -> &str {
        self.0.as_deref().unwrap_or("")
    }

    /// The string, when there is something in it.
    pub(super) fn filled(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.is_empty())
    }

    /// The string, when there is more in it than white space.
    pub(super) fn said(&self) -> Option<&str> {
        self.filled().filter(|text| !text.trim().is_empty())
    }
}

impl<T> List<T> {
    /// What the list holds.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flatten().filter_map(|item| item.0.as_ref())
    }
}

/// A count, or nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Number(pub(super) Option<u64>);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(<&RawValue>::deserialize(deserializer)?.get().parse().ok()))
    }
}
