//! Runs a kernel by the IR's executable definition, and finds out what a proof must not have said.
//!
//! Nothing here knows how anything is proved: every byte that a thread accesses is noted, with who has accessed it before.

use simt_ir::pointer::{self, Space};
use simt_ir::{Constant, Kernel, Node, ParamKind, ValidModule};
use simt_prove::{BlockClasses, Proofs, UNROLLED};
use simt_ref::log::EventKind;
use simt_ref::{AccessKind, End, Event, FaultKind, Host, Memory};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A kernel and its launch.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) text: String,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Words of each buffer.
    pub(crate) buffers: Vec<usize>,
    /// By pointer parameter, its buffer; and the numbers that follow.
    pub(crate) pointers: Vec<u32>,
    pub(crate) numbers: Vec<i32>,
}

/// What threads have done to a byte since it was last forgotten.
#[derive(Clone, Copy)]
struct Byte {
    thread: (u32, u32),
    /// Whether it has been accessed by several.
    several: bool,
    written: bool,
}

/// What a thread does: what kind of access, to which memory, from which byte on, and how many; or where it waits.
type Deed = Option<(AccessKind, (Space, u32), u64, u64)>;

/// What a launch shows.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// Buffers in which threads meet, and shared variables in which they do between two barriers.
    pub(crate) meets: Vec<bool>,
    pub(crate) shared_meets: Vec<bool>,
    /// Shared variables of which something is read that no thread has written.
    pub(crate) unwritten: Vec<bool>,
    /// Buffers of which a thread reads what it has not written itself.
    pub(crate) reads_others: Vec<bool>,
    /// By load and store, whether it has failed.
    pub(crate) failed: Vec<bool>,
    /// Whether the launch ended well.
    pub(crate) done: bool,
    pub(crate) accessed: Vec<bool>,
    pub(crate) shared_accessed: Vec<bool>,
    /// By block and thread, what it does.
    deeds: BTreeMap<(u32, u32), Vec<Deed>>,
}

pub(crate) fn compile(text: &str) -> ValidModule {
    let mut compiled = cuda_front::compile("k.cu", text, &cuda_front::Options::default());
    let module = compiled.module.as_mut().unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics));
    cuda_front::prepare(module, &mut compiled.later, 0).unwrap_or_else(|found| panic!("{found:?}\n{text}"));
    compiled.module.unwrap()
}

impl Case {
    pub(crate) fn args(&self) -> Vec<Constant> {
        let pointer = |buffer: &u32| Constant::Ptr(pointer::pack(Space::Global, *buffer, 0));
        let number = |number: &i32| Constant::I32(*number as u32);
        self.pointers.iter().map(pointer).chain(self.numbers.iter().map(number)).collect()
    }

    /// What is proved if so many iterations of loops are followed one by one.
    pub(crate) fn prove(&self, kernel: &Kernel, unrolled: u32) -> Proofs {
        let extent = |space: Space, number: u32| match space {
            Space::Global => Some((0, self.buffers.get(number as usize).map(|words| *words as i64 * 4)?)),
            Space::Shared => {
                let variable = &kernel.shared[number as usize];
                Some((variable.offset.into(), (variable.offset + variable.bytes).into()))
            }
            _ => None,
        };
        let (args, global) = (self.args(), |_| 0);
        assert!(kernel.params.iter().all(|param| !matches!(param.kind, ParamKind::Texture)));
        simt_prove::prove(&simt_prove::Launch {
            kernel,
            grid: self.grid,
            block: self.block,
            args: &args,
            extent: &extent,
            global: &global,
            unrolled,
        })
    }

