//! Files written below one root: whole or absent, private, never through a link.
//!
//! A [`Workspace`] is a directory handle taken once. A request from a person or a model (`notes/`,
//! `chat.md`, an absolute path) is first looked at as a [`Target`], which creates nothing, so that
//! the caller can still choose a format. [`Workspace::stage`] then gives a [`Staged`] writer whose
//! bytes nobody can see, and [`Staged::commit`] gives them their name in one step.
//!
//! ```
//! use std::io::Write as _;
//! use carryall_workspace::{Name, Workspace};
//!
//! # #[expect(clippy::disallowed_methods, reason = "an example is a program of its own")]
//! # let authority = cap_std::ambient_authority();
//! # let scratch = tempfile::tempdir()?;
//! # let folder = scratch.path();
//! let workspace = Workspace::open(folder, authority)?;
//!
//! let target = workspace.target("notes/")?;
//! assert!(target.is_directory());
//!
//! let name = Name::Generated { stem: "carryall-export-T", extension: "md" };
//! let mut staged = workspace.stage(target, name, &[])?;
//! staged.write_all(b"# A conversation\n")?;
//! let written = staged.commit()?;
//! assert_eq!(written.path.to_str(), Some("notes/carryall-export-T.md"));
//!
//! let refusal = workspace.target("../elsewhere.md").unwrap_err();
//! assert_eq!(refusal.kind().word(), "escape");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What holds
//!
//! - **Inside.** The kernel resolves every request beneath the root handle (`openat2` with
//!   `RESOLVE_BENEATH`, or a walk of `O_NOFOLLOW` steps where that call is missing). From then on
//!   only the opened parent and one plain name are used; nothing checked is resolved again.
//! - **Whole or absent.** The bytes go to an unnamed file (a hidden temporary where the file system
//!   has none), are flushed, and only then get their name. A write given up leaves nothing behind:
//!   no temporary, no directory that was made for it.
//! - **Private.** Files are 0600 and new directories 0700 whatever the umask.
//! - **Nothing foreign is lost.** A regular file is replaced by exchanging two names and looking at
//!   what came out; a link, fifo, socket, device or directory found there is put back.
//! - **`.git` is closed**, in every spelling and through links.
//!
//! # What cannot be promised
//!
//! Who may rename the parent out of the root while a write is under way receives it; that is found
//! out afterwards and reported ([`ErrorKind::Moved`]). Bind mounts below the root are not seen.
//! After `SIGKILL` a hidden `.carryall-….tmp` may stay behind where the file system has no unnamed
//! files, or in the instant in which an old file is replaced; such leftovers are never swept.

mod descriptor;
mod error;
mod folder;
mod identity;
mod protected;
mod publish;
mod request;
mod resolve;
mod root;
mod staged;
mod suffix;
mod target;
mod temporary;
mod written;

pub use error::{Error, ErrorKind};
pub use identity::FileId;
pub use root::Workspace;
pub use staged::Staged;
pub use target::{Name, Target};
pub use written::{Note, Written};
