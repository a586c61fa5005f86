//! `carryall sessions list`: stored sessions of all agents, newest first.

mod table;

use crate::cli::ListArgs;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::session;
use crate::terminal::{self, shown};
use carryall_dialect::{Filter, OpenContext, Registry, Row, newest};
use chrono::{DateTime, NaiveDate, SecondsFormat, TimeDelta, Utc};
use serde::Serialize;
use std::io::{self, BufWriter, Write as _};

/// Since when: a moment, or an age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    Moment(DateTime<Utc>),
    Age(TimeDelta),
}

/// Reads `--since`: a date, a time, or a number with `m`, `h`, `d` or `w`.
pub(crate) fn since(word: &str) -> Result<Since, String> {
    if let Ok(moment) = DateTime::parse_from_rfc3339(word) {
        return Ok(Since::Moment(moment.to_utc()));
    }
    if let Ok(date) = word.parse::<NaiveDate>() {
        return Ok(Since::Moment(date.and_time(chrono::NaiveTime::MIN).and_utc()));
    }
    age(word).map(Since::Age).ok_or_else(|| {
        "use a date (2026-09-01), a time (2026-09-01T10:00:00Z) or an age (90m, 12h, 7d, 4w)".into()
    })
}

fn age(word: &str) -> Option<TimeDelta> {
    let unit = word.chars().last()?;
    let number: i64 = word[..word.len() - unit.len_utf8()].parse().ok()?;
    let minutes = match unit {
        'm' => 1,
        'h' => 60,
        'd' => 60 * 24,
        'w' => 60 * 24 * 7,
        _ => return None,
    };
    TimeDelta::try_minutes(number.checked_mul(minutes)?).filter(|age| *age >= TimeDelta::zero())
}

/// A session as `--json` prints it.
#[derive(Serialize)]
struct Line<'a> {
    agent: &'a str,
    id: &'a str,
    title: Option<&'a str>,
    cwd: Option<&'a str>,
    updated_at: String,
    bytes: u64,
    path: String,
    #[serde(flatten)]
    full: Option<Full<'a>>,
}

/// What `--full` adds.
#[derive(Serialize)]
struct Full<'a> {
    turns: Option<u64>,
    model: Option<&'a str>,
    git_branch: Option<&'a str>,
}

pub(crate) fn run(args: &ListArgs, environment: &Environment) -> Result<(), Failure> {
    let registry = Registry::builtin();
    if let Some(unknown) = args.agent.iter().find(|name| registry.get(name).is_none()) {
        return Err(session::unknown_agent(unknown, &registry));
    }
    let filter = Filter {
        agents: args.agent.clone(),
        store: None,
        cwd: args.cwd.as_ref().map(|folder| environment.absolute(folder)),
        since: args.since.map(|since| moment(since, environment.now()).into()),
        limit: (args.limit > 0).then_some(args.limit),
    };
    let cx = OpenContext { branch_of: &|_| None, ..session::context(environment) };
    let listing = newest(&registry, &environment.surroundings(), &filter, &cx);
    for problem in &listing.problems {
        terminal::note(&format!("note: {problem}"));
    }
    let text = match args.json {
        true => json(&listing.rows, args.full)?,
        false => {
            let cells = listing.rows.iter().map(|row| cells(row, environment)).collect();
            table::table(cells, terminal::width())
        }
    };
    let mut out = BufWriter::new(io::stdout().lock());
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(terminal::output)?;
    if listing.more > 0 {
        terminal::note(&format!("… and {} more; --limit 0 lists all", listing.more));
    }
    if listing.rows.is_empty() {
        let stores: Vec<_> = listing.stores.iter().map(|s| s.display().to_string()).collect();
        terminal::note(&format!("no sessions; looked in {}", stores.join(", ")));
    }
    Ok(())
}

fn moment(since: Since, now: DateTime<Utc>) -> DateTime<Utc> {
    match since {
        Since::Moment(moment) => moment,
        Since::Age(age) => now.checked_sub_signed(age).unwrap_or(DateTime::<Utc>::MIN_UTC),
    }
}

fn json(rows: &[Row], full: bool) -> Result<String, Failure> {
    let mut text = String::new();
    for row in rows {
        let updated_at = DateTime::<Utc>::from(row.stat.modified);
        let line = Line {
            agent: row.agent,
            id: &row.listed.id,
            title: row.peek.title.as_deref(),
            cwd: row.peek.cwd.as_deref(),
            updated_at: updated_at.to_rfc3339_opts(SecondsFormat::Secs, true),
            bytes: row.stat.bytes,
            path: row.listed.path.to_string_lossy().into_owned(),
            full: full.then_some(Full {
                turns: row.peek.turns,
                model: row.peek.model.as_deref(),
                git_branch: row.peek.git_branch.as_deref(),
            }),
        };
        text.push_str(&serde_json::to_string(&line)?);
        text.push('\n');
    }
    Ok(text)
}

fn cells(row: &Row, environment: &Environment) -> table::Cells {
    let project = row.peek.cwd.as_deref().map_or_else(String::new, |cwd| at_home(cwd, environment));
    [
        row.agent.to_owned(),
        shown(&row.listed.id),
        how_old(environment.now() - DateTime::<Utc>::from(row.stat.modified)),
        carryall_render::size(row.stat.bytes),
        shown(&project),
        shown(row.peek.title.as_deref().unwrap_or_default()),
    ]
}

/// A path as people write it: `~` for their home.
pub(crate) fn at_home(path: &str, environment: &Environment) -> String {
    let home = environment.home().and_then(|home| home.to_str());
    match home.and_then(|home| path.strip_prefix(home)) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("~{rest}"),
        Some(_) | None => path.to_owned(),
    }
}

pub(crate) fn how_old(age: TimeDelta) -> String {
    let minutes = age.num_minutes();
    match minutes {
        ..1 => "now".into(),
        1..60 => format!("{minutes}m"),
        60..1_440 => format!("{}h", minutes / 60),
        1_440..86_400 => format!("{}d", minutes / 1_440),
        _ => format!("{}w", minutes / 10_080),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_takes_dates_times_and_ages() {
        let day = "2026-09-01T00:00:00Z".parse().unwrap();
        assert_eq!(since("2026-09-01"), Ok(Since::Moment(day)));
        assert_eq!(since("2026-09-01T02:00:00+02:00"), Ok(Since::Moment(day)));
        assert_eq!(since("90m"), Ok(Since::Age(TimeDelta::minutes(90))));
        assert_eq!(since("4w"), Ok(Since::Age(TimeDelta::days(28))));
        for word in ["", "m", "7", "7y", "-1d", "yesterday", "99999999999999999999w", "7ü"] {
            assert!(since(word).is_err(), "{word:?}");
        }
    }

    #[test]
    fn ages_are_for_people() {
        for (minutes, words) in
            [(-5, "now"), (0, "now"), (59, "59m"), (60, "1h"), (1_500, "1d"), (90_000, "8w")]
        {
            assert_eq!(how_old(TimeDelta::minutes(minutes)), words);
        }
    }
}
