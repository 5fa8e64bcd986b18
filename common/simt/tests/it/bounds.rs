//! Random addresses against arithmetic without limits: what is inside is read right, what is outside is refused.

use crate::support::*;
use proptest::prelude::*;
use simt::{AccessKind, FaultKind};
use simt_ir::{Address, Constant, ElementType, Index, IndexKind, InstKind, Operand, ParamKind, Type};

const WORDS: u32 = 256;

/// `out[t] = *(T *)(x + index[t] * scale + offset)`, `x` in the middle of a buffer.
fn kernel(ty: ElementType, kind: IndexKind, scale: u32, offset: i64) -> Build {
    let mut b = Build::new();
    let (x, index, out) = (b.pointer("x"), b.pointer("index"), b.pointer("out"));
    let t = b.tid();
    let wide = kind == IndexKind::Wide;
    let value: Operand =
        if wide { b.load(ElementType::I64, index, t) } else { b.load(ElementType::I32, index, t) };
    let address = Address { base: x, index: Some(Index { value, kind, scale }), offset };
    let v = b.load_at(ty, address);
    b.store(ty, out, t, v);
    b
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn loads_are_right_or_refused(
        size in prop::sample::select(vec![1u32, 2, 4, 8]),
        kind in prop::sample::select(vec![IndexKind::Signed32, IndexKind::Unsigned32, IndexKind::Wide]),
        scale in prop::sample::select(vec![0u32, 1, 2, 4, 8, 12, 1 << 21, u32::MAX]),
        offset in prop_oneof![1 => -64i64..64, 1 => any::<i64>(), 8 => Just(0)],
        // Mostly bytes up to about the end, to try the edge; sometimes one lane anywhere.
        bytes in prop::collection::vec(0u64..1000, 40),
        edge in (0usize..40, 1000u64..1028),
        wild in prop::option::weighted(0.1, (0usize..40, any::<i64>())),
        threads in 1u32..40,
        start in prop::sample::select(vec![0u64, 256, 512]),
    ) {
        let mut lanes: Vec<i64> = bytes.iter().map(|b| *b as i64).collect();
        lanes[edge.0] = edge.1 as i64;
        for lane in &mut lanes {
            *lane = (*lane - start as i64).div_euclid(i64::from(scale.max(1)));
        }
        if let Some((lane, value)) = wild {
            lanes[lane] = value;
        }
        let ty = [ElementType::U8, ElementType::U16, ElementType::I32, ElementType::I64][size.trailing_zeros() as usize];
        let mut d = Device::new(kernel(ty, kind, scale, offset));
        let data: Vec<u32> = (0..WORDS).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
        let bytes: Vec<u8> = data.iter().flat_map(|w| w.to_le_bytes()).collect();
        let x = d.words(&data);
        let index: Vec<u32> = match kind {
            IndexKind::Wide => lanes.iter().flat_map(|v| [*v as u32, (*v >> 32) as u32]).collect(),
            _ => lanes.iter().map(|v| *v as u32).collect(),
        };
        let (index, out) = (d.words(&index), d.words(&[0; 80]));
        let args = [Constant::Ptr(x.pointer() + start), ptr(index), ptr(out)];
        let result = d.run(1, threads, &args);
        let modulus = 1i128 << 40;
        let at = |v: i64| {
            let v = match kind {
                IndexKind::Signed32 => i128::from(v as i32),
                IndexKind::Unsigned32 => i128::from(v as u32),
                IndexKind::Wide => i128::from(v),
            };
            // A pointer has 40 bits of offset, so what goes round by 2^40 comes back.
            (v * i128::from(scale) + i128::from(offset) + i128::from(start)).rem_euclid(modulus)
        };
        // Warps fault one after the other.
        for (warp, lanes) in lanes[..threads as usize].chunks(32).enumerate() {
            let outside = lanes.iter().position(|v| at(*v) + i128::from(size) > i128::from(4 * WORDS));
            let skew = lanes.iter().position(|v| at(*v) % i128::from(size) != 0);
            let Some(lane) = outside.or(skew) else { continue };
            let fault = result.unwrap_err();
            prop_assert_eq!(fault.thread[0], (warp * 32 + lane) as u32);
            let shown = at(lanes[lane]);
            let shown = if shown >= modulus / 2 { shown - modulus } else { shown } as i64;
            match fault.kind {
                FaultKind::OutOfBounds { offset, bytes, access, .. } => {
                    prop_assert!(outside.is_some());
                    prop_assert_eq!((offset, bytes, access), (shown, size, AccessKind::Load));
                }
                FaultKind::Misaligned { offset, .. } => prop_assert!(outside.is_none() && offset == shown),
                other => prop_assert!(false, "{other:?}"),
            }
            return Ok(());
        }
        prop_assert!(result.is_ok(), "{:?}", result);
        let mut got = vec![0; 320];
        d.simulator.memory.read(out, 0, &mut got).unwrap();
        let size = size as usize;
        for (t, v) in lanes[..threads as usize].iter().enumerate() {
            let from = at(*v) as usize;
            prop_assert_eq!(&got[t * size..][..size], &bytes[from..][..size], "thread {}", t);
        }
    }
}

