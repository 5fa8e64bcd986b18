//! The functions of CUDA's math library on the simulated device: against values of high precision within the bounds
//! that CUDA documents, at special arguments, and rounding in a direction.

use crate::kernel::{numbers, run};
use std::collections::BTreeMap;

struct Case {
    ulps: u64,
    expected: u64,
    arguments: Vec<u64>,
}

/// The cases of `math/values.txt` by function and width in bits.
fn cases() -> BTreeMap<(String, u32), Vec<Case>> {
    let mut all: BTreeMap<_, Vec<Case>> = BTreeMap::new();
    for line in include_str!("../math/values.txt").lines().filter(|l| !l.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let bits = |w: &str| u64::from_str_radix(w, 16).unwrap();
        let case = Case {
            ulps: words[2].parse().unwrap(),
            expected: bits(words[3]),
            arguments: words[4..].iter().map(|w| bits(w)).collect(),
        };
        all.entry((words[0].to_owned(), words[1].parse().unwrap())).or_default().push(case);
    }
    all
}

/// `float`'s name of a function.
fn single(name: &str) -> String {
    format!("{name}f")
}

/// A float's place among all of its width, so that neighbours differ by 1.
fn place(bits: u64, width: u32) -> i64 {
    let value = if width == 32 { i64::from(bits as u32 as i32) } else { bits as i64 };
    let least = if width == 32 { i64::from(i32::MIN) } else { i64::MIN };
    if value < 0 { least.wrapping_sub(value) } else { value }
}

