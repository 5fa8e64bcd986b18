//! Operations and comparisons on values at the edges of their types, against Rust's: in every mode, so on every instruction set,
//! with operands that have lanes and operands that all share, in whole warps and in parts of one.

use crate::support::*;
use simt::BufferId;
use simt_ir::BinaryOp::*;
use simt_ir::CompareOp::*;
use simt_ir::{BinaryOp, CompareOp, Constant, Conversion, ElementType, InstKind, Operand, ParamKind, Type};

const INTEGERS: [BinaryOp; 19] = [
    Add, Sub, Mul, MulHighS, MulHighU, And, Or, Xor, Shl, ShrS, ShrU, MinS, MaxS, MinU, MaxU, DivS, DivU,
    RemU, RemS,
];
const FLOATS: [BinaryOp; 6] = [Add, Sub, Mul, DivF, MinF, MaxF];
const INTEGER_ORDERS: [CompareOp; 6] = [Eq, Ne, LtS, LeS, LtU, LeU];
const FLOAT_ORDERS: [CompareOp; 4] = [Eq, Ne, LtF, LeF];

/// One width: its words and how they are told of.
trait Word: Copy + PartialEq + std::fmt::LowerHex + 'static {
    const INTEGER: ElementType;
    const FLOAT: ElementType;
    const EDGES: &'static [Self];

    fn of(words: &[u32]) -> Vec<Self>;
    fn words(self) -> Vec<u32>;
    fn constant(self, float: bool) -> Constant;
    fn binary(op: BinaryOp, float: bool, a: Self, b: Self) -> Self;
    fn holds(op: CompareOp, float: bool, a: Self, b: Self) -> bool;
}

macro_rules! word {
    ($u:ty, $s:ty, $wide_u:ty, $wide_s:ty, $f:ty, $integer:ident, $float:ident, $nan:expr, $of_integer:expr, $of_float:expr, $edges:expr) => {
        impl Word for $u {
            const INTEGER: ElementType = ElementType::$integer;
            const FLOAT: ElementType = ElementType::$float;
            const EDGES: &'static [$u] = $edges;

            fn of(words: &[u32]) -> Vec<$u> {
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                bytes
                    .chunks_exact(size_of::<$u>())
                    .map(|b| <$u>::from_le_bytes(b.try_into().unwrap()))
                    .collect()
            }

            fn words(self) -> Vec<u32> {
                self.to_le_bytes()
                    .chunks_exact(4)
                    .map(|b| u32::from_le_bytes(b.try_into().unwrap()))
                    .collect()
            }

            fn constant(self, float: bool) -> Constant {
                if float { $of_float(self) } else { $of_integer(self) }
            }

            fn binary(op: BinaryOp, float: bool, a: $u, b: $u) -> $u {
                let (x, y) = (<$f>::from_bits(a), <$f>::from_bits(b));
                let bits = |v: $f| if v.is_nan() { $nan } else { v.to_bits() };
                match op {
                    Add if float => bits(x + y),
                    Sub if float => bits(x - y),
                    Mul if float => bits(x * y),
                    DivF => bits(x / y),
                    MinF | MaxF if x.is_nan() || y.is_nan() => bits(if x.is_nan() { y } else { x }),
                    // Of zeros, that with a sign is the smaller.
                    MinF if x == y => a | b,
                    MaxF if x == y => a & b,
                    MinF => bits(x.min(y)),
                    MaxF => bits(x.max(y)),
                    Add => a.wrapping_add(b),
                    Sub => a.wrapping_sub(b),
                    Mul => a.wrapping_mul(b),
                    MulHighS => ((a as $s as $wide_s * b as $s as $wide_s) >> <$u>::BITS) as $u,
                    MulHighU => ((a as $wide_u * b as $wide_u) >> <$u>::BITS) as $u,
                    And => a & b,
                    Or => a | b,
                    Xor => a ^ b,
                    Shl => u32::try_from(b).ok().and_then(|n| a.checked_shl(n)).unwrap_or(0),
                    ShrU => u32::try_from(b).ok().and_then(|n| a.checked_shr(n)).unwrap_or(0),
                    ShrS => ((a as $s) >> b.min(<$u>::BITS as $u - 1)) as $u,
                    MinS => (a as $s).min(b as $s) as $u,
                    MaxS => (a as $s).max(b as $s) as $u,
                    MinU => a.min(b),
                    MaxU => a.max(b),
                    DivS => (a as $s).wrapping_div(b as $s) as $u,
                    DivU => a / b,
                    RemU => a % b,
                    RemS => (a as $s).wrapping_rem(b as $s) as $u,
                    other => panic!("{other:?} is not in the lists"),
                }
            }

            fn holds(op: CompareOp, float: bool, a: $u, b: $u) -> bool {
                let (x, y) = (<$f>::from_bits(a), <$f>::from_bits(b));
                match op {
                    Eq if float => x == y,
                    Ne if float => x != y,
                    LtF => x < y,
                    LeF => x <= y,
                    Eq => a == b,
                    Ne => a != b,
                    LtS => (a as $s) < b as $s,
                    LeS => a as $s <= b as $s,
                    LtU => a < b,
                    LeU => a <= b,
                }
            }
        }
    };
}

