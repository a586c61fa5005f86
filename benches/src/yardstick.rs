//! The yardstick: a bare typed parse of a Claude Code file, streamed, with nothing rendered.
//!
//! It decodes every string that an export needs and skips all others, one row after the other in
//! a reused buffer. No reader of the format can do less; everything is measured against it.

use carryall_model::Text;
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    #[serde(borrow)]
    r#type: Option<Text<'a>>,
    #[serde(borrow)]
    uuid: Option<Text<'a>>,
    #[serde(borrow)]
    parent_uuid: Option<Text<'a>>,
    #[serde(borrow)]
    timestamp: Option<Text<'a>>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    model: Option<Text<'a>>,
    #[serde(borrow)]
    content: Option<Content<'a>>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    thinking: Option<Text<'a>>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_use_id: Option<Text<'a>>,
    #[serde(borrow)]
    content: Option<Content<'a>>,
}

/// A string, or a list of blocks.
enum Content<'a> {
    Text(Text<'a>),
    Blocks(Vec<Block<'a>>),
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Content<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or blocks")
            }
            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Content::Text(text.into()))
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Content::Text(text.to_owned().into()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut blocks = Vec::new();
                while let Some(block) = seq.next_element()? {
                    blocks.push(block);
                }
                Ok(Content::Blocks(blocks))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// Parses a file, and counts its rows and the bytes of the texts in it, so that nothing can be
/// optimised away.
///
/// # Errors
/// When the file cannot be read, or a row is not what it should be.
pub fn parse(path: &Path) -> anyhow::Result<(u64, u64)> {
    let mut file = BufReader::with_capacity(256 * 1024, File::open(path)?);
    let mut row = Vec::new();
    let (mut rows, mut bytes) = (0, 0);
    while file.read_until(b'\n', &mut row)? > 0 {
        let parsed: Row<'_> = serde_json::from_slice(&row)?;
        rows += 1;
        bytes += size(&parsed);
        row.clear();
    }
    Ok((rows, bytes))
}

fn size(row: &Row<'_>) -> u64 {
    let facts = [&row.r#type, &row.uuid, &row.parent_uuid, &row.timestamp];
    let message = row.message.as_ref();
    let own: usize = facts.into_iter().flatten().map(|text| text.len()).sum();
    let said = message.map_or(0, |message| {
        let facts = [&message.id, &message.model].into_iter().flatten().map(|text| text.len());
        facts.sum::<usize>() as u64 + message.content.as_ref().map_or(0, content)
    });
    own as u64 + said
}

fn content(content: &Content<'_>) -> u64 {
    match content {
        Content::Text(text) => text.len() as u64,
        Content::Blocks(blocks) => blocks.iter().map(block).sum(),
    }
}

fn block(block: &Block<'_>) -> u64 {
    let texts = [&block.text, &block.thinking, &block.id, &block.name, &block.tool_use_id];
    let own: usize = texts.into_iter().flatten().map(|text| text.len()).sum();
    let input = block.input.map_or(0, |input| input.get().len());
    (own + input) as u64 + block.content.as_ref().map_or(0, content)
}
