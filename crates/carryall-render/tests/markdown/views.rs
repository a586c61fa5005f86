//! What viewers see of an export: two CommonMark parsers, and a browser.

use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, parse_document};
use pulldown_cmark::{Event, Options, Parser, Tag};
use scraper::{Html, Node};
use std::collections::BTreeMap;

/// The document as a parser sees it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct View {
    /// The nodes of the top level.
    pub(crate) top: Vec<Top>,
    /// Markers below the top level, where none may be.
    pub(crate) deep_markers: Vec<String>,
    /// The texts of code blocks (with their info words) and code spans.
    pub(crate) code: Vec<(String, String)>,
    /// How many nodes there are that do something: links, pictures, headings, raw HTML.
    pub(crate) live: BTreeMap<&'static str, usize>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Top {
    Marker(String),
    Heading,
    Other,
}

impl View {
    /// The markers of the top level, each followed by a heading, or what is wrong.
    pub(crate) fn framed_markers(&self) -> Result<Vec<&str>, String> {
        if !self.deep_markers.is_empty() {
            return Err(format!("markers inside other nodes: {:?}", self.deep_markers));
        }
        let mut markers = Vec::new();
        for (at, top) in self.top.iter().enumerate() {
            if let Top::Marker(marker) = top {
                if self.top.get(at + 1) != Some(&Top::Heading) {
                    return Err(format!("no heading after {marker}"));
                }
                markers.push(marker.as_str());
            }
        }
        Ok(markers)
    }

    fn html(&mut self, html: &str, at_top: bool) {
        *self.live.entry("html").or_default() += 1;
        if !html.starts_with("<!-- carryall ") {
            return;
        }
        let marker = html.trim_end_matches('\n').to_owned();
        if at_top { self.top.push(Top::Marker(marker)) } else { self.deep_markers.push(marker) }
    }
}

/// All that GitHub's parser adds to CommonMark, and formulas.
pub(crate) fn pulldown_github() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH
        | Options::ENABLE_GFM
}

pub(crate) fn pulldown(markdown: &str, options: Options) -> View {
    let mut view = View::default();
    let mut depth = 0_usize;
    let mut block: Option<String> = None;
    let mut info: Option<String> = None;
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Start(tag) => {
                match &tag {
                    Tag::Heading { .. } if depth == 0 => view.top.push(Top::Heading),
                    Tag::HtmlBlock => {}
                    _ if depth == 0 => view.top.push(Top::Other),
                    _ => {}
                }
                match tag {
                    Tag::HtmlBlock => block = Some(String::new()),
                    Tag::CodeBlock(pulldown_cmark::CodeBlockKind::Fenced(word)) => {
                        (info, block) = (Some(word.to_string()), Some(String::new()));
                    }
                    Tag::CodeBlock(_) => (info, block) = (Some(String::new()), Some(String::new())),
                    Tag::Heading { .. } => *view.live.entry("heading").or_default() += 1,
                    Tag::Link { .. } => *view.live.entry("link").or_default() += 1,
                    Tag::Image { .. } => *view.live.entry("image").or_default() += 1,
                    _ => {}
                }
                depth += 1;
            }
            Event::End(end) => {
                depth -= 1;
                match end {
                    pulldown_cmark::TagEnd::HtmlBlock => {
                        view.html(&block.take().unwrap_or_default(), depth == 0);
                    }
                    pulldown_cmark::TagEnd::CodeBlock => view
                        .code
                        .push((info.take().unwrap_or_default(), block.take().unwrap_or_default())),
                    _ => {}
                }
            }
            Event::Html(text) | Event::Text(text) if block.is_some() => {
                block.as_mut().unwrap().push_str(&text);
            }
            Event::InlineHtml(html) => view.html(&html, false),
            Event::Code(code) => view.code.push(("span".to_owned(), code.to_string())),
            Event::Rule if depth == 0 => view.top.push(Top::Other),
            _ => {}
        }
    }
    view
}

pub(crate) fn comrak_plain() -> comrak::Options<'static> {
    let mut options = comrak::Options::default();
    options.render.r#unsafe = true;
    options
}

pub(crate) fn comrak_github() -> comrak::Options<'static> {
    let mut options = comrak_plain();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    options.extension.alerts = true;
    options.extension.math_dollars = true;
    options.extension.math_code = true;
    options
}

pub(crate) fn comrak(markdown: &str, options: &comrak::Options<'_>) -> View {
    let arena = Arena::new();
    let root = parse_document(&arena, markdown, options);
    let mut view = View::default();
    for node in root.children() {
        walk(node, true, &mut view);
    }
    view
}

fn walk<'a>(node: &'a AstNode<'a>, at_top: bool, view: &mut View) {
    match &node.data.borrow().value {
        NodeValue::HtmlBlock(html) => view.html(&html.literal, at_top),
        NodeValue::HtmlInline(html) => view.html(html, false),
        NodeValue::Heading(_) => {
            *view.live.entry("heading").or_default() += 1;
            if at_top {
                view.top.push(Top::Heading);
            }
        }
        value => {
            match value {
                NodeValue::Link(_) => *view.live.entry("link").or_default() += 1,
                NodeValue::Image(_) => *view.live.entry("image").or_default() += 1,
                NodeValue::Code(code) => view.code.push(("span".into(), code.literal.clone())),
                NodeValue::CodeBlock(code) => {
                    view.code.push((code.info.clone(), code.literal.clone()));
                }
                _ => {}
            }
            if at_top {
                view.top.push(Top::Other);
            }
        }
    }
    for child in node.children() {
        walk(child, false, view);
    }
}

/// The same for HTML: of a footnote that is defined twice, comrak leaves the second definition in
/// its place and closes the list that it opened there at the end of the page only.
pub(crate) fn comrak_github_page() -> comrak::Options<'static> {
    let mut options = comrak_github();
    options.extension.footnotes = false;
    options
}

/// The markers that a browser finds directly in the body, each with its heading behind it.
pub(crate) fn browser(
    markdown: &str,
    options: &comrak::Options<'_>,
) -> Result<Vec<String>, String> {
    let page = Html::parse_document(&comrak::markdown_to_html(markdown, options));
    let marker = |node: &Node| match node {
        Node::Comment(comment) if comment.starts_with(" carryall ") => {
            Some(format!("<!--{}-->", &**comment))
        }
        _ => None,
    };
    let mut markers = Vec::new();
    for node in page.tree.nodes() {
        let Some(marker) = marker(node.value()) else { continue };
        let parent =
            node.parent().and_then(|node| node.value().as_element().map(|e| e.name().to_owned()));
        if parent.as_deref() != Some("body") {
            return Err(format!("{marker} stands in {parent:?}"));
        }
        let heading = node
            .next_siblings()
            .find_map(|node| node.value().as_element().map(|e| e.name().to_owned()));
        if !matches!(heading.as_deref(), Some("h2" | "h3")) {
            return Err(format!("{heading:?} after {marker}"));
        }
        markers.push(marker);
    }
    Ok(markers)
}
