//! Row by row: what each one is, whose turn it belongs to, and which row says the same.

use super::twins::{Class, Side, Twins, print, sections, text};
use super::{Index, Kind, NONE, Node, Place, SummaryText};
use crate::codex::known::What;
use crate::codex::record::{Payload, Record, Tokens};
use crate::codex::said::{self, Speaker};
use crate::lenient::{Number, Object};
use crate::rows;
use crate::source::{Source, Span};
use carryall_model::{Notice, NoticeKind, Notices, TokenUsage};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;

/// A walk over the files of a thread, the oldest first.
#[derive(Default)]
pub(in crate::codex) struct Scan {
    index: Index,
    file: u16,
    /// Rows with numbers outside of these belong to another thread.
    ordinals: Bounds,
    twins: Twins,
    turns: Turns,
    /// The turn that was begun last.
    started: u32,
    model: u32,
    calls: HashMap<String, u32>,
    /// The numbers of the words.
    words: HashMap<String, u32>,
    /// The fingerprints of all prompts.
    prompts: HashSet<u64>,
    /// The last prompt, while nothing but its other row may follow: node and text.
    last_prompt: Option<(u32, String, Side)>,
    unknown: BTreeMap<String, (u64, Place)>,
}

/// Which rows of a file are the thread's, by their numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::codex) struct Bounds {
    pub(in crate::codex) from: Option<u64>,
    pub(in crate::codex) to: Option<u64>,
}

impl Bounds {
    /// Whether a row is among them; one without a number is.
    pub(in crate::codex) fn hold(self, ordinal: Number) -> bool {
        let Some(ordinal) = ordinal.0 else { return true };
        self.from.is_none_or(|from| from <= ordinal) && self.to.is_none_or(|to| ordinal < to)
    }
}

/// The turns that were begun. Newer rows name theirs; for all others a prompt begins one.
#[derive(Default)]
struct Turns {
    named: HashMap<String, u32>,
    count: u32,
    current: u32,
    /// The current turn was begun by name and not ended.
    open: bool,
    /// There is a prompt in it.
    prompted: bool,
}

impl Turns {
    fn begin(&mut self) -> u32 {
        self.count += 1;
        (self.current, self.open, self.prompted) = (self.count, false, false);
        self.current
    }

    fn of(&mut self, name: Option<&str>) -> u32 {
        let Some(name) = name else { return self.current };
        if let Some(&turn) = self.named.get(name) {
            return turn;
        }
        let turn = self.begin();
        self.named.insert(name.to_owned(), turn);
        turn
    }

    fn start(&mut self, name: Option<&str>) {
        self.current = match name {
            Some(name) => self.of(Some(name)),
            None => self.begin(),
        };
        self.open = true;
    }
}

impl Scan {
    /// Reads the next file.
    pub(in crate::codex) fn file(
        &mut self,
        source: &Source,
        ordinals: Bounds,
        notices: &mut Notices,
    ) -> io::Result<rows::Scanned> {
        self.ordinals = ordinals;
        let scanned = rows::scan(source, notices, &mut |bytes, place| {
            let record = Record::parse(bytes)?;
            self.record(&record, Place { file: self.file, span: place.span });
            Ok(())
        })?;
        self.file += 1;
        Ok(scanned)
    }

    /// What was found in all files.
    pub(in crate::codex) fn finish(mut self, notices: &mut Notices) -> Index {
        let mut unknown: Vec<_> = std::mem::take(&mut self.unknown).into_iter().collect();
        unknown.sort_by_key(|(_, (_, place))| (place.file, place.span.at));
        for (kind, (count, place)) in unknown {
            let rows = if count == 1 { "1 row".to_owned() } else { format!("{count} rows") };
            let Span { at, len, row } = place.span;
            let notice = Notice::new(NoticeKind::UnknownKind).at(row.into(), at, len.into());
            let kind = crate::ledger::kind_name(&kind);
            notices.push(notice.with_detail(format!("{rows} of kind {kind}")));
        }
        self.index
    }

