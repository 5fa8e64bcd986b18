//! Spellings of literals to their values and types.

use super::token::{SuffixedNumber, TokenKind};
use crate::ast::BuiltinType;
use crate::operation::IntType;
use crate::word::Word;
use std::sync::Arc;

/// The literal that a preprocessing number spells, or [`TokenKind::BadNumber`].
pub(crate) fn number(text: &str) -> TokenKind {
    // Most are short and decimal.
    if text.len() < 10
        && !(text.starts_with('0') && text.len() > 1)
        && let Ok(value) = text.parse::<u32>()
    {
        return TokenKind::Int { value: u64::from(value), ty: IntType::Int };
    }
    match parse_number(text) {
        Ok(kind) => kind,
        Err(message) => suffixed(text, &message).unwrap_or_else(|| TokenKind::BadNumber(message.into())),
    }
}

/// A number whose suffix is a name, as literal operators have them.
fn suffixed(text: &str, why: &str) -> Option<TokenKind> {
    let bytes = text.as_bytes();
    let hex = text.starts_with("0x") || text.starts_with("0X");
    let prefix = if hex || text.starts_with("0b") || text.starts_with("0B") { 2 } else { 0 };
    let run = |from: usize, hex: bool| {
        let digit = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b'\'') || hex && b.is_ascii_hexdigit();
        from + bytes[from..].iter().take_while(|b| digit(b)).count()
    };
    let mut end = run(prefix, hex);
    if matches!((bytes.get(end), hex), (Some(b'e' | b'E'), false) | (Some(b'p' | b'P'), true)) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = run(end + 1 + sign, false);
        end = if exponent > end + 1 + sign { exponent } else { end };
    }
    let (spelling, suffix) = text.split_at(end);
    if spelling.len() == prefix || suffix.is_empty() {
        return None;
    }
    let (number, spelling) = (number(spelling), spelling.into());
    let number = SuffixedNumber { number, spelling, suffix: Word::from(suffix), why: why.into() };
    Some(TokenKind::SuffixedNumber(Arc::new(number)))
}

fn parse_number(text: &str) -> Result<TokenKind, String> {
    let digits: String = text.chars().filter(|&c| c != '\'').collect::<String>().to_ascii_lowercase();
    if let Some(hex) = digits.strip_prefix("0x") {
        if hex.contains(['.', 'p']) {
            return hex_float(hex, text);
        }
        return integer(hex, 16, text);
    }
    if let Some(binary) = digits.strip_prefix("0b") {
        return integer(binary, 2, text);
    }
    if digits.contains(['.', 'e']) {
        return decimal_float(&digits, text);
    }
    if digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit() {
        return integer(&digits[1..], 8, text);
    }
    if digits.ends_with('f') && digits[..digits.len() - 1].bytes().all(|b| b.is_ascii_digit()) {
        return Err(format!(
            "`{text}` is an integer with the suffix of a float; write `{}.0f`",
            &digits[..digits.len() - 1]
        ));
    }
    integer(&digits, 10, text)
}

fn integer(digits: &str, radix: u32, text: &str) -> Result<TokenKind, String> {
    let end = digits.find(|c: char| !c.is_digit(if radix == 16 { 16 } else { 10 })).unwrap_or(digits.len());
    let (body, suffix) = digits.split_at(end);
    if let Some(bad) = body.chars().find(|c| !c.is_digit(radix)) {
        let name = if radix == 8 { "octal (it starts with 0)" } else { "binary" };
        return Err(format!("`{bad}` is not a digit of the {name} number `{text}`"));
    }
    if body.is_empty() {
        return Err(format!("the number `{text}` has no digits"));
    }
    let value = u64::from_str_radix(body, radix)
        .map_err(|_| format!("the integer `{text}` is too large for 64 bits"))?;
    let (unsigned, long) = match suffix {
        "" => (false, 0),
        "u" => (true, 0),
        "l" => (false, 1),
        "ll" => (false, 2),
        "ul" | "lu" => (true, 1),
        "ull" | "llu" => (true, 2),
        _ => return Err(format!("`{suffix}` is not a suffix of a number, in `{text}`")),
    };
    Ok(TokenKind::Int { value, ty: integer_type(value, radix == 10, unsigned, long) })
}

/// The first type of the list in [lex.icon] that holds the value; `long` is 64 bits wide.
fn integer_type(value: u64, decimal: bool, unsigned: bool, long: u8) -> IntType {
    use IntType::*;
    let all: [(IntType, IntType, u64, u64); 3] = [
        (Int, UnsignedInt, i32::MAX as u64, u32::MAX as u64),
        (Long, UnsignedLong, i64::MAX as u64, u64::MAX),
        (LongLong, UnsignedLongLong, i64::MAX as u64, u64::MAX),
    ];
    for (signed_type, unsigned_type, signed_max, unsigned_max) in &all[long as usize..] {
        if !unsigned && value <= *signed_max {
            return *signed_type;
        }
        if (unsigned || !decimal) && value <= *unsigned_max {
            return *unsigned_type;
        }
    }
    if long == 2 { UnsignedLongLong } else { UnsignedLong }
}

