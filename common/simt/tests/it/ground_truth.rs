//! Counters against what Nsight Compute measured on an H200 for the same access patterns (requests, sectors and
//! wavefronts a warp; the numbers are quotients of the measured totals).

use crate::support::{self, *};
use simt::{Counters, MemoryRules};
use simt_ir::{AccessOrder, BinaryOp, CacheOp, Constant, ElementType, InstKind, ObjectPart, Type};

/// `y[i] = x[i * stride + offset]` by 256 threads.
fn load(stride: i32, offset: i32, rules: MemoryRules) -> Counters {
    let mut b = Build::new();
    let (x, y) = (b.pointer("x"), b.pointer("y"));
    let i = b.global_id();
    let at = b.mul(i, i32(stride));
    let at = b.add(at, i32(offset));
    let v = b.load(ElementType::F32, x, at);
    b.store(ElementType::F32, y, i, v);
    let mut d = Device::new(b);
    d.options.limits.rules = rules;
    let (x, y) = (d.words(&vec![0; 256 * 32 + 64]), d.empty(256));
    d.run(1, 256, &[ptr(x), ptr(y)]).unwrap().counters
}

#[test]
fn strides_and_offsets() {
    // stride_ld: 131072, 262144, 393216, 524288, 1048576 ... sectors of 32768 requests.
    for (stride, sectors) in [(1, 4), (2, 8), (3, 12), (4, 16), (8, 32), (16, 32), (32, 32)] {
        let c = load(stride, 0, MemoryRules::Modern);
        assert_eq!((c.global_load.requests, c.global_load.sectors), (8, 8 * sectors), "stride {stride}");
        assert_eq!((c.global_store.requests, c.global_store.sectors), (8, 32));
        assert_eq!(c.l1_load_sector_hits, 0);
    }
    // offset_ld: 4 sectors per request if the offset is a multiple of 8 words, else 5; of which one was there already
    // for all warps of a block but the first (28673 hits of 32768 requests).
    for (offset, sectors, hits) in [(0, 4, 0), (1, 5, 7), (7, 5, 7), (8, 4, 0), (13, 5, 7), (31, 5, 7)] {
        let c = load(1, offset, MemoryRules::Modern);
        assert_eq!((c.global_load.sectors, c.l1_load_sector_hits), (8 * sectors, hits), "offset {offset}");
    }
}

#[test]
fn compute_1_coalesces_half_warps_into_segments() {
    // CUDA C Programming Guide 2.3, 5.1.2.1, example figures: aligned, shifted by one, and every other word.
    let at = |stride, offset| load(stride, offset, MemoryRules::Compute1).global_load;
    let c = at(1, 0);
    assert_eq!((c.requests, c.sectors), (16, 32));
    // A half-warp shifted by one lies in one 128-byte segment; the other crosses into the next, which takes 32 bytes.
    let c = at(1, 1);
    assert_eq!(c.sectors, 8 * 4 + 8 * (2 + 1));
    let c = at(2, 0);
    assert_eq!(c.sectors, 64);
}

/// Each thread of a warp reads `words` words at word `t * stride`, 16 bytes at most, or all at word 0.
fn shared(stride: i32, words: usize, rules: MemoryRules) -> simt::SharedTraffic {
    let mut b = Build::new();
    let s = b.shared("s", 4 * 64 * 33);
    let t = b.tid();
    let at = b.mul(t, i32(stride));
    let dst: simt_ir::RegList = (0..words).map(|_| b.reg(Type::F32)).collect();
    let address = b.at(s, at, 4);
    b.emit(InstKind::Load {
        dst,
        ty: ElementType::F32,
        address,
        order: AccessOrder::Weak,
        cache: CacheOp::Default,
        part: ObjectPart::Whole,
    });
    let mut d = Device::new(b);
    (d.options.checks, d.options.limits.rules) = (false, rules);
    d.run(1, 32, &[]).unwrap().counters.shared_load
}

