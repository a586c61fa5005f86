//! One tool call with its result.

use super::entry::files;
use super::head::Started;
use super::marker::{self, Spot};
use super::payload::{Measured, Payload};
use super::span;
use carryall_model::ToolCall;
use std::io::{self, Write};

/// Writes a call.
pub(super) fn write(
    out: &mut impl Write,
    spot: Spot,
    call: &ToolCall<'_>,
    subagent: Option<&Started>,
) -> io::Result<()> {
    let input = call.input.map(|input| Payload::input(input).measure());
    let result = call.result.map(|result| Payload::text(result.text).measure());
    let lengths = [
        ("input", input.as_ref().map(Measured::len)),
        ("result", result.as_ref().map(Measured::len)),
    ];
    out.write_all(b"\n")?;
    marker::write(out, spot, "call", &lengths)?;
    out.write_all(b"### ")?;
    if subagent.is_some_and(|started| started.number.is_some()) {
        write!(out, "<a id=\"{}\"></a>", spot.anchor())?;
    }
    out.write_all(b"Tool call: ")?;
    span::value(out, call.name)?;
    out.write_all(b"\n")?;
    if let Some(input) = &input {
        out.write_all(b"\nInput:\n")?;
        input.write(out)?;
    }
    if let Some(subagent) = subagent {
        link(out, subagent)?;
    }
    let failed = call.result.is_some_and(|result| result.is_error);
    out.write_all(if failed { b"\nError result:\n" } else { b"\nResult:\n" })?;
    match &result {
        Some(result) => result.write(out)?,
        None => out.write_all(b"\n(no result in the transcript)\n")?,
    }
    files(out, "Pictures", call.result.map_or(&[], |result| result.pictures))
}

fn link(out: &mut impl Write, subagent: &Started) -> io::Result<()> {
    out.write_all(b"\nSubagent: ")?;
    span::value(out, &subagent.id)?;
    match subagent.number {
        Some(number) => writeln!(out, ", [its conversation stands below](#s{number})."),
        None => out.write_all(b"\n"),
    }
}
