//! The places of a page at which text of a transcript stands.

use super::page::{Page, begin, child};
use super::session::raw;
use carryall_model::{
    Edit, Entry, EntryKind, Facts, FileRef, Found, Input, LeftOut, ListedChild, Notice, NoticeKind,
    Place as Which, Plan, ToolCall, ToolResult,
};
use carryall_render::Renderer;

/// A place, how to bring a text there, and what stands there then.
pub(crate) struct Place {
    pub(crate) name: &'static str,
    /// Writes a document with the text.
    pub(crate) write: fn(&mut dyn Renderer, &str),
    /// Finds the elements whose text it is.
    selector: &'static str,
    kind: Kind,
}

/// What becomes of a text besides the mapping of controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing.
    Whole,
    /// Colours become spans.
    Output,
    /// At most 200 characters; a dash when empty.
    Value,
    /// A path or name: a dash when empty.
    Path,
    /// The title of the session.
    Title,
    /// A line each in a difference.
    Added,
    /// It stands in JSON.
    Json,
    /// Some of it is shown; the page must be inert all the same.
    Some,
}

impl Place {
    /// The page with the text.
    pub(crate) fn render(&self, text: &str) -> Page {
        Page::of(|page| (self.write)(page, text))
    }

    /// What stands in the place.
    pub(crate) fn shown(&self, page: &Page) -> String {
        let shown = page.texts(self.selector).concat();
        if self.kind != Kind::Json {
            return shown;
        }
        let json: serde_json::Value = serde_json::from_str(&shown).unwrap();
        json["k"].as_str().unwrap().to_owned()
    }

    /// What should stand there; nothing when that is not the text.
    pub(crate) fn expected(&self, text: &str) -> Option<String> {
        let dash = |shown: String| if text.is_empty() { "–".to_owned() } else { shown };
        Some(match self.kind {
            Kind::Some => return None,
            Kind::Whole => mapped(text),
            Kind::Output => mapped_output(text),
            Kind::Path => dash(mapped(text)),
            Kind::Value => dash(cut(text)),
            Kind::Title if text.trim().is_empty() => "Carryall session export".to_owned(),
            Kind::Title => cut(text),
            Kind::Added => text
                .split_inclusive('\n')
                .map(|line| format!("+ {}\n", mapped(line.strip_suffix('\n').unwrap_or(line))))
                .collect(),
            // What JSON must escape stands there escaped.
            Kind::Json => text.chars().map(|c| if c < ' ' { c } else { mapped_char(c) }).collect(),
        })
    }
}

/// The declared mapping: what a page shows in a text's place.
pub(crate) fn mapped(text: &str) -> String {
    text.chars().map(mapped_char).collect()
}

fn mapped_char(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' => c,
        '\0' | '\u{80}'..='\u{9f}' => '\u{fffd}',
        '\u{1}'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap(),
        '\u{7f}' => '\u{2421}',
        c => c,
    }
}

/// The mapping of results, in which colours become spans.
pub(crate) fn mapped_output(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\x1b[") {
        let codes = &rest[at + 2..];
        let end = codes.find(|c: char| !(c.is_ascii_digit() || c == ';' || c == ':'));
        let end = end.filter(|&end| codes[end..].starts_with('m'));
        let (kept, next) = end.map_or((at + 2, at + 2), |end| (at, at + 2 + end + 1));
        shown.push_str(&rest[..kept]);
        rest = &rest[next..];
    }
    shown.push_str(rest);
    mapped(&shown)
}

fn cut(text: &str) -> String {
    let shown: String = text.chars().take(200).collect();
    let more = if text.chars().count() > 200 { "…" } else { "" };
    mapped(&shown) + more
}

fn document(page: &mut dyn Renderer, facts: &Facts, write: impl FnOnce(&mut dyn Renderer)) {
    begin(page, facts, Which::Root, &[]);
    write(page);
    page.finish(&Found::default(), &LeftOut::default()).unwrap();
}

fn entry(page: &mut dyn Renderer, entry: Entry<'_>) {
    document(page, &Facts::default(), |page| page.entry(&entry).unwrap());
}

fn call(page: &mut dyn Renderer, call: ToolCall<'_>) {
    document(page, &Facts::default(), |page| {
        page.entry(&Entry { calls: 1, ..Entry::new(EntryKind::Assistant) }).unwrap();
        page.call(&call).unwrap();
    });
}

