//! What must hold for any bytes at all: one check a fuzz target.
//!
//! `fuzz/` runs them with coverage feedback; `tests/tests/fuzz.rs` replays the kept inputs of
//! `fuzz/corpus/`, so that whatever was once found stays found. A check panics where a rule is
//! broken, and says nothing else.

mod bundle;
mod grammar;
mod prose;
mod registry;
mod resolver;

#[path = "../../../crates/carryall-render/tests/markdown/frame.rs"]
mod frame;
#[path = "../../../crates/carryall-render/tests/html/page.rs"]
#[allow(dead_code, reason = "the renderer's own tests use the rest")]
mod page;
#[path = "../../../crates/carryall-render/tests/html/places.rs"]
#[allow(dead_code, reason = "the renderer's own tests use the rest")]
mod places;
#[path = "../../../crates/carryall-render/tests/markdown/reader.rs"]
#[allow(dead_code, reason = "the renderer's own tests use the rest")]
mod reader;
#[path = "../../../crates/carryall-render/tests/html/session.rs"]
#[allow(dead_code, reason = "the renderer's own tests use the rest")]
mod session;
#[path = "../../../crates/carryall-render/tests/markdown/views.rs"]
#[allow(
    dead_code,
    clippy::wildcard_enum_match_arm,
    reason = "the renderer's own tests use the rest, and name the nodes that matter"
)]
mod views;

pub use grammar::grammar;
pub use prose::prose;
pub use registry::registry;
pub use resolver::resolver;

/// A check of some bytes.
pub type Check = fn(&[u8]);

/// All targets, by the name of their binary and of their corpus folder.
pub const TARGETS: &[(&str, Check)] =
    &[("grammar", grammar), ("prose", prose), ("registry", registry), ("resolver", resolver)];

/// A folder of its own for the files of a target, in memory where there is such a place.
fn scratch() -> tempfile::TempDir {
    let memory = std::path::Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    tempfile::Builder::new().prefix("carryall-fuzz-").tempdir_in(place).unwrap()
}
