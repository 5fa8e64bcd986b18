//! Device `printf`: C's conversions over the promoted arguments.

use simt_ir::Type;
use std::fmt::Write;

/// Formats one thread's output. An argument is its type and bits; missing ones print as `(missing)`.
/// `string` gives what `%s` of a pointer prints.
pub(crate) fn format(
    out: &mut String,
    format: &str,
    args: &[(Type, u64)],
    string: &dyn Fn(u64) -> Option<String>,
) {
    let mut args = args.iter().copied();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        let spec = &rest[at + 1..];
        let end = spec.find(|c: char| c.is_ascii_alphabetic() && !"hlLzjt".contains(c) || c == '%');
        let Some(end) = end else {
            out.push_str(&rest[at..]);
            return;
        };
        let conversion = spec[end..].chars().next().unwrap_or('%');
        rest = &spec[end + conversion.len_utf8()..];
        if conversion == '%' {
            out.push('%');
            continue;
        }
        match ConversionSpec::parse(&spec[..end], &mut args) {
            Some(spec) => match args.next() {
                Some((_, bits)) if conversion == 's' => spec.string(out, string(bits)),
                Some((ty, bits)) => spec.value(out, conversion, ty, bits),
                None => out.push_str("(missing)"),
            },
            None => out.push_str("(missing)"),
        }
    }
    out.push_str(rest);
}

#[derive(Default)]
struct ConversionSpec {
    left: bool,
    plus: bool,
    space: bool,
    zero: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
}

/// Widths beyond this are cut, so that a format cannot ask for gigabytes.
const WIDEST: usize = 1024;

impl ConversionSpec {
    fn parse(text: &str, args: &mut dyn Iterator<Item = (Type, u64)>) -> Option<ConversionSpec> {
        let mut spec = ConversionSpec::default();
        let flags = text.trim_start_matches(['-', '+', ' ', '0', '#']);
        for flag in text[..text.len() - flags.len()].chars() {
            match flag {
                '-' => spec.left = true,
                '+' => spec.plus = true,
                ' ' => spec.space = true,
                '0' => spec.zero = true,
                _ => spec.alternate = true,
            }
        }
        let numbers = flags.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let (width, precision) = numbers.split_once('.').map_or((numbers, None), |(w, p)| (w, Some(p)));
        let mut number = |text: &str| match text {
            "" => Some(0i64),
            "*" => args.next().map(|(_, bits)| i64::from(bits as i32)),
            digits => digits.parse().ok(),
        };
        let width = number(width)?;
        spec.left |= width < 0;
        spec.width = (width.unsigned_abs() as usize).min(WIDEST);
        if let Some(precision) = precision {
            spec.precision = usize::try_from(number(precision)?).ok().map(|p| p.min(WIDEST));
        }
        Some(spec)
    }

    /// `%s`.
    fn string(&self, out: &mut String, text: Option<String>) {
        let text = text.unwrap_or_else(|| "(no string literal)".to_owned());
        let text: String = text.chars().take(self.precision.unwrap_or(usize::MAX)).collect();
        let padding = " ".repeat(self.width.saturating_sub(text.chars().count()));
        let (before, after) = if self.left { ("", padding.as_str()) } else { (padding.as_str(), "") };
        out.push_str(before);
        out.push_str(&text);
        out.push_str(after);
    }

