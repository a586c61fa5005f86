//! A second reading of a thread, slow and simple: whole files, `serde_json::Value`, no places.
//!
//! It shares no code and no type with the reader; what it calls the conversation follows the same
//! rules, written down a second time.

use crate::rows::{self, texts};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// What happens in a conversation, in order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Beat {
    Prompt(String),
    Host(String),
    Instructions(String),
    Problem(String),
    Thought(String),
    Said(String),
    Plan(String),
    Orphan(String),
    Other(String),
    Shell(String, String),
    Summary { text: Option<String>, thought: Option<String> },
    Call { id: String, name: String, input: Value, result: Option<String> },
}

/// All that is told of a thread.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) beats: Vec<Beat>,
    /// How often turns were taken back.
    pub(crate) rollbacks: u64,
}

/// What a row is before it is known which rows belong together.
#[derive(Clone, Debug, PartialEq)]
enum Note {
    /// A text, or the sections of one thought; the event about it, or the item.
    Text {
        what: What,
        texts: Vec<String>,
        is_event: bool,
        twinned: bool,
    },
    Beat(Beat),
    Agent(String),
    Answer {
        id: String,
        text: String,
    },
    Back(usize),
    Gone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Prompt,
    Host,
    Thought,
    Said,
}

struct Line {
    note: Note,
    turn: usize,
}

/// Reads a thread.
pub(crate) fn read(path: &Path) -> Told {
    let mut reading = Reading::default();
    rows::of(path).iter().for_each(|row| reading.row(row));
    let Reading { mut lines, .. } = reading;
    say_summaries_once(&mut lines);
    let rollbacks = take_back(&mut lines);
    lines.retain(|line| !matches!(line.note, Note::Gone | Note::Back(_)));
    lines.sort_by_key(|line| line.turn);
    answer(&mut lines);
    Told { beats: tell(lines), rollbacks }
}

#[derive(Default)]
struct Reading {
    lines: Vec<Line>,
    names: HashMap<String, usize>,
    turns: usize,
    turn: usize,
    open: bool,
    prompted: bool,
    /// The line of the last prompt, while no other text or call followed.
    fresh: Option<usize>,
}

impl Reading {
    fn row(&mut self, row: &Value) {
        let (kind, payload) = rows::unwrap(row);
        let name = payload["turn_id"]
            .as_str()
            .or(payload["internal_chat_message_metadata_passthrough"]["turn_id"].as_str())
            .filter(|name| !name.is_empty());
        match &*kind {
            "task_started" | "turn_started" => {
                self.turn = if name.is_some() { self.named(name) } else { self.begin() };
                self.open = true;
            }
            "task_complete" | "turn_complete" | "turn_aborted" => {
                if self.named(name) == self.turn {
                    self.open = false;
                }
            }
            "turn_context" => self.turn = self.named(name),
            _ => self.note(&kind, payload, name),
        }
    }

