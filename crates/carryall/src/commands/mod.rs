//! One file a command.

pub(crate) mod agents;
pub(crate) mod command;
pub(crate) mod export;
pub(crate) mod inspect;
pub(crate) mod list;
pub(crate) mod manual;
