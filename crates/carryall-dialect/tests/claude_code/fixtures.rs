//! Every fixture as a snapshot.

use crate::{dump, open, repository};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn cases() -> PathBuf {
    repository().join("tests/fixtures/claude-code")
}

/// The session file of a case: the only one whose name is a UUID.
pub(crate) fn session(case: &str) -> PathBuf {
    let is_session = |path: &PathBuf| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        stem.len() == 36 && path.extension().is_some_and(|extension| extension == "jsonl")
    };
    let folder = cases().join(case);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    entries.map(|entry| entry.unwrap().path()).find(is_session).expect("a session file")
}

fn check(name: &str) {
    let case = name.replace('_', "-");
    let session = open(&session(&case));
    let mut text = dump::dump(&*session);
    for number in 0..session.children().len() {
        let child = session.open_child(number).expect("the child opens");
        text.push_str("\n--- child\n");
        text.push_str(&dump::dump(&*child));
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new("../snapshots/claude_code"));
    settings.set_prepend_module_to_snapshot(false);
    settings.bind(|| insta::assert_snapshot!(case, text));
}

macro_rules! cases {
    ($($name:ident)*) => {
        $(#[test] fn $name() { check(stringify!($name)); })*

        #[test]
        fn every_fixture_has_a_test() {
            let known: BTreeSet<String> =
                [$(stringify!($name)),*].iter().map(|name| name.replace('_', "-")).collect();
            let folders = fs::read_dir(cases()).expect("the fixtures").map(|entry| {
                entry.expect("an entry").file_name().to_string_lossy().into_owned()
            });
            assert_eq!(folders.collect::<BTreeSet<String>>(), known);
        }
    };
}

cases! {
    child_before_parent
    commands
    compaction
    compaction_copied
    compaction_preserved
    compaction_silent
    compaction_unmarked
    content_shapes
    continued_untold
    damaged
    edits
    forked
    hooks
    hostile_output
    injected
    local_answers
    markers_in_prompts
    mentioned_files
    missing_parent
    no_timestamps
    odd_fields
    orphan_results
    other_branch
    parallel_results
    parent_cycle
    permission_modes
    pictures
    progress_in_chain
    queued_prompt
    quiet_rows
    repeated_id
    results_and_text
    server_tools
    spilled_results
    split_response
    subagents_folder
    subagents_inline
    subagents_siblings
    team
    titles_custom
    titles_foreign_summary
    titles_summary
    tour
    unknown_kinds
    unreadable_thinking
}
