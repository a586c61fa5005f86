//! One text, two rows: the item that the model's window holds, and the event about it. They stand
//! in one turn, in either order.

use super::super::record::{Part, Record};
use super::super::said;
use crate::lenient::Content;
use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Class {
    Prompt,
    Thought,
    Said,
}

/// Which of two rows about one text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Side {
    Item,
    Event,
}

impl Side {
    fn other(self) -> Self {
        match self {
            Self::Item => Self::Event,
            Self::Event => Self::Item,
        }
    }
}

/// A fingerprint of a text that does not see white space: parts are joined in different ways.
pub(super) fn print(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    for word in text.split_whitespace() {
        hasher.write(word.as_bytes());
    }
    hasher.finish()
}

/// The rows that still wait for the other row about their text, by a fingerprint of its turn,
/// class, side and text.
#[derive(Debug, Default)]
pub(super) struct Twins {
    waiting: HashMap<u64, Queue>,
}

/// Rows with one fingerprint; nearly always there is one.
#[derive(Debug)]
enum Queue {
    One(u32),
    #[expect(clippy::box_collection, reason = "the map has an entry for nearly every row")]
    More(Box<VecDeque<u32>>),
}

fn key(turn: u32, class: Class, side: Side, print: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (turn, class, side, print).hash(&mut hasher);
    hasher.finish()
}

impl Twins {
    /// The row of the other side that has this text and waits; it waits no longer.
    pub(super) fn take(&mut self, turn: u32, class: Class, of: Side, print: u64) -> Option<u32> {
        let Entry::Occupied(mut waiting) = self.waiting.entry(key(turn, class, of.other(), print))
        else {
            return None;
        };
        match waiting.get_mut() {
            Queue::One(node) => {
                let node = *node;
                waiting.remove();
                Some(node)
            }
            Queue::More(nodes) => {
                let node = nodes.pop_front();
                if nodes.is_empty() {
                    waiting.remove();
                }
                node
            }
        }
    }

    /// Whether a row of the other side waits.
    pub(super) fn has(&self, turn: u32, class: Class, of: Side, print: u64) -> bool {
        self.waiting.contains_key(&key(turn, class, of.other(), print))
    }

    /// Lets a row wait.
    pub(super) fn wait(&mut self, turn: u32, class: Class, side: Side, print: u64, node: u32) {
        match self.waiting.entry(key(turn, class, side, print)) {
            Entry::Vacant(vacant) => drop(vacant.insert(Queue::One(node))),
            Entry::Occupied(mut waiting) => match waiting.get_mut() {
                Queue::One(first) => {
                    *waiting.get_mut() = Queue::More(Box::new([*first, node].into()));
                }
                Queue::More(nodes) => nodes.push_back(node),
            },
        }
    }
}

/// The text of a message or of the event about one.
pub(in crate::codex) fn text<'r>(record: &'r Record<'_>) -> Option<Cow<'r, str>> {
    let payload = &record.payload;
    let item = payload.item.0.as_ref();
    let event = payload.message.get().or(payload.text.get());
    let event = event.or(item.and_then(|item| item.text.get()));
    event
        .filter(|text| !text.is_empty())
        .map(Cow::Borrowed)
        .or_else(|| said::text(&payload.content))
        .or_else(|| item.and_then(|item| said::text(&item.content)))
}

/// The sections of what the model thought, or of an event about it.
pub(in crate::codex) fn sections<'r>(record: &'r Record<'_>) -> Vec<&'r str> {
    let payload = &record.payload;
    let item = payload.item.0.as_ref();
    let lists = [
        Some(&payload.summary),
        Some(&payload.content),
        item.map(|item| &item.summary_text),
        item.map(|item| &item.raw_content),
    ];
    let mut sections: Vec<&str> = payload.text.filled().into_iter().collect();
    for list in lists.into_iter().flatten() {
        sections.extend(texts(list));
    }
    sections.retain(|text| !text.trim().is_empty());
    sections
}

fn texts<'c>(list: &'c Content<'_, Part<'_>>) -> impl Iterator<Item = &'c str> {
    list.blocks().iter().filter_map(|part| part.text.filled())
}
