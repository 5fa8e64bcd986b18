//! Types of a buffer's numbers: names, sizes and encoding, which is always little-endian.

use device::Element;
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, FloatConvert};

/// A number type of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `float`.
    F32,
    /// `double`.
    F64,
    /// `__half`.
    F16,
    /// `__nv_bfloat16`.
    BF16,
    /// 8 bits, signed.
    I8,
    /// 8 bits, unsigned.
    U8,
    /// 16 bits, signed.
    I16,
    /// 16 bits, unsigned.
    U16,
    /// 32 bits, signed.
    I32,
    /// 32 bits, unsigned.
    U32,
    /// 64 bits, signed.
    I64,
    /// 64 bits, unsigned.
    U64,
}

/// A type, its name, bytes, type string in `.npy` files, and the device's [`Element`]; `None` if the device has no
/// such type.
type Row = (Scalar, &'static str, u64, &'static str, Option<Element>);

const SCALARS: [Row; 12] = [
    (Scalar::F32, "f32", 4, "<f4", Some(Element::F32)),
    (Scalar::F64, "f64", 8, "<f8", Some(Element::F64)),
    (Scalar::F16, "f16", 2, "<f2", None),
    // NumPy lacks this type; `<V2` is what the package `ml_dtypes`, which adds it, writes.
    (Scalar::BF16, "bf16", 2, "<V2", None),
    (Scalar::I8, "i8", 1, "|i1", Some(Element::I8)),
    (Scalar::U8, "u8", 1, "|u1", Some(Element::U8)),
    (Scalar::I16, "i16", 2, "<i2", Some(Element::I16)),
    (Scalar::U16, "u16", 2, "<u2", Some(Element::U16)),
    (Scalar::I32, "i32", 4, "<i4", Some(Element::I32)),
    (Scalar::U32, "u32", 4, "<u4", Some(Element::I32)),
    (Scalar::I64, "i64", 8, "<i8", Some(Element::I64)),
    (Scalar::U64, "u64", 8, "<u8", Some(Element::I64)),
];

/// A parsed number; integers are exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    /// Parses a decimal or `0x` hexadecimal integer, or a float with a point or exponent, `inf` or `nan`.
    pub(crate) fn parse(text: &str) -> Option<Number> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            // `u64`, because no type here has more digits and a sign after the prefix is an error.
            let value = u64::from_str_radix(hex, 16).ok().filter(|_| !hex.starts_with('+'))?;
            return Some(Number::Integer(sign * i128::from(value)));
        }
        text.parse().map(Number::Integer).or_else(|_| text.parse().map(Number::Float)).ok()
    }
}

