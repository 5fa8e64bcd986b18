//! The table of operations: what follows from the roles of fields.

use crate::plan::code::numbers::{Lane32, MaskSlot, Pc, UniformSlot, VectorId};
use crate::plan::code::operation::Op;
use crate::plan::code::records::{Records, Shuffle};
use crate::plan::code::roles::Slot;
use crate::plan::{AnyOperand, Operand32};
use simt_ir::{BinaryOp, ShuffleMode};

const A: Operand32 = Operand32::Affine(UniformSlot(7), VectorId(1));
const B: Operand32 = Operand32::Uniform(UniformSlot(8));

fn slots(op: &Op, records: &Records) -> [Vec<Slot>; 2] {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    op.reads(records, |slot| reads.push(slot));
    op.writes(records, |slot| writes.push(slot));
    [reads, writes]
}

#[test]
fn an_operation_reads_and_writes_what_its_fields_say() {
    let records = Records::default();
    let add = Op::Alu32 { op: BinaryOp::Add, dst: Operand32::Lanes(Lane32(3)), a: A, b: B };
    let uniforms = [7, 8].map(|slot| Slot::Uniform(UniformSlot(slot)));
    assert_eq!(slots(&add, &records), [uniforms.to_vec(), vec![Slot::Lane32(Lane32(3))]]);
    assert_eq!((add.is_control(), add.target()), (false, None));
    assert_eq!(format!("{add:?}"), "Alu32 { op: Add, dst: Lanes(l3), a: Affine(u7, v1), b: Uniform(u8) }");
    let (condition, other) = (MaskSlot(4), MaskSlot(5));
    let step = Op::LoopTest { condition, out: other, target: Pc(9) };
    let [reads, writes] = slots(&step, &records);
    assert_eq!((reads, writes), (vec![Slot::Mask(condition), Slot::Mask(other)], vec![Slot::Mask(other)]));
    assert_eq!((step.is_control(), step.target()), (true, Some(Pc(9))));
}

#[test]
fn an_operation_with_a_record_reads_and_writes_what_that_says() {
    let mut records = Records::default();
    let [lane, width, members] = [Operand32::Lanes(Lane32(1)); 3];
    let shuffle = records.shuffles.push(Shuffle {
        dst: AnyOperand::Bits32(B),
        mode: ShuffleMode::Up,
        value: AnyOperand::Bits32(A),
        lane,
        width,
        members,
    });
    let op = Op::Shuffle { shuffle };
    let lanes = [Slot::Lane32(Lane32(1)); 3];
    let reads = [&[Slot::Uniform(UniformSlot(7))][..], &lanes].concat();
    assert_eq!(slots(&op, &records), [reads, vec![Slot::Uniform(UniformSlot(8))]]);
}
