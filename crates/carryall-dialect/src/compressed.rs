//! Sources that are compressed with Zstandard (RFC 8878): unpacked into an unnamed file, and read
//! from there like any other.

use crate::Spool;
use crate::source::Source;
use carryall_model::OpenError;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder, StreamingDecoder};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

/// The first bytes of a frame.
const MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";

/// The last three of the first four bytes of a frame that is to be skipped; the first is 0x50 to
/// 0x5f.
const SKIPPED: &[u8] = b"\x2a\x4d\x18";

/// The most that is unpacked, so that a small file cannot fill a disk.
pub(crate) const MAX_UNPACKED: u64 = 16 << 30;

/// Bytes that are unpacked at a time.
const CHUNK: usize = 256 * 1024;

/// Whether a file that begins with these bytes is compressed.
pub(crate) fn is(head: &[u8]) -> bool {
    head.starts_with(MAGIC) || matches!(head, [0x50..=0x5f, rest @ ..] if rest.starts_with(SKIPPED))
}

/// The first bytes that a compressed source holds, at most `len`; fewer where it is damaged.
pub(crate) fn beginning(source: &Source, len: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    // What was unpacked before the damage is kept.
    let _ = unpack(source, len.min(CHUNK), &mut |unpacked| {
        bytes.extend_from_slice(&unpacked[..unpacked.len().min(len - bytes.len())]);
        Ok(bytes.len() < len)
    });
    bytes
}

/// A source like this one whose bytes are the unpacked ones. Of a damaged file what comes before
/// the damage is kept; [`Source::torn`] then tells what is wrong.
pub(crate) fn unpacked(source: &Source, spool: Spool) -> Result<Source, OpenError> {
    let failed = |error| OpenError::Io { path: source.path().to_owned(), source: error };
    let file = spool().map_err(failed)?;
    let mut output = BufWriter::with_capacity(CHUNK, &file);
    let mut len = 0;
    let torn = unpack(source, CHUNK, &mut |unpacked| {
        len += unpacked.len() as u64;
        let goes_on = len <= MAX_UNPACKED;
        if goes_on {
            output.write_all(unpacked)?;
        }
        Ok(goes_on)
    });
    let torn = torn.map_err(failed)?;
    output.flush().map_err(failed)?;
    drop(output);
    if len > MAX_UNPACKED {
        let path = source.path().to_owned();
        return Err(OpenError::TooLarge { path, bytes: len, limit: MAX_UNPACKED });
    }
    (&file).seek(SeekFrom::Start(0)).map_err(failed)?;
    Ok(source.spooled(file, len, torn))
}

/// Takes bytes that were unpacked, and tells whether there should be more.
type Each<'e> = dyn FnMut(&[u8]) -> io::Result<bool> + 'e;

/// Unpacks all frames, at most so many bytes at a time; tells why that ended early.
fn unpack(source: &Source, size: usize, each: &mut Each<'_>) -> io::Result<Option<String>> {
    let mut input = BufReader::with_capacity(CHUNK, Bytes { source, at: 0 });
    let mut buf = vec![0; size];
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
            Err(error) => return Ok(Some(error.to_string())),
        };
        loop {
            let read = match decoder.read(&mut buf) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) => {
                    held_back(decoder.into_frame_decoder(), &mut buf, each)?;
                    return Ok(Some(error.to_string()));
                }
            };
            if !each(&buf[..read])? {
                return Ok(None);
            }
        }
    }
    Ok(None)
}

/// The header of a block without bytes that is the last of its frame, and room for a checksum.
const LAST_BLOCK: &[u8] = &[1, 0, 0, 0, 0, 0, 0];

/// Gives out what a decoder still holds of a frame that broke off. It keeps as much as later
/// blocks may refer to (for a small file all there is) until the frame ends: so it is ended.
fn held_back(mut decoder: FrameDecoder, buf: &mut [u8], each: &mut Each<'_>) -> io::Result<()> {
    if decoder.decode_blocks(LAST_BLOCK, BlockDecodingStrategy::All).is_err() {
        return Ok(());
    }
    loop {
        let read = decoder.read(buf)?;
        if read == 0 || !each(&buf[..read])? {
            return Ok(());
        }
    }
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
