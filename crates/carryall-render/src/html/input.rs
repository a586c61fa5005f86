//! The arguments of a call, as far as a page looks into them.

use super::block::Pre;
use super::text::{self, Extent};
use crate::json::{Audience, Layout, copy, decode_string};
use carryall_model::Text;
use memchr::memchr_iter;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

/// How many arguments of a call are looked at; the JSON below shows them all.
const MOST_FIELDS: usize = 256;

/// One argument.
pub(super) struct Field<'a> {
    /// Its name.
    pub(super) key: Text<'a>,
    value: &'a RawValue,
}

impl<'a> Field<'a> {
    /// The value, when it is a string.
    pub(super) fn string(&self) -> Option<Cow<'a, str>> {
        string(self.value)
    }

    /// A string, number or truth value as a person would write it.
    pub(super) fn scalar(&self) -> Option<Cow<'a, str>> {
        match self.value.get().bytes().next()? {
            b'"' => self.string(),
            b'{' | b'[' | b'n' => None,
            _ => Some(Cow::Borrowed(self.value.get())),
        }
    }

    /// How many items a list has.
    pub(super) fn items(&self) -> Option<usize> {
        let mut list = serde_json::Deserializer::from_str(self.value.get());
        list.deserialize_seq(Items).ok()
    }

    /// The words of a list that holds only strings.
    pub(super) fn words(&self) -> Option<Vec<Text<'a>>> {
        self.list()
    }

    /// The items of a list that holds only such.
    pub(super) fn list<T: Deserialize<'a>>(&self) -> Option<Vec<T>> {
        // Asked of every argument: a parser would quote a whole text to say that it is no list.
        let value = self.value.get();
        if !value.starts_with('[') {
            return None;
        }
        serde_json::from_str(value).ok()
    }
}

/// The arguments of a call whose input is an object; none otherwise.
pub(super) fn fields(input: &RawValue) -> Vec<Field<'_>> {
    let mut object = serde_json::Deserializer::from_str(input.get());
    object.deserialize_map(Fields).unwrap_or_default()
}

/// A JSON value, when it is a string.
pub(super) fn string(value: &RawValue) -> Option<Cow<'_, str>> {
    let token = value.get();
    if !token.starts_with('"') {
        return None;
    }
    let text = serde_json::from_str::<Text<'_>>(token);
    Some(text.map_or_else(|_| decode_string(token).into(), |text| text.0))
}

/// Collects the arguments, their values unread.
struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Vec<Field<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some((key, value)) = map.next_entry()? {
            if fields.len() < MOST_FIELDS {
                fields.push(Field { key, value });
            }
        }
        Ok(fields)
    }
}

/// Counts the items of a list.
struct Items;

impl<'de> Visitor<'de> for Items {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<usize, A::Error> {
        let mut items = 0;
        while list.next_element::<IgnoredAny>()?.is_some() {
            items += 1;
        }
        Ok(items)
    }
}

/// The arguments of a call as JSON, indented as they are written and never held: the indented form
/// of a hostile input can be a hundred times its size.
#[derive(Clone, Copy)]
pub(super) struct Json<'a>(&'a str);

impl<'a> Json<'a> {
    /// The arguments as recorded.
    pub(super) fn new(input: &'a RawValue) -> Self {
        Self(input.get())
    }

    /// How long the indented form is, and whether that is [long](Pre::Json).
    pub(super) fn measure(self) -> (Extent, bool) {
        let mut measure = Measure::default();
        // A measure takes everything.
        let _ = copy(self.0, Layout::Indented(0), Audience::People, &mut measure);
        let Measure { feeds, bytes, characters } = measure;
        let extent = Extent { lines: feeds + usize::from(bytes > 0), bytes };
        (extent, Pre::Json.is_long(extent, || characters))
    }

    /// Writes the element with the indented form.
    pub(super) fn write<W: Write>(self, out: &mut W) -> io::Result<()> {
        out.write_all(Pre::Json.tag().as_bytes())?;
        out.write_all(b"\n")?;
        copy(self.0, Layout::Indented(0), Audience::People, &mut Escaped(&mut *out))?;
        out.write_all(b"</pre>\n")
    }
}

/// Counts what is written to it.
#[derive(Default)]
struct Measure {
    feeds: usize,
    bytes: usize,
    characters: usize,
}

impl Write for Measure {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.feeds += memchr_iter(b'\n', bytes).count();
        self.bytes += bytes.len();
        // Every byte but those that continue a character.
        self.characters += bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Escapes the tokens that are written to it, each of which is whole characters.
struct Escaped<'w, W>(&'w mut W);

impl<W: Write> Write for Escaped<'_, W> {
    fn write(&mut self, token: &[u8]) -> io::Result<usize> {
        let token = std::str::from_utf8(token).map_err(io::Error::other)?;
        text::text(self.0, token)?;
        Ok(token.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn arguments_are_read_in_their_order_and_only_strings_are_strings() {
        let json = raw(r#"{"b":"x\ny","a":1.50,"b":null,"l":["p","q"],"m":[1],"t":true}"#);
        let fields = fields(&json);
        let keys: Vec<&str> = fields.iter().map(|field| field.key.as_str()).collect();
        assert_eq!(keys, ["b", "a", "b", "l", "m", "t"]);
        assert_eq!(fields[0].string().as_deref(), Some("x\ny"));
        assert_eq!(fields[1].string(), None);
        assert_eq!(fields[1].scalar().as_deref(), Some("1.50"));
        assert_eq!(fields[2].scalar(), None);
        assert_eq!(fields[3].items(), Some(2));
        assert_eq!(fields[3].words().unwrap().len(), 2);
        assert!(fields[4].words().is_none());
        assert_eq!(fields[5].scalar().as_deref(), Some("true"));
    }

    #[test]
    fn what_is_no_object_has_no_arguments() {
        for json in ["[1]", "\"a\"", "7", "null"] {
            assert!(fields(&raw(json)).is_empty(), "{json}");
        }
        let many: Vec<String> = (0..300).map(|n| format!("\"k{n}\":{n}")).collect();
        assert_eq!(fields(&raw(&format!("{{{}}}", many.join(",")))).len(), MOST_FIELDS);
    }

    #[test]
    fn half_a_surrogate_pair_does_not_hide_a_string() {
        let json = raw(r#"{"command":"echo \ud83d!"}"#);
        assert_eq!(fields(&json)[0].string().as_deref(), Some("echo \u{fffd}!"));
    }

    #[test]
    fn json_is_measured_as_it_is_written() {
        let json = raw(r#"{"a":[1,{"b":"<\u001b\u00e9>"}],"c":{}}"#);
        let mut out = Vec::new();
        Json::new(&json).write(&mut out).unwrap();
        let html = String::from_utf8(out).unwrap();
        let shown = html.strip_prefix("<pre>\n").unwrap().strip_suffix("</pre>\n").unwrap();
        let shown = shown.replace("&lt;", "<").replace("&gt;", ">");
        let (extent, long) = Json::new(&json).measure();
        assert_eq!((extent, long), (Extent::of(&shown), false));
        assert_eq!(extent.lines, 9);
    }
}
