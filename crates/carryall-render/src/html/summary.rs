//! The line that says what a call did: a verb, its argument, and what came of it.
//!
//! All of it is taken from the call's name, input, edits and result, without knowing the agent.

use super::diff::Diff;
use super::input::{self, Field};
use super::text;
use super::todo::Todos;
use crate::wording;
use carryall_model::{Input, ToolCall};
use std::collections::HashSet;
use std::io::{self, Write};
use std::time::Duration;

/// What a tool does, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Plan,
    Shell,
    Edit,
    Write,
    Read,
    Search,
    Find,
    Fetch,
    Subagent,
}

/// The words of a tool's name that tell its verb; the first line with a hit decides.
const VERBS: [(Verb, &[&str]); 9] = [
    (Verb::Plan, &["todo", "todos", "plan"]),
    (Verb::Shell, &["bash", "shell", "exec", "terminal", "command", "sh"]),
    (Verb::Edit, &["edit", "replace", "patch", "multiedit"]),
    (Verb::Write, &["write", "create"]),
    (Verb::Read, &["read", "view", "cat", "open"]),
    (Verb::Search, &["grep", "search", "rg"]),
    (Verb::Find, &["glob", "find", "ls", "list"]),
    (Verb::Fetch, &["fetch", "web", "browse"]),
    (Verb::Subagent, &["task", "agent", "subagent"]),
];

impl Verb {
    /// The verb of a tool; none for a foreign server's (`server__tool`) and for unknown words.
    pub(super) fn of(name: &str) -> Option<Self> {
        if name.contains("__") {
            return None;
        }
        let words = words(name);
        let has = |hits: &[&str]| words.iter().any(|word| hits.contains(&word.as_str()));
        // `TaskCreate` and its like keep a list of things to do; they start nobody.
        if has(&["task"]) && has(&["create", "update", "list", "get"]) {
            return Some(Self::Plan);
        }
        VERBS.iter().find(|(_, hits)| has(hits)).map(|(verb, _)| *verb)
    }

