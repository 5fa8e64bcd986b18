//! Makes the kernels.

use crate::support::*;
use simt_ir::{
    AccessOrder, Address, AtomicOp, Axis, BinaryOp, CacheOp, CompareOp, Constant, Conversion, ElementType,
    Index, IndexKind, InstKind, Module, Node, ObjectPart, Operand, Reg, Region, ScopedOrder, Special, Type,
};

/// Words of the shared tile, of the input, and of each block's part of the output.
pub(crate) const TILE: u32 = 1024;
pub(crate) const INPUT: u32 = 4096;
pub(crate) const PART: u32 = 4096;
const ARGUMENTS: [i32; 2] = [7, 3];

/// A generated kernel and the shape it is launched with.
pub(crate) struct Program {
    pub(crate) module: Module,
    pub(crate) grid: u32,
    pub(crate) block: [u32; 3],
    /// Arguments `n` and `m`.
    pub(crate) arguments: [i32; 2],
    /// What the kernel only reads, and what it reads and writes, if it does.
    pub(crate) input: Vec<u32>,
    pub(crate) work: Option<Vec<u32>>,
}

struct Generate {
    b: Build,
    random: Random,
    tile: Operand,
    input: Operand,
    out: Operand,
    /// Values that the warp shares and that are known only at run time: block index, loop counters, loaded words.
    shared_values: Vec<Operand>,
    /// Values of each thread: place in the block, and what was made of it.
    thread_values: Vec<Operand>,
    /// What stores write.
    data: Vec<Reg>,
    linear: Operand,
    threads: u32,
    block_start: Operand,
    /// Whether to leave the rules.
    wild: bool,
}

impl Generate {
    fn pick(&mut self, values: &[Operand]) -> Operand {
        values[self.random.below(values.len() as u32) as usize]
    }

    /// A thread's place in its block, in one way or another.
    fn place(&mut self) -> Operand {
        self.thread_values[self.random.below(4) as usize]
    }

    fn constant(&mut self) -> Operand {
        match self.random.below(6) {
            0 => i32(-1 - self.random.below(70) as i32),
            1 => i32([0x7fff_ff00, i32::MIN, -0x1000, 0x10000][self.random.below(4) as usize]),
            _ => i32(self.random.below(40) as i32),
        }
    }

    /// Any value: of a thread's place, a warp's, or both.
    fn value(&mut self, depth: u32) -> Operand {
        if depth == 0 || self.random.one_in(5) {
            return match self.random.below(8) {
                0 => self.constant(),
                1 | 2 => self.pick(&self.shared_values.clone()),
                _ => self.pick(&self.thread_values.clone()),
            };
        }
        let lhs = self.value(depth - 1);
        use BinaryOp::*;
        let (op, rhs) = match self.random.below(10) {
            0 => {
                let op = [DivS, DivU, RemS, RemU][self.random.below(4) as usize];
                (op, i32([1, 2, 3, 5, 8, 16, 33, -4][self.random.below(8) as usize]))
            }
            1 => ([Shl, ShrS, ShrU][self.random.below(3) as usize], i32(self.random.below(34) as i32)),
            2 => {
                let op = [And, Or, Xor, MinS, MaxS, MinU, MaxU][self.random.below(7) as usize];
                (op, self.value(depth - 1))
            }
            3 | 4 => (Mul, i32([1, 2, 3, 4, 5, 17, -1, -3, 32, 33][self.random.below(10) as usize])),
            5 => (Sub, self.value(depth - 1)),
            _ => (Add, self.value(depth - 1)),
        };
        self.b.op(op, lhs, rhs)
    }

    /// A warp's value between 0 and 63.
    fn small(&mut self) -> Operand {
        let v = self.pick(&self.shared_values.clone());
        self.b.op(BinaryOp::And, v, i32(63))
    }

