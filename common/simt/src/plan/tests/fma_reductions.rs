//! What makes an FMA reduction, and each thing that ends one.

use crate::launch::{Launch, Specialization};
use crate::plan::Factor;
use crate::plan::tests::{compile, global_pointer, ignore};
use crate::plan::{Op, Operand32, Plan};
use crate::testing::*;
use simt_ir::{AccessOrder, BinaryOp, Constant, ElementType, InstKind, ObjectPart, Operand, Reg, Type};

/// A kernel with tiles of shared memory whose word 0 is loaded first, so that other loads from them are members of groups.
struct Kit {
    b: Build,
    tiles: Vec<Operand>,
    input: Operand,
    t: Operand,
    sum: Reg,
}

impl Kit {
    fn new(tiles: u32) -> Kit {
        let mut b = Build::new();
        let input = b.pointer("in");
        let t = b.tid();
        let tiles: Vec<Operand> = (0..tiles).map(|k| b.shared(&format!("tile{k}"), 1024)).collect();
        let sum = b.var(Type::F32, f32(1.0));
        let mut kit = Kit { b, tiles, input, t, sum };
        kit.lead();
        kit
    }

    /// Loads word 0 of each tile.
    fn lead(&mut self) {
        for tile in self.tiles.clone() {
            self.b.load(ElementType::F32, tile, self.t);
        }
    }

    /// Loads word `t + k` of a tile.
    fn word(&mut self, tile: usize, k: i32) -> Operand {
        let at = self.b.add(self.t, i32(k));
        self.b.load(ElementType::F32, self.tiles[tile], at)
    }

    /// The same, into a register that lives on.
    fn word_into(&mut self, dst: Reg, k: i32) {
        let index = self.b.add(self.t, i32(k));
        let address = self.b.at(self.tiles[0], index, 4);
        let cache = simt_ir::CacheOp::Default;
        self.b.emit(InstKind::Load {
            dst: vec![dst].into(),
            ty: ElementType::F32,
            address,
            order: AccessOrder::Weak,
            cache,
            part: ObjectPart::Whole,
        });
    }

    fn add(&mut self, a: Operand, b: Operand) {
        self.b.fma(self.sum, a, b, self.sum.into());
    }

    /// Loads two words and adds their product.
    fn product(&mut self, k: i32) {
        let (a, b) = (self.word(0, k), self.word(0, k + 1));
        self.add(a, b);
    }

    fn plan(mut self) -> Plan {
        self.b.store(ElementType::F32, self.input, self.t, self.sum.into());
        let module = self.b.module();
        let args = vec![Constant::Ptr(global_pointer(0))];
        let launch =
            Launch { grid: [4, 1, 1], block: [64, 1, 1], dynamic_shared: 0, cooperative: None, args };
        compile(&module, &module.kernels[0], &launch, Specialization::AccessGroups.into(), &|_| 0)
    }
}

/// Steps, words and groups of each reduction that a kernel has.
fn reductions_of(tiles: u32, build: impl FnOnce(&mut Kit)) -> Vec<[usize; 3]> {
    let mut kit = Kit::new(tiles);
    build(&mut kit);
    let plan = kit.plan();
    let found = plan.code.iter().filter(|op| matches!(op, Op::FmaReduction { .. })).count();
    assert_eq!(found, plan.reductions.len());
    plan.reductions.iter().map(|c| [c.steps.len(), c.words.len(), c.sources.len()]).collect()
}

fn reductions(build: impl FnOnce(&mut Kit)) -> Vec<[usize; 3]> {
    reductions_of(1, build)
}

#[test]
fn a_sum_of_products_of_words_is_a_reduction() {
    assert_eq!(reductions(|k| k.product(1)), [[1, 2, 1]]);
    // What indices are made by does not end it.
    let four = |k: &mut Kit| (0..4).for_each(|n| k.product(2 * n + 1));
    assert_eq!(reductions(four), [[4, 8, 1]]);
    // Factors from registers, from a uniform one, and constants.
    let mixed = |k: &mut Kit| {
        let own = k.b.load(ElementType::F32, k.input, k.t);
        let all = k.b.load(ElementType::F32, k.input, i32(3));
        for factor in [own, all, f32(2.5)] {
            let word = k.word(0, 5);
            k.add(factor, word);
        }
        k.add(own, all);
    };
    assert_eq!(reductions(mixed), [[4, 3, 1]]);
    // All words first, used in another order.
    let first = |k: &mut Kit| {
        let words: Vec<Operand> = (1..7).map(|n| k.word(0, n)).collect();
        [(5, 0), (1, 4), (3, 2)].into_iter().for_each(|(a, b)| k.add(words[a], words[b]));
    };
    assert_eq!(reductions(first), [[3, 6, 1]]);
}