fn text_of(page: &mut dyn Renderer, kind: EntryKind, text: &str) {
    entry(page, Entry { text: Some(text), ..Entry::new(kind) });
}

fn result_of(text: &str) -> Option<ToolResult<'_>> {
    Some(ToolResult { text, ..ToolResult::default() })
}

fn facts_with(page: &mut dyn Renderer, facts: Facts) {
    document(page, &facts, |_| {});
}

fn plan_of(page: &mut dyn Renderer, plan: &Plan<'_>) {
    entry(page, Entry { plan: Some(plan), ..Entry::new(EntryKind::PlanDocument) });
}

fn file_of(page: &mut dyn Renderer, file: FileRef<'_>) {
    entry(page, Entry { attachments: &[file], ..Entry::new(EntryKind::User) });
}

fn input_of(page: &mut dyn Renderer, name: &str, json: &serde_json::Value) {
    let input = raw(&json.to_string());
    call(page, ToolCall { input: Some(Input::Json(&input)), ..ToolCall::new("", name) });
}

fn subagent_of(page: &mut dyn Renderer, title: &str) {
    let child = child("c", title, "t");
    begin(page, &Facts::default(), Which::Root, &[ListedChild { child: &child, number: Some(1) }]);
    page.finish(&Found::default(), &LeftOut::default()).unwrap();
    begin(page, &Facts { id: title.into(), ..Facts::default() }, Which::Child(1), &[]);
    page.finish(&Found::default(), &LeftOut::default()).unwrap();
}

fn notice_of(page: &mut dyn Renderer, detail: &str) {
    let mut found = Found::default();
    found.notices.push(Notice::new(NoticeKind::MissingFile).with_detail(detail));
    begin(page, &Facts::default(), Which::Root, &[]);
    page.finish(&found, &LeftOut::default()).unwrap();
}

