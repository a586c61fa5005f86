//! What is one text, what is one turn, and what is gone.

use crate::heard::{check, hear};
use crate::made::{
    Home, assistant, assistant_event, back, call, event, item, meta, output, row, user, user_event,
};
use crate::open;
use crate::oracle::Beat;
use carryall_model::{EntryKind, NoticeKind};
use serde_json::json;

/// The beats of a thread of these rows, which the slow reading has confirmed.
fn beats(rows: &[String]) -> Vec<Beat> {
    let home = Home::new();
    let path = home.thread(1, meta(1) + &rows.concat());
    check(&path);
    hear(&*open(&path)).0.beats
}

fn prompt(text: &str) -> Beat {
    Beat::Prompt(text.to_owned())
}

fn said(text: &str) -> Beat {
    Beat::Said(text.to_owned())
}

fn start(turn: &str) -> String {
    event(&json!({"type": "task_started", "turn_id": turn}))
}

fn end(turn: &str) -> String {
    event(&json!({"type": "task_complete", "turn_id": turn}))
}

#[test]
fn equal_texts_are_as_many_as_were_said() {
    let rows = [
        user("go"),
        user_event("go"),
        assistant("yes"),
        assistant_event("yes"),
        assistant_event("yes"),
        assistant("yes"),
        assistant_event("yes"),
        user_event("go"),
        user("go"),
        user("go"),
    ];
    let yes = said("yes\n\nyes\n\nyes");
    assert_eq!(beats(&rows), [prompt("go"), yes, prompt("go"), prompt("go")]);
}

#[test]
fn what_follows_a_rollback_is_not_of_the_turn_that_is_gone() {
    let host = user("<environment_context>x</environment_context>");
    for end in [String::new(), end("b")] {
        let rows = [
            start("a"),
            user("stays"),
            self::end("a"),
            start("b"),
            user("goes"),
            assistant("goes"),
            end,
            back(1),
            host.clone(),
            user("next"),
            assistant("stays, too"),
        ];
        let context = Beat::Host("<environment_context>x</environment_context>".to_owned());
        let expected = [prompt("stays"), context, prompt("next"), said("stays, too")];
        assert_eq!(beats(&rows), expected);
    }
}

#[test]
fn rollbacks_add_up_and_end_at_the_beginning() {
    let turn = |n: u32| [user(&format!("p{n}")), assistant(&format!("a{n}"))].concat();
    let rows = [turn(1), turn(2), turn(3), back(1), turn(4), back(2), turn(5)];
    assert_eq!(beats(&rows), [prompt("p1"), said("a1"), prompt("p5"), said("a5")]);
    let rows = [turn(1), back(0), turn(2), back(u64::MAX), back(1), turn(3)];
    assert_eq!(beats(&rows), [prompt("p3"), said("a3")]);
}

#[test]
fn a_turn_with_a_prompt_left_is_not_gone() {
    let named = |turn: &str, text: &str| {
        let content = json!([{"type": "input_text", "text": text}]);
        let turn = json!({"turn_id": turn});
        item(&json!({"type": "message", "role": "user", "content": content,
            "internal_chat_message_metadata_passthrough": turn}))
    };
    let late = event(&json!({"type": "agent_message", "message": "late", "turn_id": "a"}));
    let rows = [named("a", "one"), named("b", "two"), named("a", "three"), back(2), late];
    assert_eq!(beats(&rows), [prompt("one"), said("late")]);
}

#[test]
fn repeated_call_ids_are_answered_in_their_order() {
    let rows = [user("go"), call("c"), call("c"), output("c", "1"), output("c", "2"), call("c")];
    let results: Vec<_> = beats(&rows)
        .into_iter()
        .filter_map(|beat| match beat {
            Beat::Call { result, .. } => Some(result),
            _ => None,
        })
        .collect();
    assert_eq!(results, [Some("1".to_owned()), Some("2".to_owned()), None]);
}

#[test]
fn a_picture_without_a_word_is_a_prompt() {
    let home = Home::new();
    let pictures = json!({"type": "user_message", "message": "", "local_images": ["/w/a.png"]});
    let nothing = json!({"type": "user_message", "message": "", "local_images": []});
    let path = home.thread(1, meta(1) + &event(&pictures) + &event(&nothing));
    let thread = open(&path);
    let mut seen = Vec::new();
    thread.replay(0..9, &mut Attached(&mut seen)).unwrap();
    assert_eq!(seen, [(EntryKind::User, vec!["/w/a.png".to_owned()])]);
}

struct Attached<'s>(&'s mut Vec<(EntryKind, Vec<String>)>);

impl carryall_model::EntrySink for Attached<'_> {
    fn entry(
        &mut self,
        entry: &carryall_model::Entry<'_>,
    ) -> Result<(), carryall_model::SinkError> {
        let paths = entry.attachments.iter().map(|file| file.path.to_owned()).collect();
        self.0.push((entry.kind, paths));
        Ok(())
    }

    fn call(&mut self, _: &carryall_model::ToolCall<'_>) -> Result<(), carryall_model::SinkError> {
        Ok(())
    }
}

#[test]
fn a_summary_is_found_among_items_that_are_none() {
    let content = json!([{"type": "input_text", "text": "the summary"}]);
    let history = json!([null, 7, "x", {"role": "user", "content": content}, []]);
    let rows = [
        user("go"),
        row("compacted", &json!({"message": "", "replacement_history": history})),
        user("on"),
    ];
    let summary = Beat::Summary { text: Some("the summary".to_owned()), thought: None };
    assert_eq!(beats(&rows), [prompt("go"), summary, prompt("on")]);
}

/// Whether the end of the last turn is missing.
fn is_open(rows: &[String]) -> bool {
    let home = Home::new();
    let path = home.thread(1, meta(1) + &rows.concat());
    let (_, found) = hear(&*open(&path));
    found.notices.kept().iter().any(|notice| notice.kind == NoticeKind::TurnInProgress)
}

#[test]
fn a_turn_is_in_progress_until_its_own_end() {
    let context = row("turn_context", &json!({"turn_id": "other"}));
    assert!(is_open(&[start("a"), user("go")]));
    assert!(is_open(&[start("a"), end("a"), start("b"), user("go"), end("a")]));
    assert!(!is_open(&[start("a"), user("go"), end("a")]));
    assert!(!is_open(&[start("a"), context, user("go"), end("a")]));
    assert!(!is_open(&[start("a"), user("go"), event(&json!({"type": "turn_aborted"}))]));
}