    fn record(&mut self, record: &Record<'_>, place: Place) {
        let what = What::of(record);
        self.index.known += u64::from(what != What::Unknown);
        if !self.ordinals.hold(record.row.ordinal) {
            return;
        }
        self.time(record);
        let payload = &record.payload;
        match what {
            What::Meta | What::Facts | What::LeftOut(_) => {}
            What::Unknown => self.unknown(record, place),
            What::Context => self.context(payload),
            What::TurnStarted => {
                self.turns.start(payload.turn());
                self.started = self.turns.current;
                self.index.open_turn = Some(place);
            }
            What::TurnEnded => self.ended(payload),
            What::TurnAborted => {
                let reason = self.word(payload.reason.filled().unwrap_or("interrupted"));
                let turn = self.turns.of(payload.turn());
                self.push(place, Kind::Aborted(reason), turn);
                self.ended(payload);
            }
            What::TokenCount => {
                let info = payload.info.0.as_ref();
                let total = info.and_then(|info| info.total_token_usage.0.as_ref());
                self.total(total);
            }
            What::TokenRecord => self.tokens(payload, place),
            What::Named => self.index.name = payload.thread_name.filled().map(str::to_owned),
            _ => self.said(what, record, place),
        }
    }

    /// The rows that a document shows something of.
    fn said(&mut self, what: What, record: &Record<'_>, place: Place) {
        let payload = &record.payload;
        match what {
            What::Message => self.message(record, place),
            What::SaidByPerson => self.prompt(record, place, Side::Event, Kind::Prompt),
            What::SaidByModel => self.answer(record, place, Side::Event),
            What::Reasoning => self.thought(record, place, Side::Item),
            What::ThoughtByModel => self.thought(record, place, Side::Event),
            What::Call => self.call(payload, place),
            What::Output => {
                let id = payload.call_id.filled().or(payload.id.filled()).unwrap_or("");
                let id = self.call_number(id);
                self.here(payload, place, Kind::Output(id));
            }
            What::AgentMessage => self.here(payload, place, Kind::AgentMessage),
            What::Problem => self.here(payload, place, Kind::Problem),
            What::Plan => self.plan(record, place),
            What::Compacted => self.compacted(payload, place),
            What::OpaqueCompaction => {
                let (text, thought) = (SummaryText::Nowhere, NONE);
                self.here(payload, place, Kind::Summary { text, thought });
            }
            What::RolledBack => {
                let turns = payload.num_turns.0.unwrap_or(0).try_into().unwrap_or(u32::MAX);
                self.here(payload, place, Kind::RolledBack(turns));
                // What follows and names no turn is not of the one that may be gone now.
                self.turns.begin();
            }
            _ => {}
        }
    }

    fn time(&mut self, record: &Record<'_>) {
        let Some(time) = record.row.timestamp.filled() else { return };
        self.index.started_at.get_or_insert_with(|| time.to_owned());
        let last = self.index.ended_at.get_or_insert_default();
        last.clear();
        last.push_str(time);
    }

    fn unknown(&mut self, record: &Record<'_>, place: Place) {
        self.unknown.entry(record.kind()).or_insert((0, place)).0 += 1;
    }

    fn push(&mut self, place: Place, kind: Kind, turn: u32) -> u32 {
        let node = Node { place, kind, turn, model: self.model, twinned: false };
        self.index.nodes.push(node);
        self.index.nodes.len() as u32 - 1
    }

    fn here(&mut self, payload: &Payload<'_>, place: Place, kind: Kind) {
        let turn = self.turns.of(payload.turn());
        self.last_prompt = None;
        self.push(place, kind, turn);
    }

    fn word(&mut self, word: &str) -> u32 {
        if let Some(&number) = self.words.get(word) {
            return number;
        }
        let number = self.index.words.len() as u32;
        self.index.words.push(word.to_owned());
        self.words.insert(word.to_owned(), number);
        number
    }

    fn context(&mut self, payload: &Payload<'_>) {
        if let Some(name) = payload.turn() {
            self.turns.current = self.turns.of(Some(name));
        }
        if let Some(model) = payload.model.filled() {
            self.model = self.word(model);
        }
        let keep = |fact: &mut Option<String>, value: Option<&str>| {
            if let Some(value) = value {
                *fact = Some(value.to_owned());
            }
        };
        if self.index.cwd.is_none() {
            keep(&mut self.index.cwd, payload.cwd.filled());
        }
        keep(&mut self.index.approval, payload.approval_policy.filled());
        keep(&mut self.index.sandbox, payload.sandbox());
    }

    fn ended(&mut self, payload: &Payload<'_>) {
        let turn = self.turns.of(payload.turn());
        self.turns.open &= turn != self.turns.current;
        if turn == self.started || payload.turn().is_none() {
            self.index.open_turn = None;
        }
    }

    fn total(&mut self, tokens: Option<&Tokens>) {
        let total = tokens.map(usage).filter(|usage| !usage.is_zero());
        self.index.total = total.or(self.index.total);
    }

