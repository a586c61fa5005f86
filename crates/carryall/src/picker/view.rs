//! What a picker looks like on so many columns and lines.

use super::state::{Item, Picker};
use crate::terminal::{columns, cut, padded};

/// Below this width a line has room for age and title alone.
const WIDE: usize = 60;

/// Lines beside the list: what is typed, how many fit it, and the session at hand.
const FRAME: usize = 3;

/// What stands on the screen.
pub(super) struct View {
    /// The lines from the top.
    pub(super) lines: Vec<String>,
    /// The line of the session at hand.
    pub(super) marked: Option<usize>,
    /// The column of the cursor, in the first line.
    pub(super) cursor: usize,
}

/// Draws a picker, and moves its list so that the session at hand is on it.
pub(super) fn draw(picker: &mut Picker, width: usize, height: usize) -> View {
    let page = height.saturating_sub(FRAME).max(1);
    picker.page = page;
    picker.top = picker.top.min(picker.at).max((picker.at + 1).saturating_sub(page));
    let query = format!("> {}", tail(&picker.query, width.saturating_sub(3)));
    let cursor = columns(&query).min(width.saturating_sub(1));
    let mut lines = vec![query, count(picker)];
    let on_screen = picker.found.iter().enumerate().skip(picker.top).take(page);
    let mut marked = None;
    for (place, &number) in on_screen {
        let is_marked = place == picker.at;
        if is_marked {
            marked = Some(lines.len());
        }
        lines.push(row(picker, &picker.items[number], is_marked, width));
    }
    if let Some(&number) = picker.found.get(picker.at) {
        let Item { agent, id, project, .. } = &picker.items[number];
        lines.push(format!("{agent}:{id} {project}"));
    }
    lines.truncate(height);
    let lines = lines.iter().map(|line| cut(line.trim_end(), width)).collect();
    View { lines, marked, cursor }
}

/// The end of what is typed, as much of it as there is room for.
fn tail(query: &str, width: usize) -> &str {
    let starts = query.char_indices().map(|(at, _)| &query[at..]);
    starts.into_iter().find(|rest| columns(rest) <= width).unwrap_or("")
}

fn count(picker: &Picker) -> String {
    let (found, all) = (picker.found.len(), picker.items.len());
    let older = if picker.more > 0 { format!(", {} older", picker.more) } else { String::new() };
    format!("  {found}/{all}{older}  Enter: take it, Esc: leave")
}

fn row(picker: &Picker, item: &Item, is_marked: bool, width: usize) -> String {
    let mark = if is_marked { ">" } else { " " };
    let title = if item.title.is_empty() { &item.id } else { &item.title };
    let age = format!("{:>4}", item.age);
    if width < WIDE {
        return format!("{mark}{age} {title}");
    }
    let widest = |text: fn(&Item) -> &str| {
        picker.items.iter().map(|item| columns(text(item))).max().unwrap_or(0)
    };
    let agent = padded(&item.agent, widest(|item| &item.agent));
    let room = widest(|item| &item.project).min(width / 4);
    let project = padded(&cut(&item.project, room), room);
    format!("{mark}{age} {agent} {project} {title}")
}

#[cfg(test)]
mod tests {
    use super::super::state::tests::picker;
    use super::*;

    fn lines(width: usize, height: usize, at: usize) -> Vec<String> {
        let mut picker = picker();
        picker.at = at;
        draw(&mut picker, width, height).lines
    }

    #[test]
    fn a_wide_terminal_shows_agent_project_and_title() {
        let expected = [
            ">",
            "  4/4, 7 older  Enter: take it, Esc: leave",
            ">  1m claude-code ~/src/lantern  Mend the lantern",
            "   2h claude-code ~/src/tidepool Count the tide pools",
            "   3d claude-code ~/src/lantern  灯台を直す",
            "   4w claude-code                id-4w",
            "claude-code:id-1m ~/src/lantern",
        ];
        assert_eq!(lines(80, 24, 0), expected);
    }

    #[test]
    fn a_narrow_and_low_terminal_shows_what_fits() {
        let expected = [">", "  4/4, 7 older  E…", ">  3d 灯台を直す", "claude-code:id-3d…"];
        assert_eq!(lines(18, 4, 2), expected);
        for (width, height) in [(0, 0), (1, 1), (2, 2), (5, 3), (12, 3)] {
            let lines = lines(width, height, 3);
            assert!(lines.len() <= height.max(1), "{width} x {height}: {lines:?}");
            assert!(lines.iter().all(|line| columns(line) <= width), "{width}: {lines:?}");
        }
    }

    #[test]
    fn a_long_query_shows_its_end_and_the_cursor_stays_on_the_line() {
        let mut picker = picker();
        picker.query = "one two three".into();
        let view = draw(&mut picker, 10, 5);
        assert_eq!((view.lines[0].as_str(), view.cursor), ("> o three", 9));
    }
}
