//! A toy agent gets `/export`: its messages live in memory, its chat is this program's arguments.
//!
//!     cargo run -p carryall-command --example embed -- /export html notes/

use carryall_command::{recognise, run, split};
use carryall_model::{
    Entry, EntryKind, EntrySink, Facts, Found, Input, ReplayError, ToolCall, ToolResult, Transcript,
};
use carryall_render::Product;
use carryall_workspace::Workspace;
use serde_json::value::RawValue;
use std::ops::Range;

/// The agent's own message type; yours looks different.
enum Message {
    User(&'static str),
    Assistant { text: &'static str, tool: Option<(&'static str, Box<RawValue>, &'static str)> },
}

struct Chat {
    facts: Facts,
    messages: Vec<Message>,
}

impl Transcript for Chat {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn replay(&self, which: Range<u32>, sink: &mut dyn EntrySink) -> Result<Found, ReplayError> {
        let range = which.start as usize..(which.end as usize).min(self.messages.len());
        for message in self.messages.get(range).unwrap_or_default() {
            match message {
                Message::User(text) => {
                    sink.entry(&Entry { text: Some(text), ..Entry::new(EntryKind::User) })?;
                }
                Message::Assistant { text, tool } => {
                    let calls = tool.iter().len() as u32;
                    let text = Some(*text);
                    sink.entry(&Entry { text, calls, ..Entry::new(EntryKind::Assistant) })?;
                    if let Some((name, input, output)) = tool {
                        sink.call(&ToolCall {
                            input: Some(Input::Json(input)),
                            result: Some(ToolResult { text: output, ..ToolResult::default() }),
                            ..ToolCall::new("call-1", name)
                        })?;
                    }
                }
            }
        }
        Ok(Found::default())
    }
}

#[expect(clippy::print_stdout, clippy::disallowed_methods, reason = "an agent is a program")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let typed = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let input = RawValue::from_string(r#"{"path":"notes.txt"}"#.into())?;
    let messages = vec![
        Message::User("What do the notes say?"),
        Message::Assistant { text: "Let me look.", tool: Some(("read", input, "Buy milk.")) },
        Message::Assistant { text: "They say: buy milk.", tool: None },
    ];
    let facts = Facts { id: "toy-1".into(), message_count: 3, user_turns: 1, ..Facts::default() };
    let workspace = Workspace::open(std::env::current_dir()?, cap_std::ambient_authority())?;
    match recognise(&typed) {
        Some(arguments) => {
            let chat = Chat { facts, messages };
            let product = Product::new("Toy", "toy");
            println!("{}", run(&split(arguments), &chat, &workspace, chrono::Utc::now(), &product));
        }
        None => println!("the model would now be asked: {typed}"),
    }
    Ok(())
}
