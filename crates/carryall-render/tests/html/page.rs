//! Renders, parses, and asks questions.

use carryall_model::{
    Child, Entry, EntryKind, Facts, Found, Header, LeftOut, ListedChild, Options, Place, ToolCall,
};
use carryall_render::{Html, Product, Renderer, is_hidden};
use scraper::{ElementRef, Selector};

/// A page, as text and as a tree.
pub(crate) struct Page {
    pub(crate) html: String,
    pub(crate) tree: scraper::Html,
}

impl Page {
    /// What a renderer is told.
    pub(crate) fn of(write: impl FnOnce(&mut dyn Renderer)) -> Self {
        Self::parse(render(write))
    }

    /// A page that was rendered already.
    pub(crate) fn parse(html: String) -> Self {
        // The sheet is constant, and thousands of pages are parsed.
        let (head, rest) = html.split_once("<style>").unwrap();
        let (_, body) = rest.split_once("</style>").unwrap();
        let tree = scraper::Html::parse_document(&format!("{head}<style></style>{body}"));
        Self { html, tree }
    }

    /// One entry of a session about which nothing else is known.
    pub(crate) fn of_entry(entry: &Entry<'_>, calls: &[ToolCall<'_>]) -> Self {
        Self::of_facts(&Facts::default(), |page| {
            page.entry(entry).unwrap();
            for call in calls {
                page.call(call).unwrap();
            }
        })
    }

    /// A call of an assistant's entry.
    pub(crate) fn of_call(call: &ToolCall<'_>) -> Self {
        Self::of_entry(&Entry { calls: 1, ..Entry::new(EntryKind::Assistant) }, &[*call])
    }

    /// A session with these facts.
    pub(crate) fn of_facts(facts: &Facts, write: impl FnOnce(&mut dyn Renderer)) -> Self {
        Self::of(|page| {
            begin(page, facts, Place::Root, &[]);
            write(page);
            page.finish(&Found::default(), &LeftOut::default()).unwrap();
        })
    }

    /// All elements that a selector finds.
    pub(crate) fn all(&self, selector: &str) -> Vec<ElementRef<'_>> {
        self.tree.select(&Selector::parse(selector).unwrap()).collect()
    }

    /// The one element that a selector finds.
    pub(crate) fn one(&self, selector: &str) -> ElementRef<'_> {
        let all = self.all(selector);
        assert_eq!(all.len(), 1, "{selector} in {}", self.html);
        all[0]
    }

    /// The text of the one element.
    pub(crate) fn text(&self, selector: &str) -> String {
        self.one(selector).text().collect()
    }

    /// The texts of all.
    pub(crate) fn texts(&self, selector: &str) -> Vec<String> {
        self.all(selector).into_iter().map(|element| element.text().collect()).collect()
    }

    /// What is in the body, without the style sheet.
    pub(crate) fn body(&self) -> &str {
        self.html.split_once("</style>").unwrap().1
    }
}

/// A page as text.
pub(crate) fn render(write: impl FnOnce(&mut dyn Renderer)) -> String {
    let mut out = Vec::new();
    let mut html = Html::new(&Product::new("Carryall", "carryall"), &mut out);
    write(&mut html);
    html.close().unwrap();
    String::from_utf8(out).unwrap()
}

/// Begins a document.
pub(crate) fn begin(
    page: &mut dyn Renderer,
    facts: &Facts,
    place: Place,
    subagents: &[ListedChild<'_>],
) {
    let options = Options { subagents: !subagents.is_empty(), ..Options::default() };
    page.begin(&Header { options, place, subagents, ..header(facts) }).unwrap();
}

/// The head of a session without subagents.
pub(crate) fn header(facts: &Facts) -> Header<'_> {
    let exported_at = "2026-09-15T09:02:47Z";
    Header { facts, exported_at, options: Options::default(), place: Place::Root, subagents: &[] }
}

/// A subagent that a call started.
pub(crate) fn child(id: &str, title: &str, call: &str) -> Child {
    Child {
        id: id.into(),
        title: Some(title.into()),
        tool_call_id: Some(call.into()),
        message_count: 3,
    }
}

