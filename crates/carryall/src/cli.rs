//! The command line as it is typed. The doc comments here are the help.

use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

/// Takes a coding agent's conversation out of the agent: Markdown, HTML, JSON or JSON Lines.
#[derive(Debug, Parser)]
#[command(name = "carryall", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Stored sessions of all agents
    Sessions {
        #[command(subcommand)]
        verb: SessionsVerb,
    },
    /// Run one chat command on a stored session, as a chat surface would
    Command(CommandArgs),
    /// The agents that are known, and where their sessions are looked for
    Agents,
    /// Print the completions for a shell
    Completions(CompletionsArgs),
    /// Print a page of the manual, for man -l - or a file
    Man(ManArgs),
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsVerb {
    /// List sessions, newest first
    List(ListArgs),
    /// Write a session to a file
    Export(ExportArgs),
    /// Tell what became of every record of a session: shown or not, and why
    Inspect(InspectArgs),
}

/// Which session is meant; on a terminal it may be chosen there.
#[derive(Debug, Args)]
pub(crate) struct SessionArgs {
    /// An id or the beginning of one, a title, `agent:prefix`, or the path of a session file;
    /// without it, on a terminal, a list to choose from
    pub(crate) session: Option<OsString>,
    #[command(flatten)]
    pub(crate) places: PlaceArgs,
}

/// Where a session is looked for.
#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    /// Which session, when the file holds several
    #[arg(long = "session", id = "session-id", value_name = "ID")]
    pub(crate) session_id: Option<String>,
    /// Look only at this agent's sessions
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Look in this folder instead of the agent's own store
    #[arg(long, value_name = "DIR")]
    pub(crate) sessions_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) which: SessionArgs,
    /// md, html, json or jsonl; without it the extension of --out decides, else md
    #[arg(long, value_name = "FORMAT", value_parser = format)]
    pub(crate) format: Option<carryall_render::Format>,
    /// File or folder to write to, or - for standard output; without it the current folder
    #[arg(long, value_name = "PATH", allow_hyphen_values = true)]
    pub(crate) out: Option<PathBuf>,
    /// Leave out tool calls, their results and shell commands
    #[arg(long)]
    pub(crate) no_tools: bool,
    /// Leave out reasoning
    #[arg(long)]
    pub(crate) no_thinking: bool,
    /// Let the documents of subagents follow
    #[arg(long)]
    pub(crate) subagents: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) which: SessionArgs,
    /// Print one JSON object, with a row for every record
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only this agent's sessions; may be given several times
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Vec<String>,
    /// Only sessions that ran in this folder or below it
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Only sessions written since then: a date, a time, or an age such as 90m, 12h, 7d or 4w
    #[arg(long, value_name = "WHEN", value_parser = crate::commands::list::since)]
    pub(crate) since: Option<crate::commands::list::Since>,
    /// At most so many; 0 for all
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: usize,
    /// One JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    /// With --json: also turns, model and branch
    #[arg(long, requires = "json")]
    pub(crate) full: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CommandArgs {
    /// An id or the beginning of one, a title, `agent:prefix`, or the path of a session file
    pub(crate) session: OsString,
    #[command(flatten)]
    pub(crate) places: PlaceArgs,
    /// The session's workspace: the folder that nothing is written outside of
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: PathBuf,
    /// Print the reply as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// The command with its arguments, as one word: '/export md notes/'
    #[arg(value_name = "COMMAND")]
    pub(crate) line: String,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command that the page is about, such as: sessions export; without one, all of carryall
    #[arg(value_name = "COMMAND")]
    pub(crate) path: Vec<String>,
}

fn format(word: &str) -> Result<carryall_render::Format, String> {
    carryall_render::Format::from_word(word)
        .ok_or_else(|| format!("unknown export format {word:?} (use md, html, json or jsonl)"))
}