    /// A thread's value, between 0 and `limit` without it, as patterns plus a warp's part where that can be.
    fn below(&mut self, limit: u32) -> Operand {
        if self.random.one_in(3) {
            let v = self.value(3);
            return self.b.op(BinaryOp::RemU, v, i32(limit as i32));
        }
        // Of a pattern alone, so that its size is bounded whatever a warp adds.
        let v = self.place();
        let k = i32([1, 1, 2, 3, 4, 5][self.random.below(6) as usize]);
        let mut v = self.b.mul(v, k);
        if self.random.one_in(2) {
            let op = [BinaryOp::Xor, BinaryOp::RemU, BinaryOp::And][self.random.below(3) as usize];
            let c = i32([1, 3, 5, 7, 16, 33][self.random.below(6) as usize]);
            v = self.b.op(op, v, c);
        }
        v = self.b.op(BinaryOp::And, v, i32(limit as i32 / 2 - 1));
        for _ in 0..self.random.below(3) {
            let small = self.small();
            v = match self.random.below(3) {
                0 => self.b.add(small, v),
                _ => self.b.add(v, small),
            };
        }
        if self.random.one_in(4) {
            // Around 2^32 and back.
            let far = i32([0x7fff_fff0, i32::MIN, -5, 1 << 30][self.random.below(4) as usize]);
            let there = self.b.add(v, far);
            v = self.b.op(BinaryOp::Sub, there, far);
        }
        v
    }

    /// An address of `count` elements of `ty` at element `index` of `base`, written in one of several ways.
    fn address(&mut self, base: Operand, index: Operand, bytes: u32) -> Address {
        let kind =
            [IndexKind::Signed32, IndexKind::Signed32, IndexKind::Unsigned32][self.random.below(3) as usize];
        let shift = match self.random.below(5) {
            0 => self.random.below(8),
            _ => 0,
        };
        match self.random.below(8) {
            // The index begins lower, the offset makes up for it.
            0 => {
                let value = self.b.op(BinaryOp::Sub, index, i32(shift as i32));
                let offset = i64::from(shift * bytes);
                Address {
                    base,
                    index: Some(Index { value, kind: IndexKind::Signed32, scale: bytes }),
                    offset,
                }
            }
            1 => {
                let value = self.b.add(index, i32(shift as i32));
                let offset = -i64::from(shift * bytes);
                Address { base, index: Some(Index { value, kind, scale: bytes }), offset }
            }
            // A pointer made before.
            2 => {
                let dst = self.b.reg(Type::Ptr);
                let address =
                    Address { base, index: Some(Index { value: index, kind, scale: bytes }), offset: 0 };
                self.b.emit(InstKind::Offset { dst, address });
                Address { base: dst.into(), index: None, offset: 0 }
            }
            3 => {
                let value = self.b.mul(index, i32(bytes as i32));
                Address { base, index: Some(Index { value, kind, scale: 1 }), offset: 0 }
            }
            _ => Address { base, index: Some(Index { value: index, kind, scale: bytes }), offset: 0 },
        }
    }

    /// Element type and number of elements of an access; whole words.
    fn shape(&mut self) -> (ElementType, u32) {
        match self.random.below(8) {
            0 => (ElementType::I32, 2),
            1 => (ElementType::I32, 4),
            2 => (ElementType::I64, 1),
            3 => (ElementType::I64, 2),
            4 => (ElementType::U8, 1),
            5 => (ElementType::U16, 1),
            _ => (ElementType::I32, 1),
        }
    }