    fn note(&mut self, kind: &str, payload: &Value, name: Option<&str>) {
        let item = &payload["item"];
        let text = |content: &Value| texts(content).join("\n\n");
        let own = text(&payload["content"]);
        let event = |key: &str| payload[key].as_str().unwrap_or_default().to_owned();
        let turn = |reading: &mut Self| reading.named(name);
        match (kind, payload["role"].as_str().unwrap_or_default()) {
            ("user_message", _) => self.prompt(What::Prompt, event("message"), true, name),
            ("item:UserMessage", _) => {
                self.prompt(What::Prompt, text(&item["content"]), true, name);
            }
            ("message", "user") => match rows::speaker(&payload["content"]) {
                "host" => self.text(What::Host, vec![own], false, name),
                "shell" => self.beat(name, rows::shell(&own)),
                _ => self.prompt(What::Prompt, own, false, name),
            },
            ("message", "assistant") => self.text(What::Said, vec![own], false, name),
            ("message", "developer" | "system") => self.beat(name, Beat::Instructions(own)),
            ("message", _) => self.beat(name, Beat::Other(own)),
            ("agent_message", _) if !payload["message"].is_string() => {
                let turn = turn(self);
                self.fresh = None;
                self.lines.push(Line { note: Note::Agent(own), turn });
            }
            ("agent_message", _) => self.text(What::Said, vec![event("message")], true, name),
            ("item:AgentMessage", _) => {
                self.text(What::Said, vec![text(&item["content"])], true, name);
            }
            ("reasoning", _) => {
                let mut sections = texts(&payload["summary"]);
                sections.extend(texts(&payload["content"]));
                self.text(What::Thought, sections, false, name);
            }
            ("agent_reasoning" | "agent_reasoning_raw_content", _) => {
                self.text(What::Thought, vec![event("text")], true, name);
            }
            ("item:Reasoning", _) => {
                let mut sections = texts(&item["summary_text"]);
                sections.extend(texts(&item["raw_content"]));
                self.text(What::Thought, sections, true, name);
            }
            ("item:Plan", _) => self.plan(event_text(item), name),
            ("error" | "warning", _) => self.beat(name, Beat::Problem(event("message"))),
            ("compacted", _) => {
                let summary = self.summary(payload);
                self.beat(name, Beat::Summary { text: summary, thought: None });
            }
            ("compaction" | "compaction_summary" | "context_compaction", _) => {
                self.beat(name, Beat::Summary { text: None, thought: None });
            }
            ("thread_rolled_back", _) => {
                let turn = turn(self);
                let count = payload["num_turns"].as_u64().unwrap_or(0) as usize;
                self.lines.push(Line { note: Note::Back(count), turn });
                self.begin();
            }
            _ if kind.ends_with("_call") => self.beat(name, rows::call(payload)),
            _ if kind.ends_with("_output") => {
                let turn = turn(self);
                let id = payload["call_id"].as_str().unwrap_or_default().to_owned();
                self.fresh = None;
                let text = rows::respaced(rows::output(payload));
                self.lines.push(Line { note: Note::Answer { id, text }, turn });
            }
            _ => {}
        }
    }

    fn begin(&mut self) -> usize {
        self.turns += 1;
        (self.turn, self.open, self.prompted) = (self.turns, false, false);
        self.turn
    }

    fn named(&mut self, name: Option<&str>) -> usize {
        let Some(name) = name else { return self.turn };
        match self.names.get(name) {
            Some(&turn) => turn,
            None => {
                let turn = self.begin();
                self.names.insert(name.to_owned(), turn);
                turn
            }
        }
    }

    fn beat(&mut self, name: Option<&str>, beat: Beat) {
        let turn = self.named(name);
        self.fresh = None;
        self.lines.push(Line { note: Note::Beat(beat), turn });
    }

    fn prompt(&mut self, what: What, text: String, is_event: bool, name: Option<&str>) {
        let texts = vec![text];
        let next = name.is_none() && self.prompted && !self.open;
        if next && self.twins(what, &texts, is_event, self.turn).is_none() {
            self.begin();
        }
        let turn = self.named(name);
        self.prompted |= turn == self.turn;
        self.text(what, texts, is_event, name);
        self.fresh = Some(self.lines.len() - 1);
    }

    /// The lines of the other side that say the same, one for each section; none if one is missing.
    fn twins(
        &self,
        what: What,
        sections: &[String],
        is_event: bool,
        turn: usize,
    ) -> Option<Vec<usize>> {
        let mut used: Vec<(usize, usize)> = Vec::new();
        for section in sections {
            let found = self.lines.iter().enumerate().find_map(|(at, line)| {
                let Note::Text { what: other, texts, is_event: side, .. } = &line.note else {
                    return None;
                };
                let is_prompt = |what| matches!(what, What::Prompt | What::Host);
                let same = what == *other || is_prompt(what) && is_prompt(*other);
                if !same || *side == is_event || line.turn != turn {
                    return None;
                }
                let part = texts.iter().enumerate().position(|(part, text)| {
                    squeezed(text) == squeezed(section)
                        && !used.contains(&(at, part))
                        && !self.is_taken(at, part)
                });
                let contained = is_prompt(what)
                    && self.fresh == Some(at)
                    && !self.is_taken(at, 0)
                    && !section.trim().is_empty()
                    && match is_event {
                        true => texts[0].contains(section.trim()),
                        false => section.contains(texts[0].trim()) && !texts[0].trim().is_empty(),
                    };
                part.or(contained.then_some(0)).map(|part| (at, part))
            });
            used.push(found?);
        }
        Some(used.into_iter().map(|(at, _)| at).collect())
    }

