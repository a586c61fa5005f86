//! A regular file, opened once and read at positions up to the length it had then.

use cap_std::AmbientAuthority;
use carryall_model::{FileId, OpenError, ReplayError};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

/// A place in a source: which file of the transcript, where in it, how many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// Offset of the first byte.
    pub(crate) at: u64,
    /// Length in bytes; rows over the limit of 256 MB are never spans.
    pub(crate) len: u32,
    /// The row in which it begins, counted from 1.
    pub(crate) row: u32,
}

/// An open source. Both passes see the same file and the same length, so a session that is still
/// being written gives a consistent document.
#[derive(Debug)]
pub(crate) struct Source {
    file: File,
    path: PathBuf,
    len: u64,
    id: FileId,
    torn: Option<String>,
}

impl Source {
    /// Opens a regular file; a FIFO, socket, device or folder is refused without being touched.
    ///
    /// `_authority` is the right to open a path that a person named.
    pub(crate) fn open(path: &Path, _authority: AmbientAuthority) -> Result<Self, OpenError> {
        let failed = |source: io::Error| OpenError::Io { path: path.to_owned(), source };
        // Without O_NONBLOCK the open of a FIFO would wait for its writer for ever.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file =
            File::from(rustix::fs::open(path, flags, Mode::empty()).map_err(|e| failed(e.into()))?);
        Self::from_file(file, path.to_owned()).map_err(failed)
    }

    /// Takes over a file that is already open.
    pub(crate) fn from_file(file: File, path: PathBuf) -> io::Result<Self> {
        let meta = file.metadata()?;
        if !meta.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let id = FileId { device: meta.dev(), inode: meta.ino() };
        Ok(Self { file, path, len: meta.len(), id, torn: None })
    }

    /// The same source with its bytes in another file, of that length: its path and identity stay.
    pub(crate) fn spooled(&self, file: File, len: u64, torn: Option<String>) -> Self {
        Self { file, path: self.path.clone(), len, id: self.id, torn }
    }

    /// The same source up to a position.
    pub(crate) fn up_to(self, len: u64) -> Self {
        Self { len: self.len.min(len), ..self }
    }

    /// Why its bytes end early, when they had to be unpacked and could not all be.
    pub(crate) fn torn(&self) -> Option<&str> {
        self.torn.as_deref()
    }

    /// The path it was opened by.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The length when it was opened, in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// The file's identity.
    pub(crate) fn id(&self) -> FileId {
        self.id
    }

    /// Whether more has been written since it was opened.
    pub(crate) fn has_grown(&self) -> bool {
        self.file.metadata().is_ok_and(|meta| meta.len() > self.len)
    }

    /// Fills `buf` with the bytes of a span. A source that has become shorter has changed.
    pub(crate) fn read_span<'b>(
        &self,
        span: Span,
        buf: &'b mut Vec<u8>,
    ) -> Result<&'b [u8], ReplayError> {
        // Only ever grown: filling a buffer with zeros before each read would cost as much again.
        let len = span.len as usize;
        if buf.len() < len {
            buf.resize(len, 0);
        }
        let buf = &mut buf[..len];
        self.read_exact(buf, span.at)?;
        Ok(buf)
    }

    fn read_exact(&self, buf: &mut [u8], at: u64) -> Result<(), ReplayError> {
        self.file.read_exact_at(buf, at).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => self.changed(),
            _ => ReplayError::Io { path: self.path.clone(), source: e },
        })
    }

    /// Like [`read_span`](Self::read_span), for a JSON text of which one value is not needed: the
    /// value in this `hole`, counted from the beginning of the span, is `null` instead.
    pub(crate) fn read_around<'b>(
        &self,
        span: Span,
        hole: Range<u32>,
        buf: &'b mut Vec<u8>,
    ) -> Result<&'b [u8], ReplayError> {
        const NULL: &[u8] = b"null";
        let (head, rest) = (hole.start as usize, (span.len - hole.end) as usize);
        let len = head + NULL.len() + rest;
        if buf.len() < len {
            buf.resize(len, 0);
        }
        let (before, after) = buf[..len].split_at_mut(head);
        let (null, after) = after.split_at_mut(NULL.len());
        self.read_exact(before, span.at)?;
        null.copy_from_slice(NULL);
        self.read_exact(after, span.at + u64::from(hole.end))?;
        Ok(&buf[..len])
    }

    /// Reads at most `buf.len()` bytes at a position, never beyond the length at opening.
    pub(crate) fn read_at(&self, buf: &mut [u8], at: u64) -> io::Result<usize> {
        let room =
            usize::try_from(self.len.saturating_sub(at)).unwrap_or(usize::MAX).min(buf.len());
        loop {
            match self.file.read_at(&mut buf[..room], at) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }

    /// The bytes from a position on, at most `len`; fewer at the end.
    pub(crate) fn read_range(&self, at: u64, len: u64) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; len.min(self.len.saturating_sub(at)) as usize];
        let mut filled = 0;
        while filled < bytes.len() {
            match self.read_at(&mut bytes[filled..], at + filled as u64)? {
                0 => break,
                read => filled += read,
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }

    /// The error for a span that no longer holds what the index saw.
    pub(crate) fn changed(&self) -> ReplayError {
        ReplayError::SourceChanged { path: self.path.clone() }
    }
}
