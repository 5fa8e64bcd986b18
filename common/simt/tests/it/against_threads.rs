//! Random structured kernels, run by the machine a warp at a time and by the IR's executable definition a thread at a time: the
//! masks, the uniform registers and the flat code must not show.

use crate::support::*;
use simt::{BufferId, Comparisons};
use simt_ir::{BinaryOp, CompareOp, ElementType, InstKind, Label, Module, Node, Operand, Reg, Region, Type};
use std::collections::BTreeMap;

/// Threads of a block.
const THREADS: u32 = 80;
const BLOCKS: u32 = 3;
const OUTPUTS: u32 = 6;

struct Generate {
    b: Build,
    random: Random,
    ints: Vec<Reg>,
    bools: Vec<Reg>,
    /// Labels around; whether `Continue` may name them.
    labels: Vec<(Label, bool)>,
    out: Operand,
    thread: Operand,
    block: Operand,
    /// Whether all loops have as many rounds for all threads, so that the kernel may be laid out.
    bounded: bool,
    /// Whether only blocks differ, and not their threads.
    by_block: bool,
}

impl Generate {
    /// Mostly the same value for all threads, so that what makes it differ is control flow.
    fn int(&mut self) -> Operand {
        match self.random.below(40) {
            0 if !self.by_block => self.thread,
            0 | 1 => self.block,
            2..=15 => i32(self.random.below(9) as i32 - 4),
            _ => self.ints[self.random.below(self.ints.len() as u32) as usize].into(),
        }
    }

    fn bool(&mut self) -> Operand {
        match self.random.below(5) {
            0 => self.bools[self.random.below(self.bools.len() as u32) as usize].into(),
            // The same for all threads of a block, and not for all blocks.
            kind if kind == 4 || kind == 3 && self.by_block => {
                let op = [CompareOp::LtS, CompareOp::Eq, CompareOp::Ne][self.random.below(3) as usize];
                let limit = i32(self.random.below(BLOCKS) as i32);
                self.b.cmp(op, self.block, limit)
            }
            kind if kind == 1 || kind == 2 && self.by_block => {
                let op = [CompareOp::LtS, CompareOp::Eq, CompareOp::Ne, CompareOp::LeU]
                    [self.random.below(4) as usize];
                let (lhs, rhs) = (self.int(), self.int());
                self.b.cmp(op, lhs, rhs)
            }
            _ => {
                let bits = self.b.op(BinaryOp::And, self.thread, i32(7));
                let limit = i32(self.random.below(8) as i32);
                self.b.cmp(CompareOp::LtS, bits, limit)
            }
        }
    }

