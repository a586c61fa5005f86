//! What is typed, which sessions fit it, and which of them is at hand.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32String};
use std::cmp::Reverse;

/// What is shown of a session; no text of it holds a control character.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) agent: String,
    pub(super) id: String,
    pub(super) age: String,
    pub(super) project: String,
    pub(super) title: String,
}

/// What a key led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Go on.
    Stay,
    /// The session of that number was chosen.
    Chosen(usize),
    /// None was.
    Left,
}

/// A list of sessions, the newest first, and a person before it.
pub(super) struct Picker {
    pub(super) items: Vec<Item>,
    /// Sessions that are not in the list.
    pub(super) more: usize,
    pub(super) query: String,
    /// The sessions that fit what is typed, the best first.
    pub(super) found: Vec<usize>,
    /// Which of them is at hand.
    pub(super) at: usize,
    /// The first of them that is on the screen.
    pub(super) top: usize,
    /// How many of them are on the screen.
    pub(super) page: usize,
    texts: Vec<Utf32String>,
    matcher: Matcher,
}

impl Picker {
    pub(super) fn new(items: Vec<Item>, more: usize) -> Self {
        let text = |item: &Item| {
            let Item { agent, id, project, title, .. } = item;
            Utf32String::from(format!("{title} {project} {agent} {id}"))
        };
        Self {
            texts: items.iter().map(text).collect(),
            found: (0..items.len()).collect(),
            items,
            more,
            query: String::new(),
            at: 0,
            top: 0,
            page: 1,
            matcher: Matcher::new(Config::DEFAULT),
        }
    }

    /// Takes a key.
    pub(super) fn key(&mut self, key: KeyEvent) -> Step {
        let last = self.found.len().saturating_sub(1);
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => return Step::Left,
            KeyCode::Char('c' | 'd' | 'g') if is_control => return Step::Left,
            KeyCode::Enter => {
                return self.found.get(self.at).map_or(Step::Stay, |&number| Step::Chosen(number));
            }
            KeyCode::Char('p' | 'k') if is_control => self.at = self.at.saturating_sub(1),
            KeyCode::Char('n' | 'j') if is_control => self.at = (self.at + 1).min(last),
            KeyCode::Up => self.at = self.at.saturating_sub(1),
            KeyCode::Down | KeyCode::Tab => self.at = (self.at + 1).min(last),
            KeyCode::BackTab => self.at = self.at.saturating_sub(1),
            KeyCode::PageUp => self.at = self.at.saturating_sub(self.page),
            KeyCode::PageDown => self.at = (self.at + self.page).min(last),
            KeyCode::Home => self.at = 0,
            KeyCode::End => self.at = last,
            KeyCode::Char('u') if is_control => self.typed(String::new()),
            KeyCode::Char('w') if is_control => {
                let kept = self.query.trim_end().rfind(' ').map_or(0, |space| space + 1);
                self.typed(self.query[..kept].to_owned());
            }
            KeyCode::Char('h') if is_control => self.erase(),
            KeyCode::Backspace => self.erase(),
            KeyCode::Char(c) if !is_control && !c.is_control() => {
                self.typed(format!("{}{c}", self.query));
            }
            _ => {}
        }
        Step::Stay
    }

    fn erase(&mut self) {
        let mut query = self.query.clone();
        query.pop();
        self.typed(query);
    }

    /// Looks for what is typed: the best fit first, of equal ones the newest.
    fn typed(&mut self, query: String) {
        self.query = query;
        let pattern = Pattern::parse(&self.query, CaseMatching::Smart, Normalization::Smart);
        let texts = self.texts.iter().enumerate();
        let mut found: Vec<_> = texts
            .filter_map(|(number, text)| {
                let score = pattern.score(text.slice(..), &mut self.matcher)?;
                Some((Reverse(score), number))
            })
            .collect();
        found.sort_unstable();
        self.found = found.into_iter().map(|(_, number)| number).collect();
        (self.at, self.top) = (0, 0);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::picker) fn picker() -> Picker {
        let item = |title: &str, age: &str, project: &str| Item {
            agent: "claude-code".into(),
            id: format!("id-{age}"),
            age: age.into(),
            project: project.into(),
            title: title.into(),
        };
        let items = vec![
            item("Mend the lantern", "1m", "~/src/lantern"),
            item("Count the tide pools", "2h", "~/src/tidepool"),
            item("灯台を直す", "3d", "~/src/lantern"),
            item("", "4w", ""),
        ];
        Picker::new(items, 7)
    }

    fn press(picker: &mut Picker, codes: &[KeyCode]) -> Step {
        let step = |&code| picker.key(KeyEvent::new(code, KeyModifiers::NONE));
        codes.iter().map(step).last().unwrap_or(Step::Stay)
    }

    fn write(picker: &mut Picker, text: &str) {
        for c in text.chars() {
            picker.key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
        }
    }

    #[test]
    fn enter_takes_the_newest_and_arrows_stay_in_the_list() {
        use KeyCode::{Down, End, Enter, Home, PageDown, Up};
        assert_eq!(press(&mut picker(), &[Enter]), Step::Chosen(0));
        assert_eq!(press(&mut picker(), &[Up, Down, Down, Enter]), Step::Chosen(2));
        assert_eq!(press(&mut picker(), &[End, Down, PageDown, Enter]), Step::Chosen(3));
        assert_eq!(press(&mut picker(), &[End, Home, Enter]), Step::Chosen(0));
    }

    #[test]
    fn what_is_typed_narrows_and_what_is_erased_widens() {
        let mut picker = picker();
        write(&mut picker, "lntrn");
        assert_eq!(picker.found, [0, 2]);
        write(&mut picker, " mend");
        assert_eq!(picker.found, [0]);
        write(&mut picker, " nothing");
        assert_eq!(press(&mut picker, &[KeyCode::Down, KeyCode::Enter]), Step::Stay);
        picker.key(KeyEvent::new(KeyCode::Char('w'), KeyModifiers::CONTROL));
        assert_eq!((picker.query.as_str(), picker.found.len()), ("lntrn mend ", 1));
        picker.key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL));
        assert_eq!((picker.query.as_str(), picker.found.len()), ("", 4));
        write(&mut picker, "直すx");
        assert_eq!(press(&mut picker, &[KeyCode::Backspace, KeyCode::Enter]), Step::Chosen(2));
    }

    #[test]
    fn escape_and_control_c_leave() {
        assert_eq!(press(&mut picker(), &[KeyCode::Esc]), Step::Left);
        let control_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(picker().key(control_c), Step::Left);
    }
}
