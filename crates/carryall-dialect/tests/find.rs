//! What a query means, over an agent made up for it that counts how often it is asked to open a
//! session.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "tests fail by panicking and make their own scratch folders"
)]

use carryall_dialect::{
    Answer, Dialect, Filter, Ledger, Listed, Locator, OpenContext, Peek, Probe, Query, Registry,
    Stat, Surroundings, find, newest,
};
use carryall_model::{OpenError, Transcript};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

/// A session of the made-up agent; `age` in days.
#[derive(Clone, Copy)]
struct Session {
    id: &'static str,
    title: &'static str,
    cwd: &'static str,
    age: u64,
    bytes: u64,
    is_subagent: bool,
}

const fn session(id: &'static str, title: &'static str, age: u64) -> Session {
    Session { id, title, cwd: "/home/dev/app", age, bytes: 10, is_subagent: false }
}

struct Agent {
    name: &'static str,
    store: PathBuf,
    sessions: Vec<Session>,
    peeks: Arc<AtomicUsize>,
}

fn moment(age: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(86_400 * (1_000 - age))
}

impl Agent {
    fn of(&self, listed: &Listed) -> Session {
        *self.sessions.iter().find(|session| Path::new(session.id) == listed.path).unwrap()
    }
}

impl Dialect for Agent {
    fn name(&self) -> &'static str {
        self.name
    }

    fn looks_for(&self) -> &'static str {
        "nothing"
    }

    fn claims(&self, _: &Probe<'_>) -> bool {
        false
    }

    fn stores(&self, _: &Surroundings<'_>) -> Vec<PathBuf> {
        vec![self.store.clone()]
    }

    fn list(&self, store: &Path, each: &mut dyn FnMut(Listed)) -> io::Result<()> {
        if store != self.store {
            return Err(io::ErrorKind::NotFound.into());
        }
        for Session { id, is_subagent, .. } in &self.sessions {
            each(Listed { id: (*id).into(), path: id.into(), is_subagent: *is_subagent });
        }
        Ok(())
    }

    fn stat(&self, listed: &Listed) -> io::Result<Stat> {
        let Session { bytes, age, .. } = self.of(listed);
        Ok(Stat { bytes, modified: moment(age) })
    }

    fn peek(&self, listed: &Listed, _: &OpenContext<'_>) -> Result<Peek, OpenError> {
        self.peeks.fetch_add(1, Ordering::Relaxed);
        let Session { title, cwd, .. } = self.of(listed);
        Ok(Peek { title: Some(title.into()), cwd: Some(cwd.into()), ..Peek::default() })
    }

    fn open(&self, at: &Locator, _: &OpenContext<'_>) -> Result<Box<dyn Transcript>, OpenError> {
        Err(OpenError::Empty { path: at.path.clone() })
    }

    fn ledger(&self, at: &Locator, _: &OpenContext<'_>) -> Result<Box<dyn Ledger>, OpenError> {
        Err(OpenError::Empty { path: at.path.clone() })
    }
}

/// Two agents with stores that exist.
struct World {
    registry: Registry,
    peeks: Arc<AtomicUsize>,
    _store: tempfile::TempDir,
}

fn world(one: &[Session], two: &[Session]) -> World {
    let store = tempfile::tempdir().unwrap();
    let peeks = Arc::new(AtomicUsize::new(0));
    let agent = |name: &'static str, sessions: &[Session]| Agent {
        name,
        store: store.path().to_owned(),
        sessions: sessions.to_vec(),
        peeks: Arc::clone(&peeks),
    };
    let (one, two) = (agent("one", one), agent("two", two));
    let registry = Registry::builtin().with(Box::new(one)).with(Box::new(two));
    World { registry, peeks, _store: store }
}

impl World {
    /// The ids that a query means, or what was looked at.
    fn ids(&self, query: &Query<'_>) -> Result<Vec<String>, Vec<(&'static str, usize)>> {
        let env = BTreeMap::new();
        let surroundings = Surroundings { env: &env, home: None, cwd: None };
        match find(&self.registry, &surroundings, query, &context()) {
            Answer::One(hit) => Ok(vec![hit.listed.id]),
            Answer::Several { hits, .. } => Ok(hits.into_iter().map(|hit| hit.listed.id).collect()),
            Answer::None(looked_at) => Err(looked_at),
        }
    }

    fn find(&self, text: &str) -> Result<Vec<String>, Vec<(&'static str, usize)>> {
        self.ids(&Query { text, ..Query::default() })
    }

    fn peeks(&self) -> usize {
        self.peeks.swap(0, Ordering::Relaxed)
    }

    /// The ids that a list shows, and how many more there are.
    fn list(&self, filter: &Filter) -> (Vec<String>, usize) {
        let env = BTreeMap::new();
        let surroundings = Surroundings { env: &env, home: None, cwd: None };
        let listing = newest(&self.registry, &surroundings, filter, &context());
        assert!(listing.problems.is_empty());
        (listing.rows.into_iter().map(|row| row.listed.id).collect(), listing.more)
    }
}

