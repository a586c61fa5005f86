//! Times as a page shows them: UTC, to the second.

use std::fmt;

/// A second of a day, counted in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    /// Days since 1970-01-01.
    pub(super) day: i64,
    second: i64,
}

impl Moment {
    /// Reads RFC 3339. Anything else is `None`: it is then shown as it was recorded.
    pub(super) fn parse(recorded: &str) -> Option<Self> {
        let bytes = recorded.as_bytes();
        let shape = bytes.get(..19)?.iter().enumerate().all(|(n, byte)| match n {
            4 | 7 => *byte == b'-',
            10 => matches!(byte, b'T' | b't' | b' '),
            13 | 16 => *byte == b':',
            _ => byte.is_ascii_digit(),
        });
        if !shape {
            return None;
        }
        let part = |from: usize, to: usize| recorded[from..to].parse::<i64>().ok();
        let (year, month, date) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
        let (hour, minute, second) = (part(11, 13)?, part(14, 16)?, part(17, 19)?);
        let in_range = (1..=12).contains(&month)
            && (1..=31).contains(&date)
            && hour < 24
            && minute < 60
            && second <= 60;
        if !in_range {
            return None;
        }
        let offset = offset(&recorded[19..])?;
        let total = hour * 3600 + minute * 60 + second - offset * 60;
        Some(Self {
            day: days(year, month, date) + total.div_euclid(86_400),
            second: total.rem_euclid(86_400),
        })
    }
}

/// Minutes east of UTC, after an optional fraction of a second.
fn offset(rest: &str) -> Option<i64> {
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => fraction.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    };
    match zone.as_bytes() {
        b"Z" | b"z" => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let digits = [h1, h2, m1, m2];
            if !digits.iter().all(|digit| digit.is_ascii_digit()) {
                return None;
            }
            let [h1, h2, m1, m2] = digits.map(|digit| i64::from(digit - b'0'));
            let minutes = (h1 * 10 + h2) * 60 + m1 * 10 + m2;
            Some(if *sign == b'-' { -minutes } else { minutes })
        }
        _ => None,
    }
}

/// Days since 1970-01-01 of a date of the Gregorian calendar; years begin in March here, so that
/// the leap day is a year's last.
fn days(year: i64, month: i64, date: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + date - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date of a day, the reverse of [`days`].
fn date(day: i64) -> (i64, i64, i64) {
    let day = day + 719_468;
    let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, date)
}

/// The date and the time: `2026-09-14 08:30:02`; the alternate form is the time alone.
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !f.alternate() {
            let (year, month, date) = date(self.day);
            write!(f, "{year:04}-{month:02}-{date:02} ")?;
        }
        let (hour, minute) = (self.second / 3600, self.second / 60 % 60);
        write!(f, "{hour:02}:{minute:02}:{:02}", self.second % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(recorded: &str) -> Option<String> {
        Moment::parse(recorded).map(|moment| moment.to_string())
    }

    #[test]
    fn times_are_shown_in_utc() {
        for (recorded, expected) in [
            ("2026-09-14T08:30:02Z", "2026-09-14 08:30:02"),
            ("2026-09-14T08:30:02.123456Z", "2026-09-14 08:30:02"),
            ("2026-01-01T00:30:00+02:00", "2025-12-31 22:30:00"),
            ("2024-02-28 23:59:59-00:30", "2024-02-29 00:29:59"),
            ("1969-12-31T23:59:59Z", "1969-12-31 23:59:59"),
            ("2000-03-01T00:00:00Z", "2000-03-01 00:00:00"),
        ] {
            assert_eq!(shown(recorded).as_deref(), Some(expected), "{recorded}");
        }
        let moment = Moment::parse("2026-09-14T08:30:02Z").unwrap();
        assert_eq!(format!("{moment:#}"), "08:30:02");
    }

    #[test]
    fn what_is_no_time_is_none() {
        for recorded in [
            "",
            "yesterday",
            "2026-09-14",
            "2026-09-14T08:30:02",
            "2026-13-14T08:30:02Z",
            "2026-09-14T08:30:02Z\"><b>",
            "２026-09-14T08:30:02Z",
            "2026-09-14T08:30:0é",
            "2026-09-14T08:30:02+2:00",
        ] {
            assert_eq!(Moment::parse(recorded), None, "{recorded}");
        }
    }

    #[test]
    fn a_day_and_its_date_belong_together() {
        for day in (-800_000..800_000).step_by(37) {
            let (year, month, of_month) = date(day);
            assert_eq!(days(year, month, of_month), day);
        }
    }
}
