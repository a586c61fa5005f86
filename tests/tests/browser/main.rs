//! Pages in a real browser: silent, inert, readable for everybody, on every width, by keyboard.
//!
//! Without Chromium these tests say so and pass, unless `CARRYALL_REQUIRE` holds `browser`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a test stops where something is not as expected"
)]

mod axe;
mod chromium;
mod keyboard;
mod session;

use carryall_tests::repository;
use chromium::{Chromium, Seen, View, Window, address};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A page that does all that a page of ours must not do: if this is not seen, nothing is.
const LIVELY: &str = r#"<!doctype html><title>lively</title><img src="missing.png">
<script>console.log("said"); alert("asked"); nowhere();</script>"#;

#[test]
fn what_a_lively_page_does_is_seen() {
    let Some(chromium) = Chromium::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("lively.html");
    std::fs::write(&page, LIVELY).unwrap();
    let Seen { requests, messages, dialogs } = chromium.open(&page, View::DESK).seen();
    assert_eq!(requests, [address(&page), address(folder.path()) + "/missing.png"]);
    assert_eq!(dialogs, ["asked"]);
    let said = messages.join("\n");
    assert!(said.contains("said") && said.contains("Uncaught"), "{said}");
}

/// Everything a page of ours is made of.
const ELEMENTS: &str = "a article bdi body code dd del details div dl dt footer h1 h2 h3 h4 h5 head \
    header html ins li main meta nav ol p pre section span style summary time title ul";
const ATTRIBUTES: &str = "aria-label aria-labelledby charset class content data-u datetime dir href \
    http-equiv id lang name open";

/// See `probe.js`.
#[derive(Debug, Deserialize)]
struct Probe {
    elements: Vec<String>,
    attributes: Vec<String>,
    /// Values of attributes that lead somewhere else than into the page, or style it.
    addresses: Vec<String>,
    entries: usize,
    /// What stands behind the conversation is there.
    ended: bool,
}

/// Silent and inert: one request, for the page; nothing said, nothing asked, no foreign markup.
fn assert_inert(window: &Window<'_>, page: &Path) -> Probe {
    let probe: Probe = window.ask(include_str!("probe.js"));
    let name = page.display();
    let foreign = |found: &[String], known: &str| -> Vec<String> {
        let known: Vec<&str> = known.split_ascii_whitespace().collect();
        found.iter().filter(|name| !known.contains(&name.as_str())).cloned().collect()
    };
    let none: [String; 0] = [];
    assert_eq!(foreign(&probe.elements, ELEMENTS), none, "{name}");
    assert_eq!(foreign(&probe.attributes, ATTRIBUTES), none, "{name}");
    assert_eq!(probe.addresses, none, "{name}");
    assert!(probe.ended, "{name} is not whole");
    let expected = Seen { requests: vec![address(page)], ..Seen::default() };
    assert_eq!(window.seen(), expected, "{name}");
    probe
}

/// Nothing has to be scrolled sideways, closed or open.
fn assert_fits(window: &Window<'_>, page: &Path) {
    for (width, open) in [(390, false), (320, true), (390, true)] {
        set_open(window, open);
        window.look(View { width, dark: false });
        let (has, shows): (u32, u32) = window
            .ask("[document.documentElement.scrollWidth, document.documentElement.clientWidth]");
        assert!(has <= shows, "{} at {width}: {has} > {shows}", page.display());
    }
    window.look(View::DESK);
}

fn set_open(window: &Window<'_>, open: bool) {
    let _: Option<bool> = window.ask(&format!(
        "document.querySelectorAll('details').forEach(it => it.open = {open}), null"
    ));
}

/// The pages of all fixtures: their golden files, which are what the program writes.
fn fixtures() -> Vec<PathBuf> {
    let below = |folder: PathBuf| -> Vec<PathBuf> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let cases = below(repository().join("tests/fixtures")).into_iter().flat_map(below);
    let mut pages: Vec<PathBuf> = cases.map(|case| case.join("golden/export.html")).collect();
    pages.sort();
    assert!(pages.len() > 40);
    pages
}

/// Closed and open, light and dark, nothing keeps anybody from reading the page.
fn assert_accessible(window: &Window<'_>, axe: &str, page: &Path) {
    for (open, dark) in [(false, false), (true, false), (true, true)] {
        set_open(window, open);
        window.look(View { dark, ..View::DESK });
        assert_eq!(axe::check(window, axe), [], "{}, open {open}, dark {dark}", page.display());
    }
}

