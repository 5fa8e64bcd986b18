//! Makes kernels of sums of products: unrolled multiply-adds whose factors come from shared, constant and global memory, from
//! registers and from words that were loaded before, with all that may stand between.
//!
//! Threads keep to words of their own where they write: the upper half of the tile, and a column of `work` and `out`.

use crate::generate::{INPUT, PART, Program, Random, TILE};
use crate::support::*;
use simt_ir::{
    Address, AtomicOp, Axis, BinaryOp, Block, Cache, CompareOp, Constant, Conversion, Global, GlobalSpace,
    Index, IndexKind, InstKind, Location, Memory, Node, Object, Operand, Reg, Special, Type,
};

/// Words of a row of `work` and `out`: argument `n`.
const ROW: u32 = 256;
/// Argument `m`.
const SHORT_ROW: u32 = 16;
const TABLE: u32 = 256;
/// A length of rows of which four are one word, modulo 2^32: another argument.
pub(crate) const AROUND: i32 = 0x4000_0001;

/// Where factors come from.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Input,
    Table,
    Tile,
    /// The thread's own words of the tile.
    Own,
    /// Its own column of `work`.
    Work,
    /// One of the first three, which is known only when the kernel runs.
    Any,
}

/// How the address of a source's word depends on the number of the word.
#[derive(Clone, Copy)]
enum Form {
    Offset,
    Sum,
    Difference,
    /// There and back around 2^32.
    Around(i32),
    /// `(y + c) * n + x`, in one of several ways.
    Rows(u32),
    Pointer,
    /// A 64-bit index.
    Wide,
}

/// A source of factors: words at steps from one place.
#[derive(Clone, Copy)]
struct Source {
    place: Place,
    form: Form,
    base: Operand,
    index: Operand,
    /// For rows: the first, and how long they are.
    row: Operand,
    length: (Operand, u32),
    kind: IndexKind,
    /// Words from one to the next.
    step: u32,
}

struct Sums {
    b: Build,
    random: Random,
    input: Operand,
    out: Operand,
    work: Operand,
    tile: Operand,
    table: Operand,
    n: Operand,
    m: Operand,
    around: Operand,
    linear: Operand,
    block: Operand,
    /// Where the block's part of `work` and `out` begins.
    part: Operand,
    /// A thread's values below 256.
    places: Vec<Operand>,
    /// A warp's values below 64, if they are masked.
    shared_values: Vec<Operand>,
    sums: Vec<Reg>,
    /// Loaded words that live on.
    kept: Vec<Reg>,
    /// The same, of words that a whole warp shares.
    kept_by_all: Vec<Reg>,
    wild: bool,
    atomics: bool,
}

