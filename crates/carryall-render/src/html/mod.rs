//! placeholder

use crate::{Product, Renderer};
use carryall_model::{Entry, EntrySink, Found, Header, LeftOut, SinkError, ToolCall};
use std::io::Write;

/// placeholder
pub struct Html<W: Write> {
    out: W,
}

impl<W: Write> Html<W> {
    /// placeholder
    pub fn new(_product: &Product, out: W) -> Self {
        Self { out }
    }
}

impl<W: Write> EntrySink for Html<W> {
    fn entry(&mut self, _entry: &Entry<'_>) -> Result<(), SinkError> {
        Ok(())
    }

    fn call(&mut self, _call: &ToolCall<'_>) -> Result<(), SinkError> {
        Ok(())
    }
}

impl<W: Write> Renderer for Html<W> {
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