    /// Runs it.
    pub(crate) fn run(&self, module: &ValidModule) -> Shown {
        let kernel = &module.kernels[0];
        let sites = sites(kernel);
        let mut shown = Shown {
            meets: vec![false; self.buffers.len()],
            shared_meets: vec![false; kernel.shared.len()],
            unwritten: vec![false; kernel.shared.len()],
            reads_others: vec![false; self.buffers.len()],
            failed: vec![false; sites.len()],
            accessed: vec![false; self.buffers.len()],
            shared_accessed: vec![false; kernel.shared.len()],
            done: false,
            deeds: BTreeMap::new(),
        };
        let contents = self
            .buffers
            .iter()
            .map(|words| (0..*words as u32 * 4).map(|i| (i * 37 % 251) as u8).collect::<Vec<u8>>());
        let mut memory = Memory::new(module, contents.map(Into::into));
        let mut global: BTreeMap<(u32, u64), Byte> = BTreeMap::new();
        let mut shared: BTreeMap<(u32, u64), Byte> = BTreeMap::new();
        let mut own: BTreeSet<((u32, u32), u32, u64)> = BTreeSet::new();
        let mut observe = |event: &Event| match &event.kind {
            EventKind::Access(access) => {
                let thread = (event.who.block, event.who.thread);
                let writes = access.kind != AccessKind::Load;
                let number = access.place.allocation as usize;
                let Range { start, end } = access.place.bytes;
                let place = (access.place.space, access.place.allocation);
                shown.deeds.entry(thread).or_default().push(Some((access.kind, place, start, end - start)));
                let (bytes, meets) = match access.place.space {
                    Space::Global => (&mut global, &mut shown.meets[number]),
                    Space::Shared => (&mut shared, &mut shown.shared_meets[number]),
                    _ => return,
                };
                if access.place.space == Space::Shared {
                    shown.shared_accessed[number] = true;
                    shown.unwritten[number] |= !writes && access.unwritten != 0;
                } else {
                    shown.accessed[number] = true;
                    let mut of =
                        access.place.bytes.clone().map(|byte| (thread, access.place.allocation, byte));
                    match access.kind {
                        AccessKind::Store => own.extend(of),
                        _ => shown.reads_others[number] |= !of.all(|byte| own.contains(&byte)),
                    }
                }
                for byte in access.place.bytes.clone() {
                    // Shared memory of different blocks is not the same.
                    let block = if access.place.space == Space::Shared { thread.0 } else { 0 };
                    let key = (access.place.allocation, byte + (u64::from(block) << 32));
                    let known = bytes.entry(key).or_insert(Byte { thread, several: false, written: false });
                    known.several |= known.thread != thread;
                    known.written |= writes;
                    *meets |= known.several && known.written;
                }
            }
            EventKind::BlockBarrier => {
                let who = (event.who.block, event.who.thread);
                shown.deeds.entry(who).or_default().push(None);
                shared.retain(|(_, byte), _| byte >> 32 != u64::from(event.who.block));
            }
            _ => {}
        };
        let launch = simt_ref::Launch {
            grid: self.grid,
            block: self.block,
            steps: 2_000_000,
            ..simt_ref::Launch::new(1, 1, &self.args())
        };
        let host = Host { observer: Some(&mut observe), ..Host::default() };
        let report = simt_ref::run(module, 0, &launch, &mut memory, host).unwrap();
        shown.done = report.end == End::Done;
        if let End::Fault(fault) = &report.end
            && fault
                .threads
                .iter()
                .any(|(_, kind)| matches!(kind, FaultKind::OutOfBounds { .. } | FaultKind::Misaligned { .. }))
        {
            let at = |(_, location): &(usize, simt_ir::Location)| *location == fault.location;
            let failed: Vec<usize> = sites.iter().copied().enumerate().filter(at).map(|(i, _)| i).collect();
            // Several accesses of one line have one position: then one of them has failed.
            if let [only] = failed[..] {
                shown.failed[only] = true;
            } else {
                failed.iter().for_each(|site| shown.failed[*site] = true);
            }
        }
        shown
    }

    /// What was proved and is not so; with what was proved and shown.
    pub(crate) fn judge(&self) -> (Vec<String>, Proofs, Shown) {
        let module = compile(&self.text);
        let kernel = &module.kernels[0];
        let shown = self.run(&module);
        let mut wrong = Vec::new();
        for unrolled in [0, UNROLLED] {
            self.compare(&self.prove(kernel, unrolled), &shown, &mut wrong);
        }
        (wrong, self.prove(kernel, UNROLLED), shown)
    }