word!(
    u32,
    i32,
    u64,
    i64,
    f32,
    I32,
    F32,
    0x7fff_ffff,
    Constant::I32,
    Constant::F32,
    &[
        0,
        1,
        2,
        7,
        31,
        32,
        33,
        63,
        64,
        255,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0xffff_fffe,
        u32::MAX,
        0x3f80_0000,
        0xbfc0_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_1234,
        0xff80_0001,
        0x7f7f_ffff,
        0x0080_0000,
    ]
);
word!(
    u64,
    i64,
    u128,
    i128,
    f64,
    I64,
    F64,
    0x7ff8_0000_0000_0000,
    Constant::I64,
    Constant::F64,
    &[
        0,
        1,
        3,
        31,
        32,
        63,
        64,
        65,
        1 << 32,
        (1 << 32) - 1,
        i64::MAX as u64,
        1 << 63,
        (1 << 63) + 1,
        u64::MAX - 1,
        u64::MAX,
        0x3ff0_0000_0000_0000,
        0xbff8_0000_0000_0000,
        0x7ff0_0000_0000_0000,
        0xfff0_0000_0000_0000,
        0x7ff8_0000_0000_1234,
        0x7fef_ffff_ffff_ffff,
        0x0010_0000_0000_0000,
    ]
);

/// Where an operand comes from: from memory, one a lane, or from a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Given {
    Lanes,
    Parameter,
}

/// Threads of a launch: pairs of edges, and a last warp that is not whole.
fn pairs<W: Word>() -> Vec<(W, W)> {
    W::EDGES.iter().flat_map(|a| W::EDGES.iter().map(|b| (*a, *b))).collect()
}

/// A kernel that stores what each operation and each comparison gives, in threads whose number is not a multiple of `skipped`.
fn kernel<W: Word>(float: bool, [a, b]: [Given; 2], skipped: i32) -> Build {
    let ty = if float { W::FLOAT } else { W::INTEGER };
    let threads = pairs::<W>().len() as i32;
    let mut k = Build::new();
    let out = k.pointer("out");
    let buffers = [k.pointer("a"), k.pointer("b")];
    let scalars = [k.param("x", ParamKind::Scalar(ty)), k.param("y", ParamKind::Scalar(ty))];
    let t = k.tid();
    let rest = k.op(RemU, t, i32(skipped));
    let part = k.cmp(Ne, rest, i32(0));
    k.branch(part, |k| {
        let mut operand = |n: usize, from| match from {
            Given::Lanes => k.load(ty, buffers[n], t),
            Given::Parameter => scalars[n],
        };
        let (a, b) = (operand(0, a), operand(1, b));
        let mut place = 0;
        let mut store = |k: &mut Build, ty: ElementType, value: Operand| {
            let at = k.add(t, i32(place * threads));
            k.store(ty, out, at, value);
            place += 1;
        };
        for op in operations(float) {
            // What would divide by zero divides by one.
            let mut divisor = b;
            if op.divides() {
                let zero: Operand = number::<W>(0).constant(false).into();
                let one: Operand = number::<W>(1).constant(false).into();
                let is_zero = k.cmp(Eq, b, zero);
                let safe = k.reg(ty.register());
                k.emit(InstKind::Select { dst: safe, condition: is_zero, on_true: one, on_false: b });
                divisor = safe.into();
            }
            let value = k.op(*op, a, divisor);
            store(k, ty, value);
        }
        for op in orders(float) {
            let holds = k.cmp(*op, a, b);
            let bit = k.reg(Type::I32);
            k.emit(InstKind::Convert { dst: bit, op: Conversion::BoolToI32, src: holds });
            let word = if W::INTEGER == ElementType::I64 {
                let wide = k.reg(Type::I64);
                k.emit(InstKind::Convert { dst: wide, op: Conversion::ZeroExtend, src: bit.into() });
                wide
            } else {
                bit
            };
            store(k, W::INTEGER, word.into());
        }
    });
    k
}