#[test]
fn functions_are_within_their_documented_bounds() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for ((name, width), cases) in cases() {
        let arity = cases[0].arguments.len();
        let call = if width == 32 { single(&name) } else { name.clone() };
        let ordered = matches!(name.as_str(), "jn" | "yn");
        let arguments: Vec<String> = (0..arity)
            .map(|i| match (i, ordered) {
                (0, true) => format!("(int)x[{arity} * t]"),
                _ => format!("x[{arity} * t + {i}]"),
            })
            .collect();
        let ty = if width == 32 { "float" } else { "double" };
        let text = format!(
            "__global__ void k(unsigned *out, const unsigned *in) {{\n    unsigned t = threadIdx.x;\n    \
             const {ty} *x = (const {ty} *)in;\n    (({ty} *)out)[t] = {call}({});\n}}\n",
            arguments.join(", ")
        );
        let words = (width / 32) as usize;
        let input: Vec<u32> = cases
            .iter()
            .flat_map(|c| &c.arguments)
            .flat_map(|a| [*a as u32, (*a >> 32) as u32].into_iter().take(words))
            .collect();
        let got = run(&text, cases.len() as u32, &input, cases.len() * words);
        for (case, found) in cases.iter().zip(got.chunks(words)) {
            let found = found.iter().rev().fold(0u64, |v, w| (v << 32) | u64::from(*w));
            let value = |bits: u64| {
                if width == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) }
            };
            let apart = place(found, width).abs_diff(place(case.expected, width));
            let near = match case.ulps {
                // The absolute error of the worst Bessel functions is documented as 2.2e-6 and 5e-12.
                0 => {
                    let bound = if width == 32 { 2.2e-6 } else { 5e-12 };
                    let (f, e) = (value(found), value(case.expected));
                    (f - e).abs() <= bound * e.abs().max(1.0)
                }
                ulps => apart <= ulps,
            };
            checked += 1;
            if !near {
                let x: Vec<f64> = case.arguments.iter().map(|a| value(*a)).collect();
                wrong.push(format!(
                    "{call}{x:?} = {:e}, {apart} ulp from {:e}, {} documented",
                    value(found),
                    value(case.expected),
                    case.ulps
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {checked}\n{}", wrong.len(), wrong.join("\n"));
    assert!(checked > 2000, "{checked}");
}

/// Runs each expression of type `float` or `double` in one thread and gives the bits.
fn evaluate(ty: &str, expressions: &[&str]) -> Vec<u64> {
    let words = if ty == "float" { 1 } else { 2 };
    let lines: String = expressions.iter().enumerate().map(|(i, e)| format!("    o[{i}] = {e};\n")).collect();
    let text = format!(
        "__global__ void k(unsigned *out, const unsigned *in) {{\n    {ty} *o = ({ty} *)out;\n    \
         {ty} zero = ({ty})in[0], one = ({ty})in[1], inf = one / zero, none = inf - inf;\n    int q;\n{lines}    \
         (void)none;\n    (void)q;\n}}\n"
    );
    let got = run(&text, 1, &[0, 1], expressions.len() * words);
    got.chunks(words).map(|c| c.iter().rev().fold(0u64, |v, w| (v << 32) | u64::from(*w))).collect()
}

#[test]
fn special_arguments_give_the_documented_results() {
    let inf = f64::INFINITY;
    let nan = f64::NAN;
    let cases: &[(&str, f64)] = &[
        ("erfinv(one)", inf),
        ("erfinv(-one)", -inf),
        ("erfinv(2.0)", nan),
        ("erfinv(-zero)", -0.0),
        ("erfcinv(zero)", inf),
        ("erfcinv(2.0)", -inf),
        ("erfcinv(one)", 0.0),
        ("erfcinv(-one)", nan),
        ("erfcx(inf)", 0.0),
        ("erfcx(-inf)", inf),
        ("normcdf(inf)", 1.0),
        ("normcdf(-inf)", 0.0),
        ("normcdfinv(zero)", -inf),
        ("normcdfinv(one)", inf),
        ("normcdfinv(none)", nan),
        ("cyl_bessel_i0(-inf)", inf),
        ("cyl_bessel_i1(-inf)", -inf),
        ("cyl_bessel_i1(-zero)", -0.0),
        ("j0(inf)", 0.0),
        ("j1(-zero)", -0.0),
        ("y0(zero)", -inf),
        ("y1(-one)", nan),
        ("jn(0, zero)", 1.0),
        ("jn(-1, one)", nan),
        ("yn(2, zero)", -inf),
        ("sinpi(inf)", nan),
        ("sinpi(-2.0)", -0.0),
        ("sinpi(0.5)", 1.0),
        ("sinpi(1e22)", 0.0),
        ("cospi(0.5)", 0.0),
        ("cospi(1.5)", 0.0),
        ("cospi(3.0)", -1.0),
        ("lgamma(-inf)", inf),
        ("lgamma(-2.0)", inf),
        ("tgamma(-zero)", -inf),
        ("tgamma(-2.0)", nan),
        ("ldexp(1.5, 4)", 24.0),
        ("ldexp(one, 2000)", inf),
        ("scalbn(-one, -1080)", -0.0),
        ("scalbln(3.0, -1075L)", 1e-323),
        ("frexp(-12.0, &q)", -0.75),
        ("remquo(7.0, 2.0, &q)", -1.0),
        ("(remquo(7.0, 2.0, &q), (double)q)", 4.0),
        ("(remquo(-29.0, 3.0, &q), (double)q)", -2.0),
        ("(remquo(29.0, 3.0, &q), (double)q)", 2.0),
        ("(remquo(1e300, -1e-5, &q), (double)(q <= 0))", 1.0),
        ("remquo(one, zero, &q)", nan),
        ("remquo(one, inf, &q)", 1.0),
        ("rhypot(zero, zero)", inf),
        ("hypot(none, inf)", inf),
        ("norm3d(none, -inf, one)", inf),
        ("rnorm3d(none, inf, one)", 0.0),
        ("norm4d(zero, zero, zero, -zero)", 0.0),
        ("rnorm4d(zero, zero, zero, zero)", inf),
        ("norm3d(3e200, 4e200, 12e200)", 13e200),
        ("norm4d(one, one, one, one)", 2.0),
        ("nextafter(zero, -one)", -5e-324),
        ("fdim(3.0, 5.0)", 0.0),
        ("fdim(5.0, 3.0)", 2.0),
        ("nan(\"\")", nan),
        ("rcbrt(-8.0)", -0.5),
        ("__dsub_ru(one, one)", 0.0),
        ("__dsub_rd(one, one)", -0.0),
        ("__drcp_rz(inf)", 0.0),
        ("__dsqrt_ru(4.0)", 2.0),
        ("__dmul_rz(1e308, 10.0)", f64::MAX),
        ("__dadd_ru(1e308 + zero, 1.5e308)", inf),
        ("__ddiv_rd(-one, zero)", -inf),
        ("__fma_rz(1e308, 10.0, -1e308)", f64::MAX),
    ];
    let expressions: Vec<&str> = cases.iter().map(|c| c.0).collect();
    for ((e, want), found) in cases.iter().zip(evaluate("double", &expressions)) {
        let found = f64::from_bits(found);
        let same = if want.is_nan() { found.is_nan() } else { found.to_bits() == want.to_bits() };
        assert!(same, "{e}: {found:e} instead of {want:e}");
    }
}

#[test]
fn doubles_are_rounded_in_a_direction() {
    // The exact result of each lies strictly between two neighbours, which the directions must be.
    let operations = [
        ("dadd", "(one, 1e-20)"),
        ("dsub", "(-one, 1e-20)"),
        ("dmul", "(0.1, -0.3)"),
        ("ddiv", "(one, 3.0)"),
        ("ddiv", "(-2.0, 7.0)"),
        ("fma", "(0.1, 0.3, -one)"),
        ("fma", "(1e-200, 1e-200, one)"),
        ("fma", "(1e-300, 1e-300, zero)"),
        ("drcp", "(-7.0)"),
        ("dsqrt", "(2.0)"),
        ("dsqrt", "(1e-310)"),
        ("ll2double", "(0x7fffffffffffffffll)"),
        ("ll2double", "(-0x7ffffffffffffffdll)"),
        ("ull2double", "(0xffffffffffffffffull)"),
    ];
    for (name, arguments) in operations {
        let all: Vec<String> = ["rd", "ru", "rz", "rn"].map(|r| format!("__{name}_{r}{arguments}")).to_vec();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let [down, up, zero, near] = evaluate("double", &all)[..] else { panic!("{name}") };
        let [down, up, zero, near] = [down, up, zero, near].map(f64::from_bits);
        assert_eq!(down.next_up(), up, "{name}{arguments}");
        assert_eq!(zero, if up <= 0.0 { up } else { down }, "{name}{arguments}");
        assert!(near == down || near == up, "{name}{arguments}: {near:e}");
    }
    let floats = evaluate(
        "float",
        &[
            "__ll2float_rz(0x7fffffffffffffffll)",
            "__ll2float_ru(-0x7fffffffffffffffll)",
            "__ull2float_ru(0xffffffffffffffffull)",
            "__ull2float_rd(16777217ull)",
            "__double2float_ru(1e-60)",
            "__double2float_rz(-1e300)",
            "__double2float_rd(-1e300)",
            "nanf(\"\")",
            "__fmaf_ieee_rz(one, one, 1e-30f)",
        ],
    );
    let want = [
        9.223_371_5e18f32.to_bits(),
        (-9.223_371_5e18f32).to_bits(),
        1.844_674_4e19f32.to_bits(),
        16_777_216f32.to_bits(),
        1,
        f32::MIN.to_bits(),
        f32::NEG_INFINITY.to_bits(),
        0x7fff_ffff,
        1f32.to_bits(),
    ];
    assert_eq!(floats, want.map(u64::from));
}

/// One part of two words, by the operation's name.
fn part(operation: &str, x: i64, y: i64, low: i64, high: i64) -> i64 {
    let full = high - low;
    match operation {
        "add" => x + y,
        "addss" => (x + y).clamp(low, high),
        "addus" => (x + y).clamp(0, full),
        "sub" => x - y,
        "subss" => (x - y).clamp(low, high),
        "subus" => (x - y).clamp(0, full),
        "avgs" => {
            if x + y < 0 {
                (x + y) >> 1
            } else {
                (x + y + 1) >> 1
            }
        }
        "avgu" => (x + y + 1) / 2,
        "haddu" => (x + y) / 2,
        "maxs" | "maxu" => x.max(y),
        "mins" | "minu" => x.min(y),
        "absdiffs" | "absdiffu" => (x - y).abs(),
        "cmpeq" => -i64::from(x == y),
        "setne" => i64::from(x != y),
        "cmplts" | "cmpltu" => -i64::from(x < y),
        "setles" | "setleu" => i64::from(x <= y),
        "cmpgts" | "cmpgtu" => -i64::from(x > y),
        "setges" | "setgeu" => i64::from(x >= y),
        other => panic!("{other}"),
    }
}

#[test]
fn packed_integers_compute_part_by_part() {
    let names = [
        "add", "addss", "addus", "sub", "subss", "subus", "avgs", "avgu", "haddu", "maxs", "maxu", "mins",
        "minu", "absdiffs", "absdiffu", "cmpeq", "setne", "cmplts", "cmpltu", "setles", "setleu", "cmpgts",
        "cmpgtu", "setges", "setgeu",
    ];
    let mut input = numbers(128);
    input[..6].copy_from_slice(&[0x8080_8080, 0x7f80_00ff, 0x8000_8000, 0x7fff_8000, 0, 0x0101_0101]);
    for (count, bits) in [(2, 16u32), (4, 8)] {
        let mut body = String::new();
        for (i, name) in names.iter().enumerate() {
            body += &format!("    out[64 * {i} + t] = __v{name}{count}(a, b);\n");
        }
        let text = format!(
            "__global__ void k(unsigned *out, const unsigned *in) {{\n    unsigned t = threadIdx.x, a = in[t], \
             b = in[127 - t];\n{body}}}\n"
        );
        let got = run(&text, 64, &input, 64 * names.len());
        let (low, high) = (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1);
        for (i, name) in names.iter().enumerate() {
            let signed = name.ends_with('s') && !name.ends_with("us") || matches!(*name, "add" | "sub");
            for t in 0..64 {
                let (a, b) = (input[t], input[127 - t]);
                let mut want = 0u32;
                for shift in (0..32).step_by(bits as usize) {
                    let take = |v: u32| {
                        let raw = i64::from(v >> shift) & ((1 << bits) - 1);
                        if signed && raw > high { raw - (1 << bits) } else { raw }
                    };
                    let value = part(name, take(a), take(b), low, high);
                    want |= ((value as u32) & (u32::MAX >> (32 - bits))) << shift;
                }
                assert_eq!(got[64 * i + t], want, "__v{name}{count}({a:#x}, {b:#x})");
            }
        }
    }
}

#[test]
fn packed_integers_of_one_word_sums_and_three_words() {
    let text = "__global__ void k(unsigned *out, const unsigned *in) {\n    unsigned a = in[0], b = in[1];\n    \
        bool high, low, first;\n    \
        out[0] = __vabs4(a);\n    out[1] = __vabsss4(a);\n    out[2] = __vneg2(b);\n    out[3] = __vnegss2(b);\n    \
        out[4] = __vsads4(a, b);\n    out[5] = __vsadu4(a, b);\n    out[6] = __vsadu2(a, b);\n    \
        out[7] = __viaddmax_s32(7, -9, -1);\n    out[8] = __viaddmin_u16x2(0x0001ffff, 0x00010001, 0x00050003);\n    \
        out[9] = __vimax3_s16x2_relu(0xffff8000, 0xfffe0001, 0xfffd0007);\n    \
        out[10] = __vibmax_s16x2(0x00018000, 0xffff0001, &high, &low) + (high ? 16 : 0) + (low ? 32 : 0);\n    \
        out[11] = __vibmin_s32(3, 4, &first) + (first ? 100 : 0);\n    out[12] = __vimin_s32_relu(-4, 5);\n    \
        out[13] = __fns(0xf0, 0, 2);\n    out[14] = __fns(0xf0, 7, -3);\n    out[15] = __fns(0xf0, 0, 0);\n    \
        out[16] = __dp2a_lo(0x00020003, 0x04050607, 1);\n    out[17] = __dp2a_hi(0xffff0003u, 0xff050607u, 1u);\n    \
        __shared__ int s[1];\n    int own[2] = {0, 0};\n    own[a & 1] = 1;\n    s[0] = own[0];\n    __nanosleep(100);\n    \
        out[18] = __isShared(s) * 8 + __isGlobal(in) * 4 + __isLocal(own) * 2 + __isGlobal(s);\n}\n";
    let got = run(text, 1, &[0x80ff_017f, 0x8000_0005], 19);
    let sads = (0x80i32 - 0x80).unsigned_abs() + 1 + 1 + (0x7f - 5);
    let sadu = 0xff + 1 + (0x7f - 5);
    let want = [
        0x8001_017f,
        0x7f01_017f,
        0x8000_fffb,
        0x7fff_fffb,
        sads,
        sadu,
        0xff + (0x017f - 5),
        -1i32 as u32,
        0x0002_0000,
        0x0000_0007,
        0x0001_0001 + 16,
        103,
        0,
        5,
        5,
        u32::MAX,
        (1 + 3 * 7 + 2 * 6) as u32,
        1 + 3 * 5 + 0xffff * 0xff,
        14,
    ];
    assert_eq!(got, want);
}