    /// Whether a part of a line has its other row already.
    fn is_taken(&self, at: usize, _part: usize) -> bool {
        match &self.lines[at].note {
            Note::Text { what: What::Thought, .. } => false,
            Note::Text { twinned, .. } => *twinned,
            _ => true,
        }
    }

    fn text(&mut self, what: What, mut sections: Vec<String>, is_event: bool, name: Option<&str>) {
        if matches!(what, What::Said | What::Thought) {
            sections.retain(|text| !text.trim().is_empty());
            if sections.is_empty() {
                return;
            }
        }
        let turn = self.named(name);
        let twins = self.twins(what, &sections, is_event, turn).filter(|all| !all.is_empty());
        let mut note = Note::Text { what, texts: sections, is_event, twinned: twins.is_some() };
        for twin in twins.into_iter().flatten() {
            let Note::Text { what: other, twinned, .. } = &mut self.lines[twin].note else {
                continue;
            };
            *twinned = true;
            if is_event {
                // The item stands; that a person typed it is now known.
                if *other == What::Host {
                    *other = What::Prompt;
                }
                note = Note::Gone;
            } else {
                self.lines[twin].note = Note::Gone;
                if let Note::Text { what: own @ What::Host, .. } = &mut note {
                    *own = What::Prompt;
                }
            }
        }
        self.fresh = None;
        self.lines.push(Line { note, turn });
    }

    fn plan(&mut self, text: String, name: Option<&str>) {
        let turn = self.named(name);
        let held = self.twins(What::Said, std::slice::from_ref(&text), true, turn);
        if held.is_none() && !text.trim().is_empty() {
            self.lines.push(Line { note: Note::Beat(Beat::Plan(text)), turn });
        }
    }

    fn summary(&self, payload: &Value) -> Option<String> {
        let message = payload["message"].as_str().filter(|text| !text.is_empty());
        if let Some(message) = message {
            return Some(message.to_owned());
        }
        let said: HashSet<String> = self
            .lines
            .iter()
            .filter_map(|line| match &line.note {
                Note::Text { what: What::Prompt, texts, .. } => Some(squeezed(&texts.join(""))),
                _ => None,
            })
            .collect();
        let items = payload["replacement_history"].as_array()?;
        items.iter().rev().find_map(|item| {
            let text = texts(&item["content"]).join("\n\n");
            let is_summary = item["role"] == "user"
                && !text.trim().is_empty()
                && rows::speaker(&item["content"]) == "person"
                && !said.contains(&squeezed(&text));
            is_summary.then_some(text)
        })
    }
}

