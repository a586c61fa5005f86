//! Where an object ends, or where it stops being one: the grammar of JSON without its values.

use std::ops::Range;

/// Nesting beyond this is called broken; it bounds the memory of a hostile row.
const MAX_DEPTH: usize = 1024;

/// What a run of bytes that begins with `{` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// An object that ends before this position.
    Whole(usize),
    /// The byte at this position cannot stand there.
    Broken(usize),
    /// All of it can be the beginning of an object.
    Open,
}

/// Hears of keys and ends while a [`Scanner`] walks.
pub(super) trait Watch {
    /// A key of the object at this depth (1 is the outermost), with its quotes.
    fn key(&mut self, depth: usize, key: Range<usize>);
    /// An object or array ended; `depth` is its own.
    fn close(&mut self, depth: usize, range: Range<usize>, bytes: &[u8]);
}

/// Follows one object token by token. Inside strings it takes any byte, so raw control characters
/// and invalid UTF-8 do not break an object; a wrong escape does. It can go on when more bytes
/// have come.
#[derive(Debug)]
pub(super) struct Scanner<W> {
    /// Who is told.
    pub(super) watch: W,
    stack: Vec<Frame>,
    expect: Expect,
    in_string: bool,
    token: usize,
    at: usize,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    start: usize,
    is_object: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    Key,
    KeyOrEnd,
    Colon,
    Value,
    ValueOrEnd,
    CommaOrEnd,
}

impl<W: Watch> Scanner<W> {
    /// A scanner that has seen nothing.
    pub(super) fn new(watch: W) -> Self {
        let expect = Expect::Value;
        Self { watch, stack: Vec::new(), expect, in_string: false, token: 0, at: 0 }
    }

    /// Begins anew at a position, where a `{` should stand.
    pub(super) fn begin(&mut self, bytes: &[u8], at: usize) -> Shape {
        (self.at, self.token, self.in_string, self.expect) = (at, at, false, Expect::Value);
        self.stack.clear();
        if bytes.get(at) != Some(&b'{') {
            return Shape::Broken(at);
        }
        self.go_on(bytes)
    }

    /// Goes on after [`Shape::Open`] with a longer run of the same bytes.
    pub(super) fn go_on(&mut self, bytes: &[u8]) -> Shape {
        loop {
            let step = if self.in_string { self.string(bytes) } else { self.token(bytes) };
            match step {
                Ok(()) if self.stack.is_empty() => return Shape::Whole(self.at),
                Ok(()) => {}
                Err(shape) => return shape,
            }
        }
    }

    fn token(&mut self, bytes: &[u8]) -> Result<(), Shape> {
        self.at = skip_space(bytes, self.at);
        let Some(&byte) = bytes.get(self.at) else { return Err(Shape::Open) };
        let in_object = self.stack.last().is_some_and(|frame| frame.is_object);
        let value = matches!(self.expect, Expect::Value | Expect::ValueOrEnd);
        let key = matches!(self.expect, Expect::Key | Expect::KeyOrEnd);
        match byte {
            b'"' if key || value => {
                self.expect = if key { Expect::Colon } else { Expect::CommaOrEnd };
                (self.token, self.in_string) = (self.at, true);
                self.at += 1;
            }
            b'{' | b'[' if value => return self.open(byte == b'{'),
            b'}' if in_object && matches!(self.expect, Expect::KeyOrEnd | Expect::CommaOrEnd) => {
                self.close(bytes);
            }
            b']' if !in_object
                && matches!(self.expect, Expect::ValueOrEnd | Expect::CommaOrEnd) =>
            {
                self.close(bytes);
            }
            b':' if self.expect == Expect::Colon => self.step(Expect::Value),
            b',' if self.expect == Expect::CommaOrEnd => {
                self.step(if in_object { Expect::Key } else { Expect::Value });
            }
            b'-' | b'0'..=b'9' if value => {
                let digit = |b: &u8| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
                // A number at the end of what there is may still go on.
                let len = bytes[self.at..].iter().position(|b| !digit(b)).ok_or(Shape::Open)?;
                self.at += len;
                self.expect = Expect::CommaOrEnd;
            }
            b't' if value => return self.word(bytes, b"true"),
            b'f' if value => return self.word(bytes, b"false"),
            b'n' if value => return self.word(bytes, b"null"),
            _ => return Err(Shape::Broken(self.at)),
        }
        Ok(())
    }

    fn step(&mut self, expect: Expect) {
        self.expect = expect;
        self.at += 1;
    }

    fn open(&mut self, is_object: bool) -> Result<(), Shape> {
        if self.stack.len() == MAX_DEPTH {
            return Err(Shape::Broken(self.at));
        }
        self.stack.push(Frame { start: self.at, is_object });
        self.step(if is_object { Expect::KeyOrEnd } else { Expect::ValueOrEnd });
        Ok(())
    }

    fn close(&mut self, bytes: &[u8]) {
        self.step(Expect::CommaOrEnd);
        let depth = self.stack.len();
        if let Some(frame) = self.stack.pop() {
            self.watch.close(depth, frame.start..self.at, bytes);
        }
    }