#[test]
fn a_chain_begins_where_its_sum_says() {
    let mut kit = Kit::new(1);
    let [a, b] = [1, 2].map(|n| kit.word(0, n));
    kit.b.fma(kit.sum, a, b, f32(7.0));
    kit.product(3);
    let plan = kit.plan();
    let reduction = plan.reductions.iter().next().unwrap();
    let Operand32::Uniform(start) = reduction.start else { panic!("{reduction:?}") };
    assert_eq!(plan.uniforms.initial[start], u64::from(7f32.to_bits()));
    let distances: Vec<i32> = reduction.words.iter().map(|word| word.distance).collect();
    assert_eq!(distances, [4, 8, 12, 16]);
    assert!(reduction.words.is_sorted_by_key(|word| word.pc));
    assert!(reduction.steps.iter().flatten().all(|factor| matches!(factor, Factor::Word(_))));
}

#[test]
fn too_little_or_no_word_is_no_reduction() {
    let two = |k: &mut Kit| {
        let word = k.word(0, 1);
        k.add(word, f32(2.0));
    };
    assert_eq!(reductions(two), [[0; 3]; 0]);
    let registers = |k: &mut Kit| {
        let own = k.b.load(ElementType::F32, k.input, k.t);
        (0..5).for_each(|_| k.add(own, own));
    };
    assert_eq!(reductions(registers), [[0; 3]; 0]);
    // Words that nothing multiplies are not worth one.
    let loads = |k: &mut Kit| (1..6).for_each(|n| ignore(k.word(0, n)));
    assert_eq!(reductions(loads), [[0; 3]; 0]);
}

#[test]
fn what_is_loaded_and_not_used_is_among_the_words() {
    let found = reductions(|k| {
        let spare = k.b.var(Type::F32, f32(0.0));
        k.product(1);
        k.word_into(spare, 9);
        k.product(3);
        // After the last product it is none of the reduction's.
        k.word_into(spare, 10);
    });
    assert_eq!(found, [[2, 5, 1]]);
}

#[test]
fn a_fifth_group_ends_a_reduction() {
    let found = reductions_of(5, |k| {
        for tile in 0..5 {
            let (a, b) = (k.word(tile, 1), k.word(tile, 2));
            k.add(a, b);
        }
    });
    assert_eq!(found, [[4, 8, 4], [1, 2, 1]]);
}

#[test]
fn another_sum_ends_a_reduction() {
    let found = reductions(|k| {
        let other = k.b.var(Type::F32, f32(0.0));
        k.product(1);
        k.product(3);
        let (a, b) = (k.word(0, 5), k.word(0, 6));
        k.b.fma(other, a, b, other.into());
        k.product(7);
        let after = k.b.op(BinaryOp::Add, other, f32(1.0));
        k.add(after, after);
    });
    assert_eq!(found, [[2, 4, 1], [1, 2, 1], [1, 2, 1]]);
    // The sum in a product, or in place of the sum another value.
    for end in [
        |k: &mut Kit, word| k.b.fma(k.sum, word, k.sum.into(), k.sum.into()),
        |k: &mut Kit, word| k.b.fma(k.sum, word, word, f32(0.5)),
    ] {
        let found = reductions(|k| {
            k.product(1);
            let word = k.word(0, 3);
            end(k, word);
        });
        assert_eq!(found, [[1, 2, 1]]);
    }
}

