//! The functions of CUDA's math library, for one lane: bits in, bits out.
//!
//! Functions of `float` that CUDA does not round correctly are computed in double precision and rounded; so they are
//! within 1 ulp, closer than CUDA documents ("Mathematical functions" of the CUDA C++ Programming Guide). Functions of
//! `double` are within the documented bounds. They are `libm`'s, whose results are the same bits on every host, as those of the
//! platform's mathematical functions are not (`clippy.toml` refuses them). Rounding in a direction is `rustc_apfloat`'s, a software
//! floating point that needs no state of the host's processor.

use crate::{Direction, MathFunction};
use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, Round};
use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2, TAU};

/// The NaN that arithmetic on `float` gives, as on the device.
pub const NAN32: u32 = 0x7fff_ffff;
/// The NaN that arithmetic on `double` gives.
pub const NAN64: u64 = 0x7ff8_0000_0000_0000;

/// The bits of a `float` result: every NaN becomes [`NAN32`], so that results do not depend on the host.
#[inline(always)]
pub fn bits32(x: f32) -> u32 {
    if x.is_nan() { NAN32 } else { x.to_bits() }
}

/// The bits of a `double` result: every NaN becomes [`NAN64`].
#[inline(always)]
pub fn bits64(x: f64) -> u64 {
    if x.is_nan() { NAN64 } else { x.to_bits() }
}

/// A library function on `float`: the exact ones as such, the others in double precision and rounded.
pub fn math32(function: MathFunction, a: u32, b: u32, c: u32) -> u32 {
    use MathFunction::*;
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    match function {
        Sqrt => bits32(x.sqrt()),
        Fmod => bits32(x % y),
        Floor => bits32(x.floor()),
        Ceil => bits32(x.ceil()),
        Trunc => bits32(x.trunc()),
        Round => bits32(x.round()),
        RoundEven => bits32(x.round_ties_even()),
        CopySign => (a & 0x7fff_ffff) | (b & 0x8000_0000),
        AddTo(_) | MulTo(_) | DivTo(_) | SqrtTo(_) | FmaTo(_) => {
            let [a, b, c] = [a, b, c].map(|v| Single::from_bits(u128::from(v)));
            bits32(f32::from_bits(directed(function, a, b, c).to_bits() as u32))
        }
        _ => bits32(math(function, f64::from(x), f64::from(y)) as f32),
    }
}

/// A library function on `double`.
pub fn math64(function: MathFunction, a: u64, b: u64, c: u64) -> u64 {
    use MathFunction::*;
    match function {
        CopySign => (a & !(1 << 63)) | (b & (1 << 63)),
        AddTo(_) | MulTo(_) | DivTo(_) | SqrtTo(_) | FmaTo(_) => {
            let [a, b, c] = [a, b, c].map(|v| Double::from_bits(u128::from(v)));
            bits64(f64::from_bits(directed(function, a, b, c).to_bits() as u64))
        }
        _ => bits64(math(function, f64::from_bits(a), f64::from_bits(b))),
    }
}

