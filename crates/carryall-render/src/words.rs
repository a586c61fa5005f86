//! Text that is looked at and copied sixteen bytes at a time.
//!
//! Where every twentieth byte or so has to be replaced, both a search for the next one and a copy
//! of what stands before it cost more than the bytes in between. So a word is looked at and stored
//! whole; what stands behind its first special byte is stored again, in its new place.

use std::io::{self, Write};

/// The bytes of a word: those of a vector register of every processor.
pub(crate) const WORD: usize = 16;

/// Some bytes of a text.
pub(crate) type Word = [u8; WORD];

/// The first bytes of a text, filled up with spaces.
#[inline]
pub(crate) fn first_word(bytes: &[u8]) -> Word {
    bytes.first_chunk().copied().unwrap_or_else(|| {
        let mut word = [b' '; WORD];
        word[..bytes.len()].copy_from_slice(bytes);
        word
    })
}

/// How many bytes stand before the first special one. Without a branch in `special`, the compiler
/// makes this a few vector instructions.
#[inline]
pub(crate) fn plain(word: Word, special: impl Fn(u8) -> bool) -> usize {
    let marks = word.map(|byte| u8::from(special(byte)).wrapping_neg());
    u128::from_le_bytes(marks).trailing_zeros() as usize / 8
}

/// Bytes that are put together before they are written.
const PIECE: usize = 512;

/// Puts small pieces together. What is not [flushed](Self::flush) is not written.
pub(crate) struct Gather<'w, W> {
    out: &'w mut W,
    piece: [u8; PIECE],
    filled: usize,
}

impl<'w, W: Write> Gather<'w, W> {
    pub(crate) fn new(out: &'w mut W) -> Self {
        Self { out, piece: [0; PIECE], filled: 0 }
    }

    /// Takes the first bytes of a few, which are at most a word.
    #[inline]
    pub(crate) fn take<const N: usize>(&mut self, bytes: [u8; N], len: usize) -> io::Result<()> {
        if self.filled > PIECE - WORD {
            self.flush()?;
        }
        self.piece[self.filled..self.filled + N].copy_from_slice(&bytes);
        self.filled += len;
        Ok(())
    }

    /// Writes what was taken, and gives the writer behind.
    pub(crate) fn flush(&mut self) -> io::Result<&mut W> {
        self.out.write_all(&self.piece[..self.filled])?;
        self.filled = 0;
        Ok(&mut *self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_special_byte_is_found() {
        for at in 0..WORD {
            let mut word = [b'x'; WORD];
            word[at..].fill(b'!');
            assert_eq!(plain(word, |byte| byte == b'!'), at);
        }
        assert_eq!(plain([b'x'; WORD], |byte| byte == b'!'), WORD);
        assert_eq!(first_word(b"abc"), *b"abc             ");
    }
}
