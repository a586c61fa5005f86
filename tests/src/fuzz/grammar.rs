//! Any text after `/export`.

use carryall_command::{CommandError, Request, Word, parse, recognise, split};
use carryall_model::Options;
use carryall_render::Format;
use std::borrow::Cow;

/// A text is split into the words it holds and nothing else; what it asks for is what a second
/// reading of the grammar finds; and a request that is spelled out again asks for the same.
///
/// # Panics
/// When a rule is broken.
pub fn grammar(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    check_recognised(&text);
    let words = split(&text);
    let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let mut joined = String::new();
    for word in &words {
        let Word::Typed(word) = word else { panic!("{word:?} was not typed") };
        assert!(!word.is_empty() && !word.contains(char::is_whitespace), "{word:?}");
        joined.push_str(word);
    }
    assert_eq!(joined, bare(&text));
    match (parse(&words), expected(&text)) {
        (Ok(request), Ok(expected)) => {
            assert_eq!(request, expected);
            check_round_trip(&request);
        }
        (Err(CommandError::UnknownOption { options }), Err(expected)) => {
            assert_eq!(options, expected);
        }
        (ours, expected) => panic!("{ours:?}, not {expected:?}"),
    }
    check_whole_path(&text);
}

/// The command is its name, and behind it nothing or one of four kinds of white space.
fn check_recognised(text: &str) {
    for space in ["", " ", "\t", "\n", "\r"] {
        let prompt = format!("/export{space}{text}");
        let is_command = !space.is_empty()
            || matches!(text.trim_end().chars().next(), None | Some(' ' | '\t' | '\n' | '\r'));
        let arguments = recognise(&prompt);
        assert_eq!(arguments.is_some(), is_command, "{prompt:?}");
        if let Some(arguments) = arguments {
            assert_eq!(split(arguments), split(text), "{prompt:?}");
        }
    }
}

/// The grammar once more, as `docs/commands.md` tells it: options anywhere, then a format if the
/// first word left names one, then the path.
fn expected(text: &str) -> Result<Request, String> {
    let (options, mut rest): (Vec<&str>, Vec<&str>) =
        text.split_whitespace().partition(|word| word.starts_with("--"));
    let known = |option: &&str| matches!(*option, "--no-tools" | "--no-thinking");
    let unknown: Vec<&str> = options.iter().copied().filter(|option| !known(option)).collect();
    if !unknown.is_empty() {
        return Err(unknown.join(", "));
    }
    let format = rest.first().and_then(|word| format_named(word));
    if format.is_some() {
        rest.remove(0);
    }
    let options = Options {
        no_tools: options.contains(&"--no-tools"),
        no_thinking: options.contains(&"--no-thinking"),
        ..Options::default()
    };
    Ok(Request { format, path: rest.join(" ").into(), options })
}

fn format_named(word: &str) -> Option<Format> {
    let named = |names: &[&str]| names.iter().any(|name| word.eq_ignore_ascii_case(name));
    match () {
        () if named(&["md", "markdown"]) => Some(Format::Markdown),
        () if named(&["html"]) => Some(Format::Html),
        () if named(&["json"]) => Some(Format::Json),
        () if named(&["jsonl"]) => Some(Format::JsonLines),
        () => None,
    }
}

/// A request, written out as a person would type it, asks for the same.
fn check_round_trip(request: &Request) {
    let mut line = request.format.map(Format::extension).unwrap_or_default().to_owned();
    line.push(' ');
    line.push_str(request.path.to_str().unwrap());
    if request.options.no_tools {
        line.push_str(" --no-tools");
    }
    if request.options.no_thinking {
        line.push_str(" --no-thinking");
    }
    assert_eq!(parse(&split(&line)).unwrap(), *request, "{line:?}");
}

/// What a surface hands over as one path is that path, whatever it looks like.
fn check_whole_path(text: &str) {
    let words = [Word::Typed(Cow::Borrowed("json")), Word::Path(Cow::Borrowed(text))];
    let request = parse(&words).unwrap();
    assert_eq!(request.path.to_str(), Some(text));
    assert_eq!(request.format, Some(Format::Json));
    let request = parse(&words[1..]).unwrap();
    assert_eq!((request.format, request.path.to_str()), (None, Some(text)));
}