fn float_suffix(suffix: &str, text: &str) -> Result<BuiltinType, String> {
    match suffix {
        "" | "l" => Ok(BuiltinType::Double),
        "f" => Ok(BuiltinType::Float),
        _ => Err(format!("`{suffix}` is not a suffix of a number, in `{text}`")),
    }
}

fn decimal_float(digits: &str, text: &str) -> Result<TokenKind, String> {
    let bytes = digits.as_bytes();
    let mut end = 0;
    while end < bytes.len() && (bytes[end].is_ascii_digit() || bytes[end] == b'.') {
        end += 1;
    }
    if bytes.get(end) == Some(&b'e') {
        end += 1;
        if matches!(bytes.get(end), Some(b'+' | b'-')) {
            end += 1;
        }
        while end < bytes.len() && bytes[end].is_ascii_digit() {
            end += 1;
        }
    }
    let (body, suffix) = digits.split_at(end);
    let ty = float_suffix(suffix, text)?;
    let bad = |_| format!("`{text}` is not a number");
    // A float is rounded once, from the decimal digits, not through double.
    let value = match ty {
        BuiltinType::Float => f64::from(body.parse::<f32>().map_err(bad)?),
        _ => body.parse::<f64>().map_err(bad)?,
    };
    Ok(TokenKind::Float { value, ty })
}

fn hex_float(digits: &str, text: &str) -> Result<TokenKind, String> {
    let bad =
        || format!("`{text}` is not a hexadecimal floating number; it needs digits and an exponent `p`");
    let (mantissa, rest) = digits.split_once('p').ok_or_else(bad)?;
    let exponent_end = rest
        .char_indices()
        .find(|&(i, c)| !(c.is_ascii_digit() || (i == 0 && matches!(c, '+' | '-'))))
        .map_or(rest.len(), |(i, _)| i);
    let ty = float_suffix(&rest[exponent_end..], text)?;
    let mut exponent: i64 = rest[..exponent_end].parse().map_err(|_| bad())?;
    let (mut value, mut seen, mut fraction) = (0u64, false, false);
    for c in mantissa.chars() {
        if c == '.' && !fraction {
            fraction = true;
            continue;
        }
        let digit = u64::from(c.to_digit(16).ok_or_else(bad)?);
        seen = true;
        if value >> 58 == 0 {
            value = value << 4 | digit;
            exponent -= if fraction { 4 } else { 0 };
        } else {
            // Digits past 58 bits only matter as "not exactly zero".
            value |= u64::from(digit != 0);
            exponent += if fraction { 0 } else { 4 };
        }
    }
    if !seen {
        return Err(bad());
    }
    let mut result = value as f64;
    let factor = if exponent < 0 { 0.5 } else { 2.0 };
    for _ in 0..exponent.unsigned_abs().min(5000) {
        result *= factor;
    }
    let value = if ty == BuiltinType::Float { f64::from(result as f32) } else { result };
    Ok(TokenKind::Float { value, ty })
}

#[cfg(test)]
mod tests {
    use super::*;
    use BuiltinType::{Double, Float};
    use IntType::*;

    #[test]
    fn integers_get_the_first_type_that_fits() {
        for (text, value, ty) in [
            ("0", 0, Int),
            ("2147483647", 2147483647, Int),
            ("2147483648", 2147483648, Long),
            ("0x80000000", 0x8000_0000, UnsignedInt),
            ("0xffffffffffffffff", u64::MAX, UnsignedLong),
            ("1'000u", 1000, UnsignedInt),
            ("0b101", 5, Int),
            ("017", 15, Int),
            ("5LL", 5, LongLong),
            ("5ull", 5, UnsignedLongLong),
            ("4294967296u", 4294967296, UnsignedLong),
        ] {
            assert_eq!(number(text), TokenKind::Int { value, ty }, "{text}");
        }
    }

    #[test]
    fn floats_round_once_to_their_type() {
        for (text, value, ty) in [
            ("1.5", 1.5, Double),
            ("1.f", 1.0, Float),
            (".25F", 0.25, Float),
            ("1e3", 1000.0, Double),
            ("0x1.8p1f", 3.0, Float),
            ("0.1f", f64::from(0.1f32), Float),
            ("1e300f", f64::INFINITY, Float),
            ("1.0L", 1.0, Double),
        ] {
            assert_eq!(number(text), TokenKind::Float { value, ty }, "{text}");
        }
    }

    #[test]
    fn bad_numbers_say_why() {
        for (text, part) in [
            ("089", "octal"),
            ("1f", "1.0f"),
            ("1.0q", "suffix"),
            ("99999999999999999999", "too large"),
            ("0x", "no digits"),
        ] {
            match number(text) {
                TokenKind::BadNumber(why) => assert!(why.contains(part), "{text}: {why}"),
                TokenKind::SuffixedNumber(s) => assert!(s.why.contains(part), "{text}: {}", s.why),
                other => panic!("{text} became {other:?}"),
            }
        }
    }
}
