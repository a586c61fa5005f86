//! Values that take whatever stands in a row: a field of an unexpected type is an absent field,
//! never a lost row.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A type that picks what it wants of any JSON value; what it does not want becomes the default.
trait Shape<'de>: Default {
    fn string(_: Cow<'de, str>) -> Self {
        Self::default()
    }
    fn truth(_: bool) -> Self {
        Self::default()
    }
    fn number(_: u64) -> Self {
        Self::default()
    }
    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
    fn object<A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

struct Any<S>(PhantomData<S>);

fn any<'de, S: Shape<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<S, D::Error> {
    deserializer.deserialize_any(Any(PhantomData))
}

impl<'de, S: Shape<'de>> Visitor<'de> for Any<S> {
    type Value = S;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<S, E> {
        Ok(S::truth(truth))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<S, E> {
        Ok(S::number(u64::try_from(number).unwrap_or(0)))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<S, E> {
        Ok(S::number(number))
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<S, E> {
        Ok(S::default())
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<S, E> {
        Ok(S::string(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<S, E> {
        Ok(S::string(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E: Error>(self) -> Result<S, E> {
        Ok(S::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<S, A::Error> {
        S::list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<S, A::Error> {
        S::object(map)
    }
}

/// A string, or nothing.
#[derive(Debug, Default)]
pub(crate) struct Word<'a>(pub(crate) Option<Cow<'a, str>>);

impl Word<'_> {
    /// The string, when there was one.
    pub(crate) fn get(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The string, when there was one with something in it.
    pub(crate) fn filled(&self) -> Option<&str> {
        self.get().filter(|text| !text.is_empty())
    }

    /// Whether it is this string.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.get() == Some(text)
    }
}

impl<'de> Shape<'de> for Word<'de> {
    fn string(text: Cow<'de, str>) -> Self {
        Self(Some(text))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Word<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        any::<Word<'de>, D>(deserializer)
    }
}

/// A truth value; anything else is false.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flag(pub(crate) bool);

impl<'de> Shape<'de> for Flag {
    fn truth(truth: bool) -> Self {
        Self(truth)
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        any(deserializer)
    }
}

/// A count, when there is one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Number(pub(crate) Option<u64>);

impl<'de> Shape<'de> for Number {
    fn number(number: u64) -> Self {
        Self(Some(number))
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        any(deserializer)
    }
}

/// An object with the fields of `T`, or nothing.
#[derive(Debug)]
pub(crate) struct Object<T>(pub(crate) Option<T>);

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Shape<'de> for Object<T> {
    fn object<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|value| Self(Some(value)))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        any(deserializer)
    }
}

/// A block that may stand as a bare string.
pub(crate) trait FromText<'de> {
    /// The block that the string stands for.
    fn from_text(text: Cow<'de, str>) -> Self;
}

/// What a message says: a string, or blocks.
#[derive(Debug, Default)]
pub(crate) enum Content<'a, B> {
    /// Neither.
    #[default]
    Nothing,
    /// A string.
    Text(Cow<'a, str>),
    /// Blocks; what is no block is left out.
    Blocks(Vec<B>),
}

impl<B> Content<'_, B> {
    /// The blocks; none for a string.
    pub(crate) fn blocks(&self) -> &[B] {
        match self {
            Self::Blocks(blocks) => blocks,
            Self::Nothing | Self::Text(_) => &[],
        }
    }
}

impl<'de: 'a, 'a, B: Deserialize<'de> + FromText<'de>> Shape<'de> for Content<'a, B> {
    fn string(text: Cow<'de, str>) -> Self {
        Self::Text(text)
    }

    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut blocks = Vec::new();
        while let Some(Item(block)) = list.next_element()? {
            blocks.extend(block);
        }
        Ok(Self::Blocks(blocks))
    }
}

impl<'de: 'a, 'a, B: Deserialize<'de> + FromText<'de>> Deserialize<'de> for Content<'a, B> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        any(deserializer)
    }
}

struct Item<B>(Option<B>);

impl<B> Default for Item<B> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, B: Deserialize<'de> + FromText<'de>> Shape<'de> for Item<B> {
    fn string(text: Cow<'de, str>) -> Self {
        Self(Some(B::from_text(text)))
    }

    fn object<A: MapAccess<'de>>(map: A) -> Result<Self, A::Error> {
        B::deserialize(MapAccessDeserializer::new(map)).map(|block| Self(Some(block)))
    }
}

impl<'de, B: Deserialize<'de> + FromText<'de>> Deserialize<'de> for Item<B> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        any(deserializer)
    }
}