#[test]
fn every_fixture_page_is_silent_inert_accessible_and_fits() {
    let Some(chromium) = Chromium::start() else { return };
    let axe = axe::source();
    let pages = fixtures();
    for page in &pages {
        let window = chromium.open(page, View::DESK);
        assert_inert(&window, page);
        if let Some(axe) = &axe {
            assert_accessible(&window, axe, page);
        }
        assert_fits(&window, page);
    }
    let checked =
        if axe.is_some() { "with axe, closed and open, light and dark" } else { "without axe" };
    eprintln!("{} pages in Chromium, {checked}", pages.len());
}

#[test]
fn axe_objects_to_a_page_that_is_hard_to_read() {
    let Some(chromium) = Chromium::start() else { return };
    let Some(axe) = axe::source() else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("grey.html");
    std::fs::write(&page, "<!doctype html><p style='color: #999'>grey</p><img src='data:,'>")
        .unwrap();
    let found = axe::check(&chromium.open(&page, View::DESK), &axe).len();
    assert!(found >= 3, "language, contrast, picture without words: {found}");
}

#[test]
fn a_long_page_is_accessible_and_fits() {
    let Some(chromium) = Chromium::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (page, entries) = session::working_day(200_000).page(folder.path());
    let window = chromium.open(&page, View::DESK);
    assert_eq!(assert_inert(&window, &page).entries, entries);
    assert_jumps(&window);
    if let Some(axe) = axe::source() {
        assert_accessible(&window, &axe, &page);
    }
    assert_fits(&window, &page);
}

#[test]
fn the_keyboard_reaches_everything() {
    let Some(chromium) = Chromium::start() else { return };
    let page = repository().join("tests/fixtures/claude-code/tour/golden/export.html");
    for width in [1280, 390] {
        let window = chromium.open(&page, View { width, dark: false });
        keyboard::assert_reachable(&window);
        assert!(keyboard::assert_toggles(&window) > 10);
        set_open(&window, true);
        keyboard::assert_reachable(&window);
    }
}

#[test]
fn hostile_texts_are_inert() {
    let Some(chromium) = Chromium::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (page, entries) = session::hostile().page(folder.path());
    let window = chromium.open(&page, View::DESK);
    assert_eq!(assert_inert(&window, &page).entries, entries);
    set_open(&window, true);
    assert_inert(&window, &page);
    for text in session::hostile_texts() {
        let mut session = session::Session::default();
        session.title(&text);
        session.prompt("hello");
        let (page, _) = session.page(folder.path());
        assert_eq!(assert_inert(&chromium.open(&page, View::DESK), &page).entries, 1, "{text:?}");
    }
}

/// A link of the contents leads to its entry, though what is not in view is not laid out yet.
fn assert_jumps(window: &Window<'_>) {
    let (top, height): (f64, f64) = window.ask(
        "(async () => {
            const links = [...document.querySelectorAll('nav a')];
            const link = links.at(-1);
            link.click();
            for (let frame = 0; frame < 20; frame++) await new Promise(requestAnimationFrame);
            const entry = document.querySelector(link.getAttribute('href'));
            return [entry.getBoundingClientRect().top, innerHeight];
        })()",
    );
    assert!((-1.0..height).contains(&top), "{top} of {height}");
}

/// Not a timed test: what is asserted is that the page is whole. The seconds are said.
#[test]
fn a_page_of_20_mb_opens() {
    let Some(chromium) = Chromium::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (page, entries) = session::working_day(20_000_000).page(folder.path());
    let bytes = std::fs::metadata(&page).unwrap().len();
    let window = chromium.open(&page, View::DESK);
    assert_eq!(assert_inert(&window, &page).entries, entries);
    let (parsed, loaded, painted): (f64, f64, f64) = window.ask(
        "(({ domInteractive, loadEventEnd }) => [domInteractive, loadEventEnd,
            performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0]
        )(performance.getEntriesByType('navigation')[0])",
    );
    eprintln!(
        "a page of {bytes} bytes, {entries} entries: first paint after {:.2} s, parsed {:.2} s, loaded {:.2} s",
        painted / 1e3,
        parsed / 1e3,
        loaded / 1e3
    );
}
