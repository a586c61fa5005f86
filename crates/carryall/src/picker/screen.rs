//! The terminal of a picker: standard error, so that standard output stays the answer's.

use super::state::{Picker, Step};
use super::view::{self, View};
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{self, Event, KeyEventKind};
use crossterm::style::{Attribute, Print, SetAttribute};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode, size,
};
use crossterm::{execute, queue};
use std::io::{self, Write};

/// Shows a picker until a person has chosen or left. The screen before it comes back.
pub(super) fn run(picker: &mut Picker) -> io::Result<Option<usize>> {
    let _taken = Taken::take()?;
    loop {
        let (width, height) = size()?;
        let view = view::draw(picker, width.into(), height.into());
        show(&view, width.into(), height.into())?;
        let Event::Key(key) = event::read()? else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        match picker.key(key) {
            Step::Stay => {}
            Step::Chosen(number) => return Ok(Some(number)),
            Step::Left => return Ok(None),
        }
    }
}

/// Draws everything with one write, so that nothing flickers. No colours: the line at hand is
/// marked by a sign and shown inverted.
fn show(view: &View, width: usize, height: usize) -> io::Result<()> {
    let mut out = Vec::new();
    queue!(out, Hide)?;
    for (number, line) in view.lines.iter().enumerate() {
        queue!(out, MoveTo(0, number as u16))?;
        match view.marked == Some(number) {
            true => {
                let line = crate::terminal::padded(line, width);
                queue!(out, SetAttribute(Attribute::Reverse), Print(line))?;
                queue!(out, SetAttribute(Attribute::Reset))?;
            }
            false => queue!(out, Print(line), Clear(ClearType::UntilNewLine))?,
        }
    }
    // The list was longer before; a full screen has no line below.
    if view.lines.len() < height {
        queue!(out, MoveTo(0, view.lines.len() as u16), Clear(ClearType::FromCursorDown))?;
    }
    queue!(out, MoveTo(view.cursor as u16, 0), Show)?;
    let mut terminal = io::stderr().lock();
    terminal.write_all(&out)?;
    terminal.flush()
}

/// The terminal while it is taken; dropping it gives it back, also when something fails.
struct Taken;

impl Taken {
    fn take() -> io::Result<Self> {
        enable_raw_mode()?;
        let taken = Self;
        execute!(io::stderr(), EnterAlternateScreen)?;
        Ok(taken)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        // There is nothing else to be done with a terminal that does not answer.
        let _ = execute!(io::stderr(), LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}
