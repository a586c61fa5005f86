//! Going through a page with the keyboard alone.

use crate::chromium::Window;

/// Everything that a keyboard must reach, by its place in the page.
const REACHABLE: &str = "[...document.querySelectorAll('a[href], summary')]";

/// The places of all that can be seen now.
fn visible(window: &Window<'_>) -> Vec<i64> {
    window.ask(&format!(
        "{REACHABLE}.map((it, at) => it.checkVisibility() ? at : -1).filter(at => at >= 0)"
    ))
}

/// Presses Tab from the top: the places where the focus was.
fn tab_through(window: &Window<'_>, steps: usize) -> Vec<i64> {
    // The place from which Tab goes on is the beginning again.
    let _: Option<bool> = window.ask(
        "document.body.tabIndex = -1, document.body.focus(), document.body.removeAttribute('tabindex')",
    );
    let focused = |_| -> i64 {
        window.press("Tab");
        window.ask(&format!("{REACHABLE}.indexOf(document.activeElement)"))
    };
    (0..steps).map(focused).collect()
}

/// Every link and every summary gets the focus, in the order of the page, the skip link first, and
/// can be seen when it has it.
pub(crate) fn assert_reachable(window: &Window<'_>) {
    let expected = visible(window);
    assert_eq!(tab_through(window, expected.len()), expected);
    let first: String = window.ask(&format!("{REACHABLE}[0].getAttribute('href')"));
    assert_eq!(first, "#main");
}

/// Enter opens or closes each thing that opens, and so does Space.
pub(crate) fn assert_toggles(window: &Window<'_>) -> usize {
    let count: usize = window.ask("document.querySelectorAll('summary').length");
    let mut toggled = 0;
    for at in 0..count {
        let summary = format!("document.querySelectorAll('summary')[{at}]");
        let is_open = || -> bool { window.ask(&format!("{summary}.parentElement.open")) };
        let focused: bool =
            window.ask(&format!("{summary}.focus(), document.activeElement === {summary}"));
        if !focused {
            continue; // inside something that is closed
        }
        let before = is_open();
        window.press("Enter");
        assert_ne!(is_open(), before, "Enter on summary {at}");
        window.press(" ");
        assert_eq!(is_open(), before, "Space on summary {at}");
        toggled += 1;
    }
    toggled
}
