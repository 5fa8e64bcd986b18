//! Chains: sums of products in straight code, such as those of a dot product or a filter, whose factors are words of shared,
//! constant or global memory that are known to be there.
//!
//! `sum += a[k] * b[k]` unrolled is two loads and a multiply-add a step. A chain executes all steps at once: it holds the sum in
//! the host's registers and takes factors straight from memory. Counters and checks have nothing left to do, because the loads
//! are members of groups that were looked at before the chain begins; if one of these lies where a chain cannot read, the
//! operations are executed one by one. They all stay in the code; a chain only passes over them.

use crate::plan::analysis::blocks::{starts, temporaries};
use crate::plan::analysis::def_use::uses;
use crate::plan::code::Plan;
use crate::plan::code::operands::Src;
use crate::plan::code::operation::Op;
use crate::plan::code::superinstruction::{Chain, Factor, MOST_SOURCES, Word};

/// Operations that make a chain worth its beginning.
const FEWEST: usize = 3;

/// Finds the chains of a plan.
pub(crate) fn find(plan: &mut Plan, idle: &[bool]) {
    let starts = starts(plan);
    let temporary = temporaries(plan, &starts);
    let uses = uses(plan, |pc| !idle[pc]);
    let find = Find { plan, idle, starts: &starts, temporary: &temporary, uses: &uses };
    let (mut chains, mut pc) = (Vec::new(), 0);
    while pc < plan.code.len() {
        match find.at(pc) {
            Some(chain) => {
                let end = chain.end as usize;
                chains.push((pc, chain));
                pc = end;
            }
            None => pc += 1,
        }
    }
    for (pc, chain) in chains {
        plan.code[pc] = Op::Chain(plan.chains.len() as u32);
        plan.chains.push(chain);
    }
}

struct Find<'a> {
    plan: &'a Plan,
    idle: &'a [bool],
    starts: &'a [bool],
    temporary: &'a [bool],
    /// By uniform slot: how many operations read it.
    uses: &'a [u32],
}

/// A chain as it grows.
#[derive(Default)]
struct Growing {
    /// What was loaded and not yet used.
    loaded: Vec<(Src, Word)>,
    /// All that was loaded.
    words: Vec<Word>,
    /// Places that loads have written.
    written: Vec<Src>,
    sources: Vec<u32>,
    products: Vec<[Factor; 2]>,
    sum: Option<(u32, Src)>,
    /// By product: where it ends, and how many places were written until then.
    ends: Vec<(usize, usize)>,
}

impl Find<'_> {
    /// The longest chain that begins at `pc`.
    fn at(&self, pc: usize) -> Option<Chain> {
        if self.idle[pc] {
            return None;
        }
        let mut chain = Growing::default();
        let mut at = pc;
        while at < self.plan.code.len() && (at == pc || !self.starts[at]) {
            if !self.idle[at] && !self.grow(&mut chain, at) {
                break;
            }
            at += 1;
        }
        // What is loaded and not used up must be of no use to anybody else.
        while let Some((end, written)) = chain.ends.last().copied() {
            if chain.written[..written].iter().all(|place| self.is_dead(*place, pc, end)) {
                break;
            }
            chain.ends.pop();
            chain.products.pop();
        }
        let (end, _) = *chain.ends.last()?;
        let (dst, start) = chain.sum?;
        let count = (pc..end).filter(|pc| !self.idle[*pc]).count();
        let words: Vec<Word> = chain.words.into_iter().filter(|word| (word.pc as usize) < end).collect();
        (count >= FEWEST && !words.is_empty()).then(|| Chain {
            first: self.plan.code[pc],
            end: end as u32,
            dst,
            start,
            sources: chain.sources,
            products: chain.products,
            words,
        })
    }

    /// Adds an operation, if it can be one of the chain's.
    fn grow(&self, chain: &mut Growing, pc: usize) -> bool {
        let (dst, a, b, c) = match self.plan.code[pc] {
            Op::Fetch { dst, group, distance, .. } => {
                return chain.load(Src::L(dst), (group, distance), pc);
            }
            Op::FetchUniform { dst, group, distance, .. } => {
                return chain.load(Src::U(dst), (group, distance), pc);
            }
            Op::FmaLanes { dst, a, b, c } => (Src::L(dst), Src::L(a), Src::L(b), Src::L(c)),
            Op::FmaUniform { dst, a, b, c } => (Src::L(dst), Src::U(a), Src::L(b), Src::L(c)),
            Op::Fma32 { dst, a, b, c } => (dst, a, b, c),
            _ => return false,
        };
        let Src::L(to) = dst else { return false };
        match chain.sum {
            None if !chain.written.contains(&c) && !chain.written.contains(&dst) => {}
            Some((sum, _)) if sum == to && c == dst => {}
            _ => return false,
        }
        let (Some(a), Some(b)) = (chain.factor(dst, a), chain.factor(dst, b)) else { return false };
        chain.sum.get_or_insert((to, c));
        chain.products.push([a, b]);
        chain.ends.push((pc + 1, chain.written.len()));
        true
    }

    /// Whether nobody reads what loads between `from` and `end` have left there.
    fn is_dead(&self, place: Src, from: usize, end: usize) -> bool {
        let plan = self.plan;
        match place {
            Src::U(slot) => {
                let (mut inside, mut written) = (0, false);
                for op in (from..end).filter(|pc| !self.idle[*pc]).map(|pc| &plan.code[pc]) {
                    let before = inside;
                    plan.reads(op, &mut |src| inside += u32::from(src == place));
                    if inside != before && !written {
                        // In a loop this reads what was left there the last time.
                        return false;
                    }
                    plan.writes(op, &mut |dst| written |= dst == place);
                }
                inside == self.uses[slot as usize]
            }
            Src::L(slot) => {
                for pc in end..plan.code.len() {
                    let op = &plan.code[pc];
                    let mut read = false;
                    plan.reads(op, &mut |src| read |= src == place);
                    if read {
                        return false;
                    }
                    if plan.overwrites(op) == Some(slot) {
                        return true;
                    }
                    if op.is_control() || self.starts[pc + 1] {
                        return self.temporary[slot as usize];
                    }
                }
                false
            }
            Src::A(..) => false,
        }
    }
}

impl Growing {
    fn load(&mut self, dst: Src, (group, distance): (u32, i32), pc: usize) -> bool {
        let source = match self.sources.iter().position(|s| *s == group) {
            Some(source) => source,
            None if self.sources.len() < MOST_SOURCES => {
                self.sources.push(group);
                self.sources.len() - 1
            }
            None => return false,
        };
        // The sum must not be overwritten, nor what was loaded and is still to be used.
        let sum = self.sum.map(|(slot, start)| [Src::L(slot), start]);
        if sum.is_some_and(|places| places.contains(&dst))
            || self.loaded.iter().any(|(place, _)| *place == dst)
        {
            return false;
        }
        let word = Word { source: source as u32, distance, pc: pc as u32 };
        self.loaded.push((dst, word));
        self.words.push(word);
        self.written.push(dst);
        true
    }

    /// A factor of a product: what was loaded there, which is used up by it, or what has been there from the start.
    fn factor(&mut self, sum: Src, src: Src) -> Option<Factor> {
        if let Some(at) = self.loaded.iter().position(|(place, _)| *place == src) {
            return Some(Factor::Word(self.loaded.remove(at).1));
        }
        match src {
            _ if src == sum || self.written.contains(&src) => None,
            Src::L(slot) => Some(Factor::Lanes(slot)),
            Src::U(slot) => Some(Factor::Uniform(slot)),
            Src::A(..) => None,
        }
    }
}