fn math(function: MathFunction, x: f64, y: f64) -> f64 {
    use MathFunction::*;
    match function {
        Sqrt => x.sqrt(),
        Rsqrt => 1.0 / x.sqrt(),
        Cbrt => libm::cbrt(x),
        Sin => libm::sin(x),
        Cos => libm::cos(x),
        Tan => libm::tan(x),
        Asin => libm::asin(x),
        Acos => libm::acos(x),
        Atan => libm::atan(x),
        Atan2 => libm::atan2(x, y),
        Sinh => libm::sinh(x),
        Cosh => libm::cosh(x),
        Tanh => libm::tanh(x),
        Exp => libm::exp(x),
        Exp2 => libm::exp2(x),
        Exp10 => libm::pow(10.0, x),
        Expm1 => libm::expm1(x),
        Log => libm::log(x),
        Log2 => libm::log2(x),
        Log10 => libm::log10(x),
        Log1p => libm::log1p(x),
        Pow => libm::pow(x, y),
        Hypot => libm::hypot(x, y),
        Fmod => x % y,
        Floor => x.floor(),
        Ceil => x.ceil(),
        Trunc => x.trunc(),
        Round => x.round(),
        RoundEven => x.round_ties_even(),
        CopySign => x.copysign(y),
        Erf => libm::erf(x),
        Erfc => libm::erfc(x),
        Asinh => libm::asinh(x),
        Acosh => libm::acosh(x),
        Atanh => libm::atanh(x),
        Remainder => remainder(x, y),
        Lgamma => libm::lgamma(x),
        Tgamma => libm::tgamma(x),
        Saturate => {
            if x.is_nan() {
                0.0
            } else {
                x.clamp(0.0, 1.0) + 0.0
            }
        }
        SinPi => sin_pi(x),
        CosPi => cos_pi(x),
        Erfcx => erfcx(x),
        ErfInv => erf_inverse(x),
        ErfcInv => erfc_inverse(x),
        NormCdf => normal(x),
        NormCdfInv => -SQRT_2 * erfc_inverse(2.0 * x),
        J0 => libm::j0(x),
        J1 => libm::j1(x),
        Jn => ordered(x, y, libm::jn),
        Y0 => libm::y0(x),
        Y1 => libm::y1(x),
        Yn => ordered(x, y, libm::yn),
        I0 => bessel_i(0, x),
        I1 => bessel_i(1, x).copysign(x),
        Scale => libm::scalbn(x, y as i32),
        // Not reached: these are computed on their own type.
        AddTo(_) | MulTo(_) | DivTo(_) | SqrtTo(_) | FmaTo(_) => f64::NAN,
        SingleTo(direction) => to_single(x, direction),
    }
}

fn round(direction: Direction) -> Round {
    match direction {
        Direction::Zero => Round::TowardZero,
        Direction::Up => Round::TowardPositive,
        Direction::Down => Round::TowardNegative,
    }
}

fn directed<F: Float>(function: MathFunction, a: F, b: F, c: F) -> F {
    use MathFunction::*;
    match function {
        AddTo(d) => a.add_r(b, round(d)).value,
        MulTo(d) => a.mul_r(b, round(d)).value,
        DivTo(d) => a.div_r(b, round(d)).value,
        FmaTo(d) => a.mul_add_r(b, c, round(d)).value,
        SqrtTo(d) => root(a, d),
        _ => F::NAN,
    }
}

/// The square root in a direction: a binary search over its significand, whose square is compared exactly.
fn root<F: Float>(x: F, direction: Direction) -> F {
    if x.is_zero() || x.is_nan() || (x.is_infinite() && !x.is_negative()) {
        return x;
    }
    if x.is_negative() {
        return F::NAN;
    }
    // x = m·4^h with m in [1, 4), so that the root is that of m times 2^h.
    let half = x.ilogb().div_euclid(2);
    let m = x.scalbn(-2 * half);
    let (mut low, mut step) = (F::from_u128(1).value, F::from_u128(1).value);
    // `low` squared is never above m: a square toward zero that is at most m, with its error's sign, says so.
    for _ in 1..F::PRECISION {
        step = step.scalbn(-1);
        let next = low.add_r(step, Round::TowardZero).value;
        // next·next - m rounds to a value of the exact sign, and to zero only if it is zero.
        let over = next.mul_add_r(next, -m, Round::TowardPositive).value;
        if over.is_negative() || over.is_zero() {
            low = next;
        }
    }
    let exact = low.mul_add_r(low, -m, Round::TowardPositive).value.is_zero();
    let result = if exact || direction != Direction::Up { low } else { low.next_up().value };
    result.scalbn(half)
}

/// The values of `float` are among those of `double`, so the nearest of one side is at most one step away.
fn to_single(x: f64, direction: Direction) -> f64 {
    let near = x as f32;
    let wide = f64::from(near);
    let down = match direction {
        Direction::Down => true,
        Direction::Up => false,
        Direction::Zero => x > 0.0,
    };
    f64::from(match (down && wide > x, !down && wide < x) {
        (true, _) => near.next_down(),
        (_, true) => near.next_up(),
        _ => near,
    })
}

