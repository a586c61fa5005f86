//! Whether a file or folder is a session of coddy.

use super::bundle::{MESSAGES, SESSION};
use crate::{Probe, ProbeKind};
use memchr::memmem;

/// A folder by the two files that it holds; one of the two by its content and by the other beside
/// it.
pub(super) fn claims(probe: &Probe<'_>) -> bool {
    match probe.kind {
        ProbeKind::Folder => [SESSION, MESSAGES].iter().all(|name| probe.path.join(name).is_file()),
        ProbeKind::File => {
            let holds = |key: &str| memmem::find(&probe.head, key.as_bytes()).is_some();
            let beside = |name: &str| probe.path.with_file_name(name).is_file();
            let is_object = probe.rows().next().is_some_and(|row| row.starts_with(b"{"));
            is_object
                && match probe.path.file_name().and_then(|name| name.to_str()) {
                    Some(SESSION) => holds("\"version\"") && holds("\"id\"") && beside(MESSAGES),
                    Some(MESSAGES) => holds("\"messages\"") && beside(SESSION),
                    Some(_) | None => false,
                }
        }
    }
}