#[test]
fn banks() {
    // bank_probe: 2048, 4096, 2048, 8192 ... wavefronts of 2048 requests.
    for (stride, ways) in [(1, 1), (2, 2), (3, 1), (4, 4), (8, 8), (16, 16), (32, 32), (33, 1), (64, 32)] {
        let s = shared(stride, 1, MemoryRules::Modern);
        assert_eq!(
            (s.requests, s.wavefronts, s.conflicts, s.max_degree),
            (1, ways, ways - 1, ways),
            "stride {stride}"
        );
    }
    assert_eq!(shared(0, 1, MemoryRules::Modern).wavefronts, 1);
}

#[test]
fn wide_accesses_take_phases_and_broadcasts_fewer() {
    let wavefronts = |stride, words| {
        let s = shared(stride, words, MemoryRules::Modern);
        (s.wavefronts, s.conflicts)
    };
    assert_eq!(wavefronts(2, 2), (2, 0));
    assert_eq!(wavefronts(4, 4), (4, 0));
    // mm_tiled and stencil_shared: a 16-byte load at one address takes two wavefronts.
    assert_eq!(wavefronts(0, 4), (2, 0));
    assert_eq!(wavefronts(0, 2), (1, 0));
    assert_eq!(wavefronts(4, 2), (4, 2));
}

#[test]
fn sixteen_banks_of_compute_1() {
    let s = shared(1, 1, MemoryRules::Compute1);
    assert_eq!((s.wavefronts, s.conflicts), (2, 0));
    let s = shared(16, 1, MemoryRules::Compute1);
    assert_eq!((s.wavefronts, s.max_degree), (32, 16));
}

/// A convolution with constant bounds as `conv_naive`: 16 x 16 blocks, a 3 x 3 filter.
#[test]
fn convolution_hits_the_cache_as_often_as_measured() {
    let (n, r) = (128u32, 1);
    let mut b = Build::new();
    let (x, f, y) = (b.pointer("N"), b.pointer("F"), b.pointer("P"));
    let c = b.global_id();
    let ty = b.tid_y();
    let by = b.special(simt_ir::Special::BlockIdx(simt_ir::Axis::Y));
    let top = b.mul(by, i32(16));
    let row = b.add(top, ty);
    let sum = b.var(Type::F32, support::f32(0.0));
    let inside = |b: &mut Build, v, below: i32| {
        let low = b.cmp(simt_ir::CompareOp::LeS, i32(0), v);
        let high = b.cmp(simt_ir::CompareOp::LtS, v, i32(below));
        b.op(BinaryOp::And, low, high)
    };
    for i in -r..=r {
        for j in -r..=r {
            let yy = b.add(row, i32(i));
            let xx = b.add(c, i32(j));
            let (a, z) = (inside(&mut b, yy, n as i32), inside(&mut b, xx, n as i32));
            let both = b.op(BinaryOp::And, a, z);
            b.branch(both, |b| {
                let w = b.load(ElementType::F32, f, i32((i + r) * 3 + j + r));
                let start = b.mul(yy, i32(n as i32));
                let at = b.add(start, xx);
                let v = b.load(ElementType::F32, x, at);
                b.fma(sum, w, v, sum.into());
            });
        }
    }
    let start = b.mul(row, i32(n as i32));
    let at = b.add(start, c);
    b.store(ElementType::F32, y, at, sum.into());
    let mut d = Device::new(b);
    let words = vec![0; (n * n) as usize];
    let (x, f, y) = (d.words(&words), d.words(&[0; 9]), d.words(&words));
    let args: [Constant; 3] = [ptr(x), ptr(f), ptr(y)];
    let counters = d.run3([n / 16, n / 16, 1], [16, 16, 1], &args).unwrap().counters;
    // 3 x 3 taps within the picture; on the H200 37724164 for 2048 x 2048, the same formula.
    assert_eq!(counters.ffma, u64::from((3 * n - 2) * (3 * n - 2)));
    // Each block misses once for each sector of its 18 rows of 64 + 8 bytes (2 sectors, and one on each side within
    // the picture) and of the filter's 36 bytes: on the H200, where blocks share a cache, 71.6 a block.
    let blocks = u64::from(n / 16 * n / 16);
    let rows = u64::from(n / 16) * 18 - 2;
    let sectors = u64::from(n / 16) * 4 - 2;
    let misses = counters.global_load.sectors - counters.l1_load_sector_hits;
    assert_eq!(misses, rows * sectors + 2 * blocks);
}
