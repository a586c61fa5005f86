//! What a call of `apply_patch` changes: the patch in Codex's own form, cut into files.

use super::record::Part;
use crate::lenient::{Content, Word};
use carryall_model::Edit;
use serde::Deserialize;
use std::borrow::Cow;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";

/// The changes in a text that holds a patch; none in any other.
pub(super) fn edits(text: &str) -> Vec<Edit<'_>> {
    let Some(begin) = text.find(BEGIN) else { return Vec::new() };
    let body = &text[begin + BEGIN.len()..];
    let body = body.find(END).map_or(body, |end| &body[..end]);
    let mut edits = Vec::new();
    let mut open: Option<(&str, usize)> = None;
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        if let Some(path) = file_of(line) {
            edits.extend(open.and_then(|(path, from)| edit(path, &body[from..at])));
            open = Some((path, at + line.len()));
        }
        at += line.len();
    }
    edits.extend(open.and_then(|(path, from)| edit(path, &body[from..])));
    edits
}

/// The argument of a tool that holds a patch, nothing when none does.
pub(super) fn in_arguments(json: &str) -> Cow<'_, str> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Arguments<'a> {
        #[serde(borrow)]
        command: Content<'a, Part<'a>>,
        #[serde(borrow)]
        cmd: Word<'a>,
        #[serde(borrow)]
        input: Word<'a>,
        #[serde(borrow)]
        patch: Word<'a>,
    }
    if memchr::memmem::find(json.as_bytes(), BEGIN.as_bytes()).is_none() {
        return Cow::Borrowed("");
    }
    let Ok(arguments) = serde_json::from_str::<Arguments<'_>>(json) else {
        return Cow::Borrowed("");
    };
    let parts = match arguments.command {
        Content::Nothing => Vec::new(),
        Content::Text(text) => vec![Some(text)],
        Content::Blocks(parts) => parts.into_iter().map(|part| part.text.0).collect(),
    };
    let named = [arguments.cmd.0, arguments.input.0, arguments.patch.0];
    let mut texts = parts.into_iter().chain(named).flatten();
    texts.find(|text| text.contains(BEGIN)).unwrap_or_default()
}

/// The file that a line of the patch begins.
fn file_of(line: &str) -> Option<&str> {
    let line = line.trim_end_matches(['\n', '\r']);
    ["*** Add File: ", "*** Update File: ", "*** Delete File: "]
        .iter()
        .find_map(|begin| line.strip_prefix(begin))
}

fn edit<'t>(path: &'t str, patch: &'t str) -> Option<Edit<'t>> {
    let patch = patch.trim_end_matches('\n');
    (!patch.is_empty()).then_some(Edit::Patch { path: Some(path), patch })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_cut_into_its_files() {
        let text = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.txt\n+one\n*** Update \
            File: b.txt\n@@\n-x\n+y\n*** Delete File: c\n*** End Patch\nEOF";
        let patch = |path, patch| Edit::Patch { path: Some(path), patch };
        assert_eq!(edits(text), [patch("a.txt", "+one"), patch("b.txt", "@@\n-x\n+y")]);
        assert_eq!(edits("no patch"), []);
    }
}
