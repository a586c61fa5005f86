//! `carryall agents`: which agents are known, and where their sessions are looked for.

use crate::environment::Environment;
use crate::failure::Failure;
use crate::terminal;
use carryall_dialect::{Dialect, Registry};
use std::path::Path;

pub(crate) fn run(environment: &Environment) -> Result<(), Failure> {
    let registry = Registry::builtin();
    let mut text = String::new();
    for dialect in registry.iter() {
        for store in dialect.stores(&environment.surroundings()) {
            text.push_str(&format!(
                "{:<12}  {}  {}\n",
                dialect.name(),
                terminal::shown(&store.to_string_lossy()),
                what_is_there(dialect, &store),
            ));
        }
    }
    terminal::answer(&text)
}

/// How many sessions a store holds, or why that cannot be told.
fn what_is_there(dialect: &dyn Dialect, store: &Path) -> String {
    if !store.exists() {
        return "(not there)".into();
    }
    let (mut sessions, mut subagents) = (0, 0);
    let listed = dialect.list(store, &mut |listed| match listed.is_subagent {
        true => subagents += 1,
        false => sessions += 1,
    });
    match listed {
        Ok(()) => {
            format!("({} and {})", plural(sessions, "session"), plural(subagents, "subagent"))
        }
        Err(error) => format!("(cannot be read: {error})"),
    }
}

fn plural(n: u64, noun: &str) -> String {
    match n {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    }
}