    /// Adds what a load gives to a datum; often several loads one after the other, at constant distances.
    fn load(&mut self, base: Operand, words: u32) {
        let narrow = base == self.tile;
        let (ty, count) = match self.shape() {
            // Narrow elements make the checker go by bytes: rarely.
            (ElementType::U8 | ElementType::U16, _) if narrow && !self.random.one_in(8) => {
                (ElementType::I32, 1)
            }
            other => other,
        };
        let bytes = ty.bytes() * count;
        let around = self.random.one_in(3);
        let times = if around { 1 + self.random.below(4) } else { 1 };
        let limit = (words * 4 / bytes).saturating_sub(times * 8 + 130).max(8);
        let limit = 1 << (31 - limit.leading_zeros());
        let index = match self.wild && self.random.one_in(6) {
            true => self.value(3),
            false => self.below(limit),
        };
        let address = self.address(base, index, bytes);
        for k in 0..times {
            let offset = address.offset + i64::from(k * bytes * (1 + self.random.below(3)));
            let address = Address { offset, ..address };
            let dst: Vec<Reg> = (0..count).map(|_| self.b.reg(ty.register())).collect();
            self.b.emit(InstKind::Load {
                dst: dst.clone().into(),
                ty,
                address,
                order: AccessOrder::Weak,
                cache: CacheOp::Default,
                part: ObjectPart::Whole,
            });
            for (j, reg) in dst.into_iter().enumerate() {
                let word = self.word(reg.into(), ty);
                let to = self.data[(k as usize + j) % self.data.len()];
                let sum = self.b.op(BinaryOp::Xor, Operand::from(to), word);
                self.b.copy(to, sum);
            }
            if self.random.one_in(6) {
                // What changes the address in the middle of a group.
                let op = InstKind::Binary {
                    dst: self.data[0],
                    op: BinaryOp::Add,
                    lhs: self.data[0].into(),
                    rhs: i32(1),
                };
                self.b.emit(op);
            }
        }
    }

    /// A 32-bit word of a loaded value.
    fn word(&mut self, value: Operand, ty: ElementType) -> Operand {
        if ty != ElementType::I64 {
            return value;
        }
        let high = self.b.op(BinaryOp::ShrU, value, Operand::from(Constant::I64(32)));
        let mixed = self.b.op(BinaryOp::Xor, value, high);
        let dst = self.b.reg(Type::I32);
        self.b.emit(InstKind::Convert { dst, op: Conversion::Truncate, src: mixed });
        dst.into()
    }

    /// Stores a datum to a place of the thread's own among `words` of `base`, as wide as fits.
    fn store_own(&mut self, base: Operand, words: u32) {
        let widest = words / self.threads.next_power_of_two();
        let (ty, count) = loop {
            let (ty, count) = self.shape();
            if ty.bytes() >= 4 && ty.bytes() * count / 4 <= widest {
                break (ty, count);
            }
        };
        let bytes = ty.bytes() * count;
        let places = words * 4 / bytes;
        // A permutation of the places: an odd factor, an exclusive or, a rotation.
        let mut place = self.linear;
        if self.random.one_in(3) {
            place = self.b.mul(place, i32([3, 5, 7, 33][self.random.below(4) as usize]));
        }
        if self.random.one_in(3) {
            let c = self.random.below(places);
            place = self.b.op(BinaryOp::Xor, place, i32(c as i32));
        }
        if self.random.one_in(4) {
            let small = self.small();
            place = self.b.add(place, small);
        }
        place = self.b.op(BinaryOp::And, place, i32(places as i32 - 1));
        // Not in global memory: there nobody looks for races of one block's threads.
        if self.wild && base == self.tile && self.random.one_in(8) {
            place = self.value(2);
        }
        let address = self.address(base, place, bytes);
        let src = (0..count).map(|k| {
            let datum = self.data[k as usize % self.data.len()];
            if ty != ElementType::I64 {
                return datum.into();
            }
            let dst = self.b.reg(Type::I64);
            let op = Conversion::SignExtend;
            self.b.emit(InstKind::Convert { dst, op, src: datum.into() });
            dst.into()
        });
        let src = src.collect();
        self.b.emit(InstKind::Store { src, ty, address, order: AccessOrder::Weak, part: ObjectPart::Whole });
    }

    fn inside(&mut self, f: impl FnOnce(&mut Generate)) -> Region {
        self.b.open();
        let (warp, thread) = (self.shared_values.len(), self.thread_values.len());
        f(self);
        self.shared_values.truncate(warp);
        self.thread_values.truncate(thread);
        self.b.close()
    }

