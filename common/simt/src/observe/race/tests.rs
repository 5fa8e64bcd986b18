//! Which accesses to shared memory are deferred, and which update the shadow cells.

use crate::launch::{Launch, MemoryRules, Specialization};
use crate::machine::InstSite;
use crate::machine::event::AsyncCopier;
use crate::machine::observer::{GroupLoad, GroupStore};
use crate::machine::warp::access::placement::{PlacementKey, ShapeCache};
use crate::observe::race::access::RaceDetector;
use crate::observe::race::cell::Cell;
use crate::observe::race::granule::Granule;
use crate::observe::race::shared::SharedShadow;
use crate::plan::{self, GroupId, Pc, Plan};
use crate::testing::*;
use simt_ir::ElementType;

/// Store and load of `tile[t]` by two warps: groups 0 and 1 of the plan.
fn store_and_load() -> Plan {
    let mut b = Build::new();
    let tile = b.shared("tile", 256);
    let t = b.tid();
    b.store(ElementType::I32, tile, t, t);
    b.barrier();
    b.load(ElementType::I32, tile, t);
    let module = b.module();
    let launch =
        Launch { grid: [1; 3], block: [64, 1, 1], dynamic_shared: 0, cooperative: None, args: vec![] };
    plan::compile(&module, &module.kernels[0], &launch, Specialization::AccessGroups.into(), &|_| 0)
}

struct Bench {
    plan: Plan,
    shapes: ShapeCache,
    shadow: SharedShadow,
    state: RaceDetector,
}

const STORE: GroupId = GroupId(0);
const LOAD: GroupId = GroupId(1);

impl Bench {
    fn new() -> Bench {
        let mut shadow = SharedShadow::default();
        shadow.cells.cells = vec![Cell::UNTOUCHED; 64];
        shadow.cells.granule = Granule::Word;
        shadow.cells.written = vec![0; 2];
        shadow.deferred.begin(64);
        let mut state = RaceDetector::default();
        state.block.clock.begin(2);
        Bench { plan: store_and_load(), shapes: ShapeCache::default(), shadow, state }
    }

    /// Whether warp `warp` may defer its part of a group: words `32 * part` and up.
    fn known(&mut self, group: GroupId, warp: u32, part: i64) -> bool {
        let all = &self.plan.groups[group];
        let key = PlacementKey { shape: all.shape, warp, mask: u32::MAX };
        let placement = self.shapes.placement(&self.plan, MemoryRules::Modern, key);
        let shape_id = placement.placed.unwrap().shape;
        let shape = self.shapes.shape(shape_id);
        if group == STORE {
            let (pc, start) = (all.members[0].pc, part as u32 * 128);
            self.shadow.group_store(&self.state, &GroupStore { pc, shape, shape_id, start, warp })
        } else {
            let (start, shared) = (part * 128, true);
            let load = GroupLoad { group: all, id: group, shape, shape_id, start, warp, shared };
            self.shadow.group_load(&self.state, &load)
        }
    }

    fn flush(&mut self) {
        let at = InstSite { pc: Pc(u32::MAX), warp: 1, block: 0 };
        self.shadow.deferred.updated = true;
        self.shadow.deferred.flush(&mut self.shadow.cells, &self.state.block.clock, &self.plan, &at);
    }

    fn barrier(&mut self) {
        self.state.barrier(0);
        self.shadow.barrier();
    }

    /// The threads that a word's cell has recorded since the barrier: the first writer, the first reader.
    fn marks(&self, word: usize) -> [Option<u32>; 2] {
        let cell = &self.shadow.cells.cells[word];
        [cell.write, cell.read]
            .map(|record| record.threads_in(self.state.block.clock.interval()).map(|[first, _]| first))
    }
}

#[test]
fn stores_to_words_of_their_own_leave_cells_alone() {
    let mut bench = Bench::new();
    assert!(bench.known(STORE, 0, 0) && bench.known(STORE, 1, 1));
    assert_eq!(bench.marks(5), [None, None]);
    // Words written before, or reads beside writes, are told one by one.
    assert!(!bench.known(STORE, 1, 0));
    assert!(!bench.known(LOAD, 0, 0));
    bench.flush();
    assert_eq!([bench.marks(5), bench.marks(37)], [[Some(5), None], [Some(37), None]]);
    assert!(bench.shadow.deferred.is_empty());
}

#[test]
fn loads_of_what_was_written_before_the_barrier_leave_cells_alone() {
    let mut bench = Bench::new();
    assert!(!bench.known(LOAD, 0, 0), "no thread has written it");
    assert!(bench.known(STORE, 0, 0));
    bench.barrier();
    assert!(bench.known(LOAD, 0, 0) && bench.known(LOAD, 1, 0));
    assert!(!bench.known(LOAD, 0, 1), "no thread has written the other half");
    assert_eq!(bench.marks(5), [None, None]);
    assert!(!bench.known(STORE, 0, 0));
    bench.flush();
    // The second reader is of the other warp.
    let read = &bench.shadow.cells.cells[5].read;
    assert_eq!(read.threads_in(bench.state.block.clock.interval()), Some([5, 37]));
}

#[test]
fn after_an_update_a_store_makes_its_own_and_a_load_is_told_until_the_barrier() {
    let mut bench = Bench::new();
    assert!(bench.known(STORE, 0, 0));
    bench.flush();
    assert!(bench.known(STORE, 1, 1));
    assert_eq!(bench.marks(37), [Some(37), None]);
    assert!(!bench.known(STORE, 1, 0), "another warp's word");
    assert!(!bench.known(LOAD, 1, 1));
    bench.barrier();
    assert!(bench.known(LOAD, 1, 1));
    assert_eq!(bench.marks(37), [None, None]);
}

#[test]
fn a_barrier_forgets_what_was_deferred() {
    let mut bench = Bench::new();
    assert!(bench.known(STORE, 0, 0));
    bench.barrier();
    bench.flush();
    assert_eq!(bench.marks(5), [None, None]);
    assert!(!bench.known(LOAD, 0, 1) && bench.shadow.deferred.is_empty());
}

#[test]
fn narrow_elements_and_copies_under_way_are_told_one_by_one() {
    let mut bench = Bench::new();
    bench.shadow.cells.granule = Granule::Byte;
    assert!(!bench.known(STORE, 0, 0));
    bench.shadow.cells.granule = Granule::Word;
    bench.shadow.copies.insert(3, AsyncCopier { thread: 0, pc: Pc::ENTRY });
    assert!(!bench.known(STORE, 0, 0));
    bench.shadow.copies.clear();
    assert!(bench.known(STORE, 0, 0));
}
