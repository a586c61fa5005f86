//! Reads every row once.

use super::classify::{Class, classify_row};
use super::{
    Attached, Index, Key, Kind, NONE, Node, Parent, Part, Response, Said, System, Task, print,
};
use crate::claude_code::lenient::{Content, Object, Word};
use crate::claude_code::parts::says_something;
use crate::claude_code::row::{
    IndexBlock, IndexMessage, IndexRow, StructuredResult, TaskInput, Usage,
};
use crate::claude_code::twin::Twin;
use crate::rows::{self, Parsed, Place, Scanned};
use crate::source::{Source, Span};
use carryall_model::{Notice, NoticeKind, Notices, TokenUsage};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap};
use std::io;

/// Reads a file into an index; what could not be read, or is not known, becomes notices.
pub(in crate::claude_code) fn scan(
    source: &Source,
    notices: &mut Notices,
) -> io::Result<(Index, Scanned)> {
    let mut scan = Scan::new(source);
    let scanned = rows::scan(source, notices, &mut |record, place| scan.record(record, place))?;
    Ok((scan.finish(notices), scanned))
}

/// Blocks with nothing to show, or whose text is empty.
const SILENT_BLOCKS: &[&str] =
    &["text", "thinking", "redacted_thinking", "fallback", "container_upload"];

/// Whether a block of that kind is known, shown or not.
pub(in crate::claude_code) fn is_known_block(kind: &str) -> bool {
    matches!(kind, "tool_use" | "server_tool_use" | "mcp_tool_use" | "image" | "document")
        || kind.ends_with("tool_result")
        || SILENT_BLOCKS.contains(&kind)
}

struct Scan<'s> {
    source: &'s Source,
    index: Index,
    /// The latest node of each id.
    ids: HashMap<Key, u32>,
    /// Rows whose parent has not been met yet: writers do not always keep the order.
    waiting: HashMap<Key, Vec<u32>>,
    /// The same for the row before a compaction.
    logical: Vec<(u32, Key)>,
    messages: HashMap<Key, u32>,
    calls: HashMap<Key, u32>,
    tasks: HashMap<u32, usize>,
    /// Tasks and the rows that answer them.
    task_results: Vec<(usize, u32)>,
    summaries: Vec<(Key, String)>,
    queued: Vec<(u32, Key)>,
    unknown: BTreeMap<String, (u64, Place)>,
    notices: Notices,
}

impl<'s> Scan<'s> {
    fn new(source: &'s Source) -> Self {
        Self {
            source,
            index: Index::default(),
            ids: HashMap::new(),
            waiting: HashMap::new(),
            logical: Vec::new(),
            messages: HashMap::new(),
            calls: HashMap::new(),
            tasks: HashMap::new(),
            task_results: Vec::new(),
            summaries: Vec::new(),
            queued: Vec::new(),
            unknown: BTreeMap::new(),
            notices: Notices::default(),
        }
    }

    fn record(&mut self, record: &[u8], place: Place) -> Result<(), serde_json::Error> {
        let mut scratch = Vec::new();
        let row: IndexRow<'_> = rows::parse(record, &mut scratch)?.value;
        let (class, unknown) = classify_row(&row);
        self.index.known += u64::from(unknown.is_none());
        if let Some(kind) = unknown {
            self.note_unknown(&kind, place);
        }
        if self.index.session_id.is_none() {
            self.index.session_id = row.session_id.filled().map(str::to_owned);
        }
        let mode = row.permission_mode.filled();
        if mode.is_some() && mode != self.index.permission_mode.as_deref() {
            self.index.permission_mode = mode.map(str::to_owned);
        }
        match class {
            Class::Node(kind) => self.node(&row, kind, record, place),
            Class::Fact => self.fact(&row),
        }
        Ok(())
    }

    fn note_unknown(&mut self, kind: &str, place: Place) {
        let word = |c: char| c.is_ascii_alphanumeric() || "_-./: ".contains(c);
        let name: String = kind.chars().filter(|&c| word(c)).take(60).collect();
        self.unknown.entry(name).or_insert((0, place)).0 += 1;
    }

    fn fact(&mut self, row: &IndexRow<'_>) {
        if let Some(cost) = row.total_cost_usd.and_then(|cost| cost.get().parse().ok()) {
            self.index.cost_usd = Some(cost);
        }
        let titles = &mut self.index.titles;
        if let Some(title) = row.custom_title.filled() {
            titles.custom = Some(title.to_owned());
        }
        if let Some(title) = row.ai_title.filled() {
            titles.generated = Some(title.to_owned());
        }
        if let (Some(title), Some(leaf)) = (row.summary.filled(), row.leaf_uuid.get()) {
            self.summaries.push((Key::of(leaf), title.to_owned()));
        }
    }

