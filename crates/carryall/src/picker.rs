//! Choosing a session on a terminal: the newest of all stores, narrowed by what is typed.
//!
//! `state` knows what is typed and chosen, `view` what that looks like, `screen` the terminal.

mod screen;
mod state;
mod view;

use crate::cli::PlaceArgs;
use crate::commands::list::{at_home, how_old};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::session::{self, Session};
use crate::terminal::shown;
use carryall_dialect::{Filter, Registry, Row, newest};
use chrono::{DateTime, Utc};
use state::{Item, Picker};
use std::io::{self, IsTerminal};

/// So many sessions are looked into; those before them are found by their ids.
const MOST: usize = 1_000;

/// Lets a person choose among the newest sessions. Off a terminal there is nobody to ask.
pub(crate) fn choose<'r>(
    places: &PlaceArgs,
    environment: &Environment,
    registry: &'r Registry,
) -> Result<Session<'r>, Failure> {
    session::known_agent(places, registry)?;
    let is_terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
    if !is_terminal || !environment.has_cursor() {
        return Err(Failure::usage("no session was named, and there is no terminal to choose on")
            .hint("name it: an id or its beginning, a title, or a path; carryall sessions list shows them"));
    }
    let filter = Filter {
        agents: places.agent.iter().cloned().collect(),
        store: places.sessions_dir.as_ref().map(|folder| environment.absolute(folder)),
        limit: Some(MOST),
        ..Filter::default()
    };
    let cx = session::context(environment);
    let listing = newest(registry, &environment.surroundings(), &filter, &cx);
    if listing.rows.is_empty() {
        let stores: Vec<_> = listing.stores.iter().map(|s| s.display().to_string()).collect();
        return Err(Failure::new("there is no session to choose")
            .hint(format!("looked in {}", stores.join(", ")))
            .kind("unknown-session"));
    }
    let items = listing.rows.iter().map(|row| item(row, environment)).collect();
    let failed = |error| Failure::new("the terminal cannot be used").because(error);
    let chosen = screen::run(&mut Picker::new(items, listing.more)).map_err(failed)?;
    let chosen = chosen.and_then(|number| listing.rows.into_iter().nth(number));
    let session = chosen.and_then(|row| {
        let dialect = registry.get(row.agent)?;
        Some(Session::at(dialect, row.listed.path))
    });
    session.ok_or_else(|| Failure::new("no session was chosen").kind("unknown-session"))
}

/// What is shown of a session, made safe for a terminal once and for all.
fn item(row: &Row, environment: &Environment) -> Item {
    let project = row.peek.cwd.as_deref().map_or_else(String::new, |cwd| at_home(cwd, environment));
    Item {
        agent: row.agent.to_owned(),
        id: shown(&row.listed.id),
        age: how_old(environment.now() - DateTime::<Utc>::from(row.stat.modified)),
        project: shown(&project),
        title: shown(row.peek.title.as_deref().unwrap_or_default()),
    }
}
