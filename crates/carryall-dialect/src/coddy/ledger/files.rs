//! The files of a session's folder beside its rows, each a record of its own.

use super::MESSAGES;
use crate::coddy::bundle::{Bundle, SESSION};
use crate::coddy::store::SUBAGENTS;
use crate::{EachRecord, Fate, Record};
use carryall_model::SinkError;
use std::collections::HashSet;
use std::fs::{self, DirEntry, FileType};
use std::path::{Path, PathBuf};

/// Files below a session's folder that the export reads for calls.
pub(super) type Used = HashSet<PathBuf>;

/// A session's folder is looked through this deep.
const MAX_DEPTH: u32 = 64;

/// Tells each file below a session's folder, in the order of their names, but for the rows and the
/// subagents, which are sessions of their own. Links are told and not followed.
pub(super) fn tell(
    bundle: &Bundle,
    used: &Used,
    each: &mut EachRecord<'_>,
) -> Result<(), SinkError> {
    Teller { bundle, used, each }.folder(Path::new(""), 0)
}

struct Teller<'t, 'e> {
    bundle: &'t Bundle,
    used: &'t Used,
    each: &'t mut EachRecord<'e>,
}

impl Teller<'_, '_> {
    fn folder(&mut self, below: &Path, depth: u32) -> Result<(), SinkError> {
        let folder = self.bundle.folder.join(below);
        let mut entries: Vec<DirEntry> =
            fs::read_dir(folder).into_iter().flatten().flatten().collect();
        entries.sort_by_key(DirEntry::file_name);
        for entry in entries {
            let path = below.join(entry.file_name());
            let is_told_elsewhere =
                depth == 0 && [MESSAGES, SUBAGENTS].iter().any(|n| path == Path::new(n));
            let Ok(kind) = entry.file_type() else { continue };
            match kind.is_dir() {
                _ if is_told_elsewhere => {}
                true if depth < MAX_DEPTH => self.folder(&path, depth + 1)?,
                true => {}
                false => self.file(&path, &entry, kind)?,
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, entry: &DirEntry, found: FileType) -> Result<(), SinkError> {
        let bytes = entry.metadata().map_or(0, |meta| meta.len());
        let (kind, fate, reason) = match found.is_file() {
            true => self.fate(path, bytes),
            false => ("file/special", Fate::LeftOut, "no regular file, so it was not opened"),
        };
        (self.each)(&Record {
            file: Some(&path.to_string_lossy()),
            row: 1,
            at: 0,
            bytes,
            kind,
            fate,
            reason: Some(reason).filter(|reason| !reason.is_empty()),
            version: None,
        })
    }

    /// The kind of a file, what became of it, and why; the reason is empty where none is due.
    fn fate(&self, path: &Path, bytes: u64) -> (&'static str, Fate, &'static str) {
        use Fate::{Damaged, Facts, LeftOut, Unknown};
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
        match parts.as_slice() {
            [SESSION] if self.bundle.is_meta_damaged => {
                ("file/session.json", Damaged, "it could not be read")
            }
            [SESSION] => ("file/session.json", Facts, ""),
            ["stats.json"] if self.bundle.token_usage().is_some() => ("file/stats.json", Facts, ""),
            ["stats.json"] => ("file/stats.json", LeftOut, "it counts no tokens"),
            ["tool_calls", _, name @ ("meta.json" | "result.md" | "args.json")] => {
                self.call_file(path, name)
            }
            _ if bytes == 0 => ("file/empty", LeftOut, "there is nothing in it"),
            ["assets", ..] => {
                ("file/assets", LeftOut, "pictures are named, their bytes not copied")
            }
            ["plans", ..] => ("file/plans", LeftOut, "a plan's file; plans shown have rows"),
            ["todos", ..] => ("file/todos", LeftOut, "the agent's list of things to do"),
            ["ui_log.json"] => ("file/ui_log.json", LeftOut, "messages of the agent's own screen"),
            ["permission_grants.json" | "pending_permission.json"] => {
                ("file/permissions", LeftOut, "what the agent may do without asking")
            }
            ["pending_plan_context.json"] => ("file/plans", LeftOut, "a plan that waits"),
            [name] if name.starts_with(".coddy-") => ("file/locks", LeftOut, "a lock or signal"),
            [.., name] if name.contains(".tmp.") => {
                ("file/temporary", LeftOut, "what was left of a write that did not end")
            }
            _ => ("file/other", Unknown, "a file of this name is not known"),
        }
    }

    /// A file that coddy keeps of a call.
    fn call_file(&self, path: &Path, name: &str) -> (&'static str, Fate, &'static str) {
        let (kind, copied) = match name {
            "result.md" => {
                ("file/tool_calls/result.md", "the rows have the result, or it has no end")
            }
            "args.json" => ("file/tool_calls/args.json", "the rows have the arguments"),
            _ => ("file/tool_calls/meta.json", ""),
        };
        if self.used.contains(path) {
            return (kind, Fate::Shown, "");
        }
        let is_known = self.used.contains(&path.with_file_name("meta.json"));
        (kind, Fate::LeftOut, if is_known { copied } else { "no call of the rows is told by it" })
    }
}
