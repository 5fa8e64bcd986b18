//! Characters and strings: from their spelling to code units ([lex.ccon], [lex.string]).

use crate::operation::IntType;
use crate::preprocess::TokenKind;

/// A string literal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text {
    /// The type of its elements.
    pub ty: IntType,
    /// Its elements, as bits, without the zero at its end.
    pub units: Vec<u32>,
}

impl Text {
    /// A string of `char`.
    pub fn narrow(text: &str) -> Text {
        Text { ty: IntType::Char, units: text.bytes().map(u32::from).collect() }
    }

    /// Adjacent literals as one: some may have a prefix, and those that do have the same one. Else the two prefixes.
    pub fn joined<'s>(
        spellings: impl Iterator<Item = &'s str> + Clone,
        is_2020: bool,
    ) -> Result<Text, [&'s str; 2]> {
        let mut prefix = "";
        for other in spellings.clone().map(|spelling| split(spelling).0).filter(|p| !p.is_empty()) {
            if !prefix.is_empty() && prefix != other {
                return Err([prefix, other]);
            }
            prefix = other;
        }
        let ty = element(prefix, is_2020);
        Ok(Text { ty, units: spellings.flat_map(codes).flat_map(|code| code.units(ty)).collect() })
    }

    /// What it spells if its elements are bytes of UTF-8.
    pub fn utf8(&self) -> Option<String> {
        if self.ty.bits() != 8 {
            return None;
        }
        let bytes: Result<Vec<u8>, _> = self.units.iter().map(|unit| u8::try_from(*unit)).collect();
        String::from_utf8(bytes.ok()?).ok()
    }

    /// The number of its elements with the zero at its end.
    pub fn count(&self) -> u64 {
        self.units.len() as u64 + 1
    }

    /// The bytes of the object that it is.
    pub fn bytes(&self) -> Vec<u8> {
        let size = self.ty.bits() as usize / 8;
        self.units.iter().chain([&0]).flat_map(|unit| unit.to_le_bytes().into_iter().take(size)).collect()
    }
}

/// The character type of a prefix.
fn element(prefix: &str, is_2020: bool) -> IntType {
    match prefix {
        "L" => IntType::WChar,
        "u" => IntType::Char16,
        "U" => IntType::Char32,
        "u8" if is_2020 => IntType::Char8,
        _ => IntType::Char,
    }
}

/// A character of a literal.
#[derive(Clone, Copy)]
enum Code {
    /// Of Unicode.
    Character(u32),
    /// A code unit, written as a number.
    Unit(u32),
}

impl Code {
    /// The code units in the encoding of an element type: those of what is no character of Unicode, which nvcc takes, too, by
    /// the same rules.
    fn units(self, ty: IntType) -> Vec<u32> {
        let code = match self {
            Code::Unit(unit) => return vec![unit & (u32::MAX >> (32 - ty.bits()))],
            Code::Character(code) => code,
        };
        let rest = |shift: u32| 0x80 | code >> shift & 0x3f;
        match (ty.bits(), code) {
            (8, 0x80..0x800) => vec![0xc0 | code >> 6, rest(0)],
            (8, 0x800..0x1_0000) => vec![0xe0 | code >> 12, rest(6), rest(0)],
            (8, 0x1_0000..) => vec![0xf0 | code >> 18 & 7, rest(12), rest(6), rest(0)],
            (16, 0x1_0000..) => {
                let code = code - 0x1_0000;
                vec![0xd800 | code >> 10 & 0x3ff, 0xdc00 | code & 0x3ff]
            }
            _ => vec![code],
        }
    }
}

/// The prefix of a string's spelling without `R`, and what stands in its quotes, which a raw one has no escapes in.
fn split(spelling: &str) -> (&str, &str, bool) {
    let Some((prefix, body)) = spelling.split_once('"') else { return ("", "", true) };
    let Some(plain) = prefix.strip_suffix('R') else {
        return (prefix, body.strip_suffix('"').unwrap_or(body), false);
    };
    let raw = body.find('(').and_then(|open| body.get(open + 1..body.len().checked_sub(open + 2)?));
    (plain, raw.unwrap_or(""), true)
}

/// The characters of a string by itself: its own prefix says how much of a number counts, as in nvcc, whatever its neighbours have.
fn codes(spelling: &str) -> Vec<Code> {
    match split(spelling) {
        (_, body, true) => body.chars().map(|c| Code::Character(c.into())).collect(),
        (prefix, body, false) => {
            let own = element(prefix, true);
            let code = |code: Code| match code {
                Code::Unit(_) => Code::Unit(code.units(own)[0]),
                Code::Character(_) => code,
            };
            unescape(body).into_iter().map(code).collect()
        }
    }
}

