//! System calls that answer as an older kernel or a poorer file system would.

use std::collections::BTreeMap;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, RenameFlags, ResolveFlags};
use rustix::io::Errno;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};

#[cfg(target_arch = "x86_64")]
mod number {
    pub(super) const ARCH: seccompiler::TargetArch = seccompiler::TargetArch::x86_64;
    pub(super) const WRITE: i64 = 1;
    pub(super) const FSYNC: i64 = 74;
    pub(super) const OPENAT: i64 = 257;
    pub(super) const LINKAT: i64 = 265;
    pub(super) const RENAMEAT2: i64 = 316;
    pub(super) const OPENAT2: i64 = 437;
}

#[cfg(target_arch = "aarch64")]
mod number {
    pub(super) const ARCH: seccompiler::TargetArch = seccompiler::TargetArch::aarch64;
    pub(super) const WRITE: i64 = 64;
    pub(super) const FSYNC: i64 = 82;
    pub(super) const OPENAT: i64 = 56;
    pub(super) const LINKAT: i64 = 37;
    pub(super) const RENAMEAT2: i64 = 276;
    pub(super) const OPENAT2: i64 = 437;
}

/// Takes a set of abilities from the calling thread for good, and from the threads it starts.
/// `cap-std` remembers for the whole process that `openat2` is missing: one process, one mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// Everything this kernel has.
    Openat2,
    /// `openat2` answers `ENOSYS`, as kernels before 5.6 do.
    Enosys,
    /// `openat2` answers `EPERM`, as some container filters do.
    Eperm,
    /// No unnamed files, as on NFS and FUSE.
    Named,
    /// No unnamed files and no rename flags: link and unlink, checked plain rename.
    NoRenameFlags,
    /// No `AT_EMPTY_PATH` for ordinary processes, as in kernels before 6.10.
    NoEmptyPath,
}

impl Kernel {
    pub(crate) const ALL: [Self; 6] = [
        Self::Openat2,
        Self::Enosys,
        Self::Eperm,
        Self::Named,
        Self::NoRenameFlags,
        Self::NoEmptyPath,
    ];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Openat2 => "openat2",
            Self::Enosys => "enosys",
            Self::Eperm => "eperm",
            Self::Named => "named",
            Self::NoRenameFlags => "no-rename-flags",
            Self::NoEmptyPath => "no-empty-path",
        }
    }

    pub(crate) fn parse(word: &str) -> Self {
        Self::ALL.into_iter().find(|mode| mode.word() == word).unwrap()
    }

    /// Installs the filter and makes sure that it bites.
    pub(crate) fn enter(self) {
        let has_openat2 = openat2().is_ok();
        match self {
            Self::Openat2 => assert!(has_openat2, "this kernel has no openat2"),
            Self::Enosys => deny(number::OPENAT2, None, Errno::NOSYS),
            Self::Eperm => deny(number::OPENAT2, None, Errno::PERM),
            Self::Named => deny_unnamed(),
            Self::NoRenameFlags => {
                deny_unnamed();
                let any_flag = condition(4, SeccompCmpOp::Ne, 0);
                deny(number::RENAMEAT2, Some(any_flag), Errno::INVAL);
            }
            Self::NoEmptyPath => {
                let flag = u64::from(AtFlags::EMPTY_PATH.bits());
                let asked = condition(4, SeccompCmpOp::MaskedEq(flag), flag);
                deny(number::LINKAT, Some(asked), Errno::NOENT);
            }
        }
        self.check();
    }

    fn check(self) {
        match self {
            Self::Openat2 => assert_eq!(openat2(), Ok(())),
            Self::Enosys => assert_eq!(openat2(), Err(Errno::NOSYS)),
            Self::Eperm => assert_eq!(openat2(), Err(Errno::PERM)),
            Self::Named => assert_eq!(unnamed(), Err(Errno::OPNOTSUPP)),
            Self::NoRenameFlags => {
                assert_eq!(unnamed(), Err(Errno::OPNOTSUPP));
                // Without the filter these names, which do not exist, would answer ENOENT.
                let (from, to) = ("/nowhere/from", "/nowhere/to");
                let answer = rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::EXCHANGE);
                assert_eq!(answer, Err(Errno::INVAL));
            }
            Self::NoEmptyPath => {
                let file = tempfile::tempfile().unwrap();
                let to = "/nowhere/such/a/name";
                let answer = rustix::fs::linkat(&file, "", CWD, to, AtFlags::EMPTY_PATH);
                assert_eq!(answer, Err(Errno::NOENT));
                // The same call without the flag is let through and finds another fault.
                let answer = rustix::fs::linkat(CWD, "/", CWD, "/dev", AtFlags::empty());
                assert_ne!(answer, Err(Errno::NOENT));
            }
        }
    }
}

fn openat2() -> rustix::io::Result<()> {
    let (flags, how) = (OFlags::PATH, ResolveFlags::BENEATH);
    rustix::fs::openat2(CWD, ".", flags, Mode::empty(), how).map(drop)
}

fn unnamed() -> rustix::io::Result<()> {
    let flags = OFlags::TMPFILE | OFlags::RDWR;
    rustix::fs::openat(CWD, std::env::temp_dir(), flags, Mode::RUSR).map(drop)
}

fn deny_unnamed() {
    // O_TMPFILE includes O_DIRECTORY: only all its bits together mean an unnamed file.
    let flag = u64::from(OFlags::TMPFILE.bits());
    let asked = condition(2, SeccompCmpOp::MaskedEq(flag), flag);
    deny(number::OPENAT, Some(asked), Errno::OPNOTSUPP);
}

/// Neither unnamed files nor rename flags nor hard links: nothing that publishes in one step.
pub(crate) fn deny_publishing() {
    Kernel::NoRenameFlags.enter();
    deny(number::LINKAT, None, Errno::PERM);
}

/// Every write of this thread fails from now on, as when the quota is used up.
pub(crate) fn deny_writes(answer: Errno) {
    deny(number::WRITE, None, answer);
}

/// Every flush of this thread fails from now on.
pub(crate) fn deny_flushes(answer: Errno) {
    deny(number::FSYNC, None, answer);
}

fn condition(argument: u8, operator: SeccompCmpOp, value: u64) -> SeccompCondition {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value).unwrap()
}

fn deny(call: i64, when: Option<SeccompCondition>, answer: Errno) {
    let rules = when.map(|condition| SeccompRule::new(vec![condition]).unwrap());
    let filter = SeccompFilter::new(
        BTreeMap::from([(call, rules.into_iter().collect())]),
        SeccompAction::Allow,
        SeccompAction::Errno(answer.raw_os_error().unsigned_abs()),
        number::ARCH,
    );
    let program: BpfProgram = filter.unwrap().try_into().unwrap();
    apply_filter(&program).unwrap();
}