    fn compare(&self, proofs: &Proofs, shown: &Shown, wrong: &mut Vec<String>) {
        for buffer in &proofs.apart {
            if shown.meets[*buffer as usize] {
                wrong.push(format!("threads meet in buffer {buffer}"));
            }
        }
        for buffer in &proofs.initialized {
            if shown.reads_others[*buffer as usize] {
                wrong.push(format!("a thread reads of buffer {buffer} what it has not written"));
            }
        }
        for (number, meets) in shown.shared_meets.iter().enumerate() {
            if *meets && proofs.shared_apart.get(number) == Some(&true) {
                wrong.push(format!("threads meet in shared variable {number}"));
            }
            if shown.unwritten[number] && proofs.shared_written.get(number) == Some(&true) {
                wrong.push(format!("shared variable {number} is read before it is written"));
            }
        }
        let all_are_inside = |at: &dyn Fn(usize) -> bool| {
            (0..shown.failed.len()).filter(|i| at(*i)).all(|i| proofs.inside.get(i) == Some(&true))
        };
        if shown.done
            && let Some(classes) = &proofs.classes
            && let Some(unlike) = self.unlike(classes, shown)
        {
            wrong.push(unlike);
        }
        if shown.failed.contains(&true) && all_are_inside(&|site| shown.failed[site]) {
            wrong.push("an access is outside".to_owned());
        }
    }
}

impl Case {
    /// The blocks by class.
    pub(crate) fn blocks(&self, classes: &BlockClasses) -> BTreeMap<Vec<i64>, Vec<[u32; 3]>> {
        let [x, y, z] = self.grid;
        let mut blocks: BTreeMap<Vec<i64>, Vec<[u32; 3]>> = BTreeMap::new();
        for number in 0..x * y * z {
            let block = [number % x, number / x % y, number / x / y];
            blocks.entry(classes.answers(block).collect()).or_default().push(block);
        }
        blocks
    }

    /// Blocks of one class that do not access alike.
    fn unlike(&self, classes: &BlockClasses, shown: &Shown) -> Option<String> {
        let [x, y, _] = self.grid;
        let deeds = |block: [u32; 3], thread: u32| {
            shown
                .deeds
                .get(&(block[0] + x * (block[1] + y * block[2]), thread))
                .map_or(&[][..], |deeds| deeds)
        };
        let threads = self.block.iter().product();
        for blocks in self.blocks(classes).values() {
            for block in blocks {
                // By how much the block's first access to a buffer has moved, all others must have.
                let mut moves: BTreeMap<u32, i64> = BTreeMap::new();
                let mut is_like = |(one, other): (&Deed, &Deed)| match (one, other) {
                    (Some((kind, place, start, bytes)), Some((also, there, from, of))) => {
                        let by = *from as i64 - *start as i64;
                        let moved = match place.0 {
                            Space::Global => *moves.entry(place.1).or_insert(by),
                            _ => 0,
                        };
                        (kind, place, bytes, moved) == (also, there, of, by) && by % 128 == 0
                    }
                    (one, other) => one == other,
                };
                let are_like = (0..threads).all(|thread| {
                    let (one, other) = (deeds(blocks[0], thread), deeds(*block, thread));
                    one.len() == other.len() && one.iter().zip(other).all(&mut is_like)
                });
                if !are_like {
                    return Some(format!("blocks {:?} and {block:?} are not alike", blocks[0]));
                }
            }
        }
        None
    }
}

/// The positions of the loads and stores in the order of the text.
fn sites(kernel: &Kernel) -> Vec<simt_ir::Location> {
    fn walk(region: &[Node], all: &mut Vec<simt_ir::Location>) {
        for node in region {
            match node {
                Node::Inst(inst) => {
                    if matches!(inst.kind, simt_ir::InstKind::Load { .. } | simt_ir::InstKind::Store { .. }) {
                        all.push(inst.location);
                    }
                }
                Node::If { then, otherwise, .. } => [then, otherwise].into_iter().for_each(|r| walk(r, all)),
                Node::Loop { header, body, step, .. } => {
                    [header, body, step].into_iter().for_each(|r| walk(r, all))
                }
                Node::Scope { body, .. } => walk(body, all),
                _ => {}
            }
        }
    }
    let mut all = Vec::new();
    walk(&kernel.body, &mut all);
    all
}
