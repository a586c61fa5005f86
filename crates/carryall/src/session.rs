//! From what a person typed to an open session.

use crate::cli::{PlaceArgs, SessionArgs};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::git;
use crate::picker;
use crate::terminal::shown;
use carryall_command::CommandError;
use carryall_dialect::{
    Answer, Dialect, Hit, Ledger, Locator, Match, OpenContext, Probe, Query, Registry,
    find as find_stored,
};
use carryall_model::{Candidate, OpenError, Transcript};
use chrono::{DateTime, Utc};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Candidates beyond this are counted, not printed.
const MAX_CANDIDATES: usize = 10;

/// A word that ends so is a path.
const PATH_ENDINGS: [&str; 5] = [".jsonl", ".json", ".db", ".md", ".zst"];

/// A session that was found and can be opened, again if need be.
pub(crate) struct Session<'r> {
    dialect: &'r dyn Dialect,
    locator: Locator,
}

impl<'r> Session<'r> {
    /// The session that a list shows.
    pub(crate) fn at(dialect: &'r dyn Dialect, path: PathBuf) -> Self {
        Self { dialect, locator: Locator { path, session: None } }
    }

    /// Opens it.
    pub(crate) fn open(&self, environment: &Environment) -> Result<Box<dyn Transcript>, Failure> {
        let opened = self.dialect.open(&self.locator, &context(environment));
        let transcript = opened.map_err(|error| unopened(&error))?;
        self.is_meant(&*transcript)?;
        Ok(transcript)
    }

    /// Opens it to tell what becomes of its records.
    pub(crate) fn ledger(&self, environment: &Environment) -> Result<Box<dyn Ledger>, Failure> {
        let opened = self.dialect.ledger(&self.locator, &context(environment));
        let ledger = opened.map_err(|error| unopened(&error))?;
        self.is_meant(ledger.transcript())?;
        Ok(ledger)
    }

    /// The agent's name.
    pub(crate) fn agent(&self) -> &'static str {
        self.dialect.name()
    }

    /// Fails when another session was asked for by its id.
    fn is_meant(&self, transcript: &dyn Transcript) -> Result<(), Failure> {
        match &self.locator.session {
            Some(id) if !transcript.facts().id.starts_with(id) => {
                let path = self.locator.path.display();
                Err(Failure::new(format!("{path}: holds no session {id}")).kind("unknown-session"))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Opens it and does something with it, once more from the beginning when its source changed
    /// meanwhile: nothing is visible until all is done.
    pub(crate) fn read<T>(
        &self,
        environment: &Environment,
        mut work: impl FnMut(&dyn Transcript) -> Result<T, CommandError>,
    ) -> Result<T, Failure> {
        let mut outcome = work(&*self.open(environment)?);
        if outcome.as_ref().is_err_and(CommandError::source_changed) {
            outcome = work(&*self.open(environment)?);
        }
        outcome.map_err(|error| refused(&error))
    }
}

pub(crate) fn context(environment: &Environment) -> OpenContext<'_> {
    OpenContext {
        authority: environment.authority,
        branch_of: &git::branch_of,
        spool: tempfile::tempfile,
    }
}

/// Finds the session that was typed; without one, a person may choose.
pub(crate) fn find<'r>(
    args: &SessionArgs,
    environment: &Environment,
    registry: &'r Registry,
) -> Result<Session<'r>, Failure> {
    match &args.session {
        Some(typed) => named(typed, &args.places, environment, registry),
        None => picker::choose(&args.places, environment, registry),
    }
}

/// Fails when only an agent's sessions are asked for that nobody knows.
pub(crate) fn known_agent(places: &PlaceArgs, registry: &Registry) -> Result<(), Failure> {
    match places.agent.as_deref().filter(|agent| registry.get(agent).is_none()) {
        Some(agent) => Err(unknown_agent(agent, registry)),
        None => Ok(()),
    }
}

