//! What a call changes in files, from the inputs of Pi's own editing tools.

use crate::lenient::{Content, FromText, Word};
use carryall_model::Edit;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The input of an editing tool.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct EditInput<'a> {
    #[serde(borrow)]
    path: Word<'a>,
    #[serde(borrow)]
    old_text: Word<'a>,
    #[serde(borrow)]
    new_text: Word<'a>,
    #[serde(borrow)]
    content: Word<'a>,
    #[serde(borrow)]
    edits: Content<'a, OneEdit<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct OneEdit<'a> {
    #[serde(borrow)]
    old_text: Word<'a>,
    #[serde(borrow)]
    new_text: Word<'a>,
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
            "edit" | "write" => {
                input.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
            }
            _ => Self::default(),
        }
    }

    /// The changes, in order.
    pub(super) fn edits(&self) -> Vec<Edit<'_>> {
        let path = self.path.get();
        let replace = |old: Option<_>, new| Edit::Replace { path, old: old.unwrap_or(""), new };
        let several = self.edits.blocks().iter();
        let several =
            several.filter_map(|edit| Some(replace(edit.old_text.get(), edit.new_text.get()?)));
        let one = self.new_text.get().or(self.content.get());
        several.chain(one.map(|new| replace(self.old_text.get(), new))).collect()
    }
}
