//! The frame of the page: its head, its header, the heads of subagents, and what closes it.

use super::Html;
use super::contents::Awaited;
use super::document::Document;
use super::entry::present;
use super::style;
use super::text;
use super::time::Moment;
use crate::wording::{self, Fact, FactKind, Missing};
use carryall_model::{Facts, Header, Place};
use std::borrow::Cow;
use std::io::{self, Write};

/// What closes the page about one of its documents.
#[derive(Debug)]
pub(super) struct Ending {
    child: Option<u32>,
    missing: Vec<Missing>,
}

impl<W: Write> Html<W> {
    /// Writes everything before the first entry of a document.
    pub(super) fn write_beginning(&mut self, header: &Header<'_>) -> io::Result<()> {
        self.close_document()?;
        match header.place {
            Place::Root => self.write_page_head(header)?,
            Place::Child(number) => self.write_child_head(number, header)?,
        }
        self.document = Document::new(header, self.day);
        for listed in header.subagents {
            if let Some(number) = listed.number {
                self.children.await_child(number, listed.child.title.clone());
            }
        }
        Ok(())
    }

    fn write_page_head(&mut self, header: &Header<'_>) -> io::Result<()> {
        let facts = wording::facts(header);
        self.day =
            header.facts.started_at.as_deref().and_then(Moment::parse).map(|start| start.day);
        let fallback = format!("{} session export", self.product);
        let title = header.facts.title.as_deref().filter(|title| !title.trim().is_empty());
        let title = title.unwrap_or(&fallback);
        let out = &mut self.out;
        out.write_all(HEAD_START.as_bytes())?;
        write!(out, "{}", style::HASH)?;
        out.write_all(HEAD_MIDDLE.as_bytes())?;
        text::title(out, title)?;
        write!(out, "</title>\n<style>\n{}</style>\n</head>\n<body>\n", style::SHEET)?;
        out.write_all(b"<a class=\"skip\" href=\"#main\">Skip to the conversation</a>\n")?;
        out.write_all(b"<header class=\"top\">\n<p class=\"kind\">")?;
        text::text(out, &fallback)?;
        out.write_all(b"</p>\n<h1 dir=\"auto\">")?;
        text::value(out, title)?;
        out.write_all(b"</h1>\n<dl class=\"facts\">\n")?;
        for fact in facts.iter().filter(|fact| fact.label != "Title") {
            self.points_to_end |= fact.kind == FactKind::AtTheEnd;
            write_fact(out, fact, header)?;
        }
        out.write_all(b"</dl>\n</header>\n<main id=\"main\">\n")
    }

