//! axe-core, the accessibility checker, run inside a page.
//!
//! It is not part of the repository (its licence is another, MPL-2.0): `.ci/run` fetches exactly
//! this version to `target/axe-core`, and `CARRYALL_AXE` may name another place.

use crate::chromium::Window;
use carryall_tests::corpus::required;
use carryall_tests::repository;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::PathBuf;

/// Of `axe.min.js` in axe-core 4.14.1.
const SHA256: &str = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c";

/// What axe objects to.
#[derive(Debug, Deserialize, PartialEq, Eq)]
pub(crate) struct Violation {
    id: String,
    nodes: Vec<String>,
}

/// The checker's source, if it is there.
///
/// # Panics
/// When it is another version; when it is absent and `CARRYALL_REQUIRE` holds `browser`.
pub(crate) fn source() -> Option<String> {
    let place = std::env::var_os("CARRYALL_AXE")
        .map_or_else(|| "target/axe-core/axe.min.js".into(), PathBuf::from);
    let place = repository().join(place);
    let Ok(source) = std::fs::read_to_string(&place) else {
        assert!(!required("browser"), "axe-core is required and not at {}", place.display());
        let said =
            format!("absent: axe-core ({}); pages were not checked with it\n", place.display());
        std::io::stderr().write_all(said.as_bytes()).unwrap();
        return None;
    };
    let digest: String = Sha256::digest(&source).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digest, SHA256, "{} is another axe-core", place.display());
    Some(source)
}

/// Checks what is to be seen on a page by the rules of WCAG 2.1, levels A and AA.
pub(crate) fn check(window: &Window<'_>, source: &str) -> Vec<Violation> {
    let is_there: bool = window.ask("typeof axe !== 'undefined'");
    if !is_there {
        let _: Option<bool> = window.ask(&format!("{source}; null"));
    }
    window.ask(
        "axe.run(document, {
            runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
            resultTypes: ['violations'],
        }).then(({ violations }) => violations.map(({ id, nodes }) => ({
            id, nodes: nodes.slice(0, 5).map(node => `${node.html.slice(0, 200)} ${node.failureSummary}`),
        })))",
    )
}
