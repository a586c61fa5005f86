//! Which stored session a person means, and which there are.
//!
//! An id or its beginning is decided by names alone: no file is opened, however many there are.

use crate::{Dialect, Listed, OpenContext, Peek, Registry, Stat, Surroundings};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::SystemTime;

/// What to look for, and where.
#[derive(Clone, Copy, Debug, Default)]
pub struct Query<'a> {
    /// An id, a title, or the beginning of an id.
    pub text: &'a str,
    /// Only this agent.
    pub agent: Option<&'a str>,
    /// This folder instead of the agents' own stores.
    pub store: Option<&'a Path>,
}

/// A session that was found.
#[derive(Clone)]
pub struct Hit<'r> {
    /// Its dialect.
    pub dialect: &'r dyn Dialect,
    /// Where it is.
    pub listed: Listed,
}

/// What a query came to.
pub enum Answer<'r> {
    /// Exactly one session.
    One(Hit<'r>),
    /// Several.
    Several {
        /// The newest first.
        hits: Vec<Hit<'r>>,
        /// What they have in common.
        by: Match,
    },
    /// None. The agents that were looked at, with how many sessions each has.
    None(Vec<(&'static str, usize)>),
}

/// How a session matched a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// Its id is the query.
    Id,
    /// Its title is the query.
    Title,
    /// Its id begins with the query.
    Prefix,
}

impl<'r> Answer<'r> {
    fn of(mut hits: Vec<Hit<'r>>, by: Match) -> Option<Self> {
        if hits.len() < 2 {
            return hits.pop().map(Self::One);
        }
        let stat = |hit: &Hit<'_>| hit.dialect.stat(&hit.listed).ok();
        let mut known: Vec<_> = hits.into_iter().map(|hit| (stat(&hit), hit)).collect();
        // An empty file of that name is a stub: the session itself is elsewhere.
        if known.iter().any(|(stat, _)| stat.is_some_and(|stat| stat.bytes > 0)) {
            known.retain(|(stat, _)| stat.is_some_and(|stat| stat.bytes > 0));
        }
        known.sort_by_key(|(stat, _)| std::cmp::Reverse(stat.map(|stat| stat.modified)));
        let mut hits: Vec<_> = known.into_iter().map(|(_, hit)| hit).collect();
        match hits.len() {
            1 => hits.pop().map(Self::One),
            _ => Some(Self::Several { hits, by }),
        }
    }
}

/// Finds the session that a query means: an exact id before an exact title before the beginning of
/// an id, and at each step a session before a subagent.
///
/// A query without white space that begins an id is not looked for among titles, since that would
/// open every session there is.
pub fn find<'r>(
    registry: &'r Registry,
    surroundings: &Surroundings<'_>,
    query: &Query<'_>,
    cx: &OpenContext<'_>,
) -> Answer<'r> {
    let mut walk = Walk::default();
    let mut looked_at = Vec::new();
    for (dialect, store) in stores(registry, surroundings, query.agent, query.store) {
        let before = walk.roots;
        // A store that cannot be read holds nothing that could be meant.
        let _ = dialect.list(&store, &mut |listed| walk.take(dialect, listed, query.text));
        let seen = walk.roots - before;
        match looked_at.last_mut() {
            Some((name, count)) if *name == dialect.name() => *count += seen,
            _ => looked_at.push((dialect.name(), seen)),
        }
    }
    let begins_an_id = !walk.prefix.is_empty() || !walk.prefix_subagents.is_empty();
    let by_id =
        Answer::of(walk.exact, Match::Id).or_else(|| Answer::of(walk.exact_subagents, Match::Id));
    by_id
        .or_else(|| match begins_an_id && !query.text.contains(char::is_whitespace) {
            true => None,
            false => Answer::of(titled(registry, surroundings, query, cx), Match::Title),
        })
        .or_else(|| Answer::of(walk.prefix, Match::Prefix))
        .or_else(|| Answer::of(walk.prefix_subagents, Match::Prefix))
        .unwrap_or(Answer::None(looked_at))
}

/// What a walk over names has met.
#[derive(Default)]
struct Walk<'r> {
    exact: Vec<Hit<'r>>,
    exact_subagents: Vec<Hit<'r>>,
    prefix: Vec<Hit<'r>>,
    prefix_subagents: Vec<Hit<'r>>,
    roots: usize,
}

impl<'r> Walk<'r> {
    fn take(&mut self, dialect: &'r dyn Dialect, listed: Listed, text: &str) {
        self.roots += usize::from(!listed.is_subagent);
        let to = match (listed.id == text, listed.id.starts_with(text), listed.is_subagent) {
            (true, _, false) => &mut self.exact,
            (true, _, true) => &mut self.exact_subagents,
            (false, true, false) => &mut self.prefix,
            (false, true, true) => &mut self.prefix_subagents,
            (false, false, _) => return,
        };
        to.push(Hit { dialect, listed });
    }
}

/// All sessions whose title is exactly the query.
fn titled<'r>(
    registry: &'r Registry,
    surroundings: &Surroundings<'_>,
    query: &Query<'_>,
    cx: &OpenContext<'_>,
) -> Vec<Hit<'r>> {
    let mut hits = Vec::new();
    for (dialect, store) in stores(registry, surroundings, query.agent, query.store) {
        let _ = dialect.list(&store, &mut |listed| {
            if !listed.is_subagent {
                hits.push(Hit { dialect, listed });
            }
        });
    }
    let peeks = peek_all(&hits, cx);
    let is_meant = |peek: Peek| peek.title.as_deref() == Some(query.text);
    hits.into_iter().zip(peeks).filter_map(|(hit, peek)| is_meant(peek).then_some(hit)).collect()
}

