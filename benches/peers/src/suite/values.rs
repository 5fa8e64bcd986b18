//! Arrays of numbers of the types that kernels take, and where two of them differ.

use anyhow::{Context, bail, ensure};

macro_rules! types {
    ($($variant:ident $name:literal $type:ty;)*) => {
        /// The type of an array's elements.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Element {
            $($variant,)*
        }

        /// An array.
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) enum Values {
            $($variant(Vec<$type>),)*
        }

        impl Element {
            /// The type of that name.
            pub(crate) fn named(name: &str) -> anyhow::Result<Element> {
                match name {
                    $($name => Ok(Element::$variant),)*
                    _ => bail!("there is no type `{name}`, only {}", [$($name),*].join(", ")),
                }
            }

            /// Bytes of an element.
            pub(crate) fn bytes(self) -> usize {
                match self {
                    $(Element::$variant => size_of::<$type>(),)*
                }
            }
        }

        impl Values {
            /// Elements of this type made of bytes in this machine's order.
            pub(crate) fn from_bytes(element: Element, bytes: &[u8]) -> anyhow::Result<Values> {
                match element {
                    $(Element::$variant => {
                        let (elements, rest) = bytes.as_chunks();
                        ensure!(rest.is_empty(), "{} bytes are no whole number of {}", bytes.len(), $name);
                        Ok(Values::$variant(elements.iter().map(|b| <$type>::from_ne_bytes(*b)).collect()))
                    })*
                }
            }

            /// Its bytes in this machine's order.
            pub(crate) fn to_bytes(&self) -> Vec<u8> {
                match self {
                    $(Values::$variant(values) => values.iter().flat_map(|v| v.to_ne_bytes()).collect(),)*
                }
            }

            /// The type of its elements.
            pub(crate) fn element(&self) -> Element {
                match self {
                    $(Values::$variant(_) => Element::$variant,)*
                }
            }

            /// How many elements it has.
            pub(crate) fn len(&self) -> usize {
                match self {
                    $(Values::$variant(values) => values.len(),)*
                }
            }
        }

        $(impl From<Vec<$type>> for Values {
            fn from(values: Vec<$type>) -> Values {
                Values::$variant(values)
            }
        })*
    };
}

types! {
    F32 "f32" f32;
    F64 "f64" f64;
    I8 "i8" i8;
    U8 "u8" u8;
    I32 "i32" i32;
    U32 "u32" u32;
    I64 "i64" i64;
    U64 "u64" u64;
}

/// How far a result may be from what is expected. Integers must be equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tolerance {
    /// Representable numbers between the two, for floats.
    pub(crate) ulps: u64,
    /// Or the absolute difference, for floats.
    pub(crate) absolute: f64,
    /// Share of the elements that may differ by more: a count of steps, say, that depends on how a sum is rounded.
    pub(crate) differing: f64,
}

impl Tolerance {
    /// Where `found` differs first from `expected`, in words, if it does so too often; a NaN always differs.
    pub(crate) fn difference(&self, expected: &Values, found: &Values) -> Option<String> {
        if expected.len() != found.len() {
            return Some(format!("{} elements were written, expected {}", found.len(), expected.len()));
        }
        match (expected, found) {
            (Values::F32(e), Values::F32(f)) => self.first(e, f, |e, f| {
                let ulps = ordered(e.to_bits().into(), 31).abs_diff(ordered(f.to_bits().into(), 31));
                self.is_near(ulps, f64::from(*e), f64::from(*f))
            }),
            (Values::F64(e), Values::F64(f)) => self.first(e, f, |e, f| {
                let ulps = ordered(e.to_bits(), 63).abs_diff(ordered(f.to_bits(), 63));
                self.is_near(ulps, *e, *f)
            }),
            (Values::I8(e), Values::I8(f)) => self.first(e, f, PartialEq::eq),
            (Values::U8(e), Values::U8(f)) => self.first(e, f, PartialEq::eq),
            (Values::I32(e), Values::I32(f)) => self.first(e, f, PartialEq::eq),
            (Values::U32(e), Values::U32(f)) => self.first(e, f, PartialEq::eq),
            (Values::I64(e), Values::I64(f)) => self.first(e, f, PartialEq::eq),
            (Values::U64(e), Values::U64(f)) => self.first(e, f, PartialEq::eq),
            _ => Some(format!("it has elements of {:?}, expected {:?}", found.element(), expected.element())),
        }
    }