impl Sums {
    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.random.below(list.len() as u32) as usize]
    }

    fn small(&mut self) -> Operand {
        let v = self.pick(&self.shared_values.clone());
        self.b.op(BinaryOp::And, v, i32(63))
    }

    /// The part of an index that is a thread's, below `limit`.
    fn place(&mut self, limit: u32) -> Operand {
        let v = self.pick(&self.places.clone());
        let v = match self.random.below(6) {
            0 => self.b.op(BinaryOp::Sub, i32(255), v),
            1 => self.b.op(BinaryOp::ShrU, v, i32(2)),
            2 => self.b.mul(v, i32(3)),
            3 => return i32(0),
            _ => v,
        };
        self.b.op(BinaryOp::And, v, i32(limit as i32 - 1))
    }

    fn source(&mut self) -> Source {
        use Place::*;
        let place = [Input, Input, Table, Table, Tile, Tile, Tile, Own, Work, Work, Any];
        let place = self.pick(&place);
        let (base, limit) = match place {
            Input => (self.input, 256),
            Table => (self.table, 64),
            Tile | Own => (self.tile, 256),
            Any => (self.any(), 64),
            Work => (self.work, 256),
        };
        let kind = self.pick(&[IndexKind::Signed32, IndexKind::Signed32, IndexKind::Unsigned32]);
        let small = self.small();
        let index = match place {
            Own => {
                let twice = self.b.mul(self.linear, i32(2));
                self.b.add(twice, i32(TILE as i32 / 2))
            }
            Work => self.b.add(self.part, self.linear),
            _ => match self.random.below(4) {
                0 => small,
                1 => self.place(limit),
                _ => {
                    let place = self.place(limit);
                    self.b.add(small, place)
                }
            },
        };
        let form = match (place, self.random.below(9)) {
            (Own, 0..4) | (_, 0) => Form::Offset,
            (Own, 4..7) | (_, 1 | 2) => Form::Sum,
            (_, 3) => Form::Difference,
            (_, 4) => Form::Around([0x7fff_fff0, i32::MIN, -5, 1 << 30][self.random.below(4) as usize]),
            (_, 5) | (Own, _) => Form::Pointer,
            (_, 6) if self.random.one_in(4) => Form::Wide,
            (_, 7) if place != Work && self.random.one_in(4) => Form::Rows(6),
            (_, way) => Form::Rows(way - 6 + 3 * self.random.below(2)),
        };
        let row = self.b.op(BinaryOp::And, small, i32(3));
        let (length, step) = match place {
            Input | Work => ((self.n, ROW), ROW),
            _ => ((self.m, SHORT_ROW), SHORT_ROW),
        };
        let step = match place {
            Own => 1,
            Work => step,
            _ => self.pick(&[1, 1, 2, 5, 16]),
        };
        let mut source = Source { place, form, base, index, row, length, kind, step };
        if matches!(form, Form::Rows(_)) && place != Work {
            source.index = self.place(limit);
        }
        if matches!(form, Form::Pointer) {
            let dst = self.b.reg(Type::Ptr);
            let address = self.b.at(base, index, 4);
            self.b.emit(InstKind::Offset { dst, address });
            source.base = dst.into();
        }
        if matches!(form, Form::Wide) {
            let dst = self.b.reg(Type::I64);
            self.b.emit(InstKind::Convert { dst, op: Conversion::SignExtend, src: source.index });
            (source.index, source.kind) = (dst.into(), IndexKind::Wide);
        }
        source
    }

    /// A pointer that is chosen by a warp's value, or by each lane's.
    fn any(&mut self) -> Operand {
        let both = self.pick(&[[self.input, self.table], [self.tile, self.input], [self.table, self.tile]]);
        let base = self.b.var(Type::Ptr, both[0]);
        let value = match self.random.below(3) {
            0 => self.pick(&self.places.clone()),
            _ => self.small(),
        };
        let odd = self.b.op(BinaryOp::And, value, i32(1));
        let odd = self.b.cmp(CompareOp::Ne, odd, i32(0));
        self.b.branch(odd, |b| b.copy(base, both[1]));
        base.into()
    }

    /// The address of word `c` of a source, `c` at most 7.
    fn address(&mut self, s: &Source, c: u32) -> Address {
        let c = if s.place == Place::Own { c % 2 } else { c };
        let mut step = (c * s.step) as i32;
        if self.wild && self.random.one_in(60) {
            let size = match s.place {
                Place::Input => INPUT,
                Place::Table | Place::Any => TABLE,
                Place::Tile | Place::Own => TILE,
                Place::Work => PART,
            };
            let near = size as i32 - self.random.below(300) as i32;
            step = self.pick(&[
                -1000,
                100_000,
                i32::MIN,
                0x7fff_ff00,
                0x3fff_ffff,
                -(1 << 30),
                near,
                near,
                near,
            ]);
        }
        let by = |value: Operand, offset: i64| Address {
            base: s.base,
            index: Some(Index { value, kind: s.kind, scale: 4 }),
            offset,
        };
        match s.form {
            Form::Wide if step % 3 == 0 => {
                let step = Operand::from(Constant::I64(i64::from(step) as u64));
                let index = self.b.add(s.index, step);
                by(index, 0)
            }
            Form::Offset | Form::Wide => by(s.index, i64::from(step) * 4),
            Form::Sum => {
                let index = self.b.add(s.index, i32(step));
                by(index, 0)
            }
            Form::Difference => {
                let index = self.b.op(BinaryOp::Sub, s.index, i32(step.wrapping_neg()));
                by(index, 0)
            }
            Form::Around(far) => {
                let there = self.b.add(s.index, i32(far));
                let back = self.b.op(BinaryOp::Sub, there, i32(far.wrapping_sub(step)));
                by(back, 0)
            }
            Form::Pointer => Address { base: s.base, index: None, offset: i64::from(step) * 4 },
            Form::Rows(way) => {
                let (length, words) = s.length;
                let (row, c) = (s.row, i32(c as i32));
                let start = match way {
                    0 | 1 => {
                        let row = if way == 0 { self.b.add(row, c) } else { self.b.add(c, row) };
                        self.b.mul(row, length)
                    }
                    2 => {
                        let first = self.b.mul(length, row);
                        let more = self.b.mul(c, length);
                        self.b.add(first, more)
                    }
                    3 => {
                        let row = self.b.add(row, c);
                        self.b.op(BinaryOp::Shl, row, i32(words.trailing_zeros() as i32))
                    }
                    4 => {
                        let less = self.b.op(BinaryOp::Sub, i32(20), c);
                        let row = self.b.op(BinaryOp::Sub, row, less);
                        let start = self.b.mul(row, length);
                        let back = self.b.mul(length, i32(20));
                        self.b.add(start, back)
                    }
                    5 => {
                        let row = self.b.add(row, c);
                        self.b.mul(row, i32(words as i32))
                    }
                    _ => {
                        let row = self.b.add(row, c);
                        let four = self.b.mul(row, i32(4));
                        self.b.mul(four, self.around)
                    }
                };
                let index = self.b.add(start, s.index);
                by(index, 0)
            }
        }
    }

    /// Loads a word; where to is new, or a register that lives on.
    fn load(&mut self, s: &Source, c: u32) -> Operand {
        let dst = match self.random.below(8) {
            0 => self.pick(&self.kept.clone()),
            1 if s.index == i32(0) || self.random.one_in(3) => self.pick(&self.kept_by_all.clone()),
            _ => self.b.reg(Type::F32),
        };
        let address = self.address(s, c);
        let mut dst = vec![dst];
        if matches!(s.place, Place::Input | Place::Tile) && self.random.one_in(25) && !self.wild {
            // Two words at once, at an even place.
            if matches!(s.form, Form::Wide) {
                return f32(0.5);
            }
            let index = self.b.op(BinaryOp::And, s.index, i32(-2));
            let index = Some(Index { value: index, kind: s.kind, scale: 4 });
            let base = if s.place == Place::Input { self.input } else { self.tile };
            dst.push(self.b.reg(Type::F32));
            let address = Address { base, index, offset: i64::from(c) * 8 };
            self.b.emit(InstKind::Load { dst: dst.clone(), ty: Memory::F32, address, cache: Cache::Default });
            return dst[1].into();
        }
        self.b.emit(InstKind::Load { dst: dst.clone(), ty: Memory::F32, address, cache: Cache::Default });
        dst[0].into()
    }

    fn factor(&mut self, sources: &[Source], ready: &mut Vec<Operand>) -> Operand {
        match self.random.below(20) {
            0 => f32([1.5, -0.0, f32::NAN, f32::MIN_POSITIVE][self.random.below(4) as usize]),
            1 => self.pick(&self.kept.clone()).into(),
            2 => self.pick(&self.kept_by_all.clone()).into(),
            3 if !ready.is_empty() => self.pick(&ready.clone()),
            4 => self.pick(&self.sums.clone()).into(),
            5..12 if !ready.is_empty() => ready.remove(self.random.below(ready.len() as u32) as usize),
            _ => {
                let (source, c) = (self.pick(sources), self.random.below(8));
                let loaded = self.load(&source, c);
                if self.random.one_in(12) {
                    ready.push(loaded);
                }
                loaded
            }
        }
    }

    /// A sum of products, or two in turn.
    fn sum(&mut self) {
        let most = if self.random.one_in(3) { 6 } else { 3 };
        let count = 1 + self.random.below(most);
        let sources: Vec<Source> = (0..count).map(|_| self.source()).collect();
        // What leads the groups, so that all that follows are members.
        let lead = 7 * self.random.below(2);
        for source in sources.clone() {
            if self.random.one_in(2) {
                self.load(&source, lead);
            }
        }
        let mut ready = Vec::new();
        if self.random.one_in(3) {
            for _ in 0..self.random.below(8) {
                let (source, c) = (self.pick(&sources), self.random.below(8));
                ready.push(self.load(&source, c));
            }
        }
        let mut sums = vec![self.pick(&self.sums.clone())];
        if self.random.one_in(4) {
            sums.push(self.pick(&self.sums.clone()));
        }
        let single = self.random.one_in(6);
        let mut starts: Vec<Operand> = sums.iter().map(|sum| (*sum).into()).collect();
        if self.random.one_in(4) {
            starts[0] = self.factor(&sources, &mut ready);
        }
        for step in 0..2 + self.random.below(14) as usize {
            let (a, b) = (self.factor(&sources, &mut ready), self.factor(&sources, &mut ready));
            let at = step % sums.len();
            // Each value in a register of its own, or all in one.
            let dst = if single { self.b.reg(Type::F32) } else { sums[at] };
            self.b.fma(dst, a, b, starts[at]);
            starts[at] = dst.into();
            match self.random.below(40) {
                0 => {
                    let to = self.pick(&self.kept.clone());
                    self.b.copy(to, starts[at]);
                }
                1 | 2 => self.interrupt(starts[at]),
                3 | 4 => {
                    // Nobody needs it.
                    let (source, c) = (self.pick(&sources), self.random.below(8));
                    self.load(&source, c);
                }
                _ => {}
            }
        }
        for (sum, last) in sums.into_iter().zip(starts) {
            self.b.copy(sum, last);
        }
    }

    /// A word of the thread's own: of the tile, of `work`, or of `out`.
    fn own_word(&mut self) -> Address {
        match self.random.below(5) {
            0 | 1 => {
                let twice = self.b.mul(self.linear, i32(2));
                let index = self.b.add(twice, i32(TILE as i32 / 2));
                Address { offset: i64::from(4 * self.random.below(2)), ..self.b.at(self.tile, index, 4) }
            }
            k => {
                let base = if k == 4 { self.out } else { self.work };
                let row = i32(self.random.below(8) as i32);
                let start = self.b.mul(row, self.n);
                let column = self.b.add(self.part, self.linear);
                let index = self.b.add(start, column);
                self.b.at(base, index, 4)
            }
        }
    }

    fn store(&mut self, value: Operand) {
        let address = self.own_word();
        let src = vec![value];
        self.b.emit(InstKind::Store { src, ty: Memory::F32, address, volatile: false });
        if self.wild && self.random.one_in(15) {
            // What another block writes, or nobody has written.
            let (base, index) = (self.pick(&[self.work, self.out]), self.pick(&[self.linear, self.part]));
            let dst = self.pick(&self.kept.clone());
            let address = self.b.at(base, index, 4);
            self.b.emit(InstKind::Load { dst: vec![dst], ty: Memory::F32, address, cache: Cache::Default });
        }
    }

    /// What may stand between the products.
    fn interrupt(&mut self, value: Operand) {
        match self.random.below(6) {
            0 => {
                self.b.emit(InstKind::Fence);
            }
            1 if self.atomics => {
                let column = self.b.add(self.part, self.linear);
                let address = self.b.at(self.work, column, 4);
                let (dst, compare, value) = (None, None, self.linear);
                let (op, ty) = (AtomicOp::Add, Memory::I32);
                self.b.emit(InstKind::Atomic { dst, op, ty, address, value, compare });
            }
            2 if self.atomics => {
                let twice = self.b.mul(self.linear, i32(2));
                let index = self.b.add(twice, i32(TILE as i32 / 2));
                let address = self.b.at(self.tile, index, 4);
                let (dst, compare, value) = (None, None, self.linear);
                let (op, ty) = (AtomicOp::Add, Memory::I32);
                self.b.emit(InstKind::Atomic { dst, op, ty, address, value, compare });
            }
            _ => self.store(value),
        }
    }

    fn inside(&mut self, f: impl FnOnce(&mut Sums)) -> Block {
        self.b.open();
        let (all, each) = (self.shared_values.len(), self.places.len());
        f(self);
        self.shared_values.truncate(all);
        self.places.truncate(each);
        self.b.close()
    }

    fn condition(&mut self) -> Operand {
        let (lhs, rhs) = match self.random.below(3) {
            0 => (self.small(), i32(self.random.below(20) as i32)),
            1 => {
                let v = self.pick(&self.places.clone());
                (self.b.op(BinaryOp::And, v, i32(5)), i32(self.random.below(3) as i32))
            }
            _ => (self.pick(&self.places.clone()), i32(self.random.below(200) as i32)),
        };
        let op = self.pick(&[CompareOp::LtS, CompareOp::Ne, CompareOp::LeU]);
        self.b.cmp(op, lhs, rhs)
    }

    fn nodes(&mut self, depth: u32) {
        for _ in 0..1 + self.random.below(3) {
            match if depth == 0 { 9 } else { self.random.below(10) } {
                0 | 1 => {
                    let (condition, location) = (self.condition(), self.b.location());
                    let then = self.inside(|g| g.nodes(depth - 1));
                    let otherwise = self.inside(|g| {
                        if g.random.one_in(2) {
                            g.nodes(depth - 1)
                        }
                    });
                    self.b.node(Node::If { condition, then, otherwise, location });
                }
                2 | 3 => self.repeat(depth),
                4 => {
                    let value = self.pick(&self.sums.clone()).into();
                    self.interrupt(value);
                }
                _ => self.sum(),
            }
        }
    }

    /// A loop of a few rounds, the same number for all threads or not.
    fn repeat(&mut self, depth: u32) {
        let (label, location) = (self.b.label(), self.b.location());
        let i = self.b.var(Type::I32, i32(0));
        let condition = self.b.reg(Type::Bool);
        let uniform = self.random.one_in(2);
        let rounds = match uniform {
            true => i32(1 + self.random.below(4) as i32),
            false => self.b.op(BinaryOp::And, self.linear, i32(3)),
        };
        let header = self.inside(|g| {
            let kind = InstKind::Compare {
                dst: condition,
                op: CompareOp::LtS,
                ty: Type::I32,
                lhs: i.into(),
                rhs: rounds,
            };
            g.b.emit(kind);
        });
        let body = self.inside(|g| {
            if uniform {
                g.shared_values.push(i.into());
            }
            g.nodes(depth - 1);
        });
        let step = self.inside(|g| {
            g.b.emit(InstKind::Binary { dst: i, op: BinaryOp::Add, lhs: i.into(), rhs: i32(1) });
        });
        let condition = Some(condition.into());
        self.b.node(Node::Loop { label, header, condition, body, step, unroll: None, location });
    }

    /// Gives each word of the tile a value, and each register.
    fn begin(&mut self, threads: u32) {
        for k in 0..TILE.div_ceil(threads) {
            let at = self.b.add(self.linear, i32((k * threads) as i32));
            let fits = self.b.cmp(CompareOp::LtS, at, i32(TILE as i32));
            let (tile, input) = (self.tile, self.input);
            self.b.branch(fits, |b| {
                let value = b.load(Memory::F32, input, at);
                b.store(Memory::F32, tile, at, value);
            });
        }
        self.b.barrier();
        for k in 0..4 {
            let start = self.b.load(Memory::F32, self.input, self.linear);
            self.b.copy(self.sums[k], start);
            self.b.copy(self.kept[k], start);
            let of_all = self.b.load(Memory::F32, self.input, self.block);
            self.b.copy(self.kept_by_all[k], of_all);
        }
    }

    /// Writes what each thread has.
    fn finish(&mut self) {
        let column = self.b.add(self.part, self.linear);
        let values = [&self.sums[..], &self.kept, &self.kept_by_all].concat();
        for (k, value) in (4i32..).zip(values) {
            let row = self.b.mul(i32(k), self.n);
            let at = self.b.add(row, column);
            self.b.store(Memory::F32, self.out, at, value.into());
        }
    }
}

