//! What the editing tools change, from the arguments of a call.

use crate::lenient::Word;
use carryall_model::Edit;
use serde::Deserialize;

/// The arguments of an editing tool.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct EditArguments<'a> {
    #[serde(borrow)]
    file_path: Word<'a>,
    #[serde(borrow)]
    old_string: Word<'a>,
    #[serde(borrow)]
    new_string: Word<'a>,
    #[serde(borrow)]
    content: Word<'a>,
}

impl<'a> EditArguments<'a> {
    /// Reads the arguments of a call, when the tool edits files.
    pub(super) fn of(tool: &str, arguments: Option<&'a str>) -> Self {
        match tool {
            "edit" | "replace" | "write_file" => {
                arguments.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
            }
            _ => Self::default(),
        }
    }

    /// The change.
    pub(super) fn edit(&self) -> Option<Edit<'_>> {
        let new = self.new_string.get().or(self.content.get())?;
        let old = self.old_string.get().unwrap_or("");
        Some(Edit::Replace { path: self.file_path.get(), old, new })
    }
}
