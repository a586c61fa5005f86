//! Takes a coding agent's conversation out of the agent.
//!
//! The binary is the only place that knows a command line, a clock, an environment, git and a
//! terminal. What is typed becomes a value here; what is done is done by the libraries.

mod cli;
mod commands;
mod environment;
mod failure;
mod git;
mod picker;
mod session;
mod terminal;

use clap::Parser;
use cli::{Cli, SessionsVerb, Verb};
use environment::Environment;
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A file-size limit must come back as an error from write, not kill the process half-way.
    terminal::ignore_file_size_signal();
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the person's own authority over the file system is taken"
    )]
    let authority = cap_std::ambient_authority();
    let cli = Cli::parse();
    let done = Environment::read(authority).and_then(|environment| run(&cli, &environment));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            terminal::report(&failure);
            failure.exit_code()
        }
    }
}

fn run(cli: &Cli, environment: &Environment) -> Result<(), Failure> {
    match &cli.verb {
        Verb::Sessions { verb: SessionsVerb::List(args) } => commands::list::run(args, environment),
        Verb::Sessions { verb: SessionsVerb::Export(args) } => {
            commands::export::run(args, environment)
        }
        Verb::Sessions { verb: SessionsVerb::Inspect(args) } => {
            commands::inspect::run(args, environment)
        }
        Verb::Command(args) => commands::command::run(args, environment),
        Verb::Agents => commands::agents::run(environment),
        Verb::Completions(args) => commands::manual::completions(args),
        Verb::Man(args) => commands::manual::page(args),
    }
}
