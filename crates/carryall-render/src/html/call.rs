//! A tool call: one line that opens.

use super::Html;
use super::block::{self, Pre};
use super::diff::{self, Diff};
use super::input::{self, Field, Json};
use super::spot::Spot;
use super::summary::{self, Argument, Outcome, Verb};
use super::text;
use super::todo::Todos;
use carryall_model::{Input, ToolCall, ToolResult};
use std::io::{self, Write};

/// Edits of up to this many lines are shown without being asked for.
const SHORT_DIFF: usize = 30;

/// A call, looked through.
struct View<'a> {
    call: &'a ToolCall<'a>,
    verb: Option<Verb>,
    fields: Vec<Field<'a>>,
    diffs: Vec<Diff<'a>>,
    todos: Option<Todos<'a>>,
    argument: Option<Argument>,
    outcome: Outcome,
    json: Option<Json<'a>>,
    spot: Spot,
    /// The subagent whose document follows.
    child: Option<u32>,
}

impl<W: Write> Html<W> {
    /// Writes a call into the frame of its entry.
    pub(super) fn write_call(&mut self, call: &ToolCall<'_>) -> io::Result<()> {
        self.open_calls()?;
        let spot = self.document.next_call();
        let child = self.document.child_of(call);
        if let Some(child) = child {
            self.children.called_from(child, spot);
        }
        let view = View::of(call, spot, child, self.document.workspace.as_deref());
        self.write_line(&view)?;
        self.write_body(&view)?;
        self.out.write_all(b"</div>\n</details>\n")
    }

