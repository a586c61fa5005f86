//! placeholder

mod copy;
mod escape;

pub(crate) use copy::{Audience, Layout, copy, decode_string};

use crate::Renderer;
use carryall_model::{Entry, EntrySink, Found, Header, LeftOut, SinkError, ToolCall};
use std::io::Write;

/// placeholder
pub struct Json<W: Write> {
    out: W,
}

impl<W: Write> Json<W> {
    /// placeholder
    pub fn new(out: W) -> Self {
        Self { out }
    }
}

impl<W: Write> EntrySink for Json<W> {
    fn entry(&mut self, _entry: &Entry<'_>) -> Result<(), SinkError> {
        Ok(())
    }

    fn call(&mut self, _call: &ToolCall<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

impl<W: Write> Renderer for Json<W> {
    fn begin(&mut self, _header: &Header<'_>) -> Result<(), SinkError> {
        Ok(())
    }

    fn finish(&mut self, _found: &Found, _left_out: &LeftOut) -> Result<(), SinkError> {
        Ok(())
    }

    fn close(&mut self) -> Result<(), SinkError> {
        Ok(writeln!(self.out, "placeholder")?)
    }
}

/// placeholder
pub struct JsonLines<W: Write> {
    out: W,
}

impl<W: Write> JsonLines<W> {
    /// placeholder
    pub fn new(out: W) -> Self {
        Self { out }
    }
}

impl<W: Write> EntrySink for JsonLines<W> {
    fn entry(&mut self, _entry: &Entry<'_>) -> Result<(), SinkError> {
        Ok(())
    }

    fn call(&mut self, _call: &ToolCall<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

impl<W: Write> Renderer for JsonLines<W> {
    fn begin(&mut self, _header: &Header<'_>) -> Result<(), SinkError> {
        Ok(())
    }

    fn finish(&mut self, _found: &Found, _left_out: &LeftOut) -> Result<(), SinkError> {
        Ok(())
    }

    fn close(&mut self) -> Result<(), SinkError> {
        Ok(writeln!(self.out, "placeholder")?)
    }
}