/// What a character literal spells: one character is of the prefix's type, of which nvcc takes the first of several; without
/// a prefix, two to four are the bytes of an `int` as in nvcc, the first of them with the sign.
pub(crate) fn character(spelling: &str) -> TokenKind {
    let Some((prefix, body)) = spelling.split_once('\'') else { return TokenKind::Char(0, IntType::Char) };
    let codes = unescape(body.strip_suffix('\'').unwrap_or(body));
    let ty = element(prefix, true);
    let units: Vec<u32> = codes.iter().flat_map(|code| code.units(ty)).collect();
    let bad = |why: &str| TokenKind::BadNumber(why.into());
    match (prefix, codes.as_slice(), units.as_slice()) {
        (_, [], _) => bad("a character constant needs a character"),
        ("u", [Code::Unit(0x1_0000..), ..], _) => bad("this character does not fit into 16 bits"),
        ("", _, [first, rest @ ..]) if (1..4).contains(&rest.len()) => {
            let value = rest.iter().fold(*first as i8 as i32, |value, unit| value << 8 | *unit as i32);
            TokenKind::Int { value: i64::from(value) as u64, ty: IntType::Int }
        }
        ("", _, [_, ..]) if units.len() > 1 => bad("this character constant has too many characters"),
        ("u8", _, [_, _, ..]) => bad("a `u8` character constant is one byte in UTF-8"),
        (_, [first, ..], [unit, ..]) if first.units(ty).len() == 1 => TokenKind::Char(*unit, ty),
        _ => bad("this character does not fit into 16 bits"),
    }
}

fn unescape(text: &str) -> Vec<Code> {
    let mut codes = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            codes.push(Code::Character(c.into()));
            continue;
        }
        let Some(escape) = chars.next() else { break };
        let mut take = |radix: u32, most: usize, mut value: u32| {
            for _ in 0..most {
                let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
                chars.next();
                value = value.wrapping_mul(radix).wrapping_add(digit);
            }
            value
        };
        codes.push(match escape {
            'n' => Code::Unit(10),
            't' => Code::Unit(9),
            'r' => Code::Unit(13),
            'a' => Code::Unit(7),
            'b' => Code::Unit(8),
            'f' => Code::Unit(12),
            'v' => Code::Unit(11),
            'e' => Code::Unit(27),
            '0'..='7' => Code::Unit(take(8, 2, escape as u32 - '0' as u32)),
            'x' => Code::Unit(take(16, usize::MAX, 0)),
            'u' => Code::Character(take(16, 4, 0)),
            'U' => Code::Character(take(16, 8, 0)),
            other => Code::Character(other.into()),
        });
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(spellings: &[&str]) -> Text {
        Text::joined(spellings.iter().copied(), false).unwrap()
    }

    #[test]
    fn escapes_resolve() {
        let text = |spelling| joined(&[spelling]).utf8().unwrap();
        assert_eq!(text(r#""a\n\x41\101\\\"""#), "a\nAA\\\"");
        assert_eq!(text("R\"x(a\\n)x\""), "a\\n");
    }

    #[test]
    fn strings_have_the_units_of_nvcc() {
        for (spellings, ty, units) in [
            (&["L\"a\\x12345\"", "L\"b\""][..], IntType::WChar, &[97, 0x12345, 98][..]),
            (&["u\"a\\U0001F600\"", "\"\\xfffe\""], IntType::Char16, &[97, 0xd83d, 0xde00, 0xfe]),
            (&["u8\"é\\xff\"", "\"\\377\""], IntType::Char, &[195, 169, 255, 255]),
            (&["\"\\u00e9\"", "UR\"(\\x)\""], IntType::Char32, &[0xe9, 92, 120]),
        ] {
            assert_eq!(joined(spellings), Text { ty, units: units.to_vec() }, "{spellings:?}");
        }
        assert_eq!(Text::joined(["L\"a\"", "u\"b\""].into_iter(), false), Err(["L", "u"]));
    }

    #[test]
    fn characters_have_the_values_of_nvcc() {
        use IntType::{Char, Char8, Char16, Char32, WChar};
        for (text, code, ty) in [
            ("'a'", 97, Char),
            (r"'\0'", 0, Char),
            (r"'\''", 39, Char),
            ("u8'a'", 97, Char8),
            (r"'\xff'", 255, Char),
            ("L'ab'", 97, WChar),
            (r"u'\xffff'", 0xffff, Char16),
            ("U'😀'", 0x1f600, Char32),
        ] {
            assert_eq!(character(text), TokenKind::Char(code, ty), "{text}");
        }
        for (text, value) in [
            ("'ab'", 24930),
            ("'abc'", 6382179),
            ("'abcd'", 1633837924),
            (r"'\n\t'", 2569),
            (r"'\377a'", -159),
            (r"'a\xff'", 25087),
            ("'é'", -15447),
        ] {
            let value = value as u64;
            assert_eq!(character(text), TokenKind::Int { value, ty: IntType::Int }, "{text}");
        }
        for text in ["''", "'abcde'", "u8'ab'", "u8'é'", "u''", r"u'\x10000'", "u'😀'"] {
            assert!(matches!(character(text), TokenKind::BadNumber(_)), "{text}");
        }
    }
}
