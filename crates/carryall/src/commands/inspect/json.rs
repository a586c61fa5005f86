//! The ledger as one JSON object: the sums first, then every record, each on a line of its own.
//!
//! The sums are of a first walk and the rows of a second, so memory holds neither the rows nor
//! their text, however many there are.

use super::{Inspected, changed, half_way};
use crate::failure::Failure;
use crate::terminal;
use carryall_dialect::{Counts, Fate, Record, Totals};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Everything before the rows.
#[derive(Serialize)]
struct Head<'a> {
    agent: &'a str,
    session: &'a str,
    records: u64,
    fates: Fates,
    kinds: BTreeMap<&'a str, Met>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    versions: Vec<Version<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    subagents: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<Noticed<'a>>,
    #[serde(skip_serializing_if = "is_zero")]
    more_notices: u64,
}

/// All fates with their numbers.
struct Fates(Counts);

/// The fates that were met, with their numbers.
struct Met(Counts);

#[derive(Serialize)]
struct Version<'a> {
    version: &'a str,
    first_row: u64,
    last_row: u64,
    records: u64,
}

#[derive(Serialize)]
struct Noticed<'a> {
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
}

#[derive(Serialize)]
struct Row<'a> {
    row: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    kind: &'a str,
    fate: &'static str,
    reason: Option<&'a str>,
}

impl Serialize for Fates {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Fate::ALL.map(|fate| (fate.as_str(), self.0.of(fate))))
    }
}

impl Serialize for Met {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for fate in Fate::ALL.into_iter().filter(|&fate| self.0.of(fate) > 0) {
            map.serialize_entry(fate.as_str(), &self.0.of(fate))?;
        }
        map.end()
    }
}

/// Writes the whole ledger.
pub(super) fn write(inspected: &Inspected<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let head = serde_json::to_string(&head(inspected))?;
    // The rows are the last member of the same object.
    let open = head.strip_suffix('}').unwrap_or(&head);
    write!(out, "{open},\"rows\":[").map_err(terminal::output)?;
    let mut again = Totals::default();
    let walked = inspected.ledger.records(&mut |record| {
        let comma = if again.records > 0 { ",\n" } else { "\n" };
        again.take(record);
        out.write_all(comma.as_bytes())?;
        row(record, out)?;
        Ok(())
    });
    walked.map_err(half_way)?;
    if again != inspected.totals {
        return Err(changed(&"the session changed while it was read"));
    }
    out.write_all(b"\n]}\n").map_err(terminal::output)
}

fn row(record: &Record<'_>, out: &mut dyn Write) -> io::Result<()> {
    let row = Row {
        row: record.row,
        file: record.file,
        kind: record.kind,
        fate: record.fate.as_str(),
        reason: record.reason,
    };
    Ok(serde_json::to_writer(out, &row)?)
}

fn head<'a>(inspected: &'a Inspected<'_>) -> Head<'a> {
    let transcript = inspected.ledger.transcript();
    let totals = &inspected.totals;
    let notices = inspected.notices.kept().iter().map(|notice| Noticed {
        kind: notice.kind.as_str(),
        row: notice.row,
        offset: notice.offset,
        bytes: notice.bytes,
        detail: notice.detail.as_deref(),
    });
    let versions = totals.versions.iter().map(|version| Version {
        version: &version.version,
        first_row: version.first_row,
        last_row: version.last_row,
        records: version.records,
    });
    Head {
        agent: inspected.agent,
        session: &transcript.facts().id,
        records: totals.records,
        fates: Fates(totals.fates),
        kinds: totals.kinds.iter().map(|(kind, counts)| (kind.as_str(), Met(*counts))).collect(),
        versions: versions.collect(),
        subagents: transcript.children().iter().map(|child| child.id.as_str()).collect(),
        notices: notices.collect(),
        more_notices: inspected.notices.more(),
    }
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}
