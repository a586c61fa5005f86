use super::*;

#[test]
fn markers_count_only_at_the_beginning() {
    for (text, say) in [
        ("hello", Say::Typed),
        ("what is <command-name>?", Say::Typed),
        ("<b>bold</b> please", Say::Typed),
        ("\n  <command-name>/clear</command-name>", Say::Command),
        ("<command-message>x</command-message>\n<command-name>x</command-name>", Say::Command),
        ("<local-command-stdout></local-command-stdout>", Say::Output),
        ("<bash-input>ls</bash-input>", Say::Shell),
        ("<bash-stderr>no</bash-stderr>", Say::ShellOutput),
        ("[Request interrupted by user for tool use]", Say::Injected),
        ("[1] is a footnote", Say::Typed),
        ("<ide_selection>x</ide_selection>", Say::Injected),
        ("<ide_selection>x</ide_selection> explain", Say::Typed),
        ("<ide_selection>", Say::Typed),
        ("This session is being continued from a previous conversation that", Say::Continuation),
    ] {
        assert_eq!(classify(text), say, "{text}");
    }
}

#[test]
fn a_command_is_shown_as_it_was_typed() {
    let row =
        "<command-message>init is working</command-message>\n<command-name>/init</command-name>";
    assert_eq!(line(row), "/init");
    let row = "<command-name>model</command-name>\n <command-args> opus  4 </command-args>";
    assert_eq!(line(row), "/model opus  4");
    assert_eq!(line("<bash-input>ls -l </bash-input>"), "!ls -l ");
}

#[test]
fn output_is_what_stands_between_the_tags() {
    assert_eq!(output("<local-command-stdout></local-command-stdout>"), "");
    assert_eq!(output("<bash-stdout>a\n</bash-stdout><bash-stderr>b</bash-stderr>"), "a\nb");
    assert_eq!(output("<bash-stdout>a</bash-stdout><bash-stderr>b</bash-stderr>"), "a\nb");
    let nested = "<bash-stdout>x </bash-stdout> y</bash-stdout><bash-stderr></bash-stderr>";
    assert_eq!(output(nested), "x </bash-stdout> y");
}