/// Words that are mostly small numbers; of every third list some are none, infinite or denormal.
fn numbers(count: u32, random: &mut Random) -> Vec<u32> {
    let odd = random.one_in(3);
    let one = |random: &mut Random| {
        if odd && random.one_in(40) {
            let special =
                [0x7fc0_1234, 0x7f80_0001, 0xffc0_0000, 0x7f80_0000, 0xff80_0000, 1, 0x807f_ffff, 1 << 31];
            return special[random.below(8) as usize];
        }
        if odd && random.one_in(40) {
            return random.below(u32::MAX);
        }
        ((random.below(2001) as f32 - 1000.0) / 512.0).to_bits()
    };
    (0..count).map(|_| one(random)).collect()
}

pub(crate) fn generate(seed: u64) -> Program {
    let mut random = Random(seed ^ 0x5eed);
    let block =
        [[32, 1, 1], [64, 1, 1], [80, 1, 1], [16, 8, 1], [8, 4, 3], [16, 16, 1], [33, 3, 1], [7, 5, 2]]
            [random.below(8) as usize];
    let grid = 1 + random.below(3);
    let threads: u32 = block.iter().product();
    let (wild, atomics) = (random.one_in(3), random.one_in(8));
    let (input, work) = (numbers(INPUT, &mut random), numbers(PART * grid, &mut random));
    let mut b = Build::new();
    let initial = numbers(TABLE, &mut random).into_iter().flat_map(u32::to_le_bytes).collect();
    b.module.globals.push(Global {
        name: "table".into(),
        space: GlobalSpace::Constant,
        bytes: u64::from(TABLE) * 4,
        align: 16,
        initial,
        location: Location(0),
    });
    let (source, out) = (b.pointer("in"), b.pointer("out"));
    let (n, m) = (b.int("n"), b.int("m"));
    let worked = b.pointer("work");
    let around = b.int("around");
    let tile = b.shared("tile", TILE * 4);
    let table = b.reg(Type::Ptr);
    b.emit(InstKind::AddressOf { dst: table, object: Object::Global(0) });
    let axis = |b: &mut Build, a| b.special(Special::ThreadIdx(a));
    let (x, y, z) = (axis(&mut b, Axis::X), axis(&mut b, Axis::Y), axis(&mut b, Axis::Z));
    let dim = |b: &mut Build, a| b.special(Special::BlockDim(a));
    let (dx, dy) = (dim(&mut b, Axis::X), dim(&mut b, Axis::Y));
    let rows = b.mul(z, dy);
    let row = b.add(rows, y);
    let start = b.mul(row, dx);
    let linear = b.add(start, x);
    let block_index = b.block_x();
    let part = b.mul(block_index, i32(PART as i32));
    let loaded = b.load(Memory::I32, source, linear);
    let unknown = b.op(BinaryOp::And, loaded, i32(127));
    let mut registers = || (0..4).map(|_| b.reg(Type::F32)).collect::<Vec<_>>();
    let (sums, kept, kept_by_all) = (registers(), registers(), registers());
    let mut g = Sums {
        b,
        random,
        input: source,
        out,
        work: worked,
        tile,
        table: table.into(),
        n,
        m,
        around,
        linear,
        block: block_index,
        part,
        places: vec![linear, linear, x, y, unknown],
        shared_values: vec![block_index, m, y],
        sums,
        kept,
        kept_by_all,
        wild,
        atomics,
    };
    g.begin(threads);
    for _ in 0..1 + g.random.below(3) {
        g.nodes(2);
        g.b.barrier();
    }
    if g.random.one_in(4) {
        let condition = g.condition();
        g.b.branch(condition, |b| b.node(Node::Return));
    }
    g.nodes(1);
    g.finish();
    let arguments = [ROW as i32, SHORT_ROW as i32];
    Program { module: g.b.module(), grid, block, arguments, input, work: Some(work) }
}
