//! Makes kernels of sums of products: unrolled multiply-adds whose factors come from shared, constant and global memory, from
//! registers and from words that were loaded before, with all that may stand between.
//!
//! Threads keep to words of their own where they write: the upper half of the tile, and a column of `work` and `out`.

use super::generate::{INPUT, PART, Program, TILE};
use super::sources::Source;
use crate::support::*;
use simt_ir::{
    AccessOrder, Address, AsyncOp, AtomicOp, Axis, BinaryOp, CacheOp, CompareOp, ElementType, Global,
    GlobalIndex, GlobalSpace, InstKind, Location, Node, ObjectPart, Operand, Reg, Region, ScopedOrder,
    Special, Type, VariableRef,
};

/// Words of a row of `work` and `out`: argument `n`.
pub(crate) const ROW: u32 = 256;
/// Argument `m`.
pub(crate) const SHORT_ROW: u32 = 16;
pub(crate) const TABLE: u32 = 256;
/// A length of rows of which four are one word, modulo 2^32: another argument.
pub(crate) const AROUND: i32 = 0x4000_0001;

pub(crate) struct Sums {
    pub(crate) b: Build,
    pub(crate) random: Random,
    pub(crate) input: Operand,
    pub(crate) out: Operand,
    pub(crate) work: Operand,
    pub(crate) tile: Operand,
    /// A word a thread, for asynchronous copies, if there are any.
    pub(crate) staged: Option<Operand>,
    pub(crate) table: Operand,
    pub(crate) n: Operand,
    pub(crate) m: Operand,
    pub(crate) around: Operand,
    pub(crate) linear: Operand,
    pub(crate) block: Operand,
    /// Where the block's part of `work` and `out` begins.
    pub(crate) part: Operand,
    /// A thread's values below 256.
    pub(crate) places: Vec<Operand>,
    /// A warp's values below 64, if they are masked.
    pub(crate) shared_values: Vec<Operand>,
    pub(crate) sums: Vec<Reg>,
    /// Loaded words that live on.
    pub(crate) kept: Vec<Reg>,
    /// The same, of words that a whole warp shares.
    pub(crate) kept_by_all: Vec<Reg>,
    pub(crate) wild: bool,
    pub(crate) atomics: bool,
}

impl Sums {
    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.random.below(list.len() as u32) as usize]
    }

    pub(crate) fn small(&mut self) -> Operand {
        let v = self.pick(&self.shared_values.clone());
        self.b.op(BinaryOp::And, v, i32(63))
    }

    /// The part of an index that is a thread's, below `limit`.
    pub(crate) fn place(&mut self, limit: u32) -> Operand {
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
        // What lies before or after all that follows.
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
        self.b.emit(InstKind::Store {
            src: src.into(),
            ty: ElementType::F32,
            address,
            order: AccessOrder::Weak,
            part: ObjectPart::Whole,
        });
        if self.wild && self.random.one_in(15) {
            // What another block may write, or nobody has written.
            let (base, index) = (self.pick(&[self.work, self.out]), self.linear);
            let dst = self.pick(&self.kept.clone());
            let address = self.b.at(base, index, 4);
            self.b.emit(InstKind::Load {
                dst: vec![dst].into(),
                ty: ElementType::F32,
                address,
                order: AccessOrder::Weak,
                cache: CacheOp::Default,
                part: ObjectPart::Whole,
            });
        }
    }

    /// What may stand between the products.
    fn interrupt(&mut self, value: Operand) {
        match self.random.below(6) {
            0 => {
                self.b.fence();
            }
            3 | 4 if self.staged.is_some() => {
                // A copy that is under way for some time, or the end of it.
                self.wait();
                if self.random.one_in(2) {
                    self.copy();
                }
            }
            1 if self.atomics => {
                let column = self.b.add(self.part, self.linear);
                let address = self.b.at(self.work, column, 4);
                let (dst, compare, value) = (None, None, self.linear);
                let (op, ty) = (AtomicOp::Add, ElementType::I32);
                self.b.emit(InstKind::Atomic {
                    dst,
                    op,
                    ty,
                    address,
                    value,
                    compare,
                    order: ScopedOrder::RELAXED_DEVICE,
                });
            }
            2 if self.atomics => {
                let twice = self.b.mul(self.linear, i32(2));
                let index = self.b.add(twice, i32(TILE as i32 / 2));
                let address = self.b.at(self.tile, index, 4);
                let (dst, compare, value) = (None, None, self.linear);
                let (op, ty) = (AtomicOp::Add, ElementType::I32);
                self.b.emit(InstKind::Atomic {
                    dst,
                    op,
                    ty,
                    address,
                    value,
                    compare,
                    order: ScopedOrder::RELAXED_DEVICE,
                });
            }
            _ => self.store(value),
        }
    }

    /// Waits for the thread's copy.
    fn wait(&mut self) {
        self.b.emit(InstKind::Async { dst: None, op: AsyncOp::Wait, args: vec![i32(0)].into() });
    }

    fn copy(&mut self) {
        let Some(staged) = self.staged else { return };
        let to = self.b.at(staged, self.linear, 4);
        let place = self.place(256);
        let from = self.b.at(self.input, place, 4);
        self.b.emit(InstKind::AsyncCopy { to, from, bytes: 4, used: i32(4) });
        self.b.emit(InstKind::Async { dst: None, op: AsyncOp::Commit, args: vec![].into() });
    }

    fn inside(&mut self, f: impl FnOnce(&mut Sums)) -> Region {
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
                let value = b.load(ElementType::F32, input, at);
                b.store(ElementType::F32, tile, at, value);
            });
        }
        self.b.barrier();
        self.copy();
        for k in 0..4 {
            let start = self.b.load(ElementType::F32, self.input, self.linear);
            self.b.copy(self.sums[k], start);
            self.b.copy(self.kept[k], start);
            let of_all = self.b.load(ElementType::F32, self.input, self.block);
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
            self.b.store(ElementType::F32, self.out, at, value.into());
        }
        if let Some(staged) = self.staged {
            self.wait();
            let copied = self.b.load(ElementType::F32, staged, self.linear);
            self.b.store(ElementType::F32, self.out, column, copied);
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
    let (wild, atomics, copies) = (random.one_in(3), random.one_in(8), random.one_in(6));
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
    let staged = copies.then(|| b.shared("staged", ROW * 4));
    let table = b.reg(Type::Ptr);
    b.emit(InstKind::AddressOf { dst: table, variable: VariableRef::Global(GlobalIndex(0)) });
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
    let loaded = b.load(ElementType::I32, source, linear);
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
        staged,
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