    fn node(&mut self, row: &IndexRow<'_>, kind: Kind, record: &[u8], place: Place) {
        let id = row.uuid.filled().map(Key::of);
        if let Some(&earlier) = id.as_ref().and_then(|id| self.ids.get(id)) {
            if self.is_same_message(earlier, record) {
                return;
            }
            let notice = Notice::new(NoticeKind::RepeatedId)
                .with_detail("it says something else, so both are kept");
            self.notices.push(notice.at(place.row, place.span.at, place.span.len.into()));
        }
        let number = self.index.nodes.len() as u32;
        let first_part = self.index.parts.len() as u32;
        let response = self.message(row, kind, place);
        let parent = self.parent(row, number);
        self.index.nodes.push(Node {
            span: place.span,
            row: u32::try_from(place.row).unwrap_or(NONE),
            parent,
            logical: NONE,
            kind,
            side: row.is_sidechain.0,
            meta: row.is_meta.0,
            preserves: false,
            response,
            first_part,
            parts: self.index.parts.len() as u32 - first_part,
            twin: Twin::of(row.tool_use_result, record),
            print: self.print(row, kind, first_part),
            said: said_print(row),
        });
        if let Some(id) = id {
            self.register(id, number);
        }
        self.extras(row, kind, number);
    }

    fn parent(&mut self, row: &IndexRow<'_>, number: u32) -> Parent {
        let Some(parent) = row.parent_uuid.filled().map(Key::of) else { return Parent::Root };
        if let Some(&node) = self.ids.get(&parent) {
            return Parent::Node(node);
        }
        self.waiting.entry(parent).or_default().push(number);
        Parent::Missing
    }

    fn register(&mut self, id: Key, number: u32) {
        self.ids.insert(id, number);
        for child in self.waiting.remove(&id).unwrap_or_default() {
            self.index.nodes[child as usize].parent = Parent::Node(number);
        }
    }

    /// What only a few kinds of rows hold.
    fn extras(&mut self, row: &IndexRow<'_>, kind: Kind, number: u32) {
        if kind == Kind::System(System::Boundary) {
            let segment =
                row.compact_metadata.0.as_ref().and_then(|m| m.preserved_segment.0.as_ref());
            let tail = segment.and_then(|segment| segment.tail_uuid.filled());
            self.index.nodes[number as usize].preserves = tail.is_some();
            if let Some(before) = tail.or(row.logical_parent_uuid.filled()) {
                self.logical.push((number, Key::of(before)));
            }
        }
        if kind == Kind::Attachment(Attached::Prompt) {
            let source = row.attachment.0.as_ref().and_then(|a| a.source_uuid.filled());
            self.queued.extend(source.map(|source| (number, Key::of(source))));
        }
        let agent = row.tool_use_result.and_then(recorded_agent);
        if let (Some(agent), Some(message)) = (agent, &row.message.0) {
            let answered = message.content.blocks().iter().find_map(|b| b.tool_use_id.filled());
            self.link(answered.unwrap_or(""), &agent);
        }
    }

    /// Reads a message's blocks into parts and gives the number of its response.
    fn message(&mut self, row: &IndexRow<'_>, kind: Kind, place: Place) -> u32 {
        let speaks = matches!(kind, Kind::User(_) | Kind::Assistant { .. });
        let Some(message) = &row.message.0 else {
            if speaks {
                self.note_unknown("message/not an object", place);
            }
            return NONE;
        };
        match &message.content {
            // What such a row says is not shown, and must not vanish without a word.
            Content::Nothing if speaks => self.note_unknown("content/no text and no list", place),
            Content::Nothing => {}
            Content::Text(text) if says_something(text) => self.index.parts.push(Part::Text),
            Content::Text(_) => self.index.parts.push(Part::Silent),
            Content::Blocks(blocks) => {
                for block in blocks {
                    let part = self.part(block, place);
                    self.index.parts.push(part);
                }
            }
        }
        if matches!(kind, Kind::Assistant { .. }) { self.response(message) } else { NONE }
    }

    fn part(&mut self, block: &IndexBlock<'_>, place: Place) -> Part {
        match block.kind.get().unwrap_or("") {
            "text" if block.bare.as_deref().is_some_and(says_something) => Part::Text,
            "text" if block.text.is_some_and(raw_says_something) => Part::Text,
            "thinking" if block.thinking.is_some_and(raw_says_something) => Part::Reasoning,
            "tool_use" | "server_tool_use" | "mcp_tool_use" => Part::Call(self.call(block)),
            kind if kind.ends_with("tool_result") => Part::Result(self.result(block)),
            "image" | "document" => Part::Picture,
            kind if SILENT_BLOCKS.contains(&kind) => Part::Silent,
            kind => {
                self.note_unknown(&format!("block/{kind}"), place);
                Part::Silent
            }
        }
    }

