//! Takes a Markdown export apart by its markers and their lengths alone, in bytes: it knows
//! nothing of Markdown beyond what the frame promises.

/// How a part stood in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Verbatim,
    Closed,
    Fenced,
    Empty,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) mode: Mode,
}

/// An entry or a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// `7`, `7.1`, `s2/7.1`.
    pub(crate) number: String,
    pub(crate) kind: String,
    pub(crate) parts: Vec<Part>,
    /// The whole marker line.
    pub(crate) marker: String,
}

impl Piece {
    pub(crate) fn part(&self, name: &str) -> Option<&Part> {
        self.parts.iter().find(|part| part.name == name)
    }
}

/// All pieces of a file, in order.
pub(crate) fn pieces(file: &[u8]) -> Result<Vec<Piece>, String> {
    let mut reader = Reader { file, at: 0 };
    let mut pieces = Vec::new();
    while let Some(marker) = reader.skip_to(|line| line.starts_with(b"<!-- carryall ")) {
        let marker = String::from_utf8(marker.to_vec()).map_err(|e| e.to_string())?;
        pieces.push(reader.piece(&marker)?);
    }
    Ok(pieces)
}

struct Reader<'f> {
    file: &'f [u8],
    at: usize,
}

impl<'f> Reader<'f> {
    /// The next line of the frame without its LF.
    fn line(&mut self) -> Option<&'f [u8]> {
        let rest = self.file.get(self.at..).filter(|rest| !rest.is_empty())?;
        let len = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        self.at += len + 1;
        Some(&rest[..len])
    }

    /// Only frame lines stand between parts, so a line of the frame is what it seems.
    fn skip_to(&mut self, wanted: impl Fn(&[u8]) -> bool) -> Option<&'f [u8]> {
        loop {
            let line = self.line()?;
            if wanted(line) {
                return Some(line);
            }
        }
    }

    fn piece(&mut self, marker: &str) -> Result<Piece, String> {
        let inner = marker.strip_prefix("<!-- carryall ").and_then(|m| m.strip_suffix(" -->"));
        let mut words = inner.ok_or(format!("no marker: {marker}"))?.split(' ');
        let (Some(number), Some(kind)) = (words.next(), words.next()) else {
            return Err(format!("short marker: {marker}"));
        };
        self.blank()?;
        self.skip_to(|line| line.starts_with(b"##")).ok_or("no heading")?;
        let mut parts = Vec::new();
        for word in words {
            let (name, len) = word.split_once(':').ok_or(format!("odd word: {word}"))?;
            let len = len.parse().map_err(|_| format!("odd length: {word}"))?;
            parts.push(self.part(kind, name, len).map_err(|e| format!("{number} {name}: {e}"))?);
        }
        let (number, kind) = (number.to_owned(), kind.to_owned());
        Ok(Piece { number, kind, parts, marker: marker.to_owned() })
    }

    fn part(&mut self, kind: &str, name: &str, len: usize) -> Result<Part, String> {
        let name = name.to_owned();
        let title: &[&[u8]] = match (&*name, kind) {
            ("reasoning", _) => &[b"<summary>Reasoning</summary>"],
            ("text", _) => &[],
            ("input", _) => &[b"Input:"],
            ("result", _) => &[b"Result:", b"Error result:"],
            other => return Err(format!("unknown part {other:?}")),
        };
        if !title.is_empty() {
            self.skip_to(|line| title.contains(&line)).ok_or("no title")?;
        }
        self.blank()?;
        if len == 0 {
            return match self.line() {
                Some(b"(empty)") => Ok(Part { name, bytes: Vec::new(), mode: Mode::Empty }),
                line => Err(format!("not (empty): {line:?}")),
            };
        }
        let prose = name == "reasoning" || (name == "text" && kind != "tool_result");
        let fenced = self.opens_fence(prose);
        let end = self.at + len;
        let bytes = self.file.get(self.at..end).ok_or("the file ends too early")?.to_vec();
        self.at = if bytes.ends_with(b"\n") { end } else { end + 1 };
        if self.file.get(self.at - 1) != Some(&b'\n') {
            return Err("no line end behind the part".to_owned());
        }
        let mode = match fenced {
            Some(fence) if self.line() == Some(&fence) => Mode::Fenced,
            Some(_) => return Err("the fence is not closed".to_owned()),
            None if prose => self.closing_line()?,
            None => return Err("no fence".to_owned()),
        };
        if name == "reasoning" {
            self.skip_to(|line| line == b"</details>").ok_or("details stay open")?;
        }
        Ok(Part { name, bytes, mode })
    }

    fn blank(&mut self) -> Result<(), String> {
        match self.line() {
            Some(b"") => Ok(()),
            line => Err(format!("not blank: {line:?}")),
        }
    }

    /// Steps over our own fence line, if there is one here.
    fn opens_fence(&mut self, prose: bool) -> Option<Vec<u8>> {
        let start = self.at;
        let line = self.line()?;
        let length = line.iter().take_while(|byte| **byte == line[0]).count();
        let (fence, info) = line.split_at(length);
        let known = if prose { info == b"markdown" } else { info.is_empty() || info == b"json" };
        if length >= 3 && matches!(fence[0], b'`' | b'~') && known {
            return Some(fence.to_vec());
        }
        self.at = start;
        None
    }

    fn closing_line(&mut self) -> Result<Mode, String> {
        let start = self.at;
        match self.line() {
            None => Ok(Mode::Verbatim),
            Some(line) if line.len() >= 3 && line.iter().all(|byte| b"`~".contains(byte)) => {
                Ok(Mode::Closed)
            }
            Some(b"") => {
                self.at = start;
                Ok(Mode::Verbatim)
            }
            Some(line) => Err(format!("neither blank nor a closing line: {line:?}")),
        }
    }
}
