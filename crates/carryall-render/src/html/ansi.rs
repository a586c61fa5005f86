//! Terminal colours in results.
//!
//! A well-formed SGR sequence (`ESC [ … m` with digits, `;` and `:` between) becomes a span with
//! constant class names; its bytes are the only ones of a text that are not shown. All other
//! escape sequences stand there as they are, with the control made visible, since what they did
//! to a terminal (moving, erasing, setting titles) has no meaning on a page.

use super::text;
use memchr::memchr;
use std::io::{self, Write};

/// The classes of the sixteen colours of text.
const INKS: [&str; 16] = [
    "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12", "f13", "f14",
    "f15",
];

/// The classes of the sixteen colours of the ground.
const GROUNDS: [&str; 16] = [
    "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9", "k10", "k11", "k12", "k13", "k14",
    "k15",
];

/// How text is drawn at a point of the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Pen {
    /// The colour of the text, as one of the sixteen.
    ink: Option<u8>,
    /// The colour of the ground.
    ground: Option<u8>,
    bold: bool,
    dim: bool,
    italic: bool,
    underlined: bool,
    reversed: bool,
    struck: bool,
}

/// Writes what a program printed.
pub(super) fn output<W: Write>(out: &mut W, printed: &str) -> io::Result<()> {
    let mut page = Page { out, pen: Pen::default(), shown: Pen::default() };
    let mut rest = printed;
    while let Some(at) = memchr(0x1b, rest.as_bytes()) {
        let (before, sequence) = rest.split_at(at);
        if let Some(codes) = sgr(sequence) {
            page.put(before)?;
            page.pen.apply(codes);
            rest = &sequence["\x1b[m".len() + codes.len()..];
        } else {
            page.put(&rest[..=at])?;
            rest = &rest[at + 1..];
        }
    }
    page.put(rest)?;
    page.draw(Pen::default())
}

/// The codes of the SGR sequence with which a text begins.
fn sgr(sequence: &str) -> Option<&str> {
    let codes = sequence.strip_prefix("\x1b[")?;
    let end = codes.bytes().position(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'))?;
    (codes.as_bytes()[end] == b'm').then_some(&codes[..end])
}

/// The page, and the span that is open on it.
struct Page<'a, W> {
    out: &'a mut W,
    pen: Pen,
    shown: Pen,
}

impl<W: Write> Page<'_, W> {
    fn put(&mut self, printed: &str) -> io::Result<()> {
        if printed.is_empty() {
            return Ok(());
        }
        self.draw(self.pen)?;
        text::text(self.out, printed)
    }

    /// Makes the open span that of this pen.
    fn draw(&mut self, pen: Pen) -> io::Result<()> {
        if self.shown == pen {
            return Ok(());
        }
        if self.shown != Pen::default() {
            self.out.write_all(b"</span>")?;
        }
        self.shown = pen;
        if pen == Pen::default() { Ok(()) } else { pen.open(self.out) }
    }
}

impl Pen {
    /// Opens a span with the pen's classes.
    fn open<W: Write>(self, out: &mut W) -> io::Result<()> {
        out.write_all(b"<span class=\"")?;
        let classes = [
            (self.ink.is_some() || self.dim).then_some("a"),
            self.ink.and_then(|ink| INKS.get(usize::from(ink)).copied()),
            self.ground.and_then(|ground| GROUNDS.get(usize::from(ground)).copied()),
            self.bold.then_some("ab"),
            self.dim.then_some("ad"),
            self.italic.then_some("ai"),
            self.underlined.then_some("au"),
            self.reversed.then_some("ar"),
            self.struck.then_some("ax"),
        ];
        let mut space = "";
        for class in classes.into_iter().flatten() {
            out.write_all(space.as_bytes())?;
            out.write_all(class.as_bytes())?;
            space = " ";
        }
        out.write_all(b"\">")
    }

    /// Applies the codes of one sequence, in order.
    fn apply(&mut self, codes: &str) {
        let mut codes = codes.split(';');
        while let Some(code) = codes.next() {
            let (code, mut parts) = match code.split_once(':') {
                Some((code, parts)) => (code, Some(parts.split(':'))),
                None => (code, None),
            };
            match (number(code), &mut parts) {
                (code @ (38 | 48 | 58), Some(parts)) => self.colour(code, colour_parts(parts)),
                (code @ (38 | 48 | 58), None) => self.colour(code, colour(&mut codes)),
                (4, Some(parts)) => self.underlined = parts.next().map(number) != Some(0),
                (code, _) => self.mark(code),
            }
        }
    }

    /// Sets a colour named by index or by its parts. What cannot be understood changes nothing.
    fn colour(&mut self, code: u32, colour: Option<u8>) {
        match code {
            38 => self.ink = colour.or(self.ink),
            48 => self.ground = colour.or(self.ground),
            // The colour of an underline is not drawn.
            _ => {}
        }
    }

    /// Applies a code that stands for itself. Blinking and hiding are not drawn: text that a
    /// terminal hides is what a reader should see.
    fn mark(&mut self, code: u32) {
        match code {
            0 => *self = Self::default(),
            1 => self.bold = true,
            2 => self.dim = true,
            3 => self.italic = true,
            4 | 21 => self.underlined = true,
            7 => self.reversed = true,
            9 => self.struck = true,
            22 => (self.bold, self.dim) = (false, false),
            23 => self.italic = false,
            24 => self.underlined = false,
            27 => self.reversed = false,
            29 => self.struck = false,
            30..=37 => self.ink = Some(index(code - 30)),
            39 => self.ink = None,
            40..=47 => self.ground = Some(index(code - 40)),
            49 => self.ground = None,
            90..=97 => self.ink = Some(index(code - 82)),
            100..=107 => self.ground = Some(index(code - 92)),
            _ => {}
        }
    }
}