fn context() -> OpenContext<'static> {
    OpenContext {
        authority: cap_std::ambient_authority(),
        branch_of: &|_| None,
        spool: tempfile::tempfile,
    }
}

const OLD: Session = session("abc-1", "Fix the parser", 9);
const NEW: Session = session("abc-2", "Write docs", 1);
const SHORT: Session = session("abc", "rename", 5);
const CHILD: Session = Session { is_subagent: true, ..session("agent-7", "look", 0) };

#[test]
fn an_exact_id_beats_the_sessions_it_begins() {
    let world = world(&[OLD, SHORT], &[NEW]);
    assert_eq!(world.find("abc"), Ok(vec!["abc".into()]));
    assert_eq!(world.peeks(), 0, "ids are decided by names alone");
}

#[test]
fn a_prefix_of_one_id_is_enough() {
    let world = world(&[OLD], &[NEW]);
    assert_eq!(world.find("abc-2"), Ok(vec!["abc-2".into()]));
    assert_eq!(world.find("ABC-2"), Err(vec![("one", 1), ("two", 1)]));
}

#[test]
fn a_prefix_of_several_names_them_all_the_newest_first() {
    let world = world(&[OLD, SHORT], &[NEW]);
    let expected = ["abc-2", "abc", "abc-1"].map(String::from).to_vec();
    assert_eq!(world.find("ab"), Ok(expected));
    assert_eq!(world.peeks(), 0);
}

#[test]
fn a_session_beats_a_subagent() {
    let root = session("agent-77", "root", 8);
    let world = world(&[CHILD, root], &[]);
    assert_eq!(world.find("agent"), Ok(vec!["agent-77".into()]));
    assert_eq!(world.find("agent-7"), Ok(vec!["agent-7".into()]), "but not when it is exact");
}

#[test]
fn a_subagent_is_found_when_no_session_is_meant() {
    let world = world(&[CHILD, OLD], &[]);
    assert_eq!(world.find("ag"), Ok(vec!["agent-7".into()]));
}

#[test]
fn a_title_is_found_when_no_id_is_meant() {
    let world = world(&[OLD, SHORT], &[NEW]);
    assert_eq!(world.find("Write docs"), Ok(vec!["abc-2".into()]));
    assert_eq!(world.find("rename"), Ok(vec!["abc".into()]));
    assert!(world.find("Write doc").is_err(), "a title is meant as a whole");
}

#[test]
fn a_title_of_several_words_beats_an_id_it_begins() {
    // No id holds white space, so such a query can only be a title.
    let odd = session("Write docs for it", "other", 0);
    let world = world(&[odd], &[NEW]);
    assert_eq!(world.find("Write docs"), Ok(vec!["abc-2".into()]));
}

#[test]
fn an_empty_stub_of_the_same_name_is_not_in_the_way() {
    let stub = Session { bytes: 0, ..session("abc-1", "", 0) };
    let world = world(&[OLD], &[stub]);
    assert_eq!(world.find("abc-1"), Ok(vec!["abc-1".into()]));
}

#[test]
fn one_agent_can_be_asked_alone() {
    let world = world(&[OLD], &[NEW]);
    let query = Query { text: "abc", agent: Some("two"), store: None };
    assert_eq!(world.ids(&query), Ok(vec!["abc-2".into()]));
    let query = Query { text: "nothing", ..query };
    assert_eq!(world.ids(&query), Err(vec![("two", 1)]));
}

#[test]
fn the_newest_come_first_and_only_they_are_opened() {
    let world = world(&[OLD, SHORT, CHILD], &[NEW]);
    let filter = Filter { limit: Some(2), ..Filter::default() };
    assert_eq!(world.list(&filter), (vec!["abc-2".into(), "abc".into()], 1));
    assert_eq!(world.peeks(), 2);
}

#[test]
fn a_list_keeps_to_its_filters() {
    let elsewhere = Session { cwd: "/home/dev/app-two", ..session("e", "elsewhere", 3) };
    let below = Session { cwd: "/home/dev/app/crates/x", ..session("x", "below", 4) };
    let stub = Session { bytes: 0, ..session("s", "stub", 0) };
    let world = world(&[OLD, elsewhere, stub], &[NEW, below]);
    let all = Filter { agents: vec!["one".into(), "two".into()], ..Filter::default() };
    assert_eq!(world.list(&all).0, ["abc-2", "e", "x", "abc-1"]);
    let one = Filter { agents: vec!["one".into()], ..Filter::default() };
    assert_eq!(world.list(&one).0, ["e", "abc-1"]);
    let cwd = Filter { cwd: Some("/home/dev/app".into()), ..all.clone() };
    assert_eq!(world.list(&cwd).0, ["abc-2", "x", "abc-1"]);
    let cut = Filter { limit: Some(1), ..cwd };
    assert_eq!(world.list(&cut), (vec!["abc-2".into()], 2));
    let since = Filter { since: Some(moment(4)), ..all };
    assert_eq!(world.list(&since).0, ["abc-2", "e", "x"]);
}