    fn tokens(&mut self, payload: &Payload<'_>, place: Place) {
        self.total(payload.thread_token_usage.0.as_ref());
        let Some(tokens) = payload.usage.0.as_ref() else { return };
        self.index.usages.push(usage(tokens));
        let number = self.index.usages.len() as u32 - 1;
        let turn = self.turns.of(payload.turn());
        self.push(place, Kind::Usage(number), turn);
    }

    fn message(&mut self, record: &Record<'_>, place: Place) {
        let payload = &record.payload;
        match payload.role.get().unwrap_or("") {
            "assistant" => self.answer(record, place, Side::Item),
            "user" => match said::speaker(&payload.content) {
                Speaker::Person => self.prompt(record, place, Side::Item, Kind::Prompt),
                Speaker::Editor => self.prompt(record, place, Side::Item, Kind::EditorPrompt),
                Speaker::Host => self.injected(record, place),
                Speaker::Shell => self.here(payload, place, Kind::Shell),
            },
            "developer" | "system" => self.here(payload, place, Kind::Instructions),
            _ => self.here(payload, place, Kind::Other),
        }
    }

    /// A prompt; it begins a turn, unless the row about the same text has begun it.
    fn prompt(&mut self, record: &Record<'_>, place: Place, side: Side, kind: Kind) {
        let payload = &record.payload;
        let text = text(record).unwrap_or_default();
        if text.is_empty() && said::attachments(payload).is_empty() {
            return;
        }
        let print = print(&text);
        let named = payload.turn();
        let turn = match named {
            Some(_) => self.turns.of(named),
            None if self.twins.has(self.turns.current, Class::Prompt, side, print) => {
                self.turns.current
            }
            None if self.is_other_row(&text, side) => self.turns.current,
            None if self.turns.prompted && !self.turns.open => self.turns.begin(),
            None => self.turns.current,
        };
        self.turns.prompted |= turn == self.turns.current;
        self.prompts.insert(print);
        let twin = self.twins.take(turn, Class::Prompt, side, print);
        let twin = twin.or_else(|| self.other_row(&text, side));
        match (twin, side) {
            (Some(item), Side::Event) => self.typed(item),
            (twin, _) => {
                let node = self.push(place, kind, turn);
                self.settle_twin(twin, node);
                if twin.is_none() {
                    self.twins.wait(turn, Class::Prompt, side, print, node);
                    self.last_prompt = Some((node, text.into_owned(), side));
                }
            }
        }
    }

    /// An event says that a person typed what an item holds, whatever it looks like.
    fn typed(&mut self, item: u32) {
        let node = &mut self.index.nodes[item as usize];
        node.twinned = true;
        if node.kind == Kind::Injected {
            node.kind = Kind::Prompt;
        }
        self.last_prompt = None;
    }

    /// Whether a prompt is the other row of the one just before it: an item may hold more than
    /// was typed.
    fn is_other_row(&self, text: &str, side: Side) -> bool {
        let Some((_, last, last_side)) = &self.last_prompt else { return false };
        let (item, event) = if side == Side::Item { (text, &**last) } else { (&**last, text) };
        *last_side != side && !event.trim().is_empty() && item.contains(event.trim())
    }

    fn other_row(&mut self, text: &str, side: Side) -> Option<u32> {
        let is_other = self.is_other_row(text, side);
        self.last_prompt.take().filter(|_| is_other).map(|(node, _, _)| node)
    }

    /// Two rows about one text: the item is shown.
    fn settle_twin(&mut self, event: Option<u32>, item: u32) {
        let Some(event) = event else { return };
        self.index.nodes[event as usize].kind = Kind::Elsewhere;
        self.index.nodes[item as usize].twinned = true;
    }

    fn injected(&mut self, record: &Record<'_>, place: Place) {
        let payload = &record.payload;
        let turn = self.turns.of(payload.turn());
        let text = text(record).unwrap_or_default();
        if self.index.cwd.is_none() {
            // The first versions keep these facts nowhere else.
            let fact = |tag| said::environment(&text, tag).map(str::to_owned);
            self.index.cwd = fact("cwd");
            self.index.approval = self.index.approval.take().or(fact("approval_policy"));
            self.index.sandbox = self.index.sandbox.take().or(fact("sandbox_mode"));
        }
        let print = print(&text);
        let twin = self.twins.take(turn, Class::Prompt, Side::Item, print);
        let kind = if twin.is_some() { Kind::Prompt } else { Kind::Injected };
        let node = self.push(place, kind, turn);
        self.settle_twin(twin, node);
        if twin.is_none() {
            self.twins.wait(turn, Class::Prompt, Side::Item, print, node);
        }
    }