/// Finds the session that was typed (`docs/commands.md`, "`<session>`").
pub(crate) fn named<'r>(
    typed: &OsStr,
    args: &PlaceArgs,
    environment: &Environment,
    registry: &'r Registry,
) -> Result<Session<'r>, Failure> {
    let text = typed.to_str().map(str::trim);
    if text == Some("") {
        return Err(
            Failure::usage("no session was named").hint("carryall sessions list shows them")
        );
    }
    known_agent(args, registry)?;
    if text.is_some_and(is_address) {
        return Err(Failure::new(format!("{} is an address", typed.display()))
            .hint("download it first, then give its path")
            .kind("unknown-session"));
    }
    let Some(text) = text.filter(|text| !looks_like_path(text)) else {
        return at_path(args, environment.absolute(Path::new(typed)), typed, environment, registry);
    };
    let (agent, text) = match text.split_once(':') {
        Some((agent, rest)) if registry.get(agent).is_some() => (Some(agent), rest),
        Some(_) | None => (args.agent.as_deref(), text),
    };
    let store = args.sessions_dir.as_ref().map(|folder| environment.absolute(folder));
    if let Some(store) = store.as_deref().filter(|store| !store.is_dir()) {
        return Err(Failure::new(format!("{}: not a folder", store.display())));
    }
    let query = Query { text, agent, store: store.as_deref() };
    match find_stored(registry, &environment.surroundings(), &query, &context(environment)) {
        Answer::One(hit) => Ok(session(hit, args)),
        Answer::Several { hits, by } => Err(ambiguous(text, &hits, by, environment)),
        Answer::None(looked_in) => {
            let path = environment.absolute(Path::new(typed));
            match path.exists() {
                true => at_path(args, path, typed, environment, registry),
                false => Err(not_found(text, &looked_in)),
            }
        }
    }
}

fn session<'r>(hit: Hit<'r>, args: &PlaceArgs) -> Session<'r> {
    let locator = Locator { path: hit.listed.path, session: args.session_id.clone() };
    Session { dialect: hit.dialect, locator }
}

/// An address on a network, which nothing here talks to.
fn is_address(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'+')
    })
}

fn looks_like_path(text: &str) -> bool {
    text.contains('/') || PATH_ENDINGS.iter().any(|ending| text.ends_with(ending))
}

/// The session of a file or folder; whose it is, is told by its content.
fn at_path<'r>(
    args: &PlaceArgs,
    path: PathBuf,
    typed: &OsStr,
    environment: &Environment,
    registry: &'r Registry,
) -> Result<Session<'r>, Failure> {
    let probe = Probe::new(&path, environment.authority).map_err(|error| {
        // The path is named as it was typed, not as it was understood.
        if let OpenError::Io { source, .. } = error {
            return Failure::new(format!("{}: could not be read", typed.display()))
                .because(source)
                .kind("unknown-session");
        }
        unopened(&error)
    })?;
    let dialect = match args.agent.as_deref() {
        Some(agent) => registry.get(agent),
        None => registry.detect(&probe),
    };
    let Some(dialect) = dialect else {
        return in_folder(args, typed, &path, environment, registry)
            .unwrap_or_else(|| Err(unknown_file(typed, &probe, registry)));
    };
    Ok(Session { dialect, locator: Locator { path, session: args.session_id.clone() } })
}

/// The session of a folder that holds sessions: the only one, or the one that `--session` names.
/// `None` when the folder holds none.
fn in_folder<'r>(
    args: &PlaceArgs,
    typed: &OsStr,
    folder: &Path,
    environment: &Environment,
    registry: &'r Registry,
) -> Option<Result<Session<'r>, Failure>> {
    if !folder.is_dir() {
        return None;
    }
    let text = args.session_id.as_deref().unwrap_or_default();
    let query = Query { text, agent: args.agent.as_deref(), store: Some(folder) };
    match find_stored(registry, &environment.surroundings(), &query, &context(environment)) {
        Answer::One(hit) => Some(Ok(session(hit, args))),
        Answer::Several { hits, .. } => {
            let n = hits.len();
            let held = Failure::new(format!("{}: holds {n} sessions", typed.display()));
            let rows = candidates(&hits, environment);
            Some(Err(held.rows(rows).hint("--session ID").kind("ambiguous-session")))
        }
        Answer::None(_) => None,
    }
}

