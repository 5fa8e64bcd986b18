//! Numbers and units as text.

pub use report::duration;

/// Separator of thousands: U+202F, a narrow space at which no line breaks.
const GAP: char = '\u{202f}';

/// Formats a whole number; from five digits on with gaps between thousands: `1024`, `65 536`.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(GAP);
        }
        text.push(digit);
    }
    text
}

/// Formats a number with four significant digits (whole numbers from 1000 on keep all digits), without trailing
/// zeros: `1.0625` becomes `1.062`, `983040` becomes `983 040`.
pub fn short(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value != 0.0 && !(1e-4..1e15).contains(&value.abs()) {
        return format!("{value:.3e}");
    }
    if value >= 999.95 {
        return count(value.round() as u64);
    }
    let before = if value.abs() < 1.0 { 1 } else { libm::log10(value.abs()) as usize + 1 };
    let text = format!("{value:.*}", 4 - before.min(4));
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Formats a rate with an SI prefix: `scaled(4.8e12, "B/s")` is `4.8 TB/s`. Below 1000 there is no prefix.
pub fn scaled(value: f64, unit: &str) -> String {
    let prefixes = [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    match prefixes.into_iter().find(|(size, _)| value >= *size) {
        Some((size, prefix)) => format!("{} {prefix}{unit}", short(value / size)),
        None => format!("{} {unit}", short(value)),
    }
}

/// Formats `digit` times a power of ten for an axis: `0.02`, `500`, `10⁶`, `2·10⁻⁵`.
pub fn decimal(digit: u32, exponent: i32) -> String {
    match exponent {
        0..=5 => count(u64::from(digit) * 10_u64.pow(exponent.unsigned_abs())),
        -3..=-1 => format!("0.{}{digit}", "0".repeat(exponent.unsigned_abs() as usize - 1)),
        _ if digit == 1 => format!("10{}", superscript(exponent)),
        _ => format!("{digit}·10{}", superscript(exponent)),
    }
}

fn superscript(value: i32) -> String {
    let raise = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        _ => char::from_u32(0x2070 + c.to_digit(10).unwrap_or(0)).unwrap_or(c),
    };
    value.to_string().chars().map(raise).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_keep_what_counts() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (1.0625, "1.062"),
            (8.5, "8.5"),
            (0.25, "0.25"),
            (16.0, "16"),
            (212.708, "212.7"),
            (999.96, "1000"),
            (5918.8, "5919"),
            (983_040.0, "983\u{202f}040"),
            (-2.5, "-2.5"),
            (f64::NAN, "–"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text, "{value}");
        }
        assert_eq!(scaled(4.8e12, "B/s"), "4.8 TB/s");
        assert_eq!(scaled(66.9e12, "FLOPS"), "66.9 TFLOPS");
        assert_eq!(duration(1.0035e-5), "10.04 µs");
    }

    #[test]
    fn ticks_are_decimal_near_one_and_powers_far_from_it() {
        let cases = [
            (1, 0, "1"),
            (5, 2, "500"),
            (2, -2, "0.02"),
            (1, 6, "10⁶"),
            (2, -5, "2·10⁻⁵"),
            (1, 123, "10¹²³"),
        ];
        for (digit, exponent, text) in cases {
            assert_eq!(decimal(digit, exponent), text);
        }
        assert_eq!(decimal(1, 5), "100\u{202f}000");
    }
}
