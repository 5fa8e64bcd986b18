//! Irregular codes on tiny random graphs, after the patterns of the Indigo suite (Liu, Azami, Walters and Burtscher, ISPASS 2022) and with
//! its kinds of bugs: a plain guard, an update that is not atomic, a barrier missing, a plain path compression, an index out of
//! bounds. The suite's labels belong to the code; here the oracle says of each run whether it has a race.

use super::program::{Parameter, Program, Stmt, block, line};
use crate::support::Random;

/// Neighbour lists, compressed: those of vertex `v` are `list[index[v]..index[v + 1]]`.
struct Graph {
    index: Vec<u32>,
    list: Vec<u32>,
}

fn graph(random: &mut Random) -> Graph {
    let vertices = 1 + random.below(30);
    let kind = random.below(5);
    let neighbours = (0..vertices).map(|v| match kind {
        // A ring, a star, a line toward 0.
        0 => vec![(v + 1) % vertices, (v + vertices - 1) % vertices],
        1 if v == 0 => (1..vertices).collect(),
        1 => vec![0],
        2 => (v > 0).then(|| v - 1).into_iter().collect(),
        // Without edges for most.
        3 => (0..random.below(2)).map(|_| random.below(vertices)).collect(),
        _ => (0..random.below(5)).map(|_| random.below(vertices)).collect::<Vec<u32>>(),
    });
    let (mut index, mut list) = (vec![0], Vec::new());
    for each in neighbours {
        list.extend(each);
        index.push(list.len() as u32);
    }
    list.push(0);
    Graph { index, list }
}

/// Who works on a vertex.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Worker {
    Thread,
    Warp,
    Block,
}

/// The bugs of a kernel.
#[derive(Clone, Copy)]
struct Bugs {
    guard: bool,
    atomic: bool,
    sync: bool,
    race: bool,
    bounds: bool,
}

/// How `int`s, or longer words, are updated.
struct Codes {
    random: Random,
    bugs: Bugs,
    worker: Worker,
    /// Of `data`: `int` or `unsigned long long`.
    ty: &'static str,
}

pub(crate) fn generate(seed: u64) -> Program {
    let mut random = Random(seed.wrapping_mul(0xd134_2543_de82_ef95) ^ 0x51);
    for _ in 0..4 {
        random.below(2);
    }
    let graph = graph(&mut random);
    let mut bug = |n| random.one_in(n);
    let bugs = Bugs { guard: bug(5), atomic: bug(4), sync: bug(3), race: bug(4), bounds: bug(20) };
    let worker = [Worker::Thread, Worker::Thread, Worker::Warp, Worker::Block][random.below(4) as usize];
    let ty = ["int", "int", "unsigned long long"][random.below(3) as usize];
    let grid = 1 + random.below(3);
    let block = [[32, 1], [64, 1], [8, 8], [96, 1]][random.below(4) as usize];
    let values = |random: &mut Random, n| (0..n).map(|_| random.below(20)).collect::<Vec<u32>>();
    let vertices = graph.index.len() as u32 - 1;
    let (start, given) = (values(&mut random, 2 * vertices + 2), values(&mut random, 2 * vertices + 2));
    let parents = parents(&mut random, vertices);
    let mut codes = Codes { random, bugs, worker, ty };
    let body = codes.kernel(vertices);
    let parameters = vec![
        Parameter { declaration: "const int *index", words: graph.index },
        Parameter { declaration: "const int *list", words: graph.list },
        Parameter { declaration: "int *start", words: start },
        Parameter { declaration: "const int *given", words: given },
        Parameter { declaration: "int *work", words: vec![0; vertices as usize + 1] },
        Parameter { declaration: "int *size", words: vec![0; 1] },
        Parameter { declaration: "int *parent", words: parents },
    ];
    Program { prelude: "", parameters, body, grid, block, cooperative: false }
}

/// A forest in which no vertex has a parent above itself.
fn parents(random: &mut Random, vertices: u32) -> Vec<u32> {
    let long = random.one_in(2);
    (0..vertices).map(|v| if long { v.saturating_sub(1) } else { random.below(v + 1) }).collect()
}

