//! Generated wait graphs: every thread of a launch, or one per warp or block, waits for some others before it raises its own flag.
//! Where nobody waits for itself by way of others, the launch ends; where somebody does, it is a deadlock.

use super::Waiting;
use crate::support::Random;
use simt::{Fault, FaultKind};
use std::fmt::Write;

/// What waits: every `step`-th thread of the launch.
struct Graph {
    grid: u32,
    block: u32,
    step: u32,
    /// For each that waits, for whom it waits, in order.
    waits: Vec<Vec<u32>>,
    /// Blocks that are resident.
    resident: u32,
}

impl Graph {
    fn random(random: &mut Random) -> Graph {
        let shapes: [(u32, u32); 8] =
            [(1, 32), (1, 64), (1, 96), (2, 32), (3, 64), (8, 32), (5, 40), (20, 32)];
        let (grid, block) = shapes[random.below(shapes.len() as u32) as usize];
        let step = [1, 4, 32, block][random.below(4) as usize].min(block);
        let nodes = (grid * block).div_ceil(step);
        let is_cyclic = random.one_in(4);
        let mut waits = vec![Vec::new(); nodes as usize];
        // Who is waited for comes first in an order that has nothing to do with who runs first.
        let mut order: Vec<u32> = (0..nodes).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, random.below(at as u32 + 1) as usize);
        }
        for at in 1..order.len() {
            for _ in 0..random.below(3) {
                waits[order[at] as usize].push(order[random.below(at as u32) as usize]);
            }
        }
        if is_cyclic {
            let at = random.below(nodes) as usize;
            waits[order[random.below(at as u32 + 1) as usize] as usize].push(order[at]);
        }
        let resident = if random.one_in(3) { 1 + random.below(grid) } else { grid };
        Graph { grid, block, step, waits, resident }
    }

    fn block_of(&self, node: u32) -> u32 {
        node * self.step / self.block
    }

    /// Whether all flags are raised, with so many blocks resident and begun in order.
    fn ends(&self) -> bool {
        let mut raised = vec![false; self.waits.len()];
        loop {
            // A block that has not ended is resident if there is room for it.
            let is_open = |block: u32| {
                (0..self.waits.len() as u32).any(|n| self.block_of(n) == block && !raised[n as usize])
            };
            let open: Vec<u32> = (0..self.grid).filter(|block| is_open(*block)).collect();
            let running = &open[..open.len().min(self.resident as usize)];
            let goes = |node: &usize| {
                !raised[*node]
                    && running.contains(&self.block_of(*node as u32))
                    && self.waits[*node].iter().all(|other| raised[*other as usize])
            };
            let Some(next) = (0..self.waits.len()).find(goes) else { break };
            raised[next] = true;
        }
        raised.iter().all(|raised| *raised)
    }

    /// A kernel with the graph as a table.
    fn text(&self, random: &mut Random) -> String {
        let (mut first, mut all) = (vec![0], Vec::new());
        for waits in &self.waits {
            all.extend(waits);
            first.push(all.len() as u32);
        }
        all.push(0);
        let list = |numbers: &[u32]| {
            numbers.iter().fold(String::new(), |mut text, n| {
                let _ = write!(text, "{n}, ");
                text
            })
        };
        let [first, all] = [list(&first), list(&all)];
        let step = self.step;
        let poll =
            ["*(volatile int *)&flag[other]", "atomicAdd(&flag[other], 0)", "atomicCAS(&flag[other], 1, 1)"]
                [random.below(3) as usize];
        let raise = [
            "*(volatile int *)&flag[node] = 1;",
            "atomicExch(&flag[node], 1);",
            "atomicAdd(&flag[node], 1);",
        ][random.below(3) as usize];
        let between = [
            "",
            "__syncwarp(__activemask());",
            "int dummy = __popc(__activemask()); if (dummy == 0) out[0] = 0;",
        ][random.below(3) as usize];
        // All threads of a block come to its end; a barrier there changes nothing for who waits.
        let end = ["", "__syncthreads();", "__syncwarp();"][random.below(3) as usize];
        format!(
            "__constant__ int first[] = {{ {first} }};
            __constant__ int all[] = {{ {all} }};
            __global__ void k(int *flag, int *data, int *out) {{
                int i = blockIdx.x * blockDim.x + threadIdx.x, node = i / {step};
                if (i % {step} == 0) {{
                    int sum = 1;
                    for (int at = first[node]; at < first[node + 1]; at++) {{
                        int other = all[at];
                        while ({poll} == 0) {{}}
                        __threadfence();
                        sum += data[other];
                    }}
                    data[node] = sum;
                    {between}
                    __threadfence();
                    {raise}
                    out[node] = sum;
                }}
                {end}
            }}"
        )
    }

    /// What each node hands on.
    fn sums(&self) -> Vec<u32> {
        let mut sums: Vec<Option<u32>> = vec![None; self.waits.len()];
        while sums.iter().any(Option::is_none) {
            for node in 0..sums.len() {
                let parts: Option<Vec<u32>> =
                    self.waits[node].iter().map(|other| sums[*other as usize]).collect();
                sums[node] =
                    sums[node].or(parts.map(|parts| parts.iter().fold(1u32, |a, b| a.wrapping_add(*b))));
            }
        }
        sums.into_iter().flatten().collect()
    }
}

fn check(seed: u64) {
    let mut random = Random(seed);
    random.below(2);
    let graph = Graph::random(&mut random);
    let text = graph.text(&mut random);
    let mut kernel = Waiting::new(&text);
    kernel.device.options.limits.resident_blocks = graph.resident.into();
    // A kernel in which lanes come to a warp function apart may be beyond the machine.
    let result = kernel.run(graph.grid, graph.block);
    let launch = (seed, graph.grid, graph.block, graph.resident);
    match (result, graph.ends()) {
        (Ok(()), true) => {
            assert_eq!(kernel.out(graph.waits.len() as u32), graph.sums(), "{launch:?}\n{text}")
        }
        (Err(fault), false) if matches!(fault.kind, FaultKind::Deadlock { .. }) => {}
        (result, ends) => {
            let result: Result<(), Box<Fault>> = result;
            panic!("{launch:?} ends: {ends}, and it {result:?}\n{text}")
        }
    }
}

#[test]
fn wait_graphs_end_or_are_deadlocks() {
    let count = std::env::var("WAITS").ok().and_then(|count| count.parse().ok()).unwrap_or(150);
    let first = std::env::var("WAITS_FROM").ok().and_then(|count| count.parse().ok()).unwrap_or(0);
    (first..first + count).for_each(check);
}
