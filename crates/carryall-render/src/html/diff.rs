//! Edits as differences by line.
//!
//! A run of lines is a slice of the old or the new text, so that an edit costs no memory for its
//! lines, however large it is.

use super::text;
use carryall_model::Edit;
use memchr::{memchr, memchr_iter, memrchr};
use similar::{Algorithm, DiffOp};
use std::io::{self, Write};

/// Unchanged lines shown before and after a change.
const CONTEXT: usize = 3;

/// More lines than these, on either side, are not compared: they are shown as taken and put.
const MOST_COMPARED: usize = 2_000;

/// One edit of a call.
pub(super) struct Diff<'a> {
    /// The file, when the call names it.
    pub(super) path: Option<&'a str>,
    runs: Runs<'a>,
    /// Lines that were put.
    pub(super) added: usize,
    /// Lines that were taken away.
    pub(super) removed: usize,
    /// Lines that are shown.
    pub(super) shown: usize,
}

enum Runs<'a> {
    /// What became of the lines of two texts.
    Compared(Vec<Run<'a>>),
    /// A patch, whose lines say it themselves.
    Patch(&'a str),
}

/// Lines that stand together.
#[derive(Debug, PartialEq, Eq)]
enum Run<'a> {
    Same(&'a str),
    Removed(&'a str),
    Added(&'a str),
    /// Unchanged lines are left out here.
    Gap,
}

impl<'a> Diff<'a> {
    /// Compares what an edit took with what it put.
    pub(super) fn of(edit: &Edit<'a>) -> Self {
        match *edit {
            Edit::Replace { path, old, new } => Self::compared(path, old, new),
            Edit::Patch { path, patch } => Self::patch(path, patch),
        }
    }

    fn compared(path: Option<&'a str>, old: &'a str, new: &'a str) -> Self {
        let runs = compare(old, new);
        let count = |pick: fn(&Run<'a>) -> usize| runs.iter().map(pick).sum();
        let added = count(|run| if let Run::Added(put) = run { lines(put) } else { 0 });
        let removed = count(|run| if let Run::Removed(taken) = run { lines(taken) } else { 0 });
        let shown = count(|run| match run {
            Run::Same(run) | Run::Removed(run) | Run::Added(run) => lines(run),
            Run::Gap => 1,
        });
        Self { path, runs: Runs::Compared(runs), added, removed, shown }
    }

    fn patch(path: Option<&'a str>, patch: &'a str) -> Self {
        let (mut added, mut removed, mut shown) = (0, 0, 0);
        for line in split(patch) {
            shown += 1;
            added += usize::from(line.starts_with('+'));
            removed += usize::from(line.starts_with('-'));
        }
        Self { path, runs: Runs::Patch(patch), added, removed, shown }
    }

    /// Writes the lines, each in its element: `ins`, `del` or `span`.
    pub(super) fn write<W: Write>(&self, out: &mut W) -> io::Result<()> {
        match &self.runs {
            Runs::Patch(patch) => split(patch).try_for_each(|line| patch_line(out, line)),
            Runs::Compared(runs) => runs.iter().try_for_each(|run| match run {
                Run::Same(same) => element(out, "<span>  ", same, "</span>"),
                Run::Removed(taken) => element(out, "<del>- ", taken, "</del>"),
                Run::Added(put) => element(out, "<ins>+ ", put, "</ins>"),
                Run::Gap => gap(out),
            }),
        }
    }
}

/// Writes the mark that lines are left out.
pub(super) fn gap<W: Write>(out: &mut W) -> io::Result<()> {
    out.write_all("<span class=\"hunk\">⋯\n</span>".as_bytes())
}

fn element<W: Write>(out: &mut W, start: &str, run: &str, end: &str) -> io::Result<()> {
    for line in split(run) {
        out.write_all(start.as_bytes())?;
        text::text(out, line)?;
        out.write_all(b"\n")?;
        out.write_all(end.as_bytes())?;
    }
    Ok(())
}

fn patch_line<W: Write>(out: &mut W, line: &str) -> io::Result<()> {
    match line.as_bytes().first() {
        Some(b'+') => element(out, "<ins>+ ", &line[1..], "</ins>"),
        Some(b'-') => element(out, "<del>- ", &line[1..], "</del>"),
        Some(b' ') => element(out, "<span>  ", &line[1..], "</span>"),
        Some(_) => element(out, r#"<span class="hunk">"#, line, "</span>"),
        None => out.write_all(b"<span>\n</span>"),
    }
}

/// The lines of a text, without their line feeds; an empty text has none.
fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n').map(|line| line.strip_suffix('\n').unwrap_or(line))
}

/// How many lines a text has.
fn lines(text: &str) -> usize {
    text::Extent::of(text).lines
}

/// What became of the lines of `old`.
fn compare<'a>(old: &'a str, new: &'a str) -> Vec<Run<'a>> {
    let (head, tail) = common(old, new);
    let (old_middle, new_middle) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let mut runs = vec![Run::Same(&old[..head])];
    if lines(old_middle).max(lines(new_middle)) > MOST_COMPARED {
        runs.extend([Run::Removed(old_middle), Run::Added(new_middle)]);
    } else {
        compare_middle(old_middle, new_middle, &mut runs);
    }
    runs.push(Run::Same(&old[old.len() - tail..]));
    runs.retain(|run| !matches!(run, Run::Same("") | Run::Removed("") | Run::Added("")));
    trim(runs)
}

/// How many bytes at the beginning and at the end of two texts are equal lines.
fn common(old: &str, new: &str) -> (usize, usize) {
    let pairs = old.bytes().zip(new.bytes());
    let head = pairs.take_while(|(a, b)| a == b).count();
    let head = memrchr(b'\n', &old.as_bytes()[..head]).map_or(0, |at| at + 1);
    let (old, new) = (&old.as_bytes()[head..], &new.as_bytes()[head..]);
    let pairs = old.iter().rev().zip(new.iter().rev());
    let tail = pairs.take_while(|(a, b)| a == b).count();
    let begins_line = |text: &[u8]| tail == text.len() || text[text.len() - tail - 1] == b'\n';
    if begins_line(old) && begins_line(new) {
        return (head, tail);
    }
    let shared = &old[old.len() - tail..];
    (head, memchr(b'\n', shared).map_or(0, |at| tail - at - 1))
}

fn compare_middle<'a>(old: &'a str, new: &'a str, runs: &mut Vec<Run<'a>>) {
    let (old_lines, new_lines): (Vec<_>, Vec<_>) = (split(old).collect(), split(new).collect());
    let (old_ends, new_ends) = (ends(old), ends(new));
    let part =
        |text: &'a str, ends: &[usize], at: usize, len: usize| &text[ends[at]..ends[at + len]];
    for op in similar::capture_diff_slices(Algorithm::Myers, &old_lines, &new_lines) {
        match op {
            DiffOp::Equal { old_index, len, .. } => {
                runs.push(Run::Same(part(old, &old_ends, old_index, len)));
            }
            DiffOp::Delete { old_index, old_len, .. } => {
                runs.push(Run::Removed(part(old, &old_ends, old_index, old_len)));
            }
            DiffOp::Insert { new_index, new_len, .. } => {
                runs.push(Run::Added(part(new, &new_ends, new_index, new_len)));
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                runs.push(Run::Removed(part(old, &old_ends, old_index, old_len)));
                runs.push(Run::Added(part(new, &new_ends, new_index, new_len)));
            }
        }
    }
}

/// Where each line begins, and last where the text ends.
fn ends(text: &str) -> Vec<usize> {
    let mut ends = vec![0];
    ends.extend(memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
    if ends.last() != Some(&text.len()) {
        ends.push(text.len());
    }
    ends
}

/// Leaves out unchanged lines that are far from a change.
fn trim(runs: Vec<Run<'_>>) -> Vec<Run<'_>> {
    if runs.iter().all(|run| matches!(run, Run::Same(_))) {
        return Vec::new();
    }
    let last = runs.len().saturating_sub(1);
    let mut trimmed = Vec::with_capacity(runs.len() + 2);
    for (n, run) in runs.into_iter().enumerate() {
        match run {
            Run::Same(same) => {
                let before = if n == 0 { 0 } else { CONTEXT };
                let after = if n == last { 0 } else { CONTEXT };
                trim_same(same, before, after, &mut trimmed);
            }
            run @ (Run::Removed(_) | Run::Added(_) | Run::Gap) => trimmed.push(run),
        }
    }
    trimmed
}

/// Keeps the first and last lines of an unchanged run; a gap takes the place of two or more.
fn trim_same<'a>(same: &'a str, first: usize, last: usize, trimmed: &mut Vec<Run<'a>>) {
    let between = usize::from(first > 0 && last > 0);
    if lines(same) <= first + last + between {
        trimmed.push(Run::Same(same));
        return;
    }
    let bytes = same.as_bytes();
    let head = memchr_iter(b'\n', bytes).take(first).last().map_or(0, |at| at + 1);
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let tail = match last {
        0 => same.len(),
        n => memchr::memrchr_iter(b'\n', body).nth(n - 1).map_or(0, |at| at + 1),
    };
    if first > 0 {
        trimmed.push(Run::Same(&same[..head]));
    }
    if first > 0 && last > 0 {
        trimmed.push(Run::Gap);
    }
    if last > 0 {
        trimmed.push(Run::Same(&same[tail..]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(old: &str, new: &str) -> String {
        let diff = Diff::of(&Edit::Replace { path: None, old, new });
        let mut out = Vec::new();
        diff.write(&mut out).unwrap();
        let html = String::from_utf8(out).unwrap();
        assert_eq!(html.matches('\n').count(), diff.shown);
        for element in ["<span>", "</span>", "<ins>", "</ins>", "<del>", "</del>"] {
            assert!(html.contains('\n') || !html.contains(element));
        }
        let plain = html.replace(r#"<span class="hunk">"#, "");
        ["<span>", "</span>", "<ins>", "</ins>", "<del>", "</del>"]
            .iter()
            .fold(plain, |plain, element| plain.replace(element, ""))
    }

    #[test]
    fn changes_stand_between_three_lines_of_context() {
        let old: String = (1..=20).map(|n| format!("line {n}\n")).collect();
        let new = old.replace("line 4\n", "line four\n").replace("line 15\n", "");
        assert_eq!(
            shown(&old, &new),
            "  line 1\n  line 2\n  line 3\n- line 4\n+ line four\n  line 5\n  line 6\n  line 7\n⋯\n  \
             line 12\n  line 13\n  line 14\n- line 15\n  line 16\n  line 17\n  line 18\n"
        );
    }

    #[test]
    fn a_final_line_feed_is_no_change() {
        assert_eq!(shown("a\nb", "a\nb\nc"), "  a\n  b\n+ c\n");
        assert_eq!(shown("a\nb\n", "a\nc"), "  a\n- b\n+ c\n");
        assert_eq!(shown("", "a\n"), "+ a\n");
        assert_eq!(shown("a", ""), "- a\n");
        assert_eq!(shown("", ""), "");
    }

    #[test]
    fn a_text_too_large_to_compare_is_taken_and_put() {
        let old = "a\n".repeat(MOST_COMPARED + 1);
        let new = "b\na\n".repeat(MOST_COMPARED + 1);
        let diff = Diff::of(&Edit::Replace { path: None, old: &old, new: &new });
        // The last line of both is the same and not compared.
        assert_eq!(diff.removed + MOST_COMPARED + 1, diff.added);
    }

    #[test]
    fn a_patch_is_shown_as_it_is() {
        let diff = Diff::of(&Edit::Patch { path: None, patch: "@@ -1 +1 @@\n-a<\n+b\n c\n\n" });
        let mut out = Vec::new();
        diff.write(&mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "<span class=\"hunk\">@@ -1 +1 @@\n</span><del>- a&lt;\n</del><ins>+ b\n</ins>\
             <span>  c\n</span><span>\n</span>"
        );
        assert_eq!((diff.added, diff.removed, diff.shown), (1, 1, 5));
    }

    proptest! {
        /// What is shown as taken and put is what turns the old lines into the new ones.
        #[test]
        fn a_difference_turns_old_into_new(old in "([abc]?\n){0,12}[abc]?", new in "([abc]?\n){0,12}[abc]?") {
            let runs = {
                let (head, tail) = common(&old, &new);
                let mut runs = vec![Run::Same(&old[..head])];
                compare_middle(&old[head..old.len() - tail], &new[head..new.len() - tail], &mut runs);
                runs.push(Run::Same(&old[old.len() - tail..]));
                runs
            };
            let side = |skip: fn(&Run<'_>) -> bool| -> Vec<String> {
                runs.iter().filter(|run| !skip(run)).flat_map(|run| match run {
                    Run::Same(run) | Run::Removed(run) | Run::Added(run) => split(run),
                    Run::Gap => unreachable!(),
                }).map(str::to_owned).collect()
            };
            let whole = |text: &str| split(text).map(str::to_owned).collect::<Vec<_>>();
            prop_assert_eq!(side(|run| matches!(run, Run::Added(_))), whole(&old));
            prop_assert_eq!(side(|run| matches!(run, Run::Removed(_))), whole(&new));
        }

        /// Whatever is left out, every changed line is there, in order.
        #[test]
        fn no_change_is_left_out(old in "([ab]\n){0,30}", new in "([ab]\n){0,30}") {
            let shown = shown(&old, &new);
            let signs = |sign| shown.lines().filter(|line| line.starts_with(sign)).count();
            let diff = Diff::of(&Edit::Replace { path: None, old: &old, new: &new });
            prop_assert_eq!((signs('+'), signs('-')), (diff.added, diff.removed));
            prop_assert_eq!(lines(&old) + diff.added, lines(&new) + diff.removed);
        }
    }
}
