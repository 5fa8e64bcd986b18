//! Full unrolling: a loop with a known trip count becomes straight-line code, folded while it is cloned.

use super::Unroller;
use super::loop_info::LoopInfo;
use super::trip_count::TripCount;
use crate::clone::{Cloner, Folding};
use crate::region::node_count;
use simt_ir::{Node, Region};

impl Unroller<'_> {
    /// The loop as straight-line code; `tests_in_header` if the header runs once more at the end.
    pub(super) fn fully_unrolled(
        &mut self,
        info: &LoopInfo,
        trips: &TripCount,
        tests_in_header: bool,
    ) -> Region {
        let summary = &info.summary;
        let exit = summary.breaks.then(|| self.new_label());
        let exit_jump = exit.map(|exit| (Node::Break(info.label), Node::Break(exit)));
        let iteration_nodes = info.iteration_size() - 1;
        let is_dead = self.use_loops.as_ref().is_some_and(|uses| uses.are_within(trips.counter, info.label));
        if is_dead {
            self.dead_counters.insert(trips.counter);
        }
        let mut out = Region::with_capacity(iteration_nodes);
        self.map.clear();
        self.map.set(trips.counter, Some(trips.first.into()));
        for trip in 0..trips.count + usize::from(tests_in_header) {
            let continue_label = (summary.continues && trip < trips.count).then(|| self.new_label());
            let mut cloner = Cloner {
                map: &mut self.map,
                jumps: exit_jump.iter().cloned().collect(),
                next_label: &mut self.next_label,
                folding: Some(Folding {
                    registers: self.registers,
                    ssa: self.ssa,
                    counter: trips.counter,
                    // Where a jump may leave the loop early, the counter must have its value of that iteration.
                    writes_counter: !is_dead && (summary.jumps || trip + 1 == trips.count),
                }),
            };
            cloner.append(info.header, &mut out);
            if trip == trips.count {
                break;
            }
            match continue_label {
                None => cloner.append(info.body, &mut out),
                Some(label) => {
                    cloner.jumps.push((Node::Continue(info.label), Node::Break(label)));
                    let body = cloner.region(info.body);
                    cloner.jumps.pop();
                    out.push(Node::Scope { label, body });
                }
            }
            cloner.append(info.step, &mut out);
            if trip == 0 {
                out.reserve(out.len() * trips.count);
            }
        }
        let last_test = if tests_in_header { node_count(info.header) } else { 0 };
        let unfolded = trips.count * (iteration_nodes + usize::from(summary.continues)) + last_test;
        self.budget = self.budget.saturating_sub(unfolded);
        // `unfolded` includes what inner loops had elided, once per iteration.
        self.elided = (self.elided + unfolded).saturating_sub(info.elided + node_count(&out));
        match exit {
            Some(label) => vec![Node::Scope { label, body: out }],
            None => out,
        }
    }
}