impl Scalar {
    fn row(self) -> &'static Row {
        // The rows are in the order of the variants.
        &SCALARS[self as usize]
    }

    /// The name, such as `f32`.
    pub(crate) fn name(self) -> &'static str {
        self.row().1
    }

    /// Bytes per number.
    pub fn bytes(self) -> u64 {
        self.row().2
    }

    /// The type string in `.npy` files, such as `<f4`.
    pub fn npy(self) -> &'static str {
        self.row().3
    }

    /// The type with this name.
    pub(crate) fn named(name: &str) -> Option<Scalar> {
        SCALARS.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// The type with this `.npy` type string; one-byte types may state any byte order.
    pub fn of_npy(descr: &str) -> Option<Scalar> {
        let plain = |text: &str| text.trim_start_matches(['<', '|', '>', '=']).to_owned();
        let one_byte = |row: &&Row| row.2 == 1 && plain(row.3) == plain(descr);
        SCALARS.iter().find(|row| row.3 == descr || one_byte(row)).map(|row| row.0)
    }

    /// All names, for messages.
    pub fn names() -> String {
        SCALARS.map(|row| row.1).join(", ")
    }

    /// The type in which a parameter of this element is passed.
    pub(crate) fn of_element(element: Element) -> Scalar {
        // A `bool` is passed as a byte.
        SCALARS.iter().find(|row| row.4 == Some(element)).map_or(Scalar::U8, |row| row.0)
    }

    /// The type of a variable or parameter, from its C++ spelling. The spelling distinguishes signs and 16-bit floats
    /// where `element` does not; `None` for other structures.
    pub(crate) fn of_type(spelling: &str, element: Option<Element>) -> Option<Scalar> {
        let name = spelling.trim_start_matches("const ").trim_end_matches(['*', '&', ' ']);
        Some(match name {
            "half" | "__half" | "half2" | "__half2" => Scalar::F16,
            "nv_bfloat16" | "__nv_bfloat16" | "nv_bfloat162" | "__nv_bfloat162" => Scalar::BF16,
            _ => match Scalar::of_element(element?) {
                Scalar::I32 if is_unsigned(spelling) => Scalar::U32,
                Scalar::I64 if is_unsigned(spelling) => Scalar::U64,
                other => other,
            },
        })
    }

    /// The device's element type; `None` if the device lacks it.
    pub(crate) fn element(self) -> Option<Element> {
        self.row().4
    }

    /// Whether a pointer to `element` accepts a buffer of this type: sizes must agree, and both or none must be
    /// floats. 16-bit floats also fit 16-bit integers, because the device stores them as such.
    pub(crate) fn fits(self, element: Element) -> bool {
        let expected = Scalar::of_element(element);
        let half = matches!(self, Scalar::F16 | Scalar::BF16) && expected.bytes() == 2;
        half || self.bytes() == expected.bytes() && self.is_float() == expected.is_float()
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Scalar::F16 | Scalar::BF16 | Scalar::F32 | Scalar::F64)
    }

    /// Appends the bytes of a number, or says why this type cannot hold it. Floats round to nearest.
    pub(crate) fn push(self, number: Number, out: &mut Vec<u8>) -> Result<(), String> {
        let bytes = match (self.is_float(), number) {
            (true, Number::Float(value)) => {
                self.push_float(value, out);
                return Ok(());
            }
            (true, Number::Integer(value)) => {
                self.push_float(value as f64, out);
                return Ok(());
            }
            (false, Number::Float(value)) => {
                return Err(format!("{value} is not an integer, but the elements are {}", self.name()));
            }
            (false, Number::Integer(value)) => {
                let bits = 8 * self.bytes() as u32;
                let signed = matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64);
                let (low, high) = match signed {
                    true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                    false => (0, (1i128 << bits) - 1),
                };
                if !(low..=high).contains(&value) {
                    return Err(format!("{value} is outside {}: {low} to {high}", self.name()));
                }
                (value as u64).to_le_bytes()
            }
        };
        out.extend_from_slice(&bytes[..self.bytes() as usize]);
        Ok(())
    }

    /// Appends an integer, wrapped to an integer type or rounded to a float type.
    pub(crate) fn push_wrapped(self, value: u64, out: &mut Vec<u8>) {
        match self.is_float() {
            true => self.push_float(value as f64, out),
            false => out.extend_from_slice(&value.to_le_bytes()[..self.bytes() as usize]),
        }
    }

    /// A number from its bytes as text: the shortest that reads back as the same number. `NaN`, `inf` and `-inf` where it is not one.
    pub(crate) fn text(self, bytes: &[u8]) -> String {
        let mut wide = [0; 8];
        wide[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
        let bits = u64::from_le_bytes(wide);
        let text = match self {
            Scalar::F32 => format!("{:?}", f32::from_bits(bits as u32)),
            Scalar::F64 => format!("{:?}", f64::from_bits(bits)),
            Scalar::F16 => format!("{:?}", widened::<Half>(bits)),
            Scalar::BF16 => format!("{:?}", widened::<BFloat>(bits)),
            Scalar::I8 => (bits as i8).to_string(),
            Scalar::I16 => (bits as i16).to_string(),
            Scalar::I32 => (bits as i32).to_string(),
            Scalar::I64 => (bits as i64).to_string(),
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => bits.to_string(),
        };
        text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
    }

    /// Whether a number is NaN or infinite; `None` for a finite one.
    pub(crate) fn not_finite(self, bytes: &[u8]) -> Option<NotFinite> {
        let (exponent, fraction) = match self {
            Scalar::F16 => (5, 10),
            Scalar::BF16 => (8, 7),
            Scalar::F32 => (8, 23),
            Scalar::F64 => (11, 52),
            _ => return None,
        };
        let bits = bytes.iter().rev().fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
        let all = (1 << exponent) - 1;
        let is_special = bits >> fraction & all == all;
        let is_infinite = bits & ((1 << fraction) - 1) == 0;
        is_special.then_some(if is_infinite { NotFinite::Infinite } else { NotFinite::Nan })
    }

    /// Appends a float; does nothing for an integer type.
    pub(crate) fn push_float(self, value: f64, out: &mut Vec<u8>) {
        match self {
            Scalar::F16 => out.extend_from_slice(&narrowed::<Half>(value).to_le_bytes()),
            Scalar::BF16 => out.extend_from_slice(&narrowed::<BFloat>(value).to_le_bytes()),
            Scalar::F32 => out.extend_from_slice(&(value as f32).to_le_bytes()),
            Scalar::F64 => out.extend_from_slice(&value.to_le_bytes()),
            _ => {}
        }
    }
}