#[test]
fn a_loaded_word_is_used_once_and_by_nothing_else() {
    let none: [[usize; 3]; 0] = [];
    let twice = |k: &mut Kit| {
        let (a, b) = (k.word(0, 1), k.word(0, 2));
        k.add(a, b);
        k.add(a, f32(2.0));
    };
    // One that begins after the load has the word as a register's.
    assert_eq!(reductions(twice), [[2, 1, 1]]);
    let stored = |k: &mut Kit| {
        let (a, b) = (k.word(0, 1), k.word(0, 2));
        k.add(a, b);
        k.b.store(ElementType::F32, k.input, k.t, a);
    };
    assert_eq!(reductions(stored), none);
    let after_a_barrier = |k: &mut Kit| {
        let (a, b) = (k.word(0, 1), k.word(0, 2));
        k.add(a, b);
        k.b.barrier();
        k.b.store(ElementType::F32, k.input, k.t, a);
    };
    assert_eq!(reductions(after_a_barrier), none);
    // It is the sum's start.
    let start = |k: &mut Kit| {
        let [a, b, c] = [1, 2, 3].map(|n| k.word(0, n));
        k.b.fma(k.sum, a, b, c);
    };
    assert_eq!(reductions(start), none);
    // Only the last product needs a word that lives on: the reduction ends before it.
    let last = |k: &mut Kit| {
        k.product(1);
        k.product(3);
        let (a, b) = (k.word(0, 5), k.word(0, 6));
        k.add(a, b);
        k.b.store(ElementType::F32, k.input, k.t, a);
    };
    assert_eq!(reductions(last), [[2, 4, 1]]);
}

#[test]
fn a_word_for_the_next_round_is_loaded_for_it() {
    // One a lane, and one for all lanes; used before it is loaded again.
    for uniform in [false, true] {
        let found = reductions(|k| {
            let before = k.b.var(Type::F32, f32(0.0));
            let (t, tile, sum) = (k.t, k.tiles[0], k.sum);
            k.b.count(i32(0), i32(3), 1, |b, i, _| {
                let here = if uniform { i } else { b.add(i, t) };
                let first = b.load(ElementType::F32, tile, here);
                b.fma(sum, before.into(), f32(1.0), sum.into());
                let next = b.add(here, i32(1));
                let (address, cache) = (b.at(tile, next, 4), simt_ir::CacheOp::Default);
                b.emit(InstKind::Load {
                    dst: vec![before].into(),
                    ty: ElementType::F32,
                    address,
                    order: AccessOrder::Weak,
                    cache,
                    part: ObjectPart::Whole,
                });
                b.fma(sum, first, f32(2.0), sum.into());
            });
        });
        assert_eq!(found, [[0; 3]; 0], "uniform: {uniform}");
    }
}

#[test]
fn a_place_is_not_loaded_into_while_it_is_needed() {
    // A word into the place of one that is still to be used.
    let found = reductions(|k| {
        let place = k.b.reg(Type::F32);
        k.product(1);
        k.word_into(place, 3);
        k.word_into(place, 4);
        k.add(place.into(), f32(2.0));
        k.word_into(place, 5);
        k.add(place.into(), f32(3.0));
    });
    assert_eq!(found, [[1, 2, 1], [2, 2, 1]]);
    // A word into the place of the sum.
    let found = reductions(|k| {
        k.product(1);
        k.word_into(k.sum, 3);
        k.product(4);
    });
    assert_eq!(found, [[1, 2, 1], [1, 2, 1]]);
}

#[test]
fn what_is_no_load_and_no_product_ends_a_reduction() {
    type Between = fn(&mut Kit);
    let betweens: [Between; 6] = [
        |k| ignore(k.b.op(BinaryOp::Add, Operand::from(k.sum), f32(1.0))),
        |k| ignore(k.b.store(ElementType::F32, k.input, k.t, k.sum.into())),
        // A load that leads a group.
        |k| ignore(k.b.load(ElementType::F32, k.input, k.t)),
        |k| {
            k.b.barrier();
            k.lead();
        },
        |k| {
            k.b.fence();
            k.lead();
        },
        |k| {
            let low = k.b.cmp(simt_ir::CompareOp::LtS, k.t, i32(9));
            k.b.branch(low, |_| {});
            k.lead();
        },
    ];
    for (n, between) in betweens.into_iter().enumerate() {
        let found = reductions(|k| {
            k.product(1);
            k.product(3);
            between(k);
            k.product(5);
        });
        assert_eq!(found, [[2, 4, 1], [1, 2, 1]], "{n}");
    }
}