fn unknown_file(typed: &OsStr, probe: &Probe<'_>, registry: &Registry) -> Failure {
    let what = probe.what();
    let marks: Vec<_> = registry.iter().map(|dialect| dialect.looks_for()).collect();
    Failure::new(format!("{}: not a session of a known agent ({what})", typed.display()))
        .hint(format!("looked for {}", marks.join("; ")))
        .kind("unreadable")
}

fn not_found(text: &str, looked_in: &[(&'static str, usize)]) -> Failure {
    let places: Vec<_> = looked_in.iter().map(|(name, n)| format!("{name} ({n})")).collect();
    Failure::new(format!("session not found: {text}"))
        .hint(format!("looked in {}", places.join(", ")))
        .kind("unknown-session")
}

fn ambiguous(text: &str, hits: &[Hit<'_>], by: Match, environment: &Environment) -> Failure {
    let n = hits.len();
    let (what, hint) = match by {
        Match::Prefix => ("session id prefix", "give more of the id, or agent:prefix"),
        Match::Id => ("session id", "give agent:id, or the path of the session"),
        Match::Title => ("session title", "give the id"),
    };
    Failure::new(format!("{what} {text:?} is ambiguous ({n} matches)"))
        .rows(candidates(hits, environment))
        .hint(hint)
        .kind("ambiguous-session")
}

/// Ten sessions to choose from; the rest is counted.
fn candidates(hits: &[Hit<'_>], environment: &Environment) -> Vec<String> {
    let cx = context(environment);
    let mut rows: Vec<_> =
        hits.iter().take(MAX_CANDIDATES).map(|hit| candidate(hit, &cx)).collect();
    if hits.len() > MAX_CANDIDATES {
        rows.push(format!("… and {} more", hits.len() - MAX_CANDIDATES));
    }
    rows
}

/// `agent id date title`
fn candidate(hit: &Hit<'_>, cx: &OpenContext<'_>) -> String {
    let date = hit.dialect.stat(&hit.listed).map_or_else(
        |_| "undated".to_owned(),
        |stat| DateTime::<Utc>::from(stat.modified).format("%Y-%m-%d").to_string(),
    );
    let title = hit.dialect.peek(&hit.listed, cx).ok().and_then(|peek| peek.title);
    let title = title.as_deref().unwrap_or_default();
    let row = format!("{} {} {date} {title}", hit.dialect.name(), hit.listed.id);
    shown(row.trim_end())
}

/// The failure for an agent that is not on the list.
pub(crate) fn unknown_agent(agent: &str, registry: &Registry) -> Failure {
    let names: Vec<_> = registry.iter().map(|dialect| dialect.name()).collect();
    Failure::usage(format!("unknown agent: {agent}")).hint(format!("one of: {}", names.join(", ")))
}

/// The failure for a session that could not be opened.
fn unopened(error: &OpenError) -> Failure {
    let failure = Failure::from(error).kind("unreadable");
    if let OpenError::SeveralSessions { candidates, total, .. } = error {
        let rows = held_sessions(candidates, *total);
        return failure.rows(rows).hint("--session ID").kind("ambiguous-session");
    }
    if let OpenError::SourceChanged { .. } = error {
        return failure.hint("it is being rewritten; try again").kind("source-changed");
    }
    failure
}

/// `id date title` of the sessions that one source holds.
fn held_sessions(candidates: &[Candidate], total: u64) -> Vec<String> {
    let mut rows: Vec<_> = candidates
        .iter()
        .map(|candidate| {
            let date = candidate.updated_at.as_deref().unwrap_or("undated");
            let title = candidate.title.as_deref().unwrap_or_default();
            shown(format!("{} {date} {title}", candidate.id).trim_end())
        })
        .collect();
    let more = total.saturating_sub(candidates.len() as u64);
    if more > 0 {
        rows.push(format!("… and {more} more"));
    }
    rows
}

/// The failure for a command that did nothing.
pub(crate) fn refused(error: &CommandError) -> Failure {
    let failure = Failure::from(error).kind(error.kind());
    let CommandError::Target(refusal) = error else { return failure };
    match refusal.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}
