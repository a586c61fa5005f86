//! Threads of many rows that mean much for each other: what would take hours if it were quadratic.

use crate::heard::hear;
use crate::made::{Home, assistant, assistant_event, back, call, event, meta, output, row, user};
use crate::open;
use serde_json::json;

const MANY: usize = 20_000;

fn entries(rows: &str) -> (u32, u64) {
    let home = Home::new();
    let thread = open(&home.thread(1, meta(1) + rows));
    (hear(&*thread).0.entries, thread.facts().other_branches)
}

#[test]
fn a_text_that_is_said_over_and_over_finds_its_events() {
    let start = event(&json!({"type": "task_started", "turn_id": "a"}));
    let rows = [start.clone(), assistant("x").repeat(MANY), assistant_event("x").repeat(MANY)];
    assert_eq!(entries(&rows.concat()), (1, 0));
    let rows = [start, user("x").repeat(MANY)];
    assert_eq!(entries(&rows.concat()), (MANY as u32, 0));
}

#[test]
fn all_prompts_are_taken_back_one_by_one() {
    let rows = user("p").repeat(MANY) + &back(1).repeat(MANY - 1);
    assert_eq!(entries(&rows), (1, MANY as u64 - 1));
}

#[test]
fn every_answer_may_be_of_a_model_of_its_own() {
    let rows: String = (0..MANY)
        .map(|n| row("turn_context", &json!({"model": format!("m{n}")})) + &assistant("a"))
        .collect();
    assert_eq!(entries(&rows), (MANY as u32, 0));
}

#[test]
fn one_call_id_may_be_that_of_all_calls() {
    let rows = call("c").repeat(MANY) + &output("c", "o").repeat(MANY);
    assert_eq!(entries(&rows), (1, 0));
    let rows = output("c", "o").repeat(MANY) + &call("c").repeat(MANY);
    assert_eq!(entries(&rows), (1, 0));
}