    fn condition(&mut self) -> Operand {
        let op =
            [CompareOp::LtS, CompareOp::Eq, CompareOp::Ne, CompareOp::LeU][self.random.below(4) as usize];
        let (lhs, rhs) = match self.random.below(3) {
            0 => (self.small(), i32(self.random.below(20) as i32)),
            _ => {
                let bits = self.random.below(64);
                let v = self.place();
                (self.b.op(BinaryOp::And, v, i32(bits as i32)), i32(self.random.below(40) as i32))
            }
        };
        self.b.cmp(op, lhs, rhs)
    }

    /// What an interval does to the tile.
    fn step(&mut self, write: bool) {
        match (write, self.random.below(8)) {
            (_, 0 | 1) => self.load(self.input, INPUT),
            (true, _) => self.store_own(self.tile, TILE),
            (false, 2) if self.wild => self.atomic(),
            (false, _) => self.load(self.tile, TILE),
        }
    }

    fn atomic(&mut self) {
        let place = self.below(64);
        let address = self.b.at(self.tile, place, 4);
        let value = self.data[0].into();
        let (dst, compare) = (None, None);
        self.b.emit(InstKind::Atomic {
            dst,
            op: AtomicOp::Add,
            ty: ElementType::I32,
            address,
            value,
            compare,
            order: ScopedOrder::RELAXED_DEVICE,
        });
    }

    fn nodes(&mut self, write: bool, depth: u32) {
        // Once a thread may write its own words; two stores to different places could meet.
        let steps = if write && !self.wild { 1 } else { 1 + self.random.below(3) };
        for _ in 0..steps {
            match if depth == 0 { 9 } else { self.random.below(10) } {
                0 | 1 => {
                    let (condition, location) = (self.condition(), self.b.location());
                    let then = self.inside(|g| g.nodes(write, depth - 1));
                    let otherwise = match write {
                        true => vec![],
                        false => self.inside(|g| g.nodes(write, depth - 1)),
                    };
                    self.b.node(Node::If { condition, then, otherwise, location });
                }
                2 | 3 if !write || self.wild => self.repeat(write, depth),
                _ => {
                    if self.random.one_in(4) {
                        let v = self.value(2);
                        self.thread_values.push(v);
                    }
                    self.step(write);
                }
            }
        }
    }

    /// A loop of a few rounds, the same number for the whole warp or not; its counter is a warp's value if so.
    fn repeat(&mut self, write: bool, depth: u32) {
        let (label, location) = (self.b.label(), self.b.location());
        let i = self.b.var(Type::I32, i32(0));
        let condition = self.b.reg(Type::Bool);
        let uniform = self.random.one_in(2);
        let rounds = match uniform {
            true => i32(1 + self.random.below(3) as i32),
            false => self.b.op(BinaryOp::And, self.linear, i32(3)),
        };
        let mut made = self.linear;
        let header = self.inside(|g| {
            made = g.below(64);
            g.b.emit(InstKind::Compare {
                dst: condition,
                op: CompareOp::LtS,
                ty: Type::I32,
                lhs: i.into(),
                rhs: rounds,
            });
        });
        let body = self.inside(|g| {
            if uniform {
                g.shared_values.push(i.into());
            }
            g.thread_values.push(i.into());
            g.thread_values.push(made);
            g.nodes(write, depth - 1);
        });
        let step = self.inside(|g| {
            g.b.emit(InstKind::Binary { dst: i, op: BinaryOp::Add, lhs: i.into(), rhs: i32(1) });
        });
        let condition = Some(condition.into());
        self.b.node(Node::Loop { label, header, condition, body, step, unroll: None, location });
        // What the header made is read by what follows, another loop perhaps.
        self.thread_values.push(made);
        if uniform {
            self.shared_values.push(i.into());
        }
    }
}