    /// The head of a subagent's section.
    fn write_child_head(&mut self, number: u32, header: &Header<'_>) -> io::Result<()> {
        let awaited = self.children.arrive(number);
        let facts = header.facts;
        let title = awaited.title.as_deref().or(facts.title.as_deref());
        let title = present(title).unwrap_or(&facts.id);
        self.contents.note_child(number, title);
        self.in_child = true;
        let out = &mut self.out;
        write_child_title(out, number, title)?;
        out.write_all(b"<p class=\"meta\"><code>")?;
        text::value(out, &facts.id)?;
        out.write_all(b"</code>")?;
        if let Some(model) = present(facts.model.as_deref()) {
            out.write_all(b"<span>")?;
            text::value(out, model)?;
            out.write_all(b"</span>")?;
        }
        let messages = wording::count(facts.message_count, "message", "messages");
        write!(out, "<span>{messages}</span>")?;
        write_caller(out, &awaited)?;
        if facts.unreadable_rows > 0 {
            self.points_to_end = true;
            let rows = wording::count(facts.unreadable_rows, "row", "rows");
            write!(out, r##"<a href="#end">{rows} not readable</a>"##)?;
        }
        out.write_all(b"</p>\n")
    }

    /// Closes the last entry, and the section of a subagent.
    pub(super) fn close_document(&mut self) -> io::Result<()> {
        self.close_entry()?;
        if std::mem::take(&mut self.in_child) {
            self.out.write_all(b"</section>\n")
        } else {
            Ok(())
        }
    }

    /// Notes what is missing of the document that ends here.
    pub(super) fn note_missing(&mut self, missing: Vec<Missing>) {
        if !missing.is_empty() {
            self.endings.push(Ending { child: self.document.child(), missing });
        }
    }

    /// Writes everything after the last document.
    pub(super) fn write_ending(&mut self) -> io::Result<()> {
        self.close_document()?;
        self.write_lost_children()?;
        self.out.write_all(b"</main>\n")?;
        let has_end = self.points_to_end || !self.endings.is_empty();
        if has_end {
            self.contents.note_end();
        }
        self.contents.write(&mut self.out)?;
        if has_end {
            self.write_missing()?;
        }
        self.out.write_all(b"</body>\n</html>\n")
    }

    /// A link to a subagent must lead somewhere, even when its document could not be written.
    fn write_lost_children(&mut self) -> io::Result<()> {
        for (number, awaited) in self.children.lost() {
            let title = present(awaited.title.as_deref()).unwrap_or("–");
            self.contents.note_child(number, title);
            write_child_title(&mut self.out, number, title)?;
            self.out.write_all(b"<p class=\"meta\"><span>not in this export</span>")?;
            write_caller(&mut self.out, &awaited)?;
            self.out.write_all(b"</p>\n</section>\n")?;
        }
        Ok(())
    }

    fn write_missing(&mut self) -> io::Result<()> {
        let out = &mut self.out;
        out.write_all(END_START.as_bytes())?;
        for ending in &self.endings {
            if let Some(child) = ending.child {
                write!(
                    out,
                    r##"<h3 class="label"><a href="#s{child}">Subagent s{child}</a></h3>"##
                )?;
                out.write_all(b"\n")?;
            }
            out.write_all(b"<ul>\n")?;
            for Missing { word, sentence } in &ending.missing {
                write!(out, "<li><code>{word}</code><span>")?;
                text::text(out, sentence)?;
                out.write_all(b"</span></li>\n")?;
            }
            out.write_all(b"</ul>\n")?;
        }
        writeln!(out, "<p>{}</p>\n</footer>", wording::EXACT_TEXT)
    }
}

fn write_child_title<W: Write>(out: &mut W, number: u32, title: &str) -> io::Result<()> {
    write!(out, r#"<section class="child" id="s{number}" aria-labelledby="s{number}-h">"#)?;
    write!(out, "\n<h2 id=\"s{number}-h\">Subagent s{number}: <bdi>")?;
    text::value(out, title)?;
    out.write_all(b"</bdi></h2>\n")
}

fn write_caller<W: Write>(out: &mut W, child: &Awaited) -> io::Result<()> {
    let Some(spot) = child.called_from else { return Ok(()) };
    write!(out, r##"<a href="#{}">called from {}</a>"##, spot.id(), spot.label())
}

/// A fact of the header.
fn write_fact<W: Write>(out: &mut W, fact: &Fact, header: &Header<'_>) -> io::Result<()> {
    let wide = if matches!(fact.label, "Session" | "Workspace") { r#" class="wide""# } else { "" };
    write!(out, "<div{wide}><dt>{}</dt><dd>", fact.label)?;
    let names = matches!(fact.label, "Agent" | "Model");
    match fact.kind {
        FactKind::Value if names => {
            out.write_all(b"<bdi>")?;
            text::value(out, &fact.value)?;
            out.write_all(b"</bdi>")?;
        }
        FactKind::Value => {
            out.write_all(b"<code>")?;
            text::value(out, &fact.value)?;
            out.write_all(b"</code>")?;
        }
        FactKind::Path => {
            out.write_all(b"<code>")?;
            text::text(out, &fact.value)?;
            out.write_all(b"</code>")?;
        }
        FactKind::Time => write_time(out, &fact.value)?,
        FactKind::Words => text::text(out, &words(fact, header.facts))?,
        FactKind::AtTheEnd => {
            out.write_all(br##"<a href="#end">"##)?;
            text::text(out, &fact.value)?;
            out.write_all(b"</a>")?;
        }
    }
    out.write_all(b"</dd></div>\n")
}

/// Our own words, where a page says them better than a list in Markdown.
fn words<'a>(fact: &'a Fact, facts: &Facts) -> Cow<'a, str> {
    match (fact.label, facts.token_usage) {
        ("Transcript", _) => {
            let messages = wording::count(facts.message_count, "message", "messages");
            let turns = wording::count(facts.user_turns, "user turn", "user turns");
            format!("{messages}, {turns}").into()
        }
        ("Tokens", Some(usage)) => {
            let [input, output, total] =
                [usage.input_tokens, usage.output_tokens, usage.total_tokens].map(wording::grouped);
            format!("{input} in, {output} out, {total} total").into()
        }
        ("Other branches", _) => format!("{} (not shown)", fact.value).into(),
        _ => fact.value.as_str().into(),
    }
}

fn write_time<W: Write>(out: &mut W, at: &str) -> io::Result<()> {
    let Some(moment) = Moment::parse(at) else { return text::value(out, at) };
    out.write_all(br#"<time datetime=""#)?;
    text::attribute(out, at)?;
    write!(out, r#"">{moment} UTC</time>"#)
}

/// The page up to the hash of its style sheet.
const HEAD_START: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-"#;

/// From there to its title.
const HEAD_MIDDLE: &str = r#"'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex,nofollow,noarchive">
<title>"#;

const END_START: &str = r#"<footer class="end" id="end" aria-labelledby="end-h">
<h2 id="end-h">What is missing</h2>
<p>Everything above was read from the agent’s own log. These parts could not be read, or are not shown:</p>
"#;