    fn assign(&mut self) {
        if self.random.below(4) == 0 {
            let dst = self.bools[self.random.below(self.bools.len() as u32) as usize];
            let op = [CompareOp::LtS, CompareOp::Ne][self.random.below(2) as usize];
            let (lhs, rhs) = (self.int(), self.int());
            self.b.emit(InstKind::Compare { dst, op, ty: Type::I32, lhs, rhs });
            return;
        }
        let dst = self.ints[self.random.below(self.ints.len() as u32) as usize];
        let (lhs, rhs) = (self.int(), self.int());
        let op = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Xor, BinaryOp::ShrU]
            [self.random.below(5) as usize];
        match self.random.below(4) {
            0 => self.b.copy(dst, lhs),
            1 => {
                let condition = self.bool();
                self.b.emit(InstKind::Select { dst, condition, on_true: lhs, on_false: rhs });
            }
            _ => {
                self.b.emit(InstKind::Binary { dst, op, lhs, rhs });
            }
        }
    }

    fn save(&mut self) {
        for k in 0..OUTPUTS {
            let row = self.b.mul(self.thread, i32(OUTPUTS as i32));
            let at = self.b.add(row, i32(k as i32));
            let v = self.ints[k as usize].into();
            self.b.store(ElementType::I32, self.out, at, v);
        }
    }

    fn inside(&mut self, f: impl FnOnce(&mut Generate)) -> Region {
        self.b.open();
        f(self);
        self.b.close()
    }

    fn nodes(&mut self, depth: u32) {
        for _ in 0..1 + self.random.below(4) {
            match if depth == 0 { 0 } else { self.random.below(9) } {
                0..=4 => self.assign(),
                5 | 6 => {
                    let (condition, location) = (self.bool(), self.b.location());
                    let then = self.inside(|g| g.side(depth));
                    let otherwise =
                        if self.random.below(2) == 0 { vec![] } else { self.inside(|g| g.side(depth)) };
                    self.b.node(Node::If { condition, then, otherwise, location });
                }
                7 => {
                    let label = self.b.label();
                    self.labels.push((label, false));
                    let body = self.inside(|g| g.nodes(depth - 1));
                    self.labels.pop();
                    self.b.node(Node::Scope { label, body });
                }
                _ => self.repeat(depth),
            }
        }
    }

    /// A block that may end in a jump.
    fn side(&mut self, depth: u32) {
        self.nodes(depth - 1);
        let around = self.labels.len() as u32;
        match self.random.below(7) {
            0 => {
                self.save();
                self.b.node(Node::Return);
            }
            1 | 2 if around > 0 => {
                let (label, _) = self.labels[self.random.below(around) as usize];
                self.b.node(Node::Break(label));
            }
            3 if around > 0 => {
                let (label, continues) = self.labels[self.random.below(around) as usize];
                self.b.node(if continues { Node::Continue(label) } else { Node::Break(label) });
            }
            _ => {}
        }
    }

    /// At most three rounds, for each lane its own.
    fn repeat(&mut self, depth: u32) {
        let (label, location) = (self.b.label(), self.b.location());
        let i = self.b.reg(Type::I32);
        self.b.copy(i, i32(0));
        let condition = self.b.reg(Type::Bool);
        let rounds = match self.random.below(2) {
            _ if self.bounded => i32(1 + self.random.below(3) as i32),
            0 => i32(1 + self.random.below(3) as i32),
            _ => self.b.op(BinaryOp::And, self.thread, i32(3)),
        };
        self.labels.push((label, false));
        let header = self.inside(|g| {
            g.assign();
            let (lhs, rhs) = (i.into(), rounds);
            g.b.emit(InstKind::Compare { dst: condition, op: CompareOp::LtS, ty: Type::I32, lhs, rhs });
        });
        self.labels.last_mut().unwrap().1 = true;
        let body = self.inside(|g| g.nodes(depth - 1));
        self.labels.last_mut().unwrap().1 = false;
        let step = self.inside(|g| {
            g.assign();
            g.b.emit(InstKind::Binary { dst: i, op: BinaryOp::Add, lhs: i.into(), rhs: i32(1) });
        });
        self.labels.pop();
        let condition = Some(condition.into());
        self.b.node(Node::Loop { label, header, condition, body, step, unroll: None, location });
    }
}

fn generate(seed: u64) -> Module {
    let mut b = Build::new();
    let out = b.pointer("out");
    let (thread, block) = (b.global_id(), b.block_x());
    let ints = (0..8).map(|_| b.reg(Type::I32)).collect();
    let bools = (0..3).map(|_| b.reg(Type::Bool)).collect();
    let mut g = Generate {
        b,
        random: Random(seed),
        ints,
        bools,
        labels: vec![],
        out,
        thread,
        block,
        bounded: seed.is_multiple_of(2),
        by_block: seed.is_multiple_of(4),
    };
    // Some registers are set for all, some stay zero until a branch sets them.
    for k in 0..if g.by_block { g.ints.len() } else { 3 } {
        let v = g.int();
        g.b.copy(g.ints[k], v);
    }
    g.nodes(if g.bounded { 3 } else { 4 });
    g.save();
    g.b.module()
}

#[test]
fn warps_agree_with_threads_one_by_one() {
    let mut loops = 0;
    for seed in 0..3000 {
        let module = generate(seed);
        loops += usize::from(format!("{:?}", module.kernels[0].body).contains("Loop"));
        let words = BLOCKS * THREADS * OUTPUTS;
        let (shape, empty) = (([BLOCKS, 1, 1], [THREADS, 1, 1]), vec![0; words as usize]);
        let want = by_threads(&module, shape, &[&empty], &[ptr(BufferId(0))], seed % 2 == 1);
        let mut d = Device::of(module);
        let out = d.empty(u64::from(words));
        d.run(BLOCKS, THREADS, &[ptr(out)]).unwrap();
        assert_eq!(d.read(out), want[0], "seed {seed}");
        assert_eq!(d.simulator.comparisons, Comparisons { compared: 1, skipped: BTreeMap::new() });
    }
    assert!(loops > 600, "the generator makes loops: {loops}");
}