pub(crate) fn generate(seed: u64) -> Program {
    let mut random = Random(seed);
    let block =
        [[32, 1, 1], [64, 1, 1], [80, 1, 1], [16, 8, 1], [8, 4, 3], [16, 16, 1], [33, 3, 1], [7, 5, 2]]
            [random.below(8) as usize];
    let grid = 1 + random.below(3);
    let threads: u32 = block.iter().product();
    let wild = random.one_in(3);
    let mut b = Build::new();
    let (input, out) = (b.pointer("in"), b.pointer("out"));
    let (n, m) = (b.int("n"), b.int("m"));
    let tile = b.shared("tile", TILE * 4);
    let axis = |b: &mut Build, a| b.special(Special::ThreadIdx(a));
    let (x, y, z) = (axis(&mut b, Axis::X), axis(&mut b, Axis::Y), axis(&mut b, Axis::Z));
    let lane = b.special(Special::LaneId);
    let dim = |b: &mut Build, a| b.special(Special::BlockDim(a));
    let (dx, dy) = (dim(&mut b, Axis::X), dim(&mut b, Axis::Y));
    let rows = b.mul(z, dy);
    let row = b.add(rows, y);
    let start = b.mul(row, dx);
    let linear = b.add(start, x);
    let block_index = b.block_x();
    let block_start = b.mul(block_index, i32(PART as i32 * 4));
    // A word that is the same for all and known only when it is loaded.
    let loaded = b.load(ElementType::I32, input, block_index);
    let data = (0..4).map(|k| b.var(Type::I32, i32(k * 77))).collect();
    let mut g = Generate {
        b,
        random,
        tile,
        input,
        out,
        shared_values: vec![block_index, n, m, loaded, start],
        thread_values: vec![x, y, linear, lane, z],
        data,
        linear,
        threads,
        block_start,
        wild,
    };
    g.shared_values.truncate(4);
    for k in 0..4 {
        let v = g.value(2);
        let mixed = g.b.op(BinaryOp::Xor, v, g.linear);
        g.b.copy(g.data[k], mixed);
    }
    // All words of the tile have a value before anything else, if the rules hold.
    if !g.wild || g.random.one_in(2) {
        let each = TILE.div_ceil(threads);
        for k in 0..each {
            let at = g.b.add(g.linear, i32((k * threads) as i32));
            let fits = g.b.cmp(CompareOp::LtS, at, i32(TILE as i32));
            let (tile, linear) = (g.tile, g.linear);
            g.b.branch(fits, |b| {
                b.store(ElementType::I32, tile, at, linear);
            });
        }
        g.b.barrier();
    }
    let mut write = g.random.one_in(2);
    for _ in 0..1 + g.random.below(4) {
        g.nodes(write, 3);
        if !(g.wild && g.random.one_in(6)) {
            g.b.barrier();
        }
        write = if g.wild { g.random.one_in(2) } else { !write };
    }
    if g.random.one_in(4) {
        let condition = g.condition();
        g.b.branch(condition, |b| b.node(Node::Return));
    }
    g.nodes(false, 2);
    finish(&mut g);
    Program { module: g.b.module(), grid, block, arguments: ARGUMENTS, input: input_words(), work: None }
}

fn input_words() -> Vec<u32> {
    let mut random = Random(5);
    (0..INPUT).map(|_| random.below(1 << 31)).collect()
}

/// Writes what each thread has to its part of the output.
fn finish(g: &mut Generate) {
    let dst = g.b.reg(Type::Ptr);
    let index = Index { value: g.block_start, kind: IndexKind::Signed32, scale: 1 };
    g.b.emit(InstKind::Offset { dst, address: Address { base: g.out, index: Some(index), offset: 0 } });
    g.store_own(dst.into(), PART / 4);
    for k in 0..3 {
        let row = g.b.mul(g.linear, i32(3));
        let at = g.b.add(row, i32(PART as i32 / 4 + k));
        let value = g.data[k as usize].into();
        g.b.store(ElementType::I32, dst.into(), at, value);
    }
}