/// A small number.
fn number<W: Word>(n: u32) -> W {
    W::of(&[n, 0])[0]
}

fn operations(float: bool) -> &'static [BinaryOp] {
    if float { &FLOATS } else { &INTEGERS }
}

fn orders(float: bool) -> &'static [CompareOp] {
    if float { &FLOAT_ORDERS } else { &INTEGER_ORDERS }
}

/// Runs it with such operands and compares all that it stores; `scalars` are the parameters.
fn check<W: Word>(float: bool, from: [Given; 2], skipped: i32, scalars: [W; 2]) {
    let pairs = pairs::<W>();
    let (ops, orders) = (operations(float), orders(float));
    let mut d = Device::new(kernel::<W>(float, from, skipped));
    let mut buffer = |side: fn(&(W, W)) -> W| -> BufferId {
        d.words(&pairs.iter().flat_map(|pair| side(pair).words()).collect::<Vec<_>>())
    };
    let (a, b) = (buffer(|pair| pair.0), buffer(|pair| pair.1));
    let results = ops.len() + orders.len();
    let out = d.words(&vec![0x5555_5555; results * pairs.len() * size_of::<W>() / 4]);
    let [x, y] = scalars.map(|scalar| scalar.constant(float));
    d.run(1, pairs.len() as u32, &[ptr(out), ptr(a), ptr(b), x, y]).unwrap();
    let got = W::of(&d.read(out));
    let untouched = W::of(&[0x5555_5555; 2])[0];
    for (t, pair) in pairs.iter().enumerate() {
        let a = if from[0] == Given::Lanes { pair.0 } else { scalars[0] };
        let b = if from[1] == Given::Lanes { pair.1 } else { scalars[1] };
        let mut want: Vec<(String, W)> = Vec::new();
        for op in ops {
            let divisor = if op.divides() && b == number(0) { number(1) } else { b };
            want.push((format!("{op:?}"), W::binary(*op, float, a, divisor)));
        }
        for op in orders {
            let holds = W::holds(*op, float, a, b);
            want.push((format!("{op:?}"), number(u32::from(holds))));
        }
        for (place, (op, want)) in want.into_iter().enumerate() {
            let want = if t as i32 % skipped == 0 { untouched } else { want };
            let got = got[place * pairs.len() + t];
            assert!(got == want, "{op} of {a:x} and {b:x} ({from:?}, thread {t}): {got:x}, not {want:x}");
        }
    }
}

/// All shapes of operands; each edge is the parameter once.
fn check_all<W: Word>(float: bool) {
    use Given::*;
    // Every thread, but for the first.
    check::<W>(float, [Lanes, Lanes], i32::MAX, [W::EDGES[0]; 2]);
    check::<W>(float, [Lanes, Lanes], 3, [W::EDGES[0]; 2]);
    for (n, edge) in W::EDGES.iter().enumerate() {
        let other = W::EDGES[(n * 5 + 2) % W::EDGES.len()];
        check::<W>(float, [Lanes, Parameter], 3, [other, *edge]);
        check::<W>(float, [Parameter, Lanes], i32::MAX, [*edge, other]);
        check::<W>(float, [Parameter, Parameter], 3, [*edge, other]);
    }
}

#[test]
fn integers_of_32_bits_at_their_edges() {
    check_all::<u32>(false);
}

#[test]
fn floats_at_their_edges() {
    check_all::<u32>(true);
}

#[test]
fn integers_of_64_bits_at_their_edges() {
    check_all::<u64>(false);
}

#[test]
fn doubles_at_their_edges() {
    check_all::<u64>(true);
}