    fn call(&mut self, block: &IndexBlock<'_>) -> u32 {
        let number = self.call_number(block.id.get().unwrap_or(""));
        let starts = matches!(block.name.get(), Some("Task" | "Agent"));
        if let (true, Some(id), Some(input)) = (starts, block.id.filled(), block.input) {
            let input: TaskInput<'_> = serde_json::from_str(input.get()).unwrap_or_default();
            self.tasks.insert(number, self.index.tasks.len());
            self.index.tasks.push(Task {
                call: id.to_owned(),
                prompt: print(&input.prompt.get().unwrap_or("").trim()),
                description: input.description.filled().map(str::to_owned),
                agent: None,
            });
        }
        number
    }

    /// Calls without an id are all different; nothing can answer them.
    fn call_number(&mut self, id: &str) -> u32 {
        let next = self.index.calls;
        let number = match id {
            "" => next,
            _ => *self.calls.entry(Key::of(id)).or_insert(next),
        };
        self.index.calls += u32::from(number == next);
        number
    }

    fn result(&mut self, block: &IndexBlock<'_>) -> u32 {
        let id = block.tool_use_id.get().unwrap_or("");
        let number = self.call_number(id);
        if let Some(&task) = self.tasks.get(&number) {
            self.task_results.push((task, self.index.nodes.len() as u32));
        }
        number
    }

    /// Notes which agent a call started; the first word on it counts.
    fn link(&mut self, call: &str, agent: &str) {
        let Some(number) = self.calls.get(&Key::of(call)) else { return };
        let at = *self.tasks.entry(*number).or_insert(self.index.tasks.len());
        if at == self.index.tasks.len() {
            let (call, agent) = (call.to_owned(), None);
            self.index.tasks.push(Task { call, prompt: 0, description: None, agent });
        }
        self.index.tasks[at].agent.get_or_insert_with(|| agent.to_owned());
    }

    fn response(&mut self, message: &IndexMessage<'_>) -> u32 {
        let next = self.index.responses.len() as u32;
        let number = match message.id.filled() {
            None => next,
            Some(id) => *self.messages.entry(Key::of(id)).or_insert(next),
        };
        if number == next {
            self.index.responses.push(Response { usage: None, model: NONE, stop: NONE });
        }
        let (model, stop) = (self.word(&message.model), self.word(&message.stop_reason));
        let response = &mut self.index.responses[number as usize];
        let usage = message.usage.0.as_ref().map(tokens).filter(|usage| !usage.is_zero());
        response.usage = usage.or(response.usage);
        response.model = if model == NONE { response.model } else { model };
        response.stop = if stop == NONE { response.stop } else { stop };
        number
    }

    fn word(&mut self, word: &Word<'_>) -> u32 {
        let Some(word) = word.filled() else { return NONE };
        let words = &mut self.index.words;
        let at = words.iter().rposition(|known| known == word).unwrap_or_else(|| {
            words.push(word.to_owned());
            words.len() - 1
        });
        at as u32
    }

    /// Two copies of one message have the same print; so a prompt's holds its time.
    fn print(&self, row: &IndexRow<'_>, kind: Kind, first_part: u32) -> u64 {
        let parts = self.index.parts[first_part as usize..].iter().map(|part| match part {
            Part::Call(n) | Part::Result(n) => u64::from(*n) + 1,
            Part::Reasoning | Part::Text | Part::Picture | Part::Silent => 0,
        });
        let ids: Vec<u64> = parts.collect();
        let message = row.message.0.as_ref();
        let id = message.and_then(|message| message.id.filled());
        let only_results = matches!(kind, Kind::User(Said::Nothing));
        let time = if id.is_some() || only_results { None } else { row.timestamp.get() };
        let blocks = message.map_or(&[][..], |message| message.content.blocks());
        let texts: Vec<Option<(usize, &[u8])>> = blocks.iter().map(beginning).collect();
        print(&(id, ids, time, texts, said_print(row)))
    }

    /// Whether a row with a known id is the row that is known: equal bytes of the message.
    fn is_same_message(&self, earlier: u32, record: &[u8]) -> bool {
        let mut buf = Vec::new();
        let span = self.index.nodes[earlier as usize].span;
        let Ok(known) = self.source.read_span(span, &mut buf) else { return false };
        match (message_of(known.trim_ascii()), message_of(record)) {
            (Some(a), Some(b)) => a == b,
            _ => known.trim_ascii() == record,
        }
    }

    /// Reads the answers again that did not name their agent in a field of their own.
    fn name_agents(&mut self) {
        let mut buf = Vec::new();
        for &(task, node) in &self.task_results {
            let task = &mut self.index.tasks[task];
            if task.agent.is_some() {
                continue;
            }
            let row = self.source.read_span(self.index.nodes[node as usize].span, &mut buf);
            task.agent = row.ok().and_then(named_agent).map(str::to_owned);
        }
    }

