//! Records counted by kind, fate, reason and version.

use super::{Fate, Record};
use std::collections::BTreeMap;

/// So many kinds, reasons and versions are told apart; what comes beyond is counted together. No
/// agent has so many: a source that does was made to fill memory.
const MAX_NAMES: usize = 1_000;

/// The name of what is counted together.
const OTHERS: &str = "others";

/// How many records had each fate, in the order of [`Fate::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([u64; 6]);

impl Counts {
    fn add(&mut self, fate: Fate) {
        self.0[fate as usize] += 1;
    }

    /// The number of one fate.
    #[must_use]
    pub fn of(&self, fate: Fate) -> u64 {
        self.0[fate as usize]
    }

    /// The number of all.
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.0.iter().sum()
    }
}

/// A version of the agent that wrote rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Its number.
    pub version: String,
    /// The row in which it is first met.
    pub first_row: u64,
    /// The row in which it is last met.
    pub last_row: u64,
    /// How many records it wrote.
    pub records: u64,
}

/// The records that share a fate, a kind and a reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reason {
    /// How many they are.
    pub records: u64,
    /// The row of the first one.
    pub first_row: u64,
}

/// What a ledger adds up to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// All records.
    pub records: u64,
    /// By fate.
    pub fates: Counts,
    /// By kind and fate.
    pub kinds: BTreeMap<String, Counts>,
    /// By fate, kind and reason, for records that have one.
    pub reasons: BTreeMap<(Fate, String, String), Reason>,
    /// The versions of the agent, in the order in which they are first met.
    pub versions: Vec<Version>,
    /// How often a record has another version than the record with one before it.
    pub version_changes: u64,
    /// The version of the last record that has one, by its number in `versions`.
    last_version: Option<usize>,
}

impl Totals {
    /// Counts a record.
    pub fn take(&mut self, record: &Record<'_>) {
        self.records += 1;
        self.fates.add(record.fate);
        count_kind(&mut self.kinds, record);
        if let Some(reason) = record.reason {
            self.count_reason(record, reason);
        }
        if let Some(version) = record.version {
            self.count_version(version, record.row);
        }
    }

    /// Whether the sums hold: the fates, and the kinds, add up to the records.
    #[must_use]
    pub fn add_up(&self) -> bool {
        let kinds: u64 = self.kinds.values().map(Counts::sum).sum();
        self.fates.sum() == self.records && kinds == self.records
    }

    fn count_reason(&mut self, record: &Record<'_>, reason: &str) {
        let key = (record.fate, record.kind.to_owned(), reason.to_owned());
        let is_room = self.reasons.len() < MAX_NAMES || self.reasons.contains_key(&key);
        let key = if is_room { key } else { (record.fate, OTHERS.to_owned(), OTHERS.to_owned()) };
        let first = Reason { records: 0, first_row: record.row };
        self.reasons.entry(key).or_insert(first).records += 1;
    }

    fn count_version(&mut self, version: &str, row: u64) {
        // Nearly every record has the version of the one before it.
        let last = self.last_version.filter(|&n| self.versions[n].version == version);
        let known = last.or_else(|| self.versions.iter().rposition(|v| v.version == version));
        let number = known.unwrap_or_else(|| {
            let is_room = self.versions.len() < MAX_NAMES;
            if is_room || self.versions.last().is_none_or(|last| last.version != OTHERS) {
                let version = if is_room { version } else { OTHERS };
                let version = version.to_owned();
                self.versions.push(Version { version, first_row: row, last_row: row, records: 0 });
            }
            self.versions.len() - 1
        });
        self.version_changes += u64::from(self.last_version.is_some_and(|n| n != number));
        self.last_version = Some(number);
        self.versions[number].records += 1;
        self.versions[number].last_row = row;
    }
}

fn count_kind(kinds: &mut BTreeMap<String, Counts>, record: &Record<'_>) {
    if let Some(counts) = kinds.get_mut(record.kind) {
        return counts.add(record.fate);
    }
    let name = if kinds.len() < MAX_NAMES { record.kind } else { OTHERS };
    kinds.entry(name.to_owned()).or_default().add(record.fate);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record<'a>(kind: &'a str, fate: Fate, version: Option<&'a str>) -> Record<'a> {
        Record { file: None, row: 1, at: 0, bytes: 1, kind, fate, reason: Some("why"), version }
    }

    #[test]
    fn many_names_are_counted_together_and_none_is_lost() {
        let mut totals = Totals::default();
        for n in 0..3 * MAX_NAMES {
            let name = format!("k{n}");
            totals.take(&record(&name, Fate::LeftOut, Some(&name)));
        }
        assert!(totals.add_up());
        assert_eq!(totals.records, 3 * MAX_NAMES as u64);
        assert_eq!(totals.kinds.len(), MAX_NAMES + 1);
        assert_eq!(totals.kinds[OTHERS].sum(), 2 * MAX_NAMES as u64);
        assert_eq!(
            totals.reasons.values().map(|reason| reason.records).sum::<u64>(),
            totals.records
        );
        assert_eq!(totals.versions.len(), MAX_NAMES + 1);
        assert_eq!(totals.versions.iter().map(|v| v.records).sum::<u64>(), totals.records);
    }

    #[test]
    fn versions_tell_where_they_begin_and_how_often_they_change() {
        let mut totals = Totals::default();
        for version in [None, Some("1"), Some("1"), None, Some("2"), Some("1")] {
            totals.take(&record("user", Fate::Shown, version));
        }
        let versions: Vec<_> =
            totals.versions.iter().map(|v| (v.version.as_str(), v.records)).collect();
        assert_eq!(versions, [("1", 3), ("2", 1)]);
        assert_eq!(totals.version_changes, 2);
    }
}
