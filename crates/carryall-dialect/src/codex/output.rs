//! What a call gave back, and how it ended.

use super::record::{Part, Payload};
use super::said;
use crate::lenient::{Content, Object, Word};
use carryall_model::FileRef;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::time::Duration;

/// The answer to a call.
#[derive(Debug, Default)]
pub(super) struct Output<'a> {
    text: Cow<'a, str>,
    parts: Content<'a, Part<'a>>,
    /// The command ended with another code than 0; there is no other mark of a failure.
    pub(super) failed: bool,
    /// How long it ran, where the answer says so.
    pub(super) took: Option<Duration>,
}

/// How the first versions wrap what a command printed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wrapped<'a> {
    #[serde(borrow)]
    output: Word<'a>,
    metadata: Ended<'a>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ended<'a> {
    exit_code: i64,
    #[serde(borrow)]
    duration_seconds: &'a RawValue,
}

impl<'a> Output<'a> {
    /// The answer in an output item.
    pub(super) fn of(payload: &Payload<'a>) -> Self {
        let Some(raw) = payload.output.or(payload.tools) else { return Self::default() };
        let raw: &'a str = raw.get();
        if payload.output.is_none() {
            return Self { text: Cow::Borrowed(raw), ..Self::default() };
        }
        match serde_json::from_str(raw) {
            Ok(Content::Text(text)) => Self::of_text(text),
            Ok(parts @ Content::Blocks(_)) => {
                let text = said::text(&parts).map(Cow::into_owned).unwrap_or_default();
                let of_text = Self::of_text(Cow::Owned(text));
                Self { parts, ..of_text }
            }
            // An object, or a number: as it stands.
            Ok(Content::Nothing) | Err(_) if raw != "null" => {
                Self { text: Cow::Borrowed(raw), ..Self::default() }
            }
            Ok(Content::Nothing) | Err(_) => Self::default(),
        }
    }

    fn of_text(text: Cow<'a, str>) -> Self {
        let unwrapped = match text.starts_with('{') {
            true => serde_json::from_str(&text).ok().and_then(unwrap),
            false => None,
        };
        let text = unwrapped.map_or(text, Cow::Owned);
        let Head { code, took } = Head::of(&text);
        Self { failed: code.is_some_and(|code| code != 0), took, text, parts: Content::Nothing }
    }

    /// The text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The pictures.
    pub(super) fn pictures(&self) -> Vec<FileRef<'_>> {
        said::files(&self.parts)
    }
}

/// The same in the words of later versions, which begin with these facts and print the text as is.
fn unwrap(wrapped: Wrapped<'_>) -> Option<String> {
    let Ended { exit_code, duration_seconds } = wrapped.metadata;
    let output = wrapped.output.get()?;
    Some(format!(
        "Exit code: {exit_code}\nWall time: {duration_seconds} seconds\nOutput:\n{output}"
    ))
}

/// What the first lines of an answer tell of a command.
#[derive(Default)]
struct Head {
    code: Option<i64>,
    took: Option<Duration>,
}

/// How many lines an answer may have before `Output:`.
const HEAD_LINES: usize = 8;

impl Head {
    fn of(text: &str) -> Self {
        let mut head = Self::default();
        for line in text.lines().take(HEAD_LINES) {
            if line == "Output:" {
                return head;
            }
            let code =
                line.strip_prefix("Exit code: ").or(line.strip_prefix("Process exited with code "));
            head.code = head.code.or_else(|| code?.trim().parse().ok());
            let took = line.strip_prefix("Wall time: ").and_then(|rest| rest.split(' ').next());
            let took = took.and_then(|seconds| seconds.parse().ok());
            head.took = head.took.or_else(|| Duration::try_from_secs_f64(took?).ok());
        }
        Self::default()
    }
}

/// The thread that an answer to `spawn_agent` names.
pub(super) fn spawned(output: &str) -> Option<String> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Spawned<'a> {
        #[serde(borrow)]
        agent_id: Word<'a>,
        #[serde(borrow)]
        thread_id: Word<'a>,
    }
    let spawned: Object<Spawned<'_>> = serde_json::from_str(output).ok()?;
    let spawned = spawned.0?;
    spawned.agent_id.filled().or(spawned.thread_id.filled()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(output: &str) -> (String, bool, Option<Duration>) {
        let json = serde_json::json!({ "output": output }).to_string();
        let payload: Payload<'_> = serde_json::from_str(&json).unwrap();
        let output = Output::of(&payload);
        (output.text().to_owned(), output.failed, output.took)
    }

    #[test]
    fn how_a_command_ended_is_told_in_one_way() {
        let newer = "Exit code: 3\nWall time: 0.2 seconds\nOutput:\nhi\n";
        let expected = (newer.to_owned(), true, Some(Duration::from_millis(200)));
        assert_eq!(of(newer), expected);
        let older = r#"{"output":"hi\n","metadata":{"exit_code":3,"duration_seconds":0.2}}"#;
        assert_eq!(of(older), expected);
        let newest =
            "Chunk ID: a\nWall time: 0.1169 seconds\nProcess exited with code 0\nOutput:\n";
        assert_eq!(of(newest), (newest.to_owned(), false, Some(Duration::from_micros(116_900))));
    }

    #[test]
    fn what_a_command_prints_is_not_taken_for_how_it_ended() {
        for text in [
            "Exit code: 3\nand nothing else",
            "Output:\nExit code: 3\nOutput:\n",
            r#"{"output":"a","metadata":{"exit_code":3,"duration_seconds":1,"more":1}}"#,
        ] {
            assert_eq!(of(text), (text.to_owned(), false, None), "{text}");
        }
    }

    #[test]
    fn an_answer_in_parts_keeps_its_texts_and_names_its_pictures() {
        let json = r#"{"output":[{"type":"input_text","text":"a"},
            {"type":"input_image","image_url":"data:image/png;base64,AAAA"},
            {"type":"input_text","text":"b"}]}"#;
        let payload: Payload<'_> = serde_json::from_str(json).unwrap();
        let output = Output::of(&payload);
        assert_eq!(output.text(), "a\n\nb");
        assert_eq!(output.pictures()[0].bytes, Some(3));
    }
}