#[test]
fn pointers_made_of_integers_keep_their_allocation() {
    // A cast to an integer, some arithmetic, and back; then a null with an offset.
    let mut b = Build::new();
    let (x, out) = (b.pointer("x"), b.pointer("out"));
    let far = b.param("far", ParamKind::Scalar(ElementType::I64));
    let bits = b.reg(Type::I64);
    b.emit(InstKind::Convert { dst: bits, op: simt_ir::Conversion::PtrToI64, src: x });
    let moved = b.add(bits.into(), far);
    let p = b.reg(Type::Ptr);
    b.emit(InstKind::Convert { dst: p, op: simt_ir::Conversion::I64ToPtr, src: moved });
    let t = b.tid();
    let v = b.load(ElementType::I32, p.into(), t);
    b.store(ElementType::I32, out, t, v);
    let mut d = Device::new(b);
    let (x, out) = (d.words(&(0..64).collect::<Vec<_>>()), d.words(&[0; 32]));
    d.run(1, 32, &[ptr(x), ptr(out), Constant::I64(64)]).unwrap();
    assert_eq!(d.read(out), (16..48).collect::<Vec<u32>>());
    let f = d.run(1, 32, &[ptr(x), ptr(out), Constant::I64(0u64.wrapping_sub(x.pointer()))]).unwrap_err();
    assert!(matches!(f.kind, FaultKind::NullPointer { .. }), "{f:?}");
    let f = d.run(1, 32, &[ptr(x), ptr(out), Constant::I64(7 << 60)]).unwrap_err();
    assert!(matches!(f.kind, FaultKind::InvalidPointer { .. }), "{f:?}");
}

/// An index that all lanes share, however far it leads, at a pointer that is known before the launch and at one that is not.
#[test]
fn a_far_index_of_the_whole_warp_is_refused() {
    for known in [true, false] {
        let mut b = Build::new();
        let (x, table, indices, out) =
            (b.pointer("x"), b.pointer("table"), b.pointer("indices"), b.pointer("out"));
        let (t, block) = (b.tid(), b.block_x());
        let base = if known { x } else { b.load(ElementType::Ptr, table, i32(0)) };
        let value = b.load(ElementType::I64, indices, block);
        let word = b.load_at(
            ElementType::I32,
            Address { base, index: Some(Index { value, kind: IndexKind::Wide, scale: 4 }), offset: 8 },
        );
        b.store(ElementType::I32, out, t, word);
        let mut d = Device::new(b);
        let x = d.words(&(0..WORDS).collect::<Vec<_>>());
        let middle = x.pointer() + 16;
        let table = d.words(&[middle as u32, (middle >> 32) as u32]);
        let far = [i64::MAX, i64::MAX / 4, i64::MAX / 4 - 3, i64::MIN, i64::MIN / 4, -7, 1 << 37, 250];
        for index in far.into_iter().chain([-6, 0, 249]) {
            let (indices, out) = (d.words(&[index as u32, (index >> 32) as u32]), d.empty(32));
            let args = [Constant::Ptr(middle), ptr(table), ptr(indices), ptr(out)];
            let result = d.run(1, 32, &args);
            // Pointers have 40 bits of an offset, modulo which an index leads somewhere.
            let bytes = (24 + i128::from(index) * 4).rem_euclid(1 << 40);
            if bytes + 4 <= i128::from(WORDS * 4) {
                result.unwrap();
                assert_eq!(d.read(out), [bytes as u32 / 4; 32], "{index}");
            } else {
                let fault = result.unwrap_err();
                assert!(matches!(fault.kind, FaultKind::OutOfBounds { .. }), "{index}: {fault:?}");
            }
        }
    }
}
