//! `carryall completions` and `carryall man`: what shells and the manual know of the command line,
//! from the description that the program itself parses with.

use crate::cli::{Cli, CompletionsArgs, ManArgs};
use crate::failure::Failure;
use crate::terminal;
use clap::{Command, CommandFactory};

pub(crate) fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "carryall", &mut script);
    terminal::answer(&String::from_utf8_lossy(&script))
}

pub(crate) fn page(args: &ManArgs) -> Result<(), Failure> {
    let mut command = Cli::command().disable_help_subcommand(true);
    // Gives every command its whole name.
    command.build();
    let command = args.path.iter().try_fold(&command, |command, word| below(command, word))?;
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    terminal::answer(&String::from_utf8_lossy(&page))
}

fn below<'c>(command: &'c Command, word: &str) -> Result<&'c Command, Failure> {
    command.find_subcommand(word).ok_or_else(|| {
        let known: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
        let failure = Failure::usage(format!("{} has no command {word}", command.get_name()));
        match known.is_empty() {
            true => failure,
            false => failure.hint(format!("one of: {}", known.join(", "))),
        }
    })
}
