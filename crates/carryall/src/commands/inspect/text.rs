//! The ledger for people: a table of kinds and fates, what the export does not show and why,
//! versions, damage, and the sum.

use super::Inspected;
use crate::terminal::{shown, wrapped};
use carryall_dialect::{Counts, Fate, Totals};
use carryall_model::NoticeKind;
use std::fmt::Write as _;

/// Subagents beyond this are counted, not listed.
const MAX_LISTED: usize = 10;

/// Where there is no terminal, lines are as long as they are.
const UNBOUNDED: usize = usize::MAX;

/// The whole answer, for a terminal of that many columns.
pub(super) fn whole(inspected: &Inspected<'_>, width: Option<usize>) -> String {
    let width = width.unwrap_or(UNBOUNDED);
    let facts = inspected.ledger.transcript().facts();
    let mut text = Text { width, text: String::new() };
    text.line(0, &format!("{} {}", inspected.agent, facts.id));
    text.heading("Records by kind");
    text.text.push_str(&kinds(&inspected.totals, width));
    text.reasons(&inspected.totals);
    text.damage(inspected);
    text.notices(inspected);
    text.versions(&inspected.totals);
    text.subagents(inspected);
    text.text.push('\n');
    text.line(2, &sum(&inspected.totals));
    text.text
}

struct Text {
    width: usize,
    text: String,
}

impl Text {
    fn heading(&mut self, heading: &str) {
        let _ = write!(self.text, "\n{heading}\n");
    }

    /// A line, and what does not fit into it below, `hang` columns to the right.
    fn line(&mut self, hang: usize, line: &str) {
        self.text.push_str(&wrapped(&shown(line), self.width, hang));
    }

    /// What a reader of the export does not see, and what is shown only in part.
    fn reasons(&mut self, totals: &Totals) {
        for (heading, fates) in [
            ("Not in the export", &[Fate::OtherBranch, Fate::LeftOut][..]),
            ("Not known to this reader", &[Fate::Unknown]),
            ("In the export, with a remark", &[Fate::Shown]),
        ] {
            let of_fate = |fate: &Fate| {
                let fate = *fate;
                totals.reasons.iter().filter(move |((known, _, _), _)| *known == fate)
            };
            let mut rows: Vec<_> = fates.iter().flat_map(of_fate).collect();
            if rows.is_empty() {
                continue;
            }
            rows.sort_by_key(|((fate, _, _), reason)| (*fate, std::cmp::Reverse(reason.records)));
            self.heading(heading);
            let digits = rows.iter().map(|(_, r)| r.records.to_string().len()).max().unwrap_or(0);
            for ((fate, kind, why), reason) in rows {
                let is_branch = *fate == Fate::OtherBranch;
                let fate = if is_branch { "other branch: " } else { "" };
                let n = reason.records;
                let row = reason.first_row;
                // A file beside the session is a record, and has no rows.
                let place = match n {
                    _ if kind.starts_with("file/") => String::new(),
                    1 => format!(" (row {row})"),
                    _ => format!(" (from row {row})"),
                };
                let line = format!("  {n:digits$}  {kind}: {fate}{why}{place}");
                self.line(digits + 3, &line);
            }
        }
    }

    fn damage(&mut self, inspected: &Inspected<'_>) {
        let total = inspected.totals.fates.of(Fate::Damaged);
        if total == 0 {
            return;
        }
        self.heading("Damaged");
        for damaged in &inspected.damaged {
            let place = match &damaged.file {
                Some(file) => file.clone(),
                None => format!("row {}", damaged.row),
            };
            self.line(4, &format!("  {place}: {}: {}", damaged.kind, damaged.reason));
        }
        let more = total - inspected.damaged.len() as u64;
        if more > 0 {
            self.line(4, &format!("  … and {more} more; --json lists all"));
        }
    }

    /// Notices that no record has for its fate.
    fn notices(&mut self, inspected: &Inspected<'_>) {
        let is_told = |kind: NoticeKind| {
            kind.is_damage() || matches!(kind, NoticeKind::UnknownKind | NoticeKind::OtherBranch)
        };
        let notices = inspected.notices.kept().iter().filter(|notice| !is_told(notice.kind));
        let notices: Vec<_> = notices.collect();
        if notices.is_empty() {
            return;
        }
        self.heading("Noticed");
        for notice in notices.iter().take(MAX_LISTED) {
            let kind = notice.kind.as_str();
            self.line(4, &format!("  {kind}: {}", carryall_render::sentence(notice)));
        }
        if notices.len() > MAX_LISTED {
            let more = notices.len() - MAX_LISTED;
            self.line(4, &format!("  … and {more} more; --json lists them"));
        }
    }

