//! placeholder

use crate::{Dialect, Listed, Locator, OpenContext, Peek, Probe, Surroundings};
use carryall_model::{OpenError, Transcript};
use std::io;
use std::path::{Path, PathBuf};

/// placeholder
#[derive(Clone, Copy, Debug)]
pub struct ClaudeCode;

impl Dialect for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn looks_for(&self) -> &'static str {
        ""
    }

    fn claims(&self, _probe: &Probe<'_>) -> bool {
        false
    }

    fn stores(&self, _surroundings: &Surroundings<'_>) -> Vec<PathBuf> {
        Vec::new()
    }

    fn list(&self, _store: &Path, _each: &mut dyn FnMut(Listed)) -> io::Result<()> {
        Ok(())
    }

    fn peek(&self, _listed: &Listed, _cx: &OpenContext<'_>) -> Result<Peek, OpenError> {
        Ok(Peek::default())
    }

    fn open(
        &self,
        locator: &Locator,
        _cx: &OpenContext<'_>,
    ) -> Result<Box<dyn Transcript>, OpenError> {
        Err(OpenError::Empty { path: locator.path.clone() })
    }
}
