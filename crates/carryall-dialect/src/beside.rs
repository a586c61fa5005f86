//! Files that a session's own files name: read only below the session's folder.

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use std::io::Read;
use std::path::Path;

/// A regular file of at most `limit` bytes below a folder. A link that leads out of the folder is
/// not followed, and a FIFO, socket or device is never waited for.
pub(crate) fn read(folder: &Dir, path: &Path, limit: u64) -> Option<Vec<u8>> {
    let mut options = OpenOptions::new();
    // Without O_NONBLOCK the open of a FIFO would wait for its writer for ever.
    options.read(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    let file = folder.open_with(path, &options).ok()?;
    let meta = file.metadata().ok()?;
    if !meta.is_file() || meta.len() > limit {
        return None;
    }
    let mut bytes = Vec::with_capacity(meta.len() as usize);
    file.take(limit).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