/// Looks into all of these sessions, on as many threads as there are processors. One that cannot
/// be read has nothing to show.
fn peek_all(hits: &[Hit<'_>], cx: &OpenContext<'_>) -> Vec<Peek> {
    let OpenContext { authority, spool, .. } = *cx;
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let share = hits.len().div_ceil(threads).max(1);
    let look = |hits: &[Hit<'_>]| -> Vec<Peek> {
        // A peek asks no program for a branch.
        let cx = OpenContext { authority, branch_of: &|_| None, spool };
        let peek = |hit: &Hit<'_>| hit.dialect.peek(&hit.listed, &cx).unwrap_or_default();
        hits.iter().map(peek).collect()
    };
    thread::scope(|scope| {
        let shares: Vec<_> =
            hits.chunks(share).map(|share| (share, scope.spawn(move || look(share)))).collect();
        let lost = |hits: &[Hit<'_>]| vec![Peek::default(); hits.len()];
        shares.into_iter().flat_map(|(share, done)| done.join().unwrap_or(lost(share))).collect()
    })
}

/// The stores to look at, each with its dialect.
fn stores<'r>(
    registry: &'r Registry,
    surroundings: &Surroundings<'_>,
    agent: Option<&str>,
    store: Option<&Path>,
) -> Vec<(&'r dyn Dialect, PathBuf)> {
    registry
        .iter()
        .filter(|dialect| agent.is_none_or(|agent| agent == dialect.name()))
        .flat_map(|dialect| {
            let places = match store {
                Some(store) => vec![store.to_owned()],
                None => dialect.stores(surroundings),
            };
            places.into_iter().map(move |place| (dialect, place))
        })
        .collect()
}

/// Which sessions a list shows.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only these agents; all when empty.
    pub agents: Vec<String>,
    /// This folder instead of the agents' own stores.
    pub store: Option<PathBuf>,
    /// Only sessions that ran in this folder or below it.
    pub cwd: Option<PathBuf>,
    /// Only sessions written since then.
    pub since: Option<SystemTime>,
    /// At most so many.
    pub limit: Option<usize>,
}

/// A session in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its agent.
    pub agent: &'static str,
    /// Where it is.
    pub listed: Listed,
    /// Its size and time.
    pub stat: Stat,
    /// What it is about.
    pub peek: Peek,
}

/// The newest sessions of all stores.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// The sessions, newest first.
    pub rows: Vec<Row>,
    /// How many more there are beyond the limit.
    pub more: usize,
    /// The stores that were looked at.
    pub stores: Vec<PathBuf>,
    /// Stores that could not be read, with the system's reason.
    pub problems: Vec<String>,
}

/// Lists sessions, newest first. Subagents are not listed. Only those that are shown are opened,
/// and all of them when the folder they ran in is asked for.
#[must_use]
pub fn newest(
    registry: &Registry,
    surroundings: &Surroundings<'_>,
    filter: &Filter,
    cx: &OpenContext<'_>,
) -> Listing {
    let mut listing = Listing::default();
    let mut known = Vec::new();
    let agents = &filter.agents;
    for (dialect, store) in stores(registry, surroundings, None, filter.store.as_deref()) {
        if !agents.is_empty() && !agents.iter().any(|name| name == dialect.name()) {
            continue;
        }
        listing.stores.push(store.clone());
        if !store.exists() {
            continue;
        }
        let listed = dialect.list(&store, &mut |listed| {
            let Ok(stat) = dialect.stat(&listed) else { return };
            let recent = filter.since.is_none_or(|since| stat.modified >= since);
            if !listed.is_subagent && recent && stat.bytes > 0 {
                known.push((Hit { dialect, listed }, stat));
            }
        });
        if let Err(error) = listed {
            listing.problems.push(format!("{} could not be read: {error}", store.display()));
        }
    }
    known.sort_by(|(a, x), (b, y)| {
        y.modified.cmp(&x.modified).then_with(|| a.listed.id.cmp(&b.listed.id))
    });
    let limit = filter.limit.unwrap_or(usize::MAX);
    // To know where a session ran it has to be opened, so that filter opens all of them.
    let opened = if filter.cwd.is_some() { known.len() } else { known.len().min(limit) };
    let (hits, stats): (Vec<_>, Vec<_>) = known.into_iter().unzip();
    listing.more = hits.len() - opened;
    let peeks = peek_all(&hits[..opened], cx);
    for ((hit, stat), peek) in hits.into_iter().zip(stats).zip(peeks) {
        if !ran_in(&peek, filter.cwd.as_deref()) {
            continue;
        }
        match listing.rows.len() < limit {
            true => {
                let Hit { dialect, listed } = hit;
                listing.rows.push(Row { agent: dialect.name(), listed, stat, peek });
            }
            false => listing.more += 1,
        }
    }
    listing
}

fn ran_in(peek: &Peek, folder: Option<&Path>) -> bool {
    folder.is_none_or(|folder| {
        peek.cwd.as_deref().is_some_and(|cwd| Path::new(cwd).starts_with(folder))
    })
}