    /// The line: verb, argument, facts.
    fn write_line(&mut self, view: &View<'_>) -> io::Result<()> {
        let level = self.document.level() + 1;
        let open = if view.opens() { " open" } else { "" };
        let (class, id) = (view.outcome.class(), view.spot.id());
        write!(self.out, "<details class=\"call{class}\" id=\"{id}\"{open}>\n<summary><h{level}>")?;
        Verb::write(view.verb, view.call.name, &mut self.out)?;
        if let Some(argument) = &view.argument {
            self.out.write_all(br#" <code class="arg" dir="auto">"#)?;
            text::text(&mut self.out, &argument.line)?;
            self.out.write_all(b"</code>")?;
        }
        write!(self.out, "</h{level}>")?;
        summary::facts(&mut self.out, view.call, &view.diffs, &view.outcome, view.child)?;
        self.out.write_all(b"</summary>\n<div class=\"body\">\n")
    }

    fn write_body(&mut self, view: &View<'_>) -> io::Result<()> {
        view.write_decoded(&mut self.out)?;
        let shows_json = view.shows_json();
        if let (true, Some(json)) = (shows_json, view.json) {
            block::open_json(&mut self.out, json)?;
        }
        view.write_subagent(&mut self.out)?;
        view.write_result(&mut self.out)?;
        if let (false, Some(json)) = (shows_json, view.json) {
            block::folded_json(&mut self.out, json)?;
        }
        if let (true, Some(text)) = (view.has_edits(), view.patch()) {
            block::fold(&mut self.out, "Input", Pre::Argument, text)?;
        }
        self.write_foot(view)
    }

    /// The call's number, tool and id, and when it was done.
    fn write_foot(&mut self, view: &View<'_>) -> io::Result<()> {
        let (id, label) = (view.spot.id(), view.spot.label());
        let out = &mut self.out;
        write!(out, r##"<p class="meta"><a class="n" href="#{id}" aria-label="Link to call "##)?;
        write!(out, r#"{label}">{label}</a><code>"#)?;
        text::value(out, view.call.name)?;
        out.write_all(b"</code>")?;
        if !view.call.id.is_empty() {
            out.write_all(b"<code>")?;
            text::value(out, view.call.id)?;
            out.write_all(b"</code>")?;
        }
        if let Some(at) = view.call.result.and_then(|result| result.completed_at) {
            out.write_all(b"<span>done ")?;
            self.document.write_clock(out, at)?;
            out.write_all(b"</span>")?;
        }
        out.write_all(b"</p>\n")
    }
}

impl<'a> View<'a> {
    fn of(call: &'a ToolCall<'a>, spot: Spot, child: Option<u32>, workspace: Option<&str>) -> Self {
        let verb = Verb::of(call.name);
        let (fields, json) = match call.input {
            Some(Input::Json(json)) => (input::fields(json), Some(Json::new(json))),
            Some(Input::Text(_)) | None => (Vec::new(), None),
        };
        let diffs: Vec<Diff<'a>> = call.edits.iter().map(Diff::of).collect();
        let todos = if verb == Some(Verb::Plan) { Todos::of(&fields) } else { None };
        let argument = Argument::of(verb, call, &fields, &diffs, todos.as_ref(), workspace);
        let outcome = Outcome::of(verb, call);
        Self { call, verb, fields, diffs, todos, argument, outcome, json, spot, child }
    }

    /// Short edits are what a reader came for.
    fn opens(&self) -> bool {
        let shown: usize = self.diffs.iter().map(|diff| diff.shown).sum();
        let sound = matches!(self.outcome, Outcome::Fine | Outcome::Lost);
        sound && (1..=SHORT_DIFF).contains(&shown)
    }

    /// The arguments stand open where nothing else says what the call was about.
    fn shows_json(&self) -> bool {
        let named = self.argument.as_ref().is_some_and(|argument| argument.named);
        self.verb.is_none() || !(named || self.has_edits())
    }

    fn has_edits(&self) -> bool {
        self.diffs.iter().any(|diff| diff.shown > 0)
    }

    /// What the arguments say, as a person would read it.
    fn write_decoded<W: Write>(&self, out: &mut W) -> io::Result<()> {
        let command = self.command();
        if let Some(command) = &command {
            block::block(out, "command", Pre::Command, command)?;
        }
        if self.has_edits() {
            return self.write_edits(out);
        }
        if let Some(todos) = &self.todos {
            block::block(out, "list", Pre::Argument, &todos.text())?;
        }
        if let (Some(Input::Text(text)), None) = (self.call.input, &command) {
            return block::labelled(out, "Input", "input", Pre::Argument, text);
        }
        for field in &self.fields {
            let Some(text) = field.string().filter(|text| text.contains('\n')) else { continue };
            if command.as_deref() != Some(&*text) {
                block::labelled(out, &field.key, &field.key, Pre::Argument, &text)?;
            }
        }
        Ok(())
    }

    /// The command of a shell, whole.
    fn command(&self) -> Option<String> {
        if self.verb != Some(Verb::Shell) {
            return None;
        }
        match self.call.input? {
            Input::Text(text) => Some(text.to_owned()),
            Input::Json(json) if self.fields.is_empty() => input::string(json).map(Into::into),
            Input::Json(_) => summary::command(&self.fields),
        }
    }

    /// Arguments that never were JSON and are no command: the edits show what they do.
    fn patch(&self) -> Option<&'a str> {
        match self.call.input? {
            Input::Text(text) if self.verb != Some(Verb::Shell) => Some(text),
            Input::Text(_) | Input::Json(_) => None,
        }
    }

    /// The edits, those of one file in one frame. A file that the summary names is not named again.
    fn write_edits<W: Write>(&self, out: &mut W) -> io::Result<()> {
        let named = self.argument.as_ref().is_some_and(|argument| argument.names_file);
        let mut before = named.then(|| self.diffs.iter().find_map(|diff| diff.path));
        let mut open = false;
        for diff in self.diffs.iter().filter(|diff| diff.shown > 0) {
            let same = before == Some(diff.path);
            match (open, same) {
                (true, true) => diff::gap(out)?,
                (true, false) => out.write_all(b"</pre>\n")?,
                (false, _) => {}
            }
            if let (false, Some(path)) = (same, diff.path) {
                out.write_all(b"<p class=\"label\"><code>")?;
                text::text(out, path)?;
                out.write_all(b"</code></p>\n")?;
            }
            if !(open && same) {
                out.write_all(b"<pre class=\"diff\">\n")?;
            }
            diff.write(out)?;
            (open, before) = (true, Some(diff.path));
        }
        if open { out.write_all(b"</pre>\n") } else { Ok(()) }
    }

    fn write_subagent<W: Write>(&self, out: &mut W) -> io::Result<()> {
        match (self.child, self.call.subagent) {
            (Some(child), _) => writeln!(
                out,
                r##"<p class="label">Its conversation: <a href="#s{child}">subagent s{child}</a></p>"##
            ),
            (None, Some(id)) => {
                out.write_all(b"<p class=\"label\">Its conversation, not in this export: <code>")?;
                text::value(out, id)?;
                out.write_all(b"</code></p>\n")
            }
            (None, None) => Ok(()),
        }
    }

    fn write_result<W: Write>(&self, out: &mut W) -> io::Result<()> {
        let Some(ToolResult { text, pictures, .. }) = self.call.result else {
            return out.write_all(b"<p class=\"label none\">(no result in the transcript)</p>\n");
        };
        match text {
            "" => out.write_all(b"<p class=\"label\">Result: (empty)</p>\n")?,
            // Edits speak for themselves; that they were made is rarely worth reading.
            text if self.has_edits() && self.outcome == Outcome::Fine => {
                block::fold(out, "Result", Pre::Result, text)?;
            }
            text => block::labelled(out, "Result", "result", Pre::Result, text)?,
        }
        block::files(out, "Pictures", pictures)
    }
}