    fn versions(&mut self, totals: &Totals) {
        if totals.versions.is_empty() {
            return;
        }
        self.heading("Versions of the agent");
        for version in totals.versions.iter().take(MAX_LISTED) {
            let (from, to, n) = (version.first_row, version.last_row, version.records);
            let records = if n == 1 { "record" } else { "records" };
            let version = &version.version;
            self.line(4, &format!("  {version}: rows {from} to {to}, {n} {records}"));
        }
        if totals.versions.len() > MAX_LISTED {
            let more = totals.versions.len() - MAX_LISTED;
            self.line(4, &format!("  … and {more} more; --json lists them"));
        }
        if totals.version_changes >= totals.versions.len() as u64 {
            let line = format!("  it changes {} times, back and forth", totals.version_changes);
            self.line(4, &line);
        }
    }

    fn subagents(&mut self, inspected: &Inspected<'_>) {
        let children = inspected.ledger.transcript().children();
        if children.is_empty() {
            return;
        }
        self.heading("Subagents, sessions of their own");
        for child in children.iter().take(MAX_LISTED) {
            self.line(4, &format!("  {}", child.id));
        }
        if children.len() > MAX_LISTED {
            let more = children.len() - MAX_LISTED;
            self.line(4, &format!("  … and {more} more; --json lists them"));
        }
    }
}

/// A table of the fates that were met; where it is too wide, a list.
fn kinds(totals: &Totals, width: usize) -> String {
    let fates: Vec<Fate> =
        Fate::ALL.into_iter().filter(|&fate| totals.fates.of(fate) > 0).collect();
    let table = table(totals, &fates);
    let widest = table.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    if widest <= width { table } else { list(totals, &fates, width) }
}

fn table(totals: &Totals, fates: &[Fate]) -> String {
    let heads: Vec<String> = fates.iter().map(|fate| words(*fate)).collect();
    let widths: Vec<usize> = fates
        .iter()
        .zip(&heads)
        .map(|(&fate, head)| head.len().max(totals.fates.of(fate).to_string().len()))
        .collect();
    let name = totals.kinds.keys().map(|kind| kind.len()).chain([5]).max().unwrap_or(0);
    let all = totals.records.to_string().len().max(3);
    let mut text = format!("  {:name$}  {:>all$}", "", "all");
    for (head, width) in heads.iter().zip(&widths) {
        let _ = write!(text, "  {head:>width$}");
    }
    text.push('\n');
    let mut row = |kind: &str, counts: &Counts| {
        let _ = write!(text, "  {kind:name$}  {:>all$}", counts.sum());
        for (&fate, width) in fates.iter().zip(&widths) {
            match counts.of(fate) {
                0 => {
                    let _ = write!(text, "  {:>width$}", "-");
                }
                n => {
                    let _ = write!(text, "  {n:>width$}");
                }
            }
        }
        text.push('\n');
    };
    for (kind, counts) in &totals.kinds {
        row(kind, counts);
    }
    row("total", &totals.fates);
    text
}

fn list(totals: &Totals, fates: &[Fate], width: usize) -> String {
    let mut text = String::new();
    let total = "total".to_owned();
    for (kind, counts) in totals.kinds.iter().chain([(&total, &totals.fates)]) {
        let met = fates.iter().filter(|&&fate| counts.of(fate) > 0);
        let met: Vec<_> = met.map(|&fate| format!("{} {}", counts.of(fate), words(fate))).collect();
        text.push_str(&wrapped(&format!("  {kind}: {}", met.join(", ")), width, 4));
    }
    text
}

/// A fate in words.
fn words(fate: Fate) -> String {
    fate.as_str().replace('_', " ")
}

/// `25 records = 23 shown + …`: said only when it is so.
fn sum(totals: &Totals) -> String {
    let parts: Vec<_> =
        Fate::ALL.iter().map(|&f| format!("{} {}", totals.fates.of(f), words(f))).collect();
    let holds = if totals.add_up() { "the sum holds" } else { "THE SUM DOES NOT HOLD" };
    format!("{} records = {}: {holds}", totals.records, parts.join(" + "))
}