/// All of them; the first nine are those of the vectors.
pub(crate) const PLACES: &[Place] = &[
    Place {
        name: "user",
        write: |page, text| text_of(page, EntryKind::User, text),
        selector: "article pre",
        kind: Kind::Whole,
    },
    Place {
        name: "assistant",
        write: |page, text| text_of(page, EntryKind::Assistant, text),
        selector: "article pre",
        kind: Kind::Whole,
    },
    Place {
        name: "reasoning",
        write: |page, text| {
            entry(page, Entry { reasoning: Some(text), ..Entry::new(EntryKind::Assistant) });
        },
        selector: "article details pre",
        kind: Kind::Whole,
    },
    Place {
        name: "tool-input",
        write: |page, text| {
            call(page, ToolCall { input: Some(Input::Text(text)), ..ToolCall::new("", "Read") });
        },
        selector: ".body pre",
        kind: Kind::Whole,
    },
    Place {
        name: "tool-result",
        write: |page, text| {
            call(page, ToolCall { result: result_of(text), ..ToolCall::new("", "Read") });
        },
        selector: ".body pre",
        kind: Kind::Output,
    },
    Place {
        name: "tool-name",
        write: |page, text| call(page, ToolCall::new("", text)),
        selector: ".meta code",
        kind: Kind::Value,
    },
    Place {
        name: "title",
        write: |page, text| {
            facts_with(page, Facts { title: Some(text.into()), ..Facts::default() });
        },
        selector: "h1",
        kind: Kind::Title,
    },
    Place {
        name: "model",
        write: |page, text| {
            let model = Some(text).filter(|text| !text.is_empty()).or(Some("–"));
            entry(page, Entry { model, ..Entry::new(EntryKind::Assistant) });
        },
        selector: ".head > span:not(.u)",
        kind: Kind::Value,
    },
    Place {
        name: "path",
        write: |page, path| file_of(page, FileRef { path, ..FileRef::default() }),
        selector: ".files code",
        kind: Kind::Path,
    },
    Place {
        name: "command",
        write: |page, text| text_of(page, EntryKind::Command, text),
        selector: "article pre.out",
        kind: Kind::Whole,
    },
    Place {
        name: "command result",
        write: |page, text| {
            entry(page, Entry { result: Some(text), ..Entry::new(EntryKind::Command) });
        },
        selector: "article pre.out",
        kind: Kind::Output,
    },
    Place {
        name: "orphan result",
        write: |page, text| text_of(page, EntryKind::ToolResult, text),
        selector: "article pre.out",
        kind: Kind::Output,
    },
    Place {
        name: "summary",
        write: |page, text| text_of(page, EntryKind::CompactionSummary, text),
        selector: "article pre",
        kind: Kind::Whole,
    },
    Place {
        name: "plan",
        write: |page, text| text_of(page, EntryKind::PlanDocument, text),
        selector: ".card pre",
        kind: Kind::Whole,
    },
    Place {
        name: "system",
        write: |page, text| text_of(page, EntryKind::System, text),
        selector: "article pre",
        kind: Kind::Whole,
    },
    Place {
        name: "other",
        write: |page, text| text_of(page, EntryKind::Other, text),
        selector: "article pre",
        kind: Kind::Whole,
    },
    Place {
        name: "injected",
        write: |page, text| {
            let text = Some(text);
            entry(page, Entry { text, is_meta: true, ..Entry::new(EntryKind::User) });
        },
        selector: "article details pre",
        kind: Kind::Whole,
    },
    Place {
        name: "shell command",
        write: |page, text| {
            call(page, ToolCall { input: Some(Input::Text(text)), ..ToolCall::new("", "Bash") });
        },
        selector: "pre.cmd",
        kind: Kind::Whole,
    },
    Place {
        name: "edit",
        write: |page, text| {
            let edits = [Edit::Replace { path: None, old: "", new: text }];
            call(page, ToolCall { edits: &edits, ..ToolCall::new("", "Edit") });
        },
        selector: "pre.diff > *",
        kind: Kind::Added,
    },
    Place {
        name: "patch",
        write: |page, patch| {
            let edits = [Edit::Patch { path: Some(patch), patch }];
            call(page, ToolCall { edits: &edits, ..ToolCall::new("", "Edit") });
        },
        selector: "pre.diff",
        kind: Kind::Some,
    },
    Place {
        name: "JSON input",
        write: |page, text| input_of(page, "odd", &serde_json::json!({"k": text})),
        selector: ".body pre:not([dir])",
        kind: Kind::Json,
    },
    Place {
        name: "JSON key",
        write: |page, text| {
            let json =
                serde_json::json!({text: "a\nb", "l": [text], "path": text, "pattern": text});
            input_of(page, "odd", &json);
        },
        selector: ".body pre",
        kind: Kind::Some,
    },
    Place {
        name: "call id",
        write: |page, text| call(page, ToolCall::new(text, "Bash")),
        selector: ".meta code + code",
        kind: Kind::Some,
    },
    Place {
        name: "subagent id",
        write: |page, text| {
            call(page, ToolCall { subagent: Some(text), ..ToolCall::new("", "Bash") });
        },
        selector: ".body .label:first-child code",
        kind: Kind::Value,
    },
    Place { name: "subagent title", write: subagent_of, selector: ".child h2", kind: Kind::Some },
    Place { name: "notice", write: notice_of, selector: "#end li span", kind: Kind::Some },
    Place {
        name: "workspace",
        write: |page, text| {
            facts_with(page, Facts { cwd: Some(text.into()), id: text.into(), ..Facts::default() });
        },
        selector: ".facts",
        kind: Kind::Some,
    },
    Place {
        name: "role",
        write: |page, text| entry(page, Entry { role: Some(text), ..Entry::new(EntryKind::Other) }),
        selector: ".head code",
        kind: Kind::Some,
    },
    Place {
        name: "plan facts",
        write: |page, text| {
            let some = Some(text);
            plan_of(
                page,
                &Plan { slug: text, name: some, overview: some, path: some, updated_at: some },
            );
        },
        selector: ".files code",
        kind: Kind::Some,
    },
    Place {
        name: "file facts",
        write: |page, text| {
            let file =
                FileRef { path: "p", name: Some(text), media_type: Some(text), bytes: Some(7) };
            file_of(page, file);
        },
        selector: ".files",
        kind: Kind::Some,
    },
    Place {
        name: "time",
        write: |page, text| {
            let facts = Facts { started_at: Some(text.into()), ..Facts::default() };
            document(page, &facts, |page| {
                let created_at = Some(text);
                page.entry(&Entry { created_at, ..Entry::new(EntryKind::Assistant) }).unwrap();
                let result = ToolResult { completed_at: Some(text), ..ToolResult::default() };
                page.call(&ToolCall { result: Some(result), ..ToolCall::new("", "") }).unwrap();
            });
        },
        selector: ".head",
        kind: Kind::Some,
    },
];