    fn answer(&mut self, record: &Record<'_>, place: Place, side: Side) {
        let text = text(record).unwrap_or_default();
        if text.trim().is_empty() {
            return;
        }
        self.last_prompt = None;
        let turn = self.turns.of(record.payload.turn());
        let print = print(&text);
        let twin = self.twins.take(turn, Class::Said, side, print);
        if let (Some(item), Side::Event) = (twin, side) {
            self.index.nodes[item as usize].twinned = true;
            return;
        }
        let node = self.push(place, Kind::Said, turn);
        self.settle_twin(twin, node);
        if twin.is_none() {
            self.twins.wait(turn, Class::Said, side, print, node);
        }
    }

    /// What the model thought. An item may have several sections, each with an event of its own.
    fn thought(&mut self, record: &Record<'_>, place: Place, side: Side) {
        let sections = sections(record);
        if sections.is_empty() {
            return;
        }
        self.last_prompt = None;
        let turn = self.turns.of(record.payload.turn());
        let prints: Vec<u64> = sections.iter().map(|section| print(section)).collect();
        let twins: Vec<Option<u32>> = prints
            .iter()
            .map(|&print| self.twins.take(turn, Class::Thought, side, print))
            .collect();
        if side == Side::Event && twins.iter().all(Option::is_some) {
            for &item in twins.iter().flatten() {
                self.index.nodes[item as usize].twinned = true;
            }
            return;
        }
        let node = self.push(place, Kind::Thought, turn);
        for (&twin, &print) in twins.iter().zip(&prints) {
            match twin {
                Some(twin) if side == Side::Item => self.settle_twin(Some(twin), node),
                Some(_) => {}
                None => self.twins.wait(turn, Class::Thought, side, print, node),
            }
        }
    }

    fn call(&mut self, payload: &Payload<'_>, place: Place) {
        let id = payload.call_id.filled().or(payload.id.filled()).unwrap_or("");
        let number = self.call_number(id);
        self.index.spawns |= payload.name.get().is_some_and(|name| name.contains("spawn"));
        self.here(payload, place, Kind::Call(number));
    }

    fn call_number(&mut self, id: &str) -> u32 {
        let next = self.calls.len() as u32;
        match self.calls.get(id) {
            Some(&number) => number,
            None => *self.calls.entry(id.to_owned()).or_insert(next),
        }
    }

    /// A proposed plan, unless the answer that proposes it holds it whole.
    fn plan(&mut self, record: &Record<'_>, place: Place) {
        let Some(text) = text(record).filter(|text| !text.trim().is_empty()) else { return };
        let turn = self.turns.of(record.payload.turn());
        let twin = self.twins.take(turn, Class::Said, Side::Event, print(&text));
        if twin.is_none() {
            self.push(place, Kind::Plan, turn);
        }
    }

    fn compacted(&mut self, payload: &Payload<'_>, place: Place) {
        let turn = self.turns.of(payload.turn());
        let text = match payload.message.filled() {
            Some(_) => SummaryText::Message,
            None => self.replacement(payload.replacement_history),
        };
        let (text, thought) = (text, NONE);
        self.last_prompt = None;
        self.push(place, Kind::Summary { text, thought }, turn);
    }

    /// The last message of a replaced history that was not said before: the summary, in versions
    /// that write it nowhere else.
    fn replacement(&self, history: Option<&RawValue>) -> SummaryText {
        let items: Vec<Object<Payload<'_>>> =
            history.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        let last = items.iter().rposition(|item| {
            let Some(item) = &item.0 else { return false };
            let text = said::text(&item.content).unwrap_or_default();
            item.role.is("user")
                && !text.trim().is_empty()
                && said::speaker(&item.content) == Speaker::Person
                && !self.prompts.contains(&print(&text))
        });
        last.map_or(SummaryText::Nowhere, |at| SummaryText::Replacement(at as u32))
    }
}

fn usage(tokens: &Tokens) -> TokenUsage {
    let count = |number: Number| number.0.unwrap_or(0);
    let (input, output) = (count(tokens.input_tokens), count(tokens.output_tokens));
    TokenUsage {
        input_tokens: input,
        output_tokens: output,
        total_tokens: tokens.total_tokens.0.unwrap_or(input.saturating_add(output)),
        cached_input_tokens: tokens.cached_input_tokens.0,
        reasoning_tokens: tokens.reasoning_output_tokens.0,
    }
}