/// `x - n·y` for the integer `n` nearest to `x / y`, the even one of two; every step is exact.
fn remainder(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() || x.is_infinite() || y == 0.0 {
        return f64::NAN;
    }
    let y = y.abs();
    let mut r = x.abs();
    if y <= f64::MAX / 2.0 {
        r %= y + y;
    }
    // `r` lies in [0, 2y): at most two steps back. Where halving `y` would round, doubling `r` does not overflow.
    let beyond = |r: f64, or_equal: bool| {
        let (a, b) = if y < 4.0 * f64::MIN_POSITIVE { (r + r, y) } else { (r, 0.5 * y) };
        a > b || (or_equal && a == b)
    };
    if beyond(r, false) {
        r -= y;
        if beyond(r, true) {
            r -= y;
        }
    }
    if x.is_sign_negative() { -r } else { r }
}

/// The highest order of a Bessel function that is computed: the time grows with it.
const MAX_ORDER: f64 = 4096.0;

/// A Bessel function whose order is given as a float; C++ has them for orders of 0 and more, and here they are not a number above [`MAX_ORDER`].
fn ordered(order: f64, x: f64, function: fn(i32, f64) -> f64) -> f64 {
    if (0.0..=MAX_ORDER).contains(&order) { function(order as i32, x) } else { f64::NAN }
}

/// x less the even number next to it, exactly; in [-1, 1].
fn half_turns(x: f64) -> f64 {
    let r = x % 2.0;
    if r.abs() <= 1.0 { r } else { r - 2f64.copysign(r) }
}

fn sin_pi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let r = half_turns(x);
    let a = r.abs();
    let value = match a {
        _ if a <= 0.25 => libm::sin(PI * a),
        _ if a < 0.75 => libm::cos(PI * (0.5 - a)),
        _ => libm::sin(PI * (1.0 - a)),
    };
    // A whole number gives a zero of its sign.
    if value == 0.0 { 0f64.copysign(x) } else { value.copysign(r) }
}

fn cos_pi(x: f64) -> f64 {
    if !x.is_finite() {
        return f64::NAN;
    }
    let a = half_turns(x).abs();
    match a {
        _ if a <= 0.25 => libm::cos(PI * a),
        _ if a < 0.75 => libm::sin(PI * (0.5 - a)) + 0.0,
        _ => -libm::cos(PI * (1.0 - a)),
    }
}

/// e^(x²) with the square's rounding error made good.
fn exp_square(x: f64) -> f64 {
    let square = x * x;
    let e = libm::exp(square);
    if e.is_infinite() { e } else { e + e * x.mul_add(x, -square) }
}

/// The scaled complement; from 12 on by its asymptotic series (Abramowitz and Stegun 7.1.23), whose terms fall below
/// 2^-60 before they grow again.
fn erfcx(x: f64) -> f64 {
    if x < 12.0 {
        return exp_square(x) * libm::erfc(x);
    }
    let step = -0.5 / x / x;
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 0..20 {
        term *= step * f64::from(2 * k + 1);
        sum += term;
    }
    sum / x / PI.sqrt()
}

/// Newton's steps on erf for small arguments, where it is nearly linear; else by the complement, which is exact there.
fn erf_inverse(x: f64) -> f64 {
    let a = x.abs();
    if a.is_nan() || a >= 1.0 {
        return if a == 1.0 { f64::INFINITY.copysign(x) } else { f64::NAN };
    }
    if a > 0.5 {
        return erfc_inverse(1.0 - a).copysign(x);
    }
    let mut y = a * PI.sqrt() / 2.0;
    if a > 1e-9 {
        for _ in 0..5 {
            y -= (libm::erf(y) - a) * libm::exp(y * y) * PI.sqrt() / 2.0;
        }
    }
    y.copysign(x)
}

/// Newton's steps on ln(erfc(y)) = ln(erfcx(y)) - y², which is concave and nearly a parabola, so they converge from
/// any start to the right and never leave the range of `double`.
fn erfc_inverse(c: f64) -> f64 {
    if c.is_nan() || c <= 0.0 || c >= 2.0 {
        return match c {
            _ if c == 0.0 => f64::INFINITY,
            _ if c == 2.0 => f64::NEG_INFINITY,
            _ => f64::NAN,
        };
    }
    if c > 1.5 {
        return -erfc_inverse(2.0 - c);
    }
    if c >= 0.5 {
        return erf_inverse(1.0 - c);
    }
    let target = libm::log(c);
    let mut y = (-target).sqrt();
    for _ in 0..12 {
        let scaled = erfcx(y);
        let step = (libm::log(scaled) - y.mul_add(y, target)) * scaled * PI.sqrt() / 2.0;
        y += step;
        if step.abs() < y * 1e-17 {
            break;
        }
    }
    y
}