    fn word(&mut self, bytes: &[u8], word: &[u8]) -> Result<(), Shape> {
        let here = &bytes[self.at..];
        let same = here.iter().zip(word).take_while(|(a, b)| a == b).count();
        if same == word.len() {
            self.at += same;
            self.expect = Expect::CommaOrEnd;
            return Ok(());
        }
        Err(if same == here.len() { Shape::Open } else { Shape::Broken(self.at + same) })
    }

    /// Goes to the end of a string. A value follows a colon, a key is followed by one, so what is
    /// expected afterwards tells which of the two it was.
    fn string(&mut self, bytes: &[u8]) -> Result<(), Shape> {
        loop {
            let rest = bytes.get(self.at..).unwrap_or_default();
            let Some(i) = memchr::memchr2(b'"', b'\\', rest) else {
                self.at = bytes.len();
                return Err(Shape::Open);
            };
            self.at += i;
            if bytes[self.at] == b'"' {
                self.at += 1;
                self.in_string = false;
                if self.expect == Expect::Colon {
                    self.watch.key(self.stack.len(), self.token..self.at);
                }
                return Ok(());
            }
            self.at += escape(bytes, self.at)?;
        }
    }
}

/// The length of the escape at a backslash.
fn escape(bytes: &[u8], at: usize) -> Result<usize, Shape> {
    match bytes.get(at + 1) {
        None => Err(Shape::Open),
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(2),
        Some(b'u') => {
            let digits = bytes[at + 2..].iter().take(4);
            match digits.clone().position(|b| !b.is_ascii_hexdigit()) {
                Some(wrong) => Err(Shape::Broken(at + 2 + wrong)),
                None if digits.len() < 4 => Err(Shape::Open),
                None => Ok(6),
            }
        }
        Some(_) => Err(Shape::Broken(at + 1)),
    }
}

/// The first position from `at` on that holds no JSON white space.
pub(super) fn skip_space(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|&b| !is_space(b)).unwrap_or(rest.len())
}

/// The last position before `at` that holds no JSON white space.
pub(super) fn before_space(bytes: &[u8], at: usize) -> Option<usize> {
    bytes[..at].iter().rposition(|&b| !is_space(b))
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Deaf;

    impl Watch for Deaf {
        fn key(&mut self, _: usize, _: Range<usize>) {}
        fn close(&mut self, _: usize, _: Range<usize>, _: &[u8]) {}
    }

    #[test]
    fn every_break_is_where_the_grammar_breaks() {
        for (text, shape) in [
            (r#"{}x"#, Shape::Whole(2)),
            (r#"{"a":[1,-2.5e+3,true,false,null,{},[]," \" \\"],"b":""}"#, Shape::Whole(55)),
            ("{\"a\":\"\n\0\x7f\"}", Shape::Whole(11)),
            ("", Shape::Broken(0)),
            ("[]", Shape::Broken(0)),
            ("{,", Shape::Broken(1)),
            (r#"{"a",1}"#, Shape::Broken(4)),
            (r#"{"a":,1}"#, Shape::Broken(5)),
            (r#"{"a":1,,"b":2}"#, Shape::Broken(7)),
            (r#"{"a":1,}"#, Shape::Broken(7)),
            (r#"{"a":[1,]}"#, Shape::Broken(8)),
            (r#"{"a":[,1]}"#, Shape::Broken(6)),
            (r#"{"a":[1}"#, Shape::Broken(7)),
            (r#"{"a":1]"#, Shape::Broken(6)),
            (r#"{"a":{]"#, Shape::Broken(6)),
            (r#"{"a"::1}"#, Shape::Broken(5)),
            (r#"{"a":1 2}"#, Shape::Broken(7)),
            (r#"{"a":trux}"#, Shape::Broken(8)),
            (r#"{"a":"\x"}"#, Shape::Broken(7)),
            (r#"{"a":"\u12g4"}"#, Shape::Broken(10)),
            (r#"{1:2}"#, Shape::Broken(1)),
            (r#"{"a":"\u12"#, Shape::Open),
            (r#"{"a":tru"#, Shape::Open),
            (r#"{"a":12"#, Shape::Open),
            (r#"{"a":"x\"#, Shape::Open),
            (r#"{"#, Shape::Open),
        ] {
            assert_eq!(Scanner::new(Deaf).begin(text.as_bytes(), 0), shape, "{text}");
        }
    }

    #[test]
    fn a_text_that_comes_in_two_pieces_is_the_same_text() {
        let text = r#"{"a":[1.5,true,{"b":"\u00e9\\"}],"c":null}"#.as_bytes();
        for cut in 1..text.len() {
            let mut scanner = Scanner::new(Deaf);
            assert_eq!(scanner.begin(&text[..cut], 0), Shape::Open);
            assert_eq!(scanner.go_on(text), Shape::Whole(text.len()), "{cut}");
        }
    }

    #[test]
    fn nesting_has_an_end() {
        let deep = |levels: usize| "{\"a\":".to_owned() + &"[".repeat(levels - 1);
        let mut scanner = Scanner::new(Deaf);
        assert_eq!(scanner.begin(deep(MAX_DEPTH).as_bytes(), 0), Shape::Open);
        let at = deep(MAX_DEPTH).len();
        assert_eq!(scanner.begin(deep(MAX_DEPTH + 1).as_bytes(), 0), Shape::Broken(at));
    }
}