    fn value(&self, out: &mut String, conversion: char, ty: Type, bits: u64) {
        let narrow = !matches!(ty, Type::I64 | Type::F64 | Type::Ptr);
        let signed = if narrow { i64::from(bits as i32) } else { bits as i64 };
        let unsigned = if narrow { u64::from(bits as u32) } else { bits };
        let float =
            if ty == Type::F32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) };
        let sign = |negative: bool| match () {
            () if negative => "-",
            () if self.plus => "+",
            () if self.space => " ",
            () => "",
        };
        let prefix = |text: &'static str| if self.alternate { text } else { "" };
        let (sign, digits, number) = match conversion {
            'd' | 'i' => (sign(signed < 0), self.integer(signed.unsigned_abs().to_string()), true),
            'u' => ("", self.integer(unsigned.to_string()), true),
            'x' => (prefix("0x"), self.integer(format!("{unsigned:x}")), true),
            'X' => (prefix("0X"), self.integer(format!("{unsigned:X}")), true),
            'o' => (prefix("0"), self.integer(format!("{unsigned:o}")), true),
            'p' => ("0x", format!("{unsigned:x}"), false),
            'c' => ("", char::from(bits as u8).to_string(), false),
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' => (
                sign(float.is_sign_negative() && !float.is_nan()),
                self.float(conversion, float.abs()),
                float.is_finite(),
            ),
            other => ("", format!("(unsupported conversion %{other})"), false),
        };
        let fill = self.width.saturating_sub(sign.len() + digits.chars().count());
        let zeros = self.zero && !self.left && number;
        let _ = match () {
            () if self.left => write!(out, "{sign}{digits}{:fill$}", ""),
            () if zeros => write!(out, "{sign}{:0>fill$}{digits}", ""),
            () => write!(out, "{:fill$}{sign}{digits}", ""),
        };
    }

    fn integer(&self, digits: String) -> String {
        match self.precision {
            Some(p) => format!("{digits:0>p$}"),
            None => digits,
        }
    }

    fn float(&self, conversion: char, x: f64) -> String {
        let upper = conversion.is_ascii_uppercase();
        let text = match conversion.to_ascii_lowercase() {
            _ if x.is_nan() => "nan".into(),
            _ if x.is_infinite() => "inf".into(),
            'f' => format!("{x:.*}", self.precision.unwrap_or(6)),
            'e' => exponent(x, self.precision.unwrap_or(6)),
            _ => self.general(x),
        };
        if upper { text.to_uppercase() } else { text }
    }

    /// `%g`: the shorter of the two forms, without trailing zeros.
    fn general(&self, x: f64) -> String {
        let precision = self.precision.unwrap_or(6).max(1);
        let scientific = exponent(x, precision - 1);
        let power: i32 = scientific.split_once('e').and_then(|(_, p)| p.parse().ok()).unwrap_or(0);
        let trim = |text: &str| match text.contains('.') && !self.alternate {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text.to_owned(),
        };
        if power < -4 || power >= precision as i32 {
            match scientific.split_once('e') {
                Some((mantissa, power)) => format!("{}e{power}", trim(mantissa)),
                None => scientific,
            }
        } else {
            trim(&format!("{x:.*}", (precision as i32 - 1 - power).max(0) as usize))
        }
    }
}

/// C's exponent form: a sign and at least two digits.
fn exponent(x: f64, precision: usize) -> String {
    let text = format!("{x:.precision$e}");
    match text.split_once('e') {
        Some((mantissa, power)) => {
            let power: i32 = power.parse().unwrap_or(0);
            let sign = if power < 0 { '-' } else { '+' };
            format!("{mantissa}e{sign}{:02}", power.abs())
        }
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_c_does() {
        let mut out = String::new();
        let f = |x: f64| (Type::F64, x.to_bits());
        let i = |x: i32| (Type::I32, u64::from(x as u32));
        let none = |_: u64| None;
        format(
            &mut out,
            "%d|%5d|%-5d|%05d|%+d|%u|%x|%#X|%c|%%",
            &[i(-3), i(42), i(42), i(-42), i(7), i(-1), i(255), i(255), i(65)],
            &none,
        );
        assert_eq!(out, "-3|   42|42   |-0042|+7|4294967295|ff|0XFF|A|%");
        out.clear();
        format(
            &mut out,
            "%f %.2f %8.3f %e %g %g %g",
            &[f(1.5), f(2.345), f(-3.0), f(12345.678), f(0.0001), f(1e10), f(100.0)],
            &none,
        );
        assert_eq!(out, "1.500000 2.35   -3.000 1.234568e+04 0.0001 1e+10 100");
        out.clear();
        format(&mut out, "%lld %d", &[(Type::I64, (-5i64) as u64)], &none);
        assert_eq!(out, "-5 (missing)");
        out.clear();
        let text = |p: u64| (p == 16).then(|| "warp".to_owned());
        let p = |bits: u64| (Type::Ptr, bits);
        format(&mut out, "%s|%6s|%-6s|%.2s|%s", &[p(16), p(16), p(16), p(16), p(32)], &text);
        assert_eq!(out, "warp|  warp|warp  |wa|(no string literal)");
    }
}
