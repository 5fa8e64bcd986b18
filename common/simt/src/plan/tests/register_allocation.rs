//! Which registers share a slot.

use crate::index_vec::IndexVec;
use crate::plan::select::{SharedFile, slot_owners};
use crate::testing::*;
use simt_ir::{BinaryOp, Constant, InstKind, Location, Node, Operand, Reg, Region};

fn add(dst: Reg, lhs: impl Into<Operand>, rhs: impl Into<Operand>) -> Node {
    let kind = InstKind::Binary { dst, op: BinaryOp::Add, lhs: lhs.into(), rhs: rhs.into() };
    Node::Inst(simt_ir::Inst { kind, location: Location(0) })
}

fn repeat(header: Region, body: Region) -> Node {
    let (label, condition) = (simt_ir::Label(0), Some(Constant::Bool(false).into()));
    Node::Loop { label, header, condition, body, step: vec![], unroll: None, location: Location(0) }
}

fn owners(body: Region, registers: usize) -> Vec<u32> {
    let exposed = IndexVec::filled(false, registers);
    let owners =
        slot_owners(std::iter::once((&body, 0..registers as u32)), &exposed, &|_| Some(SharedFile::Lanes32));
    owners.iter().map(|owner| owner.0).collect()
}

const fn r(n: u32) -> Reg {
    Reg(n)
}

#[test]
fn temporaries_one_after_the_other_share_a_slot() {
    // The result of an instruction does not take the place of its operand.
    let body = vec![
        add(r(0), i32(1), i32(2)),
        add(r(1), r(0), i32(1)),
        add(r(2), r(1), i32(1)),
        add(r(3), r(2), r(2)),
    ];
    assert_eq!(owners(body, 4), [0, 1, 0, 1]);
    // What is written twice keeps its own.
    let body = vec![
        add(r(0), i32(1), i32(2)),
        add(r(1), r(0), r(0)),
        add(r(2), i32(1), i32(1)),
        add(r(2), r(2), r(2)),
    ];
    assert_eq!(owners(body, 3)[2], 2);
}

#[test]
fn what_a_loop_reads_from_outside_keeps_its_slot_to_the_loops_end() {
    let inside = vec![
        add(r(1), r(0), i32(1)),
        add(r(2), r(1), i32(1)),
        add(r(3), r(2), i32(1)),
        add(r(4), r(3), i32(1)),
    ];
    let body = vec![add(r(0), i32(1), i32(2)), repeat(vec![], inside)];
    let owners = owners(body, 5);
    assert!(owners[1..].iter().all(|owner| *owner != 0), "{owners:?}");
}

#[test]
fn what_one_loops_header_makes_keeps_its_slot_to_the_end_of_the_loop_that_reads_it() {
    let inside = vec![
        add(r(1), r(0), i32(1)),
        add(r(2), r(1), i32(1)),
        add(r(3), r(2), i32(1)),
        add(r(4), r(3), i32(1)),
    ];
    let body = vec![repeat(vec![add(r(0), i32(1), i32(2))], vec![]), repeat(vec![], inside)];
    let owners = owners(body, 5);
    assert!(owners[1..].iter().all(|owner| *owner != 0), "{owners:?}");
}
