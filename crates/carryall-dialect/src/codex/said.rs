//! What a message says, and who said it: the role `user` is also that of what the host injects.

use super::record::{Part, Payload};
use crate::lenient::Content;
use carryall_model::FileRef;
use std::borrow::Cow;

/// Who is behind a message of the role `user`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    /// A person typed it.
    Person,
    /// An editor put what it knows before what a person typed.
    Editor,
    /// The host wrote it.
    Host,
    /// The host wrote down what a person ran in a shell.
    Shell,
}

/// What the host wraps its texts in, beginning and end. Codex compares both (without case), so a
/// person may well begin with one of these.
const FRAGMENTS: [(&str, &str); 14] = [
    ("<environment_context>", "</environment_context>"),
    ("<user_instructions>", "</user_instructions>"),
    ("# agents.md instructions", "</instructions>"),
    ("<skill>", "</skill>"),
    ("<turn_aborted>", "</turn_aborted>"),
    ("<subagent_notification>", "</subagent_notification>"),
    ("<codex_internal_context", "</codex_internal_context>"),
    ("<goal_context>", "</goal_context>"),
    ("<hook_prompt", "</hook_prompt>"),
    ("<recommended_plugins>", "</recommended_plugins>"),
    ("<user_action>", "</user_action>"),
    ("<permissions instructions>", "</permissions instructions>"),
    ("<collaboration_mode>", "</collaboration_mode>"),
    ("<skills_instructions>", "</skills_instructions>"),
];

const SHELL: (&str, &str) = ("<user_shell_command>", "</user_shell_command>");

/// What an editor's text begins with, and the line behind which the typed part stands.
const EDITOR: &str = "# Context from my IDE setup:";
const REQUEST: &str = "## My request for Codex:";

/// Tells who is behind a message; one fragment of the host's makes all of it the host's.
pub(super) fn speaker(content: &Content<'_, Part<'_>>) -> Speaker {
    let texts = || texts(content).filter(|text| !is_image_mark(text));
    if texts().any(|text| is_wrapped(text, SHELL)) {
        return Speaker::Shell;
    }
    if texts().any(|text| FRAGMENTS.iter().any(|&fragment| is_wrapped(text, fragment))) {
        return Speaker::Host;
    }
    let editors = |text: &str| text.trim_start().starts_with(EDITOR) && text.contains(REQUEST);
    if texts().next().is_some_and(editors) { Speaker::Editor } else { Speaker::Person }
}

fn is_wrapped(text: &str, (begin, end): (&str, &str)) -> bool {
    let text = text.trim().as_bytes();
    let (begin, end) = (begin.as_bytes(), end.as_bytes());
    text.len() >= begin.len() + end.len()
        && text[..begin.len()].eq_ignore_ascii_case(begin)
        && text[text.len() - end.len()..].eq_ignore_ascii_case(end)
}

fn texts<'c>(content: &'c Content<'_, Part<'_>>) -> impl Iterator<Item = &'c str> {
    let (whole, parts) = match content {
        Content::Nothing => (None, &[][..]),
        Content::Text(text) => (Some(&**text), &[][..]),
        Content::Blocks(parts) => (None, parts.as_slice()),
    };
    whole.into_iter().chain(parts.iter().filter_map(|part| part.text.filled()))
}

/// The text of a message: its parts with a blank line between, the marks around pictures left out.
pub(super) fn text<'c>(content: &'c Content<'_, Part<'_>>) -> Option<Cow<'c, str>> {
    let mut all: Option<Cow<'c, str>> = None;
    let has_pictures = pictures(content).next().is_some();
    for text in texts(content).filter(|text| !(has_pictures && is_image_mark(text))) {
        match &mut all {
            None => all = Some(Cow::Borrowed(text)),
            Some(all) => {
                let all = all.to_mut();
                all.push_str("\n\n");
                all.push_str(text);
            }
        }
    }
    all
}

/// Since 0.171 a picture stands between two texts that mark it: `<image name=[Image #1] path="…">`
/// and `</image>`.
fn is_image_mark(text: &str) -> bool {
    text == "</image>"
        || text == "<image>"
        || (text.starts_with("<image name=") && text.ends_with('>') && !text.contains('\n'))
}

fn is_picture(part: &Part<'_>) -> bool {
    matches!(
        part.kind.get(),
        Some("input_image" | "input_audio" | "input_file" | "local_image" | "image")
    )
}

fn pictures<'c>(content: &'c Content<'_, Part<'_>>) -> impl Iterator<Item = &'c Part<'c>> {
    content.blocks().iter().filter(|part| is_picture(part))
}

/// The pictures of a message; the bytes of one that stands in it are measured, not decoded.
pub(super) fn files<'c>(content: &'c Content<'_, Part<'_>>) -> Vec<FileRef<'c>> {
    let parts = content.blocks();
    let mark = |at: usize| parts.get(at.checked_sub(1)?)?.text.get().and_then(marked_path);
    let pictures = parts.iter().enumerate().filter(|(_, part)| is_picture(part));
    pictures.map(|(at, part)| file(part, mark(at))).collect()
}

fn marked_path(mark: &str) -> Option<&str> {
    let (_, path) = mark.strip_prefix("<image name=")?.split_once(" path=\"")?;
    path.strip_suffix("\">")
}