    fn word(self) -> &'static str {
        match self {
            Self::Plan => "Plan",
            Self::Shell => "Shell",
            Self::Edit => "Edit",
            Self::Write => "Write",
            Self::Read => "Read",
            Self::Search => "Search",
            Self::Find => "Find",
            Self::Fetch => "Fetch",
            Self::Subagent => "Subagent",
        }
    }

    /// Writes the verb, or the tool's name where there is none.
    pub(super) fn write<W: Write>(verb: Option<Self>, name: &str, out: &mut W) -> io::Result<()> {
        if let Some(verb) = verb {
            return write!(out, r#"<span class="verb">{}</span>"#, verb.word());
        }
        out.write_all(br#"<span class="verb"><code>"#)?;
        text::value(out, name)?;
        out.write_all(b"</code></span>")
    }
}

/// The words of a name, in lower case: `TodoWrite`, `todo_write` and `todo-write` are two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut characters = name.chars().take(200).peekable();
    let mut before = ' ';
    while let Some(c) = characters.next() {
        let next_is_lower = characters.peek().is_some_and(|next| next.is_lowercase());
        let case_changes = c.is_uppercase() && (!before.is_uppercase() || next_is_lower);
        if matches!(c, '_' | '-' | '.') || case_changes {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words
}

/// The arguments that tell best what a call is about, best first.
const ARGUMENTS: [&str; 15] = [
    "command",
    "cmd",
    "script",
    "pattern",
    "query",
    "url",
    "uri",
    "file_path",
    "path",
    "filename",
    "notebook_path",
    "description",
    "title",
    "name",
    "prompt",
];

/// What a call is about, on one line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Argument {
    /// At most 160 characters.
    pub(super) line: String,
    /// It is the argument that names it; otherwise it is made of what there was.
    pub(super) named: bool,
    /// It is the one file that is edited.
    pub(super) names_file: bool,
}

impl Argument {
    /// Finds it. Paths in the workspace are shortened, so that their ends are seen.
    pub(super) fn of(
        verb: Option<Verb>,
        call: &ToolCall<'_>,
        fields: &[Field<'_>],
        diffs: &[Diff<'_>],
        todos: Option<&Todos<'_>>,
        workspace: Option<&str>,
    ) -> Option<Self> {
        if let Some(todos) = todos {
            return Some(Self { line: todos.line(), named: true, names_file: false });
        }
        let files = if verb == Some(Verb::Shell) { None } else { files(diffs, workspace) };
        if let Some((line, more)) = files {
            return Some(Self { line, named: true, names_file: more == 0 });
        }
        if let Some(line) = named(fields, workspace) {
            return Some(Self { line, named: true, names_file: false });
        }
        let line = match call.input? {
            Input::Text(text) => first_line(text),
            Input::Json(json) if fields.is_empty() => first_line(&input::string(json)?),
            Input::Json(_) => made_up(fields)?,
        };
        Some(Self { line, named: false, names_file: false })
    }
}

/// The files that the edits name, and how many more than the first they are.
fn files(diffs: &[Diff<'_>], workspace: Option<&str>) -> Option<(String, usize)> {
    let mut seen = HashSet::new();
    let mut paths = diffs.iter().filter_map(|diff| diff.path).filter(|path| seen.insert(*path));
    let first = first_line(inside(paths.next()?, workspace));
    match paths.count() {
        0 => Some((first, 0)),
        more => Some((format!("{first} and {more} more"), more)),
    }
}

/// The first of [`ARGUMENTS`] that is there.
fn named(fields: &[Field<'_>], workspace: Option<&str>) -> Option<String> {
    let field = |key| fields.iter().find(|field| field.key.as_str() == key);
    let string = |key| field(key)?.string().filter(|text| !text.trim_ascii().is_empty());
    for key in ARGUMENTS {
        let Some(text) = string(key) else { continue };
        let path = string("path").filter(|_| key == "pattern");
        return Some(match (key, path) {
            (_, Some(path)) => {
                format!("{} in {}", first_line(&text), first_line(inside(&path, workspace)))
            }
            ("file_path" | "path" | "filename" | "notebook_path", None) => {
                first_line(inside(&text, workspace))
            }
            (_, None) => first_line(&text),
        });
    }
    command(fields).map(|command| first_line(&command))
}

/// A path as seen from the workspace, when it lies in it.
fn inside<'a>(path: &'a str, workspace: Option<&str>) -> &'a str {
    let workspace = workspace.map(|folder| folder.trim_end_matches('/'));
    let rest = workspace.filter(|folder| !folder.is_empty()).and_then(|it| path.strip_prefix(it));
    match rest {
        Some("" | "/") => ".",
        Some(rest) => rest.strip_prefix('/').unwrap_or(path),
        None => path,
    }
}

/// The command of a call: a string, or a list of words. Of `bash -lc …` it is the script.
pub(super) fn command(fields: &[Field<'_>]) -> Option<String> {
    let field = |key| fields.iter().find(|field| field.key.as_str() == key);
    for key in ["command", "cmd", "script"] {
        let Some(field) = field(key) else { continue };
        if let Some(text) = field.string().filter(|text| !text.trim_ascii().is_empty()) {
            return Some(text.into_owned());
        }
        let words = field.words().unwrap_or_default();
        match words.as_slice() {
            [] => {}
            [_, flag, script] if matches!(flag.as_str(), "-c" | "-lc") => {
                return Some(script.as_str().to_owned());
            }
            words => {
                let words: Vec<&str> = words.iter().map(|word| word.as_str()).collect();
                return Some(words.join(" "));
            }
        }
    }
    None
}

/// The first two plain values, else one list.
fn made_up(fields: &[Field<'_>]) -> Option<String> {
    let scalars = fields.iter().filter_map(|field| Some((field.key.as_str(), field.scalar()?)));
    let pairs: Vec<String> =
        scalars.take(2).map(|(key, value)| format!("{key}={}", first_line(&value))).collect();
    if !pairs.is_empty() {
        return Some(first_line(&pairs.join(" ")));
    }
    let lists = fields.iter().filter_map(|field| Some((field.key.as_str(), field.items()?)));
    let (key, items) = lists.into_iter().next()?;
    Some(format!("{} × {items}", first_line(key)))
}

/// The first line that is not blank, 160 characters of it; ` …` when there is more.
pub(super) fn first_line(text: &str) -> String {
    let text = text.trim_ascii();
    let line = text.lines().next().unwrap_or_default();
    let (kept, cut) = text::first_characters(line, 160);
    if cut || line.len() < text.len() {
        format!("{} …", kept.trim_ascii_end())
    } else {
        kept.to_owned()
    }
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The transcript holds no result.
    Lost,
    /// The program ended with this number, which is not 0.
    Exit(String),
    /// The tool says that it failed.
    Failed,
    /// Nothing speaks against it.
    Fine,
}

impl Outcome {
    /// What the result says. A program's exit is looked for where a program may have run: a line
    /// in a file that was read proves nothing.
    pub(super) fn of(verb: Option<Verb>, call: &ToolCall<'_>) -> Self {
        let Some(result) = call.result else { return Self::Lost };
        let ran = matches!(verb, None | Some(Verb::Shell));
        match exit(result.text).filter(|_| ran) {
            Some(number) => Self::Exit(number),
            None if result.is_error => Self::Failed,
            None => Self::Fine,
        }
    }

    /// The class by which a row shows that something is wrong.
    pub(super) fn class(&self) -> &'static str {
        match self {
            Self::Lost => " lost",
            Self::Exit(_) | Self::Failed => " bad",
            Self::Fine => "",
        }
    }
}

/// The exit of a program, when one of the first or last three lines says that it was not 0.
fn exit(printed: &str) -> Option<String> {
    let first = printed.lines().take(3);
    let last = printed.trim_ascii_end().rsplit('\n').take(3);
    first.chain(last).find_map(exit_line)
}

/// The number in a line that says nothing but `exit code N`, `Process exited with code N` or the
/// like.
fn exit_line(line: &str) -> Option<String> {
    if line.len() > 80 {
        return None;
    }
    let line = line.to_ascii_lowercase();
    let mut words =
        line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').filter(|w| !w.is_empty());
    let number = words.next_back().filter(|word| word.parse::<i64>().is_ok_and(|n| n != 0))?;
    let mut ended = false;
    for word in words {
        match word {
            "exit" | "exited" | "return" | "returned" => ended = true,
            "process" | "command" | "shell" | "with" | "code" | "status" => {}
            _ => return None,
        }
    }
    ended.then(|| number.to_owned())
}

/// Writes the facts at the end of the line: ` · ` stands between them by the style sheet.
pub(super) fn facts<W: Write>(
    out: &mut W,
    call: &ToolCall<'_>,
    diffs: &[Diff<'_>],
    outcome: &Outcome,
    child: Option<u32>,
) -> io::Result<()> {
    let mut facts = Facts { out, begun: false };
    facts.edits(diffs)?;
    match (child, call.subagent) {
        (Some(number), _) => facts.fact("", format_args!("subagent s{number}"))?,
        (None, Some(_)) => facts.fact("", format_args!("subagent"))?,
        (None, None) => {}
    }
    match outcome {
        Outcome::Lost => facts.fact("none", format_args!("no result"))?,
        Outcome::Exit(number) => facts.fact("fail", format_args!("exit {number}"))?,
        Outcome::Failed => facts.fact("fail", format_args!("failed"))?,
        Outcome::Fine if diffs.is_empty() => facts.result(call)?,
        Outcome::Fine => {}
    }
    if let Some(took) = call.duration.and_then(took) {
        facts.fact("", format_args!("{took}"))?;
    }
    if facts.begun { facts.out.write_all(b"</span>") } else { Ok(()) }
}

struct Facts<'a, W> {
    out: &'a mut W,
    begun: bool,
}

impl<W: Write> Facts<'_, W> {
    fn begin(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        self.out.write_all(br#"<span class="sum">"#)
    }

    fn fact(&mut self, class: &str, words: std::fmt::Arguments<'_>) -> io::Result<()> {
        self.begin()?;
        match class {
            "" => write!(self.out, "<span>{words}</span>"),
            class => write!(self.out, r#"<span class="{class}">{words}</span>"#),
        }
    }

    /// How many lines the edits put and took away.
    fn edits(&mut self, diffs: &[Diff<'_>]) -> io::Result<()> {
        let added: usize = diffs.iter().map(|diff| diff.added).sum();
        let removed: usize = diffs.iter().map(|diff| diff.removed).sum();
        let plus = format_args!(r#"<span class="plus">+{added}</span>"#);
        let minus = format_args!(r#"<span class="minus">−{removed}</span>"#);
        match (added, removed) {
            (0, 0) => Ok(()),
            (_, 0) => self.fact("", plus),
            (0, _) => self.fact("", minus),
            (_, _) => self.fact("", format_args!("{plus} {minus}")),
        }
    }

    /// What a result that speaks of no failure holds.
    fn result(&mut self, call: &ToolCall<'_>) -> io::Result<()> {
        let Some(result) = call.result else { return Ok(()) };
        match (result.pictures.len(), text::Extent::of(result.text).lines) {
            (0, 0) => self.fact("", format_args!("no output")),
            (0, 1) => Ok(()),
            (0, lines) => self.fact("", format_args!("{} lines", wording::grouped(lines as u64))),
            (1, _) => self.fact("", format_args!("1 picture")),
            (pictures, _) => self.fact("", format_args!("{pictures} pictures")),
        }
    }
}

/// How long it took, when that is worth a word: from two seconds on, or from one where fractions
/// are recorded.
fn took(duration: Duration) -> Option<String> {
    let seconds = duration.as_secs();
    let tenths = duration.subsec_millis() / 100;
    match seconds {
        0 => None,
        1 if duration.subsec_nanos() == 0 => None,
        1..10 if duration.subsec_nanos() > 0 => Some(format!("{seconds}.{tenths} s")),
        1..60 => Some(format!("{seconds} s")),
        60..3600 => Some(format!("{} min {} s", seconds / 60, seconds % 60)),
        _ => Some(format!("{} h {} min", seconds / 3600, seconds / 60 % 60)),
    }
}
