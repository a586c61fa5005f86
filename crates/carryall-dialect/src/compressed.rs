//! Sources that are compressed with Zstandard (RFC 8878): unpacked into an unnamed file, and read
//! from there like any other.

use crate::Spool;
use crate::source::Source;
use carryall_model::OpenError;
use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

/// The first bytes of a frame.
pub(crate) const MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";

/// The most that is unpacked, so that a small file cannot fill a disk.
pub(crate) const MAX_UNPACKED: u64 = 16 << 30;

/// Bytes that are unpacked at a time.
const CHUNK: usize = 256 * 1024;

/// The first bytes that a compressed source holds, at most `len`; fewer where it is damaged.
pub(crate) fn beginning(source: &Source, len: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut input = BufReader::new(Bytes { source, at: 0 });
    if let Ok(decoder) = StreamingDecoder::new(&mut input) {
        // What was unpacked before the damage is kept.
        let _ = decoder.take(len as u64).read_to_end(&mut bytes);
    }
    bytes
}

/// A source like this one whose bytes are the unpacked ones. Of a damaged file what comes before
/// the damage is kept; [`Source::torn`] then tells what is wrong.
pub(crate) fn unpacked(source: &Source, spool: Spool) -> Result<Source, OpenError> {
    let failed = |error| OpenError::Io { path: source.path().to_owned(), source: error };
    let file = spool().map_err(failed)?;
    let mut output = BufWriter::with_capacity(CHUNK, &file);
    let (len, torn) = copy(source, &mut output).map_err(failed)?;
    output.flush().map_err(failed)?;
    drop(output);
    if len > MAX_UNPACKED {
        let path = source.path().to_owned();
        return Err(OpenError::TooLarge { path, bytes: len, limit: MAX_UNPACKED });
    }
    (&file).seek(SeekFrom::Start(0)).map_err(failed)?;
    Ok(source.spooled(file, len, torn))
}

/// Unpacks all frames; tells how many bytes they hold and why unpacking ended early.
fn copy(source: &Source, output: &mut impl Write) -> io::Result<(u64, Option<String>)> {
    let mut input = BufReader::with_capacity(CHUNK, Bytes { source, at: 0 });
    let mut len = 0;
    let mut buf = vec![0; CHUNK];
    while has_more(&mut input)? {
        let mut decoder = match StreamingDecoder::new(&mut input) {
            Ok(decoder) => decoder,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                io::copy(&mut input.by_ref().take(length.into()), &mut io::sink())?;
                continue;
            }
            Err(error) => return Ok((len, Some(error.to_string()))),
        };
        loop {
            let read = match decoder.read(&mut buf) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) => return Ok((len, Some(error.to_string()))),
            };
            len += read as u64;
            if len > MAX_UNPACKED {
                return Ok((len, None));
            }
            output.write_all(&buf[..read])?;
        }
    }
    Ok((len, None))
}

fn has_more(input: &mut impl io::BufRead) -> io::Result<bool> {
    Ok(!input.fill_buf()?.is_empty())
}

/// Reads a source from its beginning.
struct Bytes<'s> {
    source: &'s Source,
    at: u64,
}

impl Read for Bytes<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read_at(buf, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}
