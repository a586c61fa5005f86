use super::*;

fn request(line: &str) -> Result<Request, String> {
    parse(&split(recognise(line).expect("the command"))).map_err(|e| e.to_string())
}

fn asked(format: Option<Format>, path: &str) -> Result<Request, String> {
    Ok(Request { format, path: path.into(), options: Options::default() })
}

#[test]
fn the_command_is_recognised_by_its_name_and_one_kind_of_white_space() {
    for line in
        ["/export", "  /export \u{a0}", "/export md", "/export\tmd", "/export\nmd", "/export\rmd"]
    {
        assert!(recognise(line).is_some(), "{line:?}");
    }
    for line in [
        "/Export",
        "/EXPORT",
        "/exports",
        "/export:md",
        "/export-x",
        "please /export",
        "export",
        "",
        "/export\u{a0}md",
        "/export\u{b}md",
        "/export\u{c}md",
        "/export\u{3000}md",
    ] {
        assert!(recognise(line).is_none(), "{line:?}");
    }
}

#[test]
fn u02_to_u09_words_of_a_request() {
    let md = Some(Format::Markdown);
    let json = Some(Format::Json);
    for (line, expected) in [
        ("/export", asked(None, "")),
        ("/export json", asked(json, "")),
        ("/export MD", asked(md, "")),
        ("/export markdown", asked(md, "")),
        ("/export json chat.md", asked(json, "chat.md")),
        ("/export json foo", asked(json, "foo")),
        ("/export chat.md", asked(None, "chat.md")),
        ("/export notes/chat.html", asked(None, "notes/chat.html")),
        ("/export out.JSONL", asked(None, "out.JSONL")),
        ("/export exports/", asked(None, "exports/")),
        ("/export yaml", asked(None, "yaml")),
        ("/export htm", asked(None, "htm")),
        ("/export md then tell me more", asked(md, "then tell me more")),
        ("/export my   notes.md", asked(None, "my notes.md")),
        ("/export a\u{a0}b\u{3000}c\u{b}d", asked(None, "a b c d")),
        ("/export chat.md json", asked(None, "chat.md json")),
        ("/export md json", asked(md, "json")),
        ("/export \"my notes.md\"", asked(None, "\"my notes.md\"")),
        ("/export -x.md", asked(None, "-x.md")),
        ("/export md\nnotes/\n", asked(md, "notes/")),
    ] {
        assert_eq!(request(line), expected, "{line:?}");
    }
}

#[test]
fn options_stand_anywhere_and_may_be_repeated() {
    let parsed = request("/export --no-tools md --no-thinking chat.md --no-tools").unwrap();
    assert_eq!(parsed.format, Some(Format::Markdown));
    assert_eq!(parsed.path.to_str(), Some("chat.md"));
    assert!(parsed.options.no_tools && parsed.options.no_thinking && !parsed.options.subagents);
}

#[test]
fn u14_unknown_options_are_named_all_together() {
    for (line, named) in [
        ("/export --bogus", "--bogus"),
        ("/export --", "--"),
        ("/export --no-tools=1 md", "--no-tools=1"),
        ("/export --No-Tools x.txt --what", "--No-Tools, --what"),
    ] {
        assert_eq!(
            request(line).unwrap_err(),
            format!("unknown option {named} (supported: --no-tools, --no-thinking)"),
        );
    }
}

#[test]
fn a_path_from_the_surface_is_neither_option_nor_format() {
    let words = [Word::Path("json".into()), Word::Typed("--no-tools".into())];
    let parsed = parse(&words).unwrap();
    assert_eq!((parsed.format, parsed.path.to_str()), (None, Some("json")));
    let words = [Word::Typed("md".into()), Word::Path("--a  b.md".into())];
    let parsed = parse(&words).unwrap();
    assert_eq!((parsed.format, parsed.path.to_str()), (Some(Format::Markdown), Some("--a  b.md")));
}
