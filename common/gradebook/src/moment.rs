//! Points in time, as RFC 3339 and names of files write them.
//!
//! Names of files cannot hold a colon on every system, so any of the usual separators is read, or none:
//! `2026-11-30T23:59:00+01:00`, `2026-11-30-23-59-00`, `20261130T225900Z`. There is no clock here.

/// Seconds of a day.
pub const DAY: i64 = 86_400;

/// A point in time, in seconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub i64);

/// The rest of a text that is being read.
struct Rest<'a>(&'a str);

impl Rest<'_> {
    /// So many digits as a number.
    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        if !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        self.0 = rest;
        digits.parse().ok()
    }

    /// One of these characters, if it is next.
    fn one_of(&mut self, characters: &str) -> Option<char> {
        let next = self.0.chars().next().filter(|c| characters.contains(*c))?;
        self.0 = &self.0[next.len_utf8()..];
        Some(next)
    }
}

impl Moment {
    /// Reads date, time and offset from UTC. Where the text has no offset, `offset` counts, in seconds east of UTC.
    ///
    /// # Errors
    /// What is missing.
    pub fn parse(text: &str, offset: Option<i64>) -> Result<Moment, String> {
        let fail = || format!("`{text}` is not a time such as 2026-11-30T23:59:00+01:00");
        let mut rest = Rest(text);
        let local = local(&mut rest).ok_or_else(fail)?;
        let offset = match (offset_of(&mut rest).ok_or_else(fail)?, offset) {
            (Some(own), _) => own,
            (None, Some(offset)) => offset,
            (None, None) => return Err(format!("`{text}` has no offset from UTC, such as +01:00")),
        };
        if rest.0.is_empty() { Ok(Moment(local - offset)) } else { Err(fail()) }
    }
}

/// Seconds of date and time, as if they were of UTC.
fn local(rest: &mut Rest<'_>) -> Option<i64> {
    let year = rest.digits(4)?;
    rest.one_of("-_./");
    let month = rest.digits(2)?;
    rest.one_of("-_./");
    let day = rest.digits(2)?;
    rest.one_of("Tt _-.")?;
    let hour = rest.digits(2)?;
    let separator = rest.one_of(":-_.");
    let minute = rest.digits(2)?;
    // `22:59-08:00` has no seconds: what follows the minutes is another separator.
    let is_next = |rest: &Rest<'_>| match separator {
        Some(c) => rest.0.starts_with(c),
        None => rest.0.starts_with(|c: char| c.is_ascii_digit()),
    };
    let mut second = 0;
    if is_next(rest) {
        separator.map(|c| rest.one_of(c.encode_utf8(&mut [0; 4])));
        second = rest.digits(2)?;
        if rest.0.starts_with('.') {
            rest.0 = rest.0[1..].trim_start_matches(|c: char| c.is_ascii_digit());
        }
    }
    let in_range = (1..=12).contains(&month) && (1..=days_of(year, month)).contains(&day);
    // A leap second is the first of the next minute.
    let is_time = hour < 24 && minute < 60 && second <= 60;
    (in_range && is_time)
        .then(|| days_since_1970(year, month, day) * DAY + hour * 3600 + minute * 60 + second)
}

/// The offset that a text ends in, in seconds; `Some(None)` if there is none, `None` if it is wrong.
fn offset_of(rest: &mut Rest<'_>) -> Option<Option<i64>> {
    rest.0 = rest.0.strip_prefix(' ').unwrap_or(rest.0);
    if let Some(after) = ["UTC", "GMT", "Z", "z"].iter().find_map(|name| rest.0.strip_prefix(name)) {
        rest.0 = after;
        return Some(Some(0));
    }
    let Some(sign) = rest.one_of("+-") else { return Some(None) };
    let hours = rest.digits(2)?;
    rest.one_of(":");
    let minutes = rest.digits(2)?;
    let offset = hours * 3600 + minutes * 60;
    (hours < 24 && minutes < 60).then_some(Some(if sign == '-' { -offset } else { offset }))
}

/// Reads an offset from UTC alone, such as `+01:00` or `Z`, in seconds.
pub fn offset(text: &str) -> Option<i64> {
    let mut rest = Rest(text);
    offset_of(&mut rest).flatten().filter(|_| rest.0.is_empty())
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && year % 100 != 0 || year % 400 == 0
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 to a date of the Gregorian calendar.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let leaps = |year: i64| year / 4 - year / 100 + year / 400;
    // Years before this one: each has 365 days, and a leap year one more.
    let before = (year - 1970) * 365 + leaps(year - 1) - leaps(1969);
    before + (1..month).map(|month| days_of(year, month)).sum::<i64>() + day - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seconds as `date --date … +%s` of GNU coreutils gives them.
    #[test]
    fn times_are_read_in_every_spelling() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-11-30T23:59:00+01:00", 1_796_079_540),
            ("2026-11-30t22:59:00z", 1_796_079_540),
            ("2026-11-30 22:59:00.125 UTC", 1_796_079_540),
            ("2026-11-30 14:59:00 -0800", 1_796_079_540),
            ("2026-11-30T14:59-08:00", 1_796_079_540),
            ("20261130T225900Z", 1_796_079_540),
            ("20261130-2259+0000", 1_796_079_540),
            ("2024-02-29T12:00:00Z", 1_709_208_000),
            ("2000-03-01T00:00:00Z", 951_868_800),
            ("1900-03-01T00:00:00Z", -2_203_891_200),
        ] {
            assert_eq!(Moment::parse(text, None), Ok(Moment(seconds)), "{text}");
        }
        // Blackboard's names of files.
        assert_eq!(Moment::parse("2026-11-30-22-59-00", Some(0)), Ok(Moment(1_796_079_540)));
        assert_eq!(Moment::parse("2026-11-30-22-59-00", Some(3600)), Ok(Moment(1_796_075_940)));
    }

    #[test]
    fn what_is_not_a_time_is_refused() {
        for text in [
            "",
            "2026",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01",
            "x2026-01-01T00:00Z",
            "2026-01-01T00:00:00Z1",
            "2026-01-01T00:00:00+25:00",
            "2026-1-1T00:00:00Z",
            "２０２６-01-01T00:00:00Z",
            "2026-01-01T00:00:00+1",
        ] {
            assert!(Moment::parse(text, Some(0)).is_err(), "{text}");
        }
        assert!(Moment::parse("2026-01-01T00:00:00", None).unwrap_err().contains("has no offset"));
        assert_eq!([offset("+01:00"), offset("-0830"), offset("Z")], [Some(3600), Some(-30_600), Some(0)]);
        assert_eq!([offset(""), offset("01:00"), offset("+1"), offset("+01:00x")], [None; 4]);
    }
}