/// erfc(-x/√2)/2, with the rounding of the argument made good to first order.
fn normal(x: f64) -> f64 {
    let t = -x * FRAC_1_SQRT_2;
    if t.is_nan() || t.abs() >= 30.0 {
        return 0.5 * libm::erfc(t);
    }
    /// 1/√2 less its nearest `double`.
    const REST: f64 = -4.833_646_656_726_457e-17;
    let lost = (-x).mul_add(FRAC_1_SQRT_2, -t) - x * REST;
    let slope = -2.0 / PI.sqrt() * libm::exp(-t * t);
    0.5 * (libm::erfc(t) + slope * lost)
}

/// Modified Bessel function of order 0 or 1, of |x|: its power series (Abramowitz and Stegun 9.6.10), all of one sign;
/// from 20 on the asymptotic one (9.7.1), whose terms fall below 2^-56 first.
fn bessel_i(order: u32, x: f64) -> f64 {
    let (x, v) = (x.abs(), f64::from(order));
    if x.is_nan() || x == f64::INFINITY {
        return x;
    }
    let (mut term, mut sum) = (1.0, 1.0);
    if x < 20.0 {
        let square = x * x / 4.0;
        for k in 1..200 {
            term *= square / (f64::from(k) * (f64::from(k) + v));
            sum += term;
            if term < sum * 1e-18 {
                break;
            }
        }
        return if order == 1 { sum * x / 2.0 } else { sum };
    }
    for k in 1..40 {
        let odd = f64::from(2 * k - 1);
        term *= (odd * odd - 4.0 * v * v) / (8.0 * f64::from(k) * x);
        sum += term;
        if term.abs() < 1e-18 {
            break;
        }
    }
    // The power in two halves, which overflow only where the product does.
    let half = libm::exp(x / 2.0);
    half * (sum / (TAU * x).sqrt()) * half
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainder_is_to_the_nearest() {
        for (x, y, want) in
            [(5.0, 3.0, -1.0), (-5.0, 3.0, 1.0), (6.0, 4.0, -2.0), (2.0, 4.0, 2.0), (1.0, 3.0, 1.0)]
        {
            assert_eq!(remainder(x, y), want, "{x} {y}");
        }
        assert_eq!(remainder(-2.0, 2.0).to_bits(), (-0.0f64).to_bits());
        let large = libm::exp2(1023.0);
        assert_eq!(remainder(1.5 * large, large), -0.5 * large, "a tie goes to the even quotient");
        assert!(remainder(1.0, 0.0).is_nan() && remainder(f64::INFINITY, 1.0).is_nan());
    }

    #[test]
    fn roots_in_a_direction_bracket_the_exact_one() {
        let bits = |v: f64| v.to_bits();
        let to = |x: f64, d| f64::from_bits(math64(MathFunction::SqrtTo(d), bits(x), 0, 0));
        for x in [2.0, 3.0, 0.1, 1e-310, f64::MAX, 1e300, 7.0 / 3.0] {
            let (down, up) = (to(x, Direction::Down), to(x, Direction::Up));
            assert!(down == up.next_down() && (down..=up).contains(&x.sqrt()), "{x}: {down} {up}");
            assert_eq!(to(x, Direction::Zero), down);
        }
        for x in [0.0, -0.0, 1.0, 4.0, 0.25, 0f64.next_up(), libm::exp2(1022.0), f64::INFINITY] {
            assert_eq!(bits(to(x, Direction::Up)), bits(x.sqrt()), "{x}");
        }
        assert!(to(-1.0, Direction::Up).is_nan());
        let single = |x: f32, d| f32::from_bits(math32(MathFunction::SqrtTo(d), x.to_bits(), 0, 0));
        assert_eq!(single(2.0, Direction::Down), 2f32.sqrt());
        assert_eq!(single(3.0, Direction::Up), 3f32.sqrt().next_up());
    }
}
