//! Questions to an open directory that have no portable call.

use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;

use rustix::fs::{Mode, OFlags, fsync, openat};

/// The path under which the kernel knows an open directory now. `None` where it cannot be asked
/// (no `/proc`, or a system without such a call).
pub(crate) fn path_of(directory: impl AsFd) -> Option<PathBuf> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        std::fs::read_link(proc_path(directory)).ok()
    }
    #[cfg(target_vendor = "apple")]
    {
        use std::os::unix::ffi::OsStringExt as _;
        let path = rustix::fs::getpath(directory).ok()?;
        Some(PathBuf::from(std::ffi::OsString::from_vec(path.into_bytes())))
    }
    #[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
    {
        let _ = directory;
        None
    }
}

/// The magic link of `/proc` that leads to an open descriptor of this process.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(crate) fn proc_path(file: impl AsFd) -> PathBuf {
    use std::os::fd::AsRawFd as _;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_fd().as_raw_fd()))
}

/// Flushes a directory's names to the disk. The handle itself is `O_PATH` on Linux, which cannot be
/// flushed, so the directory is opened once more, by the handle and not by a path.
pub(crate) fn sync_directory(directory: impl AsFd) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let readable = openat(directory, ".", flags, Mode::empty())?;
    Ok(fsync(readable)?)
}