    fn is_near(&self, ulps: u64, expected: f64, found: f64) -> bool {
        !found.is_nan() && (ulps <= self.ulps || (expected - found).abs() <= self.absolute)
    }

    fn first<T: std::fmt::Display>(
        &self,
        expected: &[T],
        found: &[T],
        equal: impl Fn(&T, &T) -> bool,
    ) -> Option<String> {
        let wrong = || (0..found.len()).filter(|at| !equal(&expected[*at], &found[*at]));
        let at = wrong().next()?;
        let count = wrong().count();
        let few = count as f64 <= self.differing * found.len() as f64;
        (!few).then(|| {
            format!(
                "element {at} is {}, expected {}; {count} of {} differ",
                found[at],
                expected[at],
                found.len()
            )
        })
    }
}

/// A float's bits as a number that grows with the float; `sign` is the place of its sign.
fn ordered(bits: u64, sign: u32) -> i64 {
    let magnitude = (bits & ((1 << sign) - 1)) as i64;
    if bits >> sign == 0 { magnitude } else { -magnitude }
}

/// The arrays that follow one another in `bytes`, by type and number of elements.
pub(crate) fn split(bytes: &[u8], arrays: &[(Element, usize)]) -> anyhow::Result<Vec<Values>> {
    let mut rest = bytes;
    let mut values = Vec::new();
    for (element, length) in arrays {
        let (array, after) =
            rest.split_at_checked(length * element.bytes()).context("the result is too short")?;
        values.push(Values::from_bytes(*element, array)?);
        rest = after;
    }
    ensure!(rest.is_empty(), "the result is {} bytes too long", rest.len());
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: Tolerance = Tolerance { ulps: 0, absolute: 0.0, differing: 0.0 };

    fn differs(tolerance: Tolerance, expected: impl Into<Values>, found: impl Into<Values>) -> bool {
        tolerance.difference(&expected.into(), &found.into()).is_some()
    }

    #[test]
    fn floats_may_differ_by_ulps_or_absolutely() {
        let next = f32::from_bits(1.0f32.to_bits() + 1);
        assert!(differs(EXACT, vec![1.0f32], vec![next]));
        assert!(!differs(Tolerance { ulps: 1, ..EXACT }, vec![1.0f32], vec![next]));
        // From -0 to 0 it is no step, and from the smallest below to the smallest above it is two.
        let smallest = f64::from_bits(1);
        assert!(!differs(EXACT, vec![0.0f64], vec![-0.0f64]));
        assert!(differs(Tolerance { ulps: 1, ..EXACT }, vec![-smallest], vec![smallest]));
        assert!(!differs(Tolerance { ulps: 2, ..EXACT }, vec![-smallest], vec![smallest]));
        assert!(!differs(Tolerance { absolute: 0.1, ..EXACT }, vec![0.0f32], vec![0.05f32]));
        let wide = Tolerance { ulps: u64::MAX, absolute: f64::INFINITY, differing: 0.0 };
        assert!(differs(wide, vec![0.0f32], vec![f32::NAN]));
    }

    #[test]
    fn integers_types_and_lengths_must_be_equal() {
        let wide = Tolerance { ulps: 9, absolute: 9.0, differing: 0.0 };
        assert!(differs(wide, vec![1i32], vec![2i32]));
        assert!(differs(wide, vec![1i32], vec![1u32]));
        assert!(differs(wide, vec![1i32], vec![1i32, 1]));
        assert!(!differs(Tolerance { differing: 0.5, ..EXACT }, vec![1u8, 2], vec![1u8, 3]));
        let message = EXACT.difference(&vec![1u8, 2, 4].into(), &vec![1u8, 3, 5].into()).unwrap();
        assert_eq!(message, "element 1 is 3, expected 2; 2 of 3 differ");
    }

    #[test]
    fn results_follow_one_another() {
        let bytes = [Values::from(vec![7i32]).to_bytes(), Values::from(vec![1u8, 2]).to_bytes()].concat();
        let arrays = [(Element::I32, 1), (Element::U8, 2)];
        assert_eq!(split(&bytes, &arrays).unwrap(), [vec![7i32].into(), vec![1u8, 2].into()]);
        assert!(split(&bytes[1..], &arrays).is_err());
        assert!(split(&bytes, &arrays[..1]).is_err());
    }
}