    fn finish(mut self, notices: &mut Notices) -> Index {
        self.name_agents();
        for (node, before) in std::mem::take(&mut self.logical) {
            let before = self.ids.get(&before).copied().unwrap_or(NONE);
            self.index.nodes[node as usize].logical = before;
        }
        let here = self.summaries.iter().rfind(|(leaf, _)| self.ids.contains_key(leaf));
        self.index.titles.summary = here.map(|(_, title)| title.clone());
        let repeated = self.queued.iter().filter(|(_, source)| self.ids.contains_key(source));
        self.index.repeated_prompts = repeated.map(|(node, _)| *node).collect();
        notices.extend(&self.notices);
        let mut unknown: Vec<_> = self.unknown.iter().collect();
        unknown.sort_by_key(|(_, (_, place))| place.row);
        for (kind, (count, place)) in unknown {
            let rows = if *count == 1 { "1 row".to_owned() } else { format!("{count} rows") };
            let Span { at, len, .. } = place.span;
            let notice = Notice::new(NoticeKind::UnknownKind).at(place.row, at, len.into());
            notices.push(notice.with_detail(format!("{rows} of kind {kind}")));
        }
        self.index
    }
}

/// Enough of a block's text to tell it from another of the same response.
fn beginning<'r>(block: &IndexBlock<'r>) -> Option<(usize, &'r [u8])> {
    let raw = block.text.or(block.thinking)?.get().as_bytes();
    Some((raw.len(), &raw[..raw.len().min(64)]))
}

/// [`says_something`] of a string that is not decoded.
fn raw_says_something(raw: &RawValue) -> bool {
    let inside = raw.get().strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
    let mut bytes = inside.unwrap_or("").bytes();
    loop {
        match bytes.next() {
            None => return false,
            Some(b' ') => {}
            Some(b'\\') if matches!(bytes.next(), Some(b'n' | b't' | b'r')) => {}
            Some(_) => return true,
        }
    }
}

fn said_print(row: &IndexRow<'_>) -> u64 {
    let message = row.message.0.as_ref().map(|message| &message.content);
    let content = message.or(row.attachment.0.as_ref().map(|attachment| &attachment.prompt));
    let mut all = String::new();
    match content {
        None | Some(Content::Nothing) => return 0,
        Some(Content::Text(text)) => all.push_str(text),
        Some(Content::Blocks(blocks)) if !row.kind.is("assistant") => {
            for text in blocks.iter().filter_map(IndexBlock::decoded) {
                all.push_str(&text);
            }
        }
        Some(Content::Blocks(_)) => return 0,
    }
    print(&all.trim())
}

fn tokens(usage: &Usage) -> TokenUsage {
    let count = |n: crate::claude_code::lenient::Number| n.0.unwrap_or(0);
    let cached = count(usage.cache_read_input_tokens);
    let written = count(usage.cache_creation_input_tokens);
    let input = count(usage.input_tokens).saturating_add(cached).saturating_add(written);
    let output = count(usage.output_tokens);
    let details = usage.output_tokens_details.0.as_ref();
    TokenUsage {
        input_tokens: input,
        output_tokens: output,
        total_tokens: input.saturating_add(output),
        cached_input_tokens: usage.cache_read_input_tokens.0,
        reasoning_tokens: details.and_then(|details| details.thinking_tokens.0),
    }
}

/// The agent that the second copy of a result names. Most do not, and are not looked into.
fn recorded_agent(result: &RawValue) -> Option<String> {
    let result = result.get().as_bytes();
    memchr::memmem::find(result, b"\"agentId\"")?;
    let mut repaired = Vec::new();
    let parsed: Parsed<Object<StructuredResult<'_>>> = rows::parse(result, &mut repaired).ok()?;
    parsed.value.0?.agent_id.filled().map(str::to_owned)
}

/// The agent that the host's own words, a text of their own in a result, name.
fn named_agent(row: &[u8]) -> Option<&str> {
    let mark = b"\"agentId: ";
    let at = memchr::memmem::find(row, mark)?;
    let rest = &row[at + mark.len()..];
    let end = rest.iter().position(|b| !b.is_ascii_alphanumeric() && !b"-_".contains(b))?;
    std::str::from_utf8(&rest[..end]).ok().filter(|id| !id.is_empty())
}

fn message_of(record: &[u8]) -> Option<&str> {
    #[derive(Deserialize)]
    struct Only<'a> {
        #[serde(borrow)]
        message: Option<&'a RawValue>,
    }
    serde_json::from_slice::<Only<'_>>(record).ok()?.message.map(RawValue::get)
}
