//! What a request means in this workspace: a format and a target, and nothing made yet.

use crate::{CommandError, Request};
use carryall_model::Options;
use carryall_render::Format;
use carryall_workspace::{Target, Workspace};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A request that can be carried out.
#[derive(Debug)]
pub struct Plan {
    /// The format, named or told by the path.
    pub format: Format,
    /// What is left out or added.
    pub options: Options,
    /// Where the file goes.
    pub target: Target,
}

impl Plan {
    /// Decides format and target. A format that was named wins over the path's extension and
    /// switches the checks of the name off; without one the path must say which format it is.
    ///
    /// # Errors
    /// When the target is refused or no format can be told. Nothing has been made then, nor is
    /// anything made by a plan.
    pub fn new(request: &Request, workspace: &Workspace) -> Result<Self, CommandError> {
        let target = workspace.target(&request.path)?;
        let format = match request.format {
            Some(format) => format,
            None if target.is_directory() => Format::Markdown,
            None => told_by_name(&request.path)?,
        };
        Ok(Self { format, options: request.options, target })
    }
}

/// The format that a file name's extension stands for. As in the seed a name that is all extension
/// (`.md`) has it, and a final dot is an unknown one.
fn told_by_name(path: &Path) -> Result<Format, CommandError> {
    let typed = || path.to_string_lossy().into_owned();
    let name = path.file_name().unwrap_or_default();
    let Some(dot) = name.as_bytes().iter().rposition(|&byte| byte == b'.') else {
        return Err(CommandError::BareWord { word: typed() });
    };
    OsStr::from_bytes(&name.as_bytes()[dot + 1..])
        .to_str()
        .and_then(Format::from_extension)
        .ok_or_else(|| CommandError::UnknownFormat { path: typed() })
}