/// One of the sixteen colours.
fn index(n: u32) -> u8 {
    (n & 15) as u8
}

/// A code; an absent one is 0.
fn number(code: &str) -> u32 {
    let digit = |n: u32, byte: u8| n.saturating_mul(10).saturating_add(u32::from(byte & 15));
    code.bytes().fold(0, digit)
}

/// The colour of `38;5;n` or `38;2;r;g;b`, of which the first code is read.
fn colour<'a>(codes: &mut impl Iterator<Item = &'a str>) -> Option<u8> {
    match number(codes.next()?) {
        5 => indexed(number(codes.next()?)),
        2 => {
            let mut part = || codes.next().map(number);
            Some(nearest(part()?, part()?, part()?))
        }
        _ => None,
    }
}

/// The colour of `38:5:n`, `38:2:r:g:b` or `38:2:space:r:g:b`, of which the first code is read.
fn colour_parts<'a>(parts: &mut impl Iterator<Item = &'a str>) -> Option<u8> {
    let kind = number(parts.next()?);
    let parts: Vec<u32> = parts.map(number).take(4).collect();
    match (kind, parts.as_slice()) {
        (5, &[n, ..]) => indexed(n),
        (2, &[r, g, b] | &[_, r, g, b]) => Some(nearest(r, g, b)),
        _ => None,
    }
}

/// A colour of the 256: sixteen, a cube of six levels, 24 greys.
fn indexed(n: u32) -> Option<u8> {
    let level = |step: u32| if step == 0 { 0 } else { 55 + 40 * step };
    match n {
        0..=15 => Some(index(n)),
        16..=231 => {
            let cube = n - 16;
            Some(nearest(level(cube / 36), level(cube / 6 % 6), level(cube % 6)))
        }
        232..=255 => {
            let grey = 8 + 10 * (n - 232);
            Some(nearest(grey, grey, grey))
        }
        _ => None,
    }
}

/// The nearest of the colours the sheet knows. Red, green and blue are the bits of a terminal's
/// colour number, so a hue is found by which parts are over the middle.
fn nearest(r: u32, g: u32, b: u32) -> u8 {
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    if most.saturating_sub(least) < 40 {
        return match most {
            0..64 => 0,
            64..208 => 8,
            208.. => 15,
        };
    }
    let middle = least + (most - least) / 2;
    u8::from(r > middle) | u8::from(g > middle) << 1 | u8::from(b > middle) << 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(printed: &str) -> String {
        let mut out = Vec::new();
        output(&mut out, printed).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn colours_and_marks_become_classes() {
        assert_eq!(shown("\x1b[31mred\x1b[0m x"), r#"<span class="a f1">red</span> x"#);
        assert_eq!(shown("\x1b[1;32mok\x1b[m"), r#"<span class="a f2 ab">ok</span>"#);
        assert_eq!(
            shown("\x1b[2;3;4;7;9;44;95mx"),
            r#"<span class="a f13 k4 ad ai au ar ax">x</span>"#
        );
        assert_eq!(
            shown("\x1b[1mb\x1b[22;3mi\x1b[23mp"),
            "<span class=\"ab\">b</span><span class=\"ai\">i</span>p"
        );
    }

    #[test]
    fn a_style_without_text_leaves_no_span() {
        assert_eq!(shown("\x1b[31m\x1b[0m"), "");
        assert_eq!(shown("\x1b[31ma\x1b[0m\x1b[31mb"), r#"<span class="a f1">ab</span>"#);
    }

    #[test]
    fn many_colours_become_the_nearest_of_a_few() {
        for (codes, class) in [
            ("38;5;9", "f9"),
            ("38;5;196", "f1"),
            ("38;5;46", "f2"),
            ("38;5;226", "f3"),
            ("38;5;21", "f4"),
            ("38;5;201", "f5"),
            ("38;5;51", "f6"),
            ("38;5;244", "f8"),
            ("38;5;232", "f0"),
            ("38;2;250;120;10", "f1"),
            ("38:2::10:200:30", "f2"),
            ("38:2:10:200:30", "f2"),
            ("38:5:4", "f4"),
            ("38;2;255;255;255", "f15"),
        ] {
            assert_eq!(
                shown(&format!("\x1b[{codes}mx")),
                format!(r#"<span class="a {class}">x</span>"#),
                "{codes}"
            );
        }
        assert_eq!(shown("\x1b[58;5;3;4mx"), r#"<span class="au">x</span>"#);
        assert_eq!(shown("\x1b[38;5;999mx\x1b[38mx\x1b[48;2;1mx"), "xxx");
        assert_eq!(shown("\x1b[99999999999999999999mx"), "x");
    }

    #[test]
    fn every_other_sequence_is_shown() {
        for (printed, expected) in [
            ("\x1b[2K", "\u{241b}[2K"),
            ("\x1b[?25l", "\u{241b}[?25l"),
            ("\x1b[>4;1m", "\u{241b}[&gt;4;1m"),
            ("\x1b]0;t\x07", "\u{241b}]0;t\u{2407}"),
            ("\x1b", "\u{241b}"),
            ("\x1b[", "\u{241b}["),
            ("\x1b[31", "\u{241b}[31"),
            ("\x1b\x1b[31mx", "\u{241b}<span class=\"a f1\">x</span>"),
            ("\u{9b}31m", "\u{fffd}31m"),
        ] {
            assert_eq!(shown(printed), expected);
        }
    }
}
