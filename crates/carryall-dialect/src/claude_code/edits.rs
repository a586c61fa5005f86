//! What a call changes in files, from the inputs of the agent's own editing tools.

use super::lenient::{Content, FromText, Word};
use carryall_model::Edit;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The input of an editing tool.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct EditInput<'a> {
    #[serde(borrow)]
    file_path: Word<'a>,
    #[serde(borrow)]
    notebook_path: Word<'a>,
    #[serde(borrow)]
    old_string: Word<'a>,
    #[serde(borrow)]
    new_string: Word<'a>,
    #[serde(borrow)]
    content: Word<'a>,
    #[serde(borrow)]
    new_source: Word<'a>,
    #[serde(borrow)]
    edits: Content<'a, OneEdit<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OneEdit<'a> {
    #[serde(borrow)]
    old_string: Word<'a>,
    #[serde(borrow)]
    new_string: Word<'a>,
}

impl<'de> FromText<'de> for OneEdit<'_> {
    fn from_text(_: Cow<'de, str>) -> Self {
        Self::default()
    }
}

impl<'a> EditInput<'a> {
    /// Reads the input of a call, when the tool edits files.
    pub(super) fn of(name: &str, input: Option<&'a RawValue>) -> Self {
        match name {
            "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => {
                input.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
            }
            _ => Self::default(),
        }
    }

    /// The changes, in order.
    pub(super) fn edits(&self) -> Vec<Edit<'_>> {
        let path = self.file_path.get().or(self.notebook_path.get());
        let mut edits: Vec<Edit<'_>> =
            self.edits.blocks().iter().filter_map(|e| e.edit(path)).collect();
        let old = self.old_string.get().unwrap_or("");
        let new = self.new_string.get().or(self.content.get()).or(self.new_source.get());
        edits.extend(new.map(|new| Edit::Replace { path, old, new }));
        edits
    }
}

impl OneEdit<'_> {
    fn edit<'e>(&'e self, path: Option<&'e str>) -> Option<Edit<'e>> {
        let new = self.new_string.get()?;
        Some(Edit::Replace { path, old: self.old_string.get().unwrap_or(""), new })
    }
}