/// Names that the page's own markup uses. Nothing else may occur.
const ELEMENTS: &str = "html head meta title style body a header p h1 h2 h3 h4 dl div dt dd bdi code \
    time main article details summary pre span ul ol li ins del section nav footer";
const ATTRIBUTES: &str = "lang charset http-equiv content name class href id dir datetime open \
    aria-labelledby aria-label data-u";
const CLASSES: &str = "skip top kind facts wide n entry aside fold text user head box files assistant \
    calls call verb arg sum long label meta diff plus minus bad fail lost none cmd hunk cont quiet vh hd \
    table fence out body command plan card u compact result child toc t mark end ab ad ai au ar ax a";

/// The page holds nothing but its own markup: closed lists of names, addresses that lead into the
/// page, one constant style sheet, one policy, no comment.
pub(crate) fn assert_inert(page: &Page) {
    let known = |list: &str, name: &str| list.split_ascii_whitespace().any(|word| word == name);
    for element in page.all("*") {
        let name = element.value().name();
        assert!(known(ELEMENTS, name), "<{name}>");
        for (attribute, value) in element.value().attrs() {
            assert!(known(ATTRIBUTES, attribute), "{attribute} of <{name}>");
            match attribute {
                "href" => assert!(value.starts_with('#') && is_id(&value[1..]), "{value}"),
                "id" | "aria-labelledby" => assert!(is_id(value), "{value}"),
                "class" => value.split(' ').for_each(|class| {
                    assert!(known(CLASSES, class) || is_colour(class), "class {class}");
                }),
                "http-equiv" => assert_eq!(value, "Content-Security-Policy"),
                "data-u" => assert!(value[2..].chars().all(|c| c.is_ascii_hexdigit()), "{value}"),
                _ => {}
            }
        }
    }
    for once in ["style", "title", "h1", "main", "meta[http-equiv]"] {
        page.one(once);
    }
    assert!(!page.html.contains("<!--") && page.html.starts_with("<!doctype html>\n"));
    assert!(page.html.ends_with("</body>\n</html>\n"));
    assert_well_formed(page);
    let bare = |c: char| c.is_control() && c != '\n' && c != '\t';
    assert!(!page.html.contains(bare), "a bare control");
    assert_hidden_are_boxed(page);
}

/// A parse error would be a tag that is not closed, or closed twice. That a carriage return is
/// written as a reference is one in name only, as is a noncharacter: parsers keep both.
fn assert_well_formed(page: &Page) {
    let errors = page.tree.errors.iter();
    let real = |it: &&std::borrow::Cow<'_, str>| {
        !it.starts_with("Invalid numeric") && !it.starts_with("Bad character")
    };
    let errors: Vec<_> = errors.filter(real).collect();
    assert!(errors.is_empty(), "{errors:?}");
}

/// Every hidden character stands alone in the span that names it.
fn assert_hidden_are_boxed(page: &Page) {
    for span in page.all("span.u") {
        let text: String = span.text().collect();
        let c = text.chars().next().unwrap();
        assert_eq!(text.chars().count(), 1);
        assert_eq!(span.value().attr("data-u"), Some(format!("U+{:04X}", c as u32).as_str()));
    }
    let hidden = page.html.chars().filter(|&c| is_hidden(c)).count();
    assert_eq!(page.all("span.u").len(), hidden);
}

/// `e7`, `e7-c2`, `e7-h`, `s1`, `s1-h`, `s1-e2-c1`, `main`, `end`, `end-h`.
fn is_id(id: &str) -> bool {
    let numbered = |part: &str, letter| {
        part.strip_prefix(letter).is_some_and(|n| n.parse::<u32>().is_ok_and(|n| n > 0))
    };
    id.split('-').enumerate().all(|(at, part)| match part {
        "main" => id == "main",
        "end" => at == 0,
        "h" => at > 0,
        part => numbered(part, 's') || numbered(part, 'e') || numbered(part, 'c'),
    })
}

fn is_colour(class: &str) -> bool {
    let number = class.strip_prefix('f').or(class.strip_prefix('k'));
    number.is_some_and(|n| n.parse::<u8>().is_ok_and(|n| n < 16))
}