impl Codes {
    fn choose(&mut self, of: &[&str]) -> String {
        of[self.random.below(of.len() as u32) as usize].to_owned()
    }

    fn kernel(&mut self, vertices: u32) -> Vec<Stmt> {
        let ty = self.ty;
        let mut body = vec![
            line(format!("const int n = {vertices};")),
            line(format!("{ty} *data = ({ty} *)start;")),
            line("int t = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;"),
            line("int id = blockIdx.x * threads + t;"),
        ];
        let (first, step) = match self.worker {
            Worker::Thread => ("id", "gridDim.x * threads"),
            Worker::Warp => ("id / 32", "gridDim.x * threads / 32"),
            Worker::Block => ("blockIdx.x", "gridDim.x"),
        };
        let vertex = match self.random.below(5) {
            0 => self.conditional_vertex(),
            1 => self.conditional_edge(),
            2 => self.pull(),
            3 => self.push(),
            _ if self.random.one_in(2) => self.populate_worklist(),
            _ => self.path_compression(),
        };
        let less = if self.bugs.bounds { "<=" } else { "<" };
        let persistent = self.random.one_in(2) || self.worker != Worker::Thread;
        if persistent {
            body.push(block(format!("for (int v = {first}; v {less} n; v += {step})"), vertex));
        } else {
            body.extend([line("int v = id;"), block(format!("if (v {less} n)"), vertex)]);
        }
        body
    }

    /// A loop over the neighbours of `v` that belong to this thread.
    fn traverse(&mut self, body: Vec<Stmt>) -> Stmt {
        let (lane, lanes) = match self.worker {
            Worker::Thread => ("0", "1"),
            Worker::Warp => ("t % 32", "32"),
            Worker::Block => ("t", "threads"),
        };
        let mut inside = vec![line("int near = list[j];")];
        inside.extend(body);
        if self.random.one_in(4) {
            inside.push(line("if (near > v) break;"));
        }
        match self.random.below(4) {
            0 => {
                block(format!("for (int j = index[v + 1] - 1 - {lane}; j >= index[v]; j -= {lanes})"), inside)
            }
            // The first one alone.
            1 => block(
                format!("for (int j = index[v] + {lane}; j < min(index[v] + 1, index[v + 1]); ++j)"),
                inside,
            ),
            _ => block(format!("for (int j = index[v] + {lane}; j < index[v + 1]; j += {lanes})"), inside),
        }
    }

    /// Raises a word to a value, atomically or not.
    fn raise(&mut self, place: &str, value: &str) -> Vec<Stmt> {
        let ty = self.ty;
        let update = match (self.bugs.atomic, self.random.below(3)) {
            (true, 0) => format!("{place} = max({place}, ({ty})({value}));"),
            (true, _) => format!("{place} += {value};"),
            (false, 0) => format!("atomicMax(&{place}, ({ty})({value}));"),
            (false, 1) => format!("atomicAdd_block(&{place}, ({ty})({value}));"),
            (false, _) => format!("atomicAdd(&{place}, ({ty})({value}));"),
        };
        match self.bugs.guard {
            true => vec![block(format!("if ({place} < ({ty})({value}))"), vec![line(update)])],
            false => vec![line(update)],
        }
    }

