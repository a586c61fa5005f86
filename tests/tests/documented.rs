//! Every command and every option is in `docs/commands.md`, has a page of the manual and is known to
//! the completions.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test stops where something is not as expected"
)]

use carryall_tests::{Sandbox, repository};
use std::collections::BTreeSet;

/// A command as its own help tells it.
struct Told {
    words: Vec<String>,
    options: BTreeSet<String>,
}

/// All commands that do something.
fn commands(sandbox: &Sandbox) -> Vec<Told> {
    let mut waiting = vec![Vec::new()];
    let mut found = Vec::new();
    while let Some(words) = waiting.pop() {
        let help = sandbox.run(words.iter().cloned().chain(["--help".to_owned()]));
        assert_eq!(help.code, 0, "{words:?}");
        let inner = section(&help.out, "Commands:");
        let names = inner.iter().filter_map(|line| line.split_whitespace().next());
        let names: Vec<_> = names.filter(|name| *name != "help").map(str::to_owned).collect();
        if names.is_empty() {
            let options = section(&help.out, "Options:");
            let options = options.iter().filter(|line| line.starts_with('-'));
            let options = options.filter_map(|line| {
                line.split([' ', ',']).find(|word| word.starts_with("--") && *word != "--help")
            });
            found.push(Told { options: options.map(str::to_owned).collect(), words });
        } else {
            waiting.extend(names.into_iter().map(|name| {
                let mut words = words.clone();
                words.push(name);
                words
            }));
        }
    }
    found.sort_by(|a, b| a.words.cmp(&b.words));
    found
}

/// The lines below a heading of a help that begin something: an option or a command.
fn section(help: &str, heading: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != heading).skip(1);
    let lines = lines.take_while(|line| line.is_empty() || line.starts_with(' '));
    lines.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

/// The part of the page about a command.
fn documented(page: &str, words: &[String]) -> String {
    let name = format!("`carryall {}", words.join(" "));
    let is_about = |part: &&str| {
        let heading = part.lines().next().unwrap_or_default();
        heading.split_once(&name).is_some_and(|(_, rest)| rest.starts_with(['`', ' ']))
    };
    let part = page.split("\n## ").find(is_about);
    part.unwrap_or_else(|| panic!("docs/commands.md has no part about {name}`")).to_owned()
}

#[test]
fn every_command_and_option_is_documented() {
    let sandbox = Sandbox::new();
    let page = std::fs::read_to_string(repository().join("docs/commands.md")).unwrap();
    let commands = commands(&sandbox);
    let names: Vec<_> = commands.iter().map(|command| command.words.join(" ")).collect();
    let expected = [
        "agents",
        "command",
        "completions",
        "man",
        "sessions export",
        "sessions inspect",
        "sessions list",
    ];
    assert_eq!(names, expected);
    let mut options = 0;
    for command in &commands {
        let part = documented(&page, &command.words);
        for option in &command.options {
            assert!(part.contains(option.as_str()), "{:?}: {option}", command.words);
            options += 1;
        }
    }
    assert!(options >= 23, "only {options} options were found");
}

#[test]
fn every_command_has_a_page_of_the_manual() {
    let sandbox = Sandbox::new();
    for Told { words, options } in commands(&sandbox) {
        let page = sandbox.run(["man".to_owned()].into_iter().chain(words.iter().cloned()));
        assert_eq!((page.code, page.err.as_str()), (0, ""), "{words:?}");
        assert!(page.out.contains(&format!(".TH carryall-{} 1", words.join("-"))), "{words:?}");
        for option in options {
            let option = option.replace('-', r"\-");
            assert!(page.out.contains(&option), "{words:?}: {option}");
        }
    }
    let said = sandbox.run(["man", "sessions", "nope"]);
    let expected = "error: sessions has no command nope\nhint: one of: list, export, inspect\n";
    assert_eq!((said.code, said.err.as_str(), said.out.as_str()), (2, expected, ""));
}

#[test]
fn every_shell_completes_commands_and_options() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let said = sandbox.run(["completions", shell]);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{shell}");
        for word in ["inspect", "no-thinking", "sessions-dir", "completions"] {
            assert!(said.out.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(sandbox.run(["completions", "abacus"]).code, 2);
}