fn event_text(item: &Value) -> String {
    item["text"].as_str().unwrap_or_default().to_owned()
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The answer to the request for a summary is the summary once more; the list that a compaction
/// leaves may have a row of its own.
fn say_summaries_once(lines: &mut [Line]) {
    let shown: Vec<usize> =
        (0..lines.len()).filter(|&at| !matches!(lines[at].note, Note::Gone)).collect();
    for (number, &at) in shown.iter().enumerate() {
        let Note::Beat(Beat::Summary { text: Some(text), .. }) = lines[at].note.clone() else {
            continue;
        };
        let before: Vec<usize> = shown[..number].iter().rev().copied().take(2).collect();
        let untold = |at: usize, kind: What| match &lines[at].note {
            Note::Text { what, texts, twinned: false, is_event: false } if *what == kind => {
                Some(texts.join("\n\n"))
            }
            _ => None,
        };
        let Some(said) = before.first().and_then(|&at| untold(at, What::Said)) else { continue };
        if !text.trim_end().ends_with(said.trim()) {
            continue;
        }
        let thought = before.get(1).and_then(|&at| untold(at, What::Thought));
        lines[before[0]].note = Note::Gone;
        if thought.is_some() {
            lines[before[1]].note = Note::Gone;
        }
        lines[at].note = Note::Beat(Beat::Summary { text: Some(text), thought });
    }
    let mut last: Option<usize> = None;
    for at in shown {
        match lines[at].note {
            Note::Beat(Beat::Summary { ref text, .. }) => {
                let doubled = last.filter(|&last| lines[last].turn == lines[at].turn);
                let is_empty = text.is_none();
                if let Some(doubled) = doubled {
                    lines[if is_empty { at } else { doubled }].note = Note::Gone;
                }
                if doubled.is_none() || !is_empty {
                    last = Some(at);
                }
            }
            Note::Gone
            | Note::Text { what: What::Host, .. }
            | Note::Beat(Beat::Instructions(_)) => {}
            _ => last = None,
        }
    }
}

/// Removes what was taken back, and what comes late and belongs to it.
fn take_back(lines: &mut [Line]) -> u64 {
    let (mut prompts, mut gone, mut rollbacks) = (Vec::new(), HashSet::new(), 0);
    for at in 0..lines.len() {
        let turn = lines[at].turn;
        match lines[at].note {
            Note::Back(count) => {
                let taken = prompts.split_off(prompts.len() - count.min(prompts.len()));
                let Some(&first) = taken.first() else { continue };
                rollbacks += 1;
                lines[first..at].iter_mut().for_each(|line| line.note = Note::Gone);
                let kept: HashSet<usize> = prompts.iter().map(|&at| lines[at].turn).collect();
                gone.extend(
                    taken.iter().map(|&at| lines[at].turn).filter(|turn| !kept.contains(turn)),
                );
            }
            _ if gone.contains(&turn) => lines[at].note = Note::Gone,
            Note::Text { what: What::Prompt, .. } | Note::Agent(_) => prompts.push(at),
            _ => {}
        }
    }
    rollbacks
}

/// Gives each answer to the first call with its id that has none.
fn answer(lines: &mut [Line]) {
    for at in 0..lines.len() {
        let Note::Answer { id, text } = lines[at].note.clone() else { continue };
        let call = lines.iter_mut().find_map(|line| match &mut line.note {
            Note::Beat(Beat::Call { id: other, result: result @ None, .. }) if *other == id => {
                Some(result)
            }
            _ => None,
        });
        if let Some(result) = call {
            *result = Some(text);
            lines[at].note = Note::Gone;
        }
    }
}

fn tell(lines: Vec<Line>) -> Vec<Beat> {
    let mut beats = Vec::new();
    for Line { note, .. } in lines {
        match note {
            Note::Text { what: What::Thought, texts, .. } => {
                texts.iter().for_each(|text| think(&mut beats, text));
            }
            Note::Text { what: What::Said, texts, .. } => say(&mut beats, &texts.join("\n\n")),
            Note::Text { what: What::Host, texts, .. } => {
                beats.push(Beat::Host(texts.join("\n\n")));
            }
            Note::Text { what: What::Prompt, texts, .. } => prompt(&mut beats, &texts.join("\n\n")),
            Note::Beat(beat) => beats.push(beat),
            Note::Agent(text) => beats.push(Beat::Other(text)),
            Note::Answer { text, .. } => beats.push(Beat::Orphan(text)),
            Note::Back(_) | Note::Gone => {}
        }
    }
    beats
}

fn prompt(beats: &mut Vec<Beat>, text: &str) {
    let editor = text.trim_start().starts_with("# Context from my IDE setup:");
    match text.split_once("## My request for Codex:").filter(|_| editor) {
        Some((context, request)) => {
            beats.push(Beat::Host(context.trim_end().to_owned()));
            beats.push(Beat::Prompt(request.trim_start().to_owned()));
        }
        None => beats.push(Beat::Prompt(text.to_owned())),
    }
}

/// Adds what was thought; thoughts without anything between are one.
pub(crate) fn think(beats: &mut Vec<Beat>, text: &str) {
    match beats.last_mut() {
        Some(Beat::Thought(all)) => *all = format!("{all}\n\n{text}"),
        _ => beats.push(Beat::Thought(text.to_owned())),
    }
}

/// Adds what was said; the same.
pub(crate) fn say(beats: &mut Vec<Beat>, text: &str) {
    match beats.last_mut() {
        Some(Beat::Said(all)) => *all = format!("{all}\n\n{text}"),
        _ => beats.push(Beat::Said(text.to_owned())),
    }
}