    /// One thread of those that work on a vertex.
    fn leader(&self) -> &'static str {
        match self.worker {
            Worker::Thread => "if (true)",
            Worker::Warp => "if (t % 32 == 0)",
            Worker::Block => "if (t == 0)",
        }
    }

    /// The largest `best` of the threads that work on a vertex, in the leader's `best`.
    fn reduce(&mut self) -> Vec<Stmt> {
        let sync = |missing: bool| line(if missing { ";" } else { "__syncthreads();" });
        let [before, within, after] = match self.bugs.sync {
            true => [0, 1, 2].map(|which| self.random.below(3) == which),
            false => [false; 3],
        };
        let shuffle = block(
            "for (int d = 16; d > 0; d /= 2)",
            vec![line("best = max(best, __shfl_xor_sync(~0u, best, d));")],
        );
        match self.worker {
            Worker::Thread => vec![],
            Worker::Warp => vec![shuffle],
            Worker::Block if self.random.one_in(2) => vec![
                shuffle,
                line("__shared__ int part[4];"),
                block("if (t % 32 == 0)", vec![line("part[t / 32] = best;")]),
                sync(within),
                block("for (int w = 0; w < threads / 32; ++w)", vec![line("best = max(best, part[w]);")]),
                sync(after),
            ],
            Worker::Block => vec![
                line("__shared__ int tree[128];"),
                line("tree[t] = best;"),
                sync(before),
                block(
                    "for (int d = 64; d > 0; d /= 2)",
                    vec![
                        block(
                            "if (t < d && t + d < threads)",
                            vec![line("tree[t] = max(tree[t], tree[t + d]);")],
                        ),
                        sync(within),
                    ],
                ),
                line("best = tree[0];"),
                sync(after),
            ],
        }
    }

    fn conditional_vertex(&mut self) -> Vec<Stmt> {
        let mut body = vec![line("int best = 0;")];
        body.push(self.traverse(vec![line("best = max(best, given[near]);")]));
        body.extend(self.reduce());
        let update = self.raise("data[0]", "best");
        let condition = self.choose(&["if (best > given[v])", "if (best > 3)", "if (v % 2 == 0)"]);
        body.push(block(self.leader(), vec![block(condition, update)]));
        body
    }

    fn conditional_edge(&mut self) -> Vec<Stmt> {
        let update = self.raise("data[0]", "1");
        let condition =
            self.choose(&["if (v < near)", "if (given[v] < given[near])", "if (given[near] > 12)"]);
        vec![self.traverse(vec![block(condition, update)])]
    }

    fn pull(&mut self) -> Vec<Stmt> {
        let source = if self.bugs.race { "(int)data[near]" } else { "given[near]" };
        let mut body = vec![line("int best = 0;")];
        body.push(self.traverse(vec![line(format!("best = max(best, {source});"))]));
        body.extend(self.reduce());
        body.push(block(self.leader(), vec![line("data[v] = best;")]));
        body
    }

    fn push(&mut self) -> Vec<Stmt> {
        let update = self.raise("data[near]", "given[v]");
        let condition = self.choose(&["if (true)", "if (given[near] < given[v])"]);
        vec![self.traverse(vec![block(condition, update)])]
    }

    fn populate_worklist(&mut self) -> Vec<Stmt> {
        let place = match (self.bugs.atomic, self.bugs.race) {
            (true, _) => "int at = size[0]; size[0] = at + 1;",
            (false, true) => "int at = atomicAdd(size, 1); if (size[0] > n) at = 0;",
            (false, false) => "int at = atomicAdd(size, 1);",
        };
        let append = vec![line(place), line("if (at < n) work[at] = v;")];
        let mut body = vec![line("int best = 0;")];
        body.push(self.traverse(vec![line("best = max(best, given[near]);")]));
        body.extend(self.reduce());
        body.push(block(self.leader(), vec![block("if (best > given[v])", append)]));
        body
    }

    /// The roots of two vertices are joined, and the paths to them made shorter on the way.
    fn path_compression(&mut self) -> Vec<Stmt> {
        let read = |at: &str| match self.bugs.race {
            true => format!("parent[{at}]"),
            false => format!("atomicAdd(&parent[{at}], 0)"),
        };
        let write = match self.bugs.race {
            true => "parent[last] = next;",
            false => "atomicMin(&parent[last], next);",
        };
        let find = |from: &str, root: &str| {
            vec![
                line(format!("int {root} = {};", read(from))),
                block(
                    format!("if ({root} != {from})"),
                    vec![
                        line(format!("int last = {from}, next;")),
                        block(
                            format!("while ({root} > (next = {}))", read(root)),
                            vec![line(write), line(format!("last = {root}; {root} = next;"))],
                        ),
                    ],
                ),
            ]
        };
        let mut body = [find("v", "mine"), find("near", "theirs")].concat();
        if !self.bugs.atomic {
            body.push(line("if (mine < theirs) atomicCAS(&parent[theirs], theirs, mine);"));
        } else if self.random.one_in(2) {
            body.push(line("if (mine < theirs) parent[theirs] = mine;"));
        }
        vec![self.traverse(body)]
    }
}
