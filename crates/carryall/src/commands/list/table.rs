//! The list as a table that fits where it is shown.

use crate::terminal::{columns, cut, padded};

/// What the columns are called.
const HEAD: [&str; 6] = ["AGENT", "ID", "AGE", "SIZE", "PROJECT", "TITLE"];
const AGENT: usize = 0;
const ID: usize = 1;
const SIZE: usize = 3;
const PROJECT: usize = 4;
const TITLE: usize = 5;

/// A title is worth this many columns; others give way to it.
const TITLE_WIDTH: usize = 20;

/// An id is never cut shorter than this.
const ID_WIDTH: usize = 8;

/// What is shown of a session, in the order of the columns.
pub(super) type Cells = [String; 6];

/// A header and a line for each session; nothing for none. On a terminal of `width` columns ids are cut
/// to a beginning that no other of the list has, and then columns are left out, until there is room
/// for titles; what is still too long is cut. Elsewhere everything is whole.
pub(super) fn table(mut rows: Vec<Cells>, width: Option<usize>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut shown = vec![AGENT, ID, 2, SIZE, PROJECT, TITLE];
    if let Some(width) = width {
        if taken(&rows, &shown) > width {
            shorten_ids(&mut rows);
        }
        for column in [PROJECT, SIZE, AGENT] {
            if taken(&rows, &shown) > width {
                shown.retain(|&kept| kept != column);
            }
        }
        // Ids that begin alike give way, too; the ellipsis says that more is needed to name one.
        let over = taken(&rows, &shown).saturating_sub(width);
        let room = widest(&rows, ID).saturating_sub(over).max(ID_WIDTH);
        for row in &mut rows {
            row[ID] = cut(&row[ID], room);
        }
    }
    let head = HEAD.map(str::to_owned);
    let widths: Vec<usize> = (0..HEAD.len()).map(|column| widest(&rows, column)).collect();
    let mut text = String::new();
    for row in std::iter::once(&head).chain(&rows) {
        let cells: Vec<_> =
            shown.iter().map(|&column| padded(&row[column], widths[column])).collect();
        let line = cells.join("  ");
        let line = line.trim_end();
        text.push_str(&width.map_or_else(|| line.to_owned(), |width| cut(line, width)));
        text.push('\n');
    }
    text
}

fn widest(rows: &[Cells], column: usize) -> usize {
    let cells = rows.iter().map(|row| columns(&row[column]));
    cells.chain([columns(HEAD[column])]).max().unwrap_or(0)
}

/// The columns that a line takes with a title of which enough is seen.
fn taken(rows: &[Cells], shown: &[usize]) -> usize {
    let widths = shown.iter().map(|&column| match column {
        TITLE => widest(rows, TITLE).min(TITLE_WIDTH),
        column => widest(rows, column) + 2,
    });
    widths.sum()
}

fn shorten_ids(rows: &mut [Cells]) {
    let beginning = |id: &str, length: usize| id.chars().take(length).collect::<String>();
    let longest = rows.iter().map(|row| row[ID].chars().count()).max().unwrap_or(0);
    // A whole id may be there twice, for two agents.
    let ids = |length| -> std::collections::HashSet<String> {
        rows.iter().map(|row| beginning(&row[ID], length)).collect()
    };
    let all = ids(longest).len();
    let length = (ID_WIDTH..longest).find(|&length| ids(length).len() == all).unwrap_or(longest);
    for row in rows {
        row[ID] = beginning(&row[ID], length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Cells> {
        let row = |cells: [&str; 6]| cells.map(str::to_owned);
        vec![
            row([
                "claude-code",
                "5973b6c2-41f0-4d8e-9a57-0c3be1d2f604",
                "2h",
                "12 kB",
                "~/src/tidepool",
                "Forecast panics when the clocks change",
            ]),
            row([
                "coddy",
                "sess_00000000000000000000a001",
                "3d",
                "1 MB",
                "~/src/灯台",
                "灯台を直す",
            ]),
        ]
    }

    #[test]
    fn elsewhere_nothing_is_cut() {
        let expected = "\
AGENT        ID                                    AGE  SIZE   PROJECT         TITLE
claude-code  5973b6c2-41f0-4d8e-9a57-0c3be1d2f604  2h   12 kB  ~/src/tidepool  Forecast panics when the clocks change
coddy        sess_00000000000000000000a001         3d   1 MB   ~/src/灯台      灯台を直す
";
        assert_eq!(table(rows(), None), expected);
        assert_eq!(table(Vec::new(), None), "");
    }

    #[test]
    fn on_80_columns_ids_are_short() {
        let expected = "\
AGENT        ID        AGE  SIZE   PROJECT         TITLE
claude-code  5973b6c2  2h   12 kB  ~/src/tidepool  Forecast panics when the clo…
coddy        sess_000  3d   1 MB   ~/src/灯台      灯台を直す
";
        assert_eq!(table(rows(), Some(80)), expected);
    }

    #[test]
    fn on_40_columns_ids_ages_and_titles_are_left() {
        let expected = "\
ID        AGE  TITLE
5973b6c2  2h   Forecast panics when the…
sess_000  3d   灯台を直す
";
        assert_eq!(table(rows(), Some(40)), expected);
        for width in 0..200 {
            let text = table(rows(), Some(width));
            assert!(text.lines().all(|line| columns(line) <= width), "{width}: {text}");
        }
    }

    #[test]
    fn ids_that_begin_alike_stay_apart() {
        let mut all = rows();
        all[0][ID] = "sess_00000000000000000000a002".into();
        let text = table(all.clone(), Some(60));
        assert!(text.contains("sess_00000000000000000000a001"), "{text}");
        assert!(text.contains("sess_00000000000000000000a002"), "{text}");
        let expected = "\
ID          AGE  TITLE
sess_0000…  2h   Forecast panics whe…
sess_0000…  3d   灯台を直す
";
        assert_eq!(table(all, Some(37)), expected);
    }
}
