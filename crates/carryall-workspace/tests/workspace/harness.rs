//! A hostile neighbour beside a victim, in a process of its own, and what came of it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::child;
use crate::filters::Kernel;
use crate::scratch::{Scratch, is_temporary, names, snapshot};

/// So many successes prove that an attack works.
pub(crate) const ENOUGH: u32 = 5;

/// How often each answer came, with `swaps` and, of a control, `escapes`.
pub(crate) type Tally = BTreeMap<String, u32>;

/// `CARRYALL_SWAPS`, or what is enough to see a broken build break.
pub(crate) fn swaps(short: u32) -> u32 {
    number("CARRYALL_SWAPS").unwrap_or(short)
}

/// A number that asks for a long run.
pub(crate) fn number(variable: &str) -> Option<u32> {
    let value = std::env::var(variable).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{variable}={value:?} is no number")))
}

/// Runs a scenario: as many attempts of the victim, and at least as many swaps of the attacker.
pub(crate) fn run(scenario: &str, kernel: Kernel, attempts: u32) -> Tally {
    let command = child::command(&format!("race {scenario} {} {attempts}", kernel.word()));
    let said = child::finish(command);
    let number = |(word, rest): (String, String)| (word, rest.parse().unwrap());
    let mut tally: Tally = said.into_iter().map(number).collect();
    println!("{scenario} ({}), {attempts} attempts asked: {tally:?}", kernel.word());
    for word in ["written", "escape", "escapes"] {
        tally.entry(word.into()).or_default();
    }
    tally
}

/// The same attack on a writer that checks and then trusts what it checked: it must succeed, or it
/// proves nothing about us.
pub(crate) fn must_escape(scenario: &str, kernel: Kernel) {
    let control = run(&format!("control-{scenario}"), kernel, 2_000_000);
    assert!(control["escapes"] >= ENOUGH, "the attack is too weak to show anything: {control:?}");
}

pub(crate) struct Race {
    pub(crate) scratch: Scratch,
    /// What the victim's kernel can do; the attacker's can do everything.
    pub(crate) kernel: Kernel,
    pub(crate) attempts: u32,
    /// How often the attacker has changed something so far.
    swaps: AtomicU32,
}

/// Ends the attack, also when the victim panics.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Race {
    pub(crate) fn new(kernel: Kernel, attempts: u32) -> Self {
        Self { scratch: Scratch::in_memory(), kernel, attempts, swaps: AtomicU32::new(0) }
    }

    /// Runs `attack`, which says whether it changed anything, in a loop beside the calls of
    /// `victim`, and says how often each answer came.
    pub(crate) fn run(
        &self,
        attack: impl Fn() -> bool + Sync,
        mut victim: impl FnMut(u32) -> &'static str,
    ) {
        let mut attempt = 0;
        self.beside(attack, |tally| {
            while attempt < self.attempts || self.swaps.load(Ordering::Relaxed) < self.attempts {
                *tally.entry(victim(attempt)).or_default() += 1;
                attempt += 1;
            }
        });
        child::say("attempts", attempt);
    }

    /// The control: a naive writer, until the attack has succeeded often enough.
    pub(crate) fn run_naive(
        &self,
        attack: impl Fn() -> bool + Sync,
        mut naive: impl FnMut() -> bool,
    ) {
        let (mut attempts, mut escapes) = (0, 0);
        self.beside(attack, |_| {
            while attempts < self.attempts && escapes < ENOUGH {
                attempts += 1;
                escapes += u32::from(naive());
            }
        });
        child::say("attempts", attempts);
        child::say("escapes", escapes);
    }

    /// The hook of the controls: between its check and its use a naive writer waits until the
    /// attacker has been there. A real one is so slow only now and then, which an attacker who
    /// comes back every day can wait for, and a test cannot.
    pub(crate) fn window(&self) {
        let before = self.swaps.load(Ordering::Relaxed);
        while self.swaps.load(Ordering::Relaxed) == before {
            std::thread::yield_now();
        }
    }

    fn beside(
        &self,
        attack: impl Fn() -> bool + Sync,
        victims: impl FnOnce(&mut BTreeMap<&'static str, u32>),
    ) {
        let over = AtomicBool::new(false);
        let mut tally = BTreeMap::new();
        std::thread::scope(|threads| {
            let stop = Over(&over);
            threads.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    self.swaps.fetch_add(u32::from(attack()), Ordering::Relaxed);
                }
            });
            self.kernel.enter();
            victims(&mut tally);
            drop(stop);
        });
        child::say("swaps", self.swaps.load(Ordering::Relaxed));
        for (word, count) in tally {
            child::say(word, count);
        }
    }
}

/// Two names change their objects in one step.
pub(crate) fn exchange(one: &Path, other: &Path) -> bool {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok()
}

/// Moves an object to a name that must be free.
pub(crate) fn move_to(from: &Path, to: &Path) -> bool {
    renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE).is_ok()
}

/// The word of a refusal, or `written`; panics on refusals the scenario cannot explain.
pub(crate) fn outcome(
    result: Result<carryall_workspace::Written, carryall_workspace::Error>,
    explained: &[&str],
) -> &'static str {
    match result {
        Ok(_) => "written",
        Err(refusal) => {
            let word = refusal.kind().word();
            assert!(explained.contains(&word), "{refusal:?}");
            word
        }
    }
}

pub(crate) fn assert_nothing_outside(scratch: &Scratch) {
    assert_eq!(names(&scratch.out()), [] as [&str; 0], "ESCAPED");
}

pub(crate) fn assert_no_temporary(scratch: &Scratch) {
    let all = snapshot(&scratch.base);
    let left = all.keys().find(|path| is_temporary(&path.file_name().unwrap().to_string_lossy()));
    assert_eq!(left, None);
}