/// What a float is that is not a finite number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotFinite {
    /// Not a number.
    Nan,
    /// Infinite, of either sign.
    Infinite,
}

/// The value of a 16-bit float.
fn widened<From: Float + FloatConvert<Single>>(bits: u64) -> f32 {
    let exact: Single = From::from_bits(bits.into()).convert(&mut false).value;
    f32::from_bits(exact.to_bits() as u32)
}

/// The bits of the 16-bit float nearest to `value`; ties round to even.
fn narrowed<To: Float>(value: f64) -> u16
where
    Double: FloatConvert<To>,
{
    let nearest: To = Double::from_bits(value.to_bits().into()).convert(&mut false).value;
    nearest.to_bits() as u16
}

/// Whether a C++ type of 32 or 64 bits is unsigned.
pub(crate) fn is_unsigned(spelling: &str) -> bool {
    ["unsigned", "uint", "size_t", "ulong"].iter().any(|word| spelling.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_variants() {
        for row in &SCALARS {
            assert_eq!(row.0.name(), row.1);
            assert_eq!(Scalar::named(row.1), Some(row.0));
            assert_eq!(Scalar::of_npy(row.3), Some(row.0));
        }
        assert_eq!(Scalar::of_npy(">f4"), None);
        assert_eq!(Scalar::of_npy("<i1"), Some(Scalar::I8));
    }

    #[test]
    fn numbers_are_read_exactly() {
        assert_eq!(Number::parse("-0x10"), Some(Number::Integer(-16)));
        assert_eq!(Number::parse("18446744073709551615"), Some(Number::Integer(u64::MAX.into())));
        assert_eq!(Number::parse("1.5e3"), Some(Number::Float(1500.0)));
        for wrong in ["", "-", "0x", "0x-1", "1,2", "one", "--1"] {
            assert_eq!(Number::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn numbers_are_shown_so_that_they_read_back() {
        let shown = |scalar: Scalar, number| {
            let mut bytes = Vec::new();
            scalar.push(number, &mut bytes).unwrap();
            scalar.text(&bytes)
        };
        for (scalar, value, text) in [
            (Scalar::F32, 0.1, "0.1"),
            (Scalar::F32, -2.0, "-2"),
            (Scalar::F32, 1e20, "1e20"),
            (Scalar::F64, 0.1 + 0.2, "0.30000000000000004"),
            (Scalar::F16, 0.1, "0.099975586"),
            (Scalar::F16, f64::NEG_INFINITY, "-inf"),
            (Scalar::BF16, 3.0, "3"),
            (Scalar::BF16, f64::NAN, "NaN"),
        ] {
            assert_eq!(shown(scalar, Number::Float(value)), text);
        }
        for (scalar, value) in [(Scalar::I8, -128), (Scalar::U8, 255), (Scalar::I64, i64::MIN.into())] {
            assert_eq!(shown(scalar, Number::Integer(value)), value.to_string());
        }
        assert_eq!(shown(Scalar::U64, Number::Integer(u64::MAX.into())), u64::MAX.to_string());
    }

    #[test]
    fn numbers_that_are_not_finite_are_told_apart() {
        for scalar in [Scalar::F16, Scalar::BF16, Scalar::F32, Scalar::F64] {
            let of = |value| {
                let mut bytes = Vec::new();
                scalar.push_float(value, &mut bytes);
                scalar.not_finite(&bytes)
            };
            assert_eq!(of(f64::NAN), Some(NotFinite::Nan), "{scalar:?}");
            assert_eq!(of(f64::NEG_INFINITY), Some(NotFinite::Infinite), "{scalar:?}");
            assert_eq!(of(65504.0), None, "{scalar:?}");
        }
        assert_eq!(Scalar::U32.not_finite(&[255; 4]), None);
    }

    #[test]
    fn integers_outside_of_their_type_are_refused() {
        let mut out = Vec::new();
        assert!(Scalar::U8.push(Number::Integer(256), &mut out).is_err());
        assert!(Scalar::I8.push(Number::Integer(-129), &mut out).is_err());
        assert!(Scalar::I32.push(Number::Float(1.0), &mut out).is_err());
        assert!(out.is_empty());
        Scalar::I8.push(Number::Integer(-1), &mut out).unwrap();
        Scalar::U64.push(Number::Integer(u64::MAX.into()), &mut out).unwrap();
        assert_eq!(out, [0xff; 9]);
    }
}