fn file<'c>(part: &'c Part<'_>, path: Option<&'c str>) -> FileRef<'c> {
    let url = part.image_url.get().unwrap_or("");
    let path = path.or(part.path.filled());
    let Some((head, data)) = url.strip_prefix("data:").and_then(|url| url.split_once(',')) else {
        return FileRef { path: path.unwrap_or(url), ..FileRef::default() };
    };
    let padding = data.bytes().rev().take_while(|&b| b == b'=').count();
    FileRef {
        path: path.unwrap_or(""),
        media_type: head.split(';').next().filter(|kind| !kind.is_empty()),
        bytes: head.ends_with(";base64").then_some((data.len() - padding) as u64 * 3 / 4),
        ..FileRef::default()
    }
}

/// A picture that an event lists: by its path, or as a `data:` address.
fn listed(path: &str) -> FileRef<'_> {
    let part_of = |url: &'_ str| url.strip_prefix("data:")?.split([';', ',']).next().map(str::len);
    match part_of(path) {
        None => FileRef { path, ..FileRef::default() },
        Some(len) => FileRef { media_type: Some(&path[5..5 + len]), ..FileRef::default() },
    }
}

/// The pictures of a message or of the event about one.
pub(super) fn attachments<'p>(payload: &'p Payload<'_>) -> Vec<FileRef<'p>> {
    let item = payload.item.0.as_ref();
    let mut all = files(&payload.content);
    all.extend(item.into_iter().flat_map(|item| files(&item.content)));
    let paths = payload.local_images.blocks().iter().chain(payload.images.blocks());
    let path = |part: &'p Part<'_>| part.path.filled().or(part.text.filled());
    all.extend(paths.filter_map(path).map(listed));
    all
}

/// What an editor put before a prompt, and the prompt.
pub(super) fn split_request(text: &str) -> (&str, &str) {
    match text.split_once(REQUEST) {
        Some((context, request)) => (context.trim_end(), request.trim_start()),
        None => ("", text),
    }
}

/// A line that a person ran in a shell of the host's, as typed, and what came of it.
pub(super) fn shell(text: &str) -> (String, &str) {
    let line = between(text, "<command>", "</command>").unwrap_or("").trim_matches('\n');
    let result = between(text, "<result>", "</result>").unwrap_or("").trim_matches('\n');
    (format!("!{line}"), result)
}

/// From the first opening tag to the last closing one: output may hold tags of its own.
fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let inside = &text[text.find(open)? + open.len()..];
    Some(&inside[..inside.rfind(close)?])
}

/// What stands in a tag of the environment block, in which the first versions keep their facts.
pub(super) fn environment<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    let (inside, _) = rest.split_once(&format!("</{tag}>"))?;
    Some(inside.trim()).filter(|inside| !inside.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(json: &str) -> (Speaker, Option<String>) {
        let content: Content<'_, Part<'_>> = serde_json::from_str(json).unwrap();
        (speaker(&content), text(&content).map(Cow::into_owned))
    }

    #[test]
    fn a_fragment_counts_only_with_both_its_ends() {
        let host = r#"[{"text":"<environment_context>\n x\n</environment_context>\n"}]"#;
        assert_eq!(says(host).0, Speaker::Host);
        let typed = r#"[{"text":"<skill> is a tag that I do not understand"}]"#;
        assert_eq!(says(typed).0, Speaker::Person);
        let beside = r#"[{"text":"<SKILL>a</SKILL>"},{"text":"b"}]"#;
        assert_eq!(says(beside), (Speaker::Host, Some("<SKILL>a</SKILL>\n\nb".into())));
    }

    #[test]
    fn the_marks_of_a_picture_are_no_text_and_name_its_file() {
        let json = r#"[{"type":"input_text","text":"<image name=[Image #1] path=\"a b.png\">"},
            {"type":"input_image","image_url":"data:image/png;base64,AAAA"},
            {"type":"input_text","text":"</image>"},{"type":"input_text","text":"look"}]"#;
        assert_eq!(says(json), (Speaker::Person, Some("look".into())));
        let content: Content<'_, Part<'_>> = serde_json::from_str(json).unwrap();
        let expected = FileRef {
            path: "a b.png",
            media_type: Some("image/png"),
            bytes: Some(3),
            ..FileRef::default()
        };
        assert_eq!(files(&content), [expected]);
        assert_eq!(says(r#"[{"text":"</image>"}]"#).1.as_deref(), Some("</image>"));
    }

    #[test]
    fn a_shell_line_is_told_with_its_result() {
        let text = "<user_shell_command>\n<command>\nls -l\n</command>\n<result>\nExit code: 0\n\
            Output:\n</result> in a file\n</result>\n</user_shell_command>";
        assert_eq!(
            shell(text),
            ("!ls -l".to_owned(), "Exit code: 0\nOutput:\n</result> in a file")
        );
    }

    #[test]
    fn what_an_editor_knows_stands_before_the_request() {
        let text =
            "# Context from my IDE setup:\n\n## Open tabs:\n- a\n\n## My request for Codex:\ngo on";
        assert_eq!(
            split_request(text),
            ("# Context from my IDE setup:\n\n## Open tabs:\n- a", "go on")
        );
    }
}
