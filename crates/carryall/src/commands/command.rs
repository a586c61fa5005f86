//! `carryall command`: one chat command on a stored session, as a chat surface would run it.

use crate::cli::CommandArgs;
use crate::commands::export::{product, say};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::{session, terminal};
use carryall_command::{Reply, recognise, run as run_command, split};
use carryall_dialect::Registry;
use carryall_workspace::Workspace;
use serde::Serialize;

/// The answer as a program reads it; what has no value is null.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    ok: bool,
    reply: &'a str,
    format: Option<&'static str>,
    path: Option<&'a str>,
    entries: Option<u64>,
    bytes: Option<u64>,
    error_kind: Option<&'static str>,
}

pub(crate) fn run(args: &CommandArgs, environment: &Environment) -> Result<(), Failure> {
    match reply(args, environment) {
        Ok(reply) => print(args, &reply),
        Err(failure) if args.json => {
            let text = failure.lines().join("\n");
            let answer = Answer {
                ok: false,
                reply: &text,
                format: None,
                path: None,
                entries: None,
                bytes: None,
                error_kind: Some(failure.word()),
            };
            print_json(&answer)?;
            Err(failure.answered())
        }
        Err(failure) => Err(failure),
    }
}

fn reply(args: &CommandArgs, environment: &Environment) -> Result<Reply, Failure> {
    let Some(arguments) = recognise(&args.line) else {
        return Err(Failure::new(format!("{:?} is not a command", args.line))
            .hint("the command is /export; put it in quotes with its arguments")
            .kind("usage"));
    };
    let workspace = Workspace::open(&args.workspace, environment.authority)?;
    let registry = Registry::builtin();
    let session = session::named(&args.session, &args.places, environment, &registry)?;
    let once = || -> Result<Reply, Failure> {
        let transcript = session.open(environment)?;
        let words = split(arguments);
        Ok(run_command(&words, &*transcript, &workspace, environment.now(), &product()))
    };
    let reply = once()?;
    match &reply.outcome {
        // Nothing is visible yet: a source that was rewritten meanwhile is read anew, once.
        Err(error) if error.source_changed() => once(),
        Ok(_) | Err(_) => Ok(reply),
    }
}

fn print(args: &CommandArgs, reply: &Reply) -> Result<(), Failure> {
    let text = reply.to_string();
    if let Ok(done) = &reply.outcome {
        say(&done.notices);
    }
    if args.json {
        let path = reply.outcome.as_ref().ok().map(|done| done.written.path.to_string_lossy());
        let done = reply.outcome.as_ref();
        print_json(&Answer {
            ok: done.is_ok(),
            reply: &text,
            format: done.ok().map(|done| done.format.extension()),
            path: path.as_deref(),
            entries: done.ok().map(|done| done.entries),
            bytes: done.ok().map(|done| done.written.bytes),
            error_kind: done.err().map(|error| error.kind()),
        })?;
    } else {
        let lines: Vec<_> = text.lines().map(terminal::shown).collect();
        terminal::answer(&format!("{}\n", lines.join("\n")))?;
    }
    match &reply.outcome {
        Ok(_) => Ok(()),
        Err(_) => Err(Failure::new("the command failed").answered()),
    }
}

fn print_json(answer: &Answer<'_>) -> Result<(), Failure> {
    terminal::answer(&format!("{}\n", serde_json::to_string(answer)?))
}
