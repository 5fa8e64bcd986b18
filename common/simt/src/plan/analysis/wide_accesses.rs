//! Wide accesses: neighbours in shared memory that the machine code of a device loads or stores together.
//!
//! nvcc makes one access of those in a basic block that lie in the same 16 bytes, aligned, or in the same 8: addresses that
//! differ by constants, from a pointer and an index whose alignment it can prove. What it was seen to do (`ptxas` of CUDA
//! 13.0, compute capability 9.0; `device-sim/tests/it/compiled.rs` has the cases):
//!
//! * Three or four loads of 4 bytes are a load of 16, which leaves out none or one; the two of one half are one of 8. Two
//!   loads of 8 bytes are one of 16. Elements of less than 4 bytes stay alone.
//! * Stores have to fill the 16 or 8 bytes.
//! * Between loads nothing may change shared memory. Between stores nothing may read it, or write anywhere in it but at
//!   constant distances.
//!
//! Accesses of global memory stay as they are: it cannot prove their alignment.
//!
//! Each access is executed as it is written. Only the counters take those together, so what checks for mistakes sees is
//! the program.

use crate::plan::analysis::alignment::Alignments;
use crate::plan::analysis::points_to::PointsTo;
use crate::plan::code::Class;
use crate::plan::code::effects::MemorySet;
use simt_ir::{AccessOrder, Address, InstKind, Node, Operand, Reg};
use source::hash::Map;

/// A register and how often the block has written it before.
type Version = (u32, u32);

/// The variable part of an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct AddressPlace {
    base: Version,
    /// The index, its kind and its scale.
    index: Option<(Version, u8, u32)>,
}

/// An aligned piece of memory with accesses of one size.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Window {
    place: AddressPlace,
    stores: bool,
    /// Bytes of each access.
    bytes: u32,
    /// Its size: 8 or 16 bytes.
    size: u32,
    /// Counted from the place.
    number: i64,
}

/// An access of a window.
#[derive(Clone, Copy)]
struct WindowAccess {
    /// Its position in the region.
    node: usize,
    /// Its first byte in the window.
    first: u32,
}

/// For each node of a region, what the counters call it, if that follows from its neighbours.
pub(crate) fn wide_accesses(
    region: &[Node],
    alignments: &Alignments,
    points: &PointsTo,
) -> Vec<Option<Class>> {
    let mut search = WideAccessSearch {
        alignments,
        points,
        versions: Map::default(),
        open: Map::default(),
        found: vec![None; region.len()],
    };
    for (position, node) in region.iter().enumerate() {
        match node {
            Node::Inst(inst) => search.inst(position, &inst.kind),
            _ => search.close(|_| true),
        }
    }
    search.close(|_| true);
    search.found
}

struct WideAccessSearch<'a> {
    alignments: &'a Alignments,
    points: &'a PointsTo,
    versions: Map<Reg, u32>,
    open: Map<Window, Vec<WindowAccess>>,
    found: Vec<Option<Class>>,
}

impl WideAccessSearch<'_> {
    fn inst(&mut self, position: usize, kind: &InstKind) {
        match kind {
            InstKind::Load { dst, ty, address, order, .. } if self.may_be_shared(&address.base) => {
                let bytes = ty.bytes() * dst.len() as u32;
                let is_weak = *order == AccessOrder::Weak;
                let window =
                    (is_weak && ty.bytes() >= 4).then(|| self.window(false, bytes, address)).flatten();
                self.close(|open| open.stores || !is_weak);
                self.add(position, window, address);
            }
            InstKind::Store { src, ty, address, order, .. } if self.may_be_shared(&address.base) => {
                let bytes = ty.bytes() * src.len() as u32;
                let window = (*order == AccessOrder::Weak && ty.bytes() >= 4)
                    .then(|| self.window(true, bytes, address))
                    .flatten();
                self.close(|open| window.is_none_or(|window| !open.stores || open.place != window.place));
                self.add(position, window, address);
            }
            InstKind::Load { .. } | InstKind::Store { .. } => {}
            InstKind::Atomic { address, .. } if !self.may_be_shared(&address.base) => {}
            InstKind::Shuffle { .. } | InstKind::Vote { .. } => {}
            kind if kind.accesses_memory() || kind.orders_memory() => self.close(|_| true),
            _ => {}
        }
        kind.for_each_def(|dst| *self.versions.entry(*dst).or_default() += 1);
    }

    fn may_be_shared(&self, base: &Operand) -> bool {
        self.points.of(base).meets(MemorySet::SHARED.union(MemorySet::UNKNOWN))
    }

    fn version(&self, operand: &Operand) -> Option<Version> {
        let Operand::Reg(reg) = operand else { return None };
        Some((reg.0, self.versions.get(reg).copied().unwrap_or(0)))
    }

    /// The window of an access to what is certainly shared memory, if its alignment is known.
    fn window(&self, stores: bool, bytes: u32, address: &Address) -> Option<Window> {
        let memory = self.points.of(&address.base);
        if !matches!(bytes, 4 | 8) || memory.without(MemorySet::SHARED) != MemorySet::EMPTY {
            return None;
        }
        let size = 1 << self.alignments.base(address).min(4);
        let index = match &address.index {
            Some(index) => Some((self.version(&index.value)?, index.kind as u8, index.scale)),
            None => None,
        };
        let place = AddressPlace { base: self.version(&address.base)?, index };
        let number = address.offset.div_euclid(i64::from(size));
        (size > bytes).then_some(Window { place, stores, bytes, size, number })
    }

    fn add(&mut self, node: usize, window: Option<Window>, address: &Address) {
        let Some(window) = window else { return };
        let first = address.offset.rem_euclid(i64::from(window.size)) as u32;
        let accesses = self.open.entry(window).or_default();
        // A word that is accessed again begins another access.
        if accesses.iter().any(|access| access.first == first) {
            let full = std::mem::take(accesses);
            accesses.push(WindowAccess { node, first });
            self.merge(&window, &full);
            return;
        }
        accesses.push(WindowAccess { node, first });
    }

    /// Nothing is added any more to windows for which `ends` holds.
    fn close(&mut self, ends: impl Fn(&Window) -> bool) {
        let closed: Vec<(Window, Vec<WindowAccess>)> =
            self.open.extract_if(|window, _| ends(window)).collect();
        closed.into_iter().for_each(|(window, accesses)| self.merge(&window, &accesses));
    }

    /// Makes wide accesses of those in a window.
    fn merge(&mut self, window: &Window, accesses: &[WindowAccess]) {
        let (most, here) = ((window.size / window.bytes) as usize, accesses.len());
        let may_leave_out = usize::from(!window.stores && most == 4);
        if here >= 2 && here + may_leave_out >= most {
            self.mark(window.size, accesses);
            return;
        }
        for half in [0, 8].into_iter().filter(|_| window.size == 16 && window.bytes == 4) {
            let in_half = accesses.iter().filter(|access| access.first / 8 * 8 == half);
            let in_half: Vec<WindowAccess> = in_half.copied().collect();
            if in_half.len() == 2 {
                self.mark(8, &in_half);
            }
        }
    }

    /// Counts the first access as one of that many bytes, and the others not at all.
    fn mark(&mut self, bytes: u32, accesses: &[WindowAccess]) {
        let (first, others) = accesses.split_first().expect("there are at least two");
        self.found[first.node] = Some(Class::Wide(bytes as u8));
        others.iter().for_each(|other| self.found[other.node] = Some(Class::Merged));
    }
}
