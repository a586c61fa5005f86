//! Files that lie beside a session's main file and belong to it.

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use carryall_model::FileId;
use std::fs;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A session's folder is looked through this deep.
const MAX_DEPTH: u32 = 64;

/// The identity of a file, links followed.
pub(crate) fn id(path: &Path) -> Option<FileId> {
    fs::metadata(path).ok().map(|meta| FileId { device: meta.dev(), inode: meta.ino() })
}

/// All regular files below a session's folder, by device and inode: an export must replace none of
/// them. Links are not followed; what cannot be read is passed over.
pub(crate) fn files(folder: &Path) -> Vec<FileId> {
    fn below(folder: &Path, depth: u32, found: &mut Vec<FileId>) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let Ok(meta) = entry.metadata() else { continue };
            if meta.is_file() {
                found.push(FileId { device: meta.dev(), inode: meta.ino() });
            } else if meta.is_dir() && depth < MAX_DEPTH {
                below(&entry.path(), depth + 1, found);
            }
        }
    }
    let mut found = Vec::new();
    below(folder, 0, &mut found);
    found
}

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
