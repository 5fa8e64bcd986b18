//! Random kernels: a few accesses of all kinds to shared and global memory, under guards and in loops, with some of what orders them, and
//! the usual patterns with a part missing.

use super::program::{Parameter, Program, Stmt, block, line};
use crate::support::Random;

/// Bytes of the shared array `s` and of the buffers `g` and `c`.
const BYTES: [u32; 3] = [512, 2048, 64];

/// What the elements of an array are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Element {
    Int,
    Short,
    Char,
    Long,
    Int2,
    Int4,
    Char4,
}

impl Element {
    fn name(self) -> &'static str {
        match self {
            Element::Int => "int",
            Element::Short => "short",
            Element::Char => "char",
            Element::Long => "unsigned long long",
            Element::Int2 => "int2",
            Element::Int4 => "int4",
            Element::Char4 => "char4",
        }
    }

    fn bytes(self) -> u32 {
        match self {
            Element::Char => 1,
            Element::Short => 2,
            Element::Int | Element::Char4 => 4,
            Element::Long | Element::Int2 => 8,
            Element::Int4 => 16,
        }
    }

    /// How a value of `int` becomes one of it.
    fn make(self, value: &str) -> String {
        match self {
            Element::Int2 => format!("make_int2({value}, {value})"),
            Element::Int4 => format!("make_int4({value}, 2, {value}, 3)"),
            Element::Char4 => format!("make_char4({value}, 1, {value}, 1)"),
            Element::Int | Element::Short | Element::Char | Element::Long => value.to_owned(),
        }
    }

    fn is_vector(self) -> bool {
        matches!(self, Element::Int2 | Element::Int4 | Element::Char4)
    }
}

/// What a kernel may use.
struct Style {
    atomics: bool,
    volatiles: bool,
    fences: bool,
    /// Of 4 statements, how many are followed by something that orders.
    order: u32,
    /// Whether warps are all that orders.
    of_warps: bool,
    /// The scalar elements of `s` and `g`.
    elements: [Element; 2],
    /// Whether elements of several sizes are mixed.
    mixed: bool,
}

struct Generate {
    random: Random,
    style: Style,
    cooperative: bool,
    /// Whether an `i` is in scope.
    in_loop: bool,
    names: u32,
}

/// A place in memory.
struct Place {
    element: Element,
    /// 0 for `s`, 1 for `g`, 2 for `c`.
    array: usize,
    text: String,
    volatile: String,
}

pub(crate) fn generate(seed: u64) -> Program {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    for _ in 0..4 {
        random.below(2);
    }
    let elements = [(); 2].map(|()| match random.below(10) {
        0 => Element::Short,
        1 => Element::Char,
        2 => Element::Long,
        _ => Element::Int,
    });
    let style = Style {
        atomics: random.one_in(2),
        volatiles: random.one_in(4),
        fences: random.one_in(4),
        order: random.below(5),
        of_warps: random.one_in(4),
        elements,
        mixed: random.one_in(20),
    };
    let cooperative = random.one_in(8);
    let grid = [1, 1, 2, 2, 3, 4][random.below(if style.fences { 5 } else { 6 }) as usize];
    // Fences make the oracle slow.
    let block = match random.below(if style.fences { 6 } else { 12 }) {
        0 => [8, 4],
        1 => [7, 5],
        2 => [1, 1],
        3 => [5, 1],
        4 => [33, 1],
        5 => [34, 1],
        9 => [16, 3],
        6 => [80, 1],
        7 => [96, 1],
        8 => [32, 1],
        _ => [64, 1],
    };
    let mut g = Generate { random, style, cooperative, in_loop: false, names: 0 };
    let body = g.kernel();
    let zeros = |bytes: u32| vec![0; bytes as usize / 4];
    let parameters = vec![
        Parameter { declaration: "int *g", words: zeros(BYTES[1]) },
        Parameter { declaration: "int *c", words: zeros(BYTES[2]) },
        Parameter { declaration: "int *out", words: vec![0; 4 * 96] },
    ];
    Program { prelude: "", parameters, body, grid, block, cooperative }
}

impl Generate {
    fn choose(&mut self, of: &[&str]) -> String {
        of[self.random.below(of.len() as u32) as usize].to_owned()
    }

    fn kernel(&mut self) -> Vec<Stmt> {
        let mut body = vec![
            // What is found of one shared variable must not be looked for in another.
            line("__shared__ int first[2];"),
            line("__shared__ __align__(16) int s[128];"),
            line("int t = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;"),
            line("int b = blockIdx.x, lane = t % 32, warp = t / 32, id = b * threads + t, x = t;"),
            block("for (int k = t; k < 128; k += threads)", vec![line("s[k] = 0;")]),
            line("if (t < 2) first[t] = 1;"),
            line("__syncthreads();"),
        ];
        let count = 1 + self.random.below(6);
        body.extend(self.statements(count, true, 2));
        body.push(line("out[id] = x + first[t % 2];"));
        body
    }

    fn statements(&mut self, count: u32, uniform: bool, depth: u32) -> Vec<Stmt> {
        let mut body = Vec::new();
        for _ in 0..count {
            body.extend(self.statement(uniform, depth));
            if self.random.below(4) < self.style.order {
                body.extend(self.order(uniform));
            }
        }
        body
    }

    /// Something that orders, or does not.
    fn order(&mut self, uniform: bool) -> Option<Stmt> {
        if self.style.fences && self.random.one_in(3) {
            return Some(line(self.choose(&[
                "__threadfence();",
                "__threadfence();",
                "__threadfence_block();",
                "__threadfence_system();",
            ])));
        }
        if !uniform {
            return None;
        }
        if self.cooperative && self.random.one_in(3) {
            return Some(line("cg::this_grid().sync();"));
        }
        if !self.style.of_warps && !self.random.one_in(4) {
            return Some(line(self.choose(&[
                "__syncthreads();",
                "__syncthreads();",
                "__syncthreads();",
                "x += __syncthreads_count(x & 1);",
            ])));
        }
        Some(line(self.choose(&[
            "__syncwarp();",
            "__syncwarp();",
            "__syncwarp();",
            "__syncwarp(lane < 8 ? 0xffu : 0xffffff00u);",
            "__syncwarp(lane % 2 ? 0xaaaaaaaau : 0x55555555u);",
            "cg::tiled_partition<8>(cg::this_thread_block()).sync();",
            "cg::tiled_partition<32>(cg::this_thread_block()).sync();",
            "x += __shfl_sync(~0u, x, 0);",
            "x += __shfl_up_sync(~0u, x, 1);",
            "x += __ballot_sync(~0u, x & 1) & 3;",
        ])))
    }

    fn statement(&mut self, uniform: bool, depth: u32) -> Vec<Stmt> {
        if depth > 0 {
            match self.random.below(12) {
                0 | 1 => return self.guarded(uniform, depth),
                2 if !self.in_loop => return vec![self.repeated(uniform, depth)],
                3 if uniform => return self.pattern(),
                _ => {}
            }
        }
        self.access()
    }

    fn guarded(&mut self, uniform: bool, depth: u32) -> Vec<Stmt> {
        let of_block = self.random.one_in(4);
        let k = [0, 1, 3, 8, 16, 31, 40][self.random.below(7) as usize];
        if of_block {
            let head = self.choose(&["if (b == 0)", "if (b == 1)", "if (b > 0)"]);
            let count = 1 + self.random.below(2);
            return vec![block(head, self.statements(count, uniform, depth - 1))];
        }
        let head = match self.random.below(9) {
            0 => format!("if (t < {k})"),
            1 => format!("if (t == {k})"),
            2 => format!("if (lane < {k})"),
            3 => "if (lane == 0)".to_owned(),
            4 => format!("if (warp == {})", k % 3),
            5 => format!("if (id == {k})"),
            6 => "if (x & 1)".to_owned(),
            7 => "if (x == 0)".to_owned(),
            _ => "if (t % 2 == 0)".to_owned(),
        };
        let count = 1 + self.random.below(2);
        let mut then = self.statements(count, false, depth - 1);
        if head.starts_with("if (lane < 8") || head.starts_with("if (lane < 16") {
            let mask = if k == 8 { "0xffu" } else { "0xffffu" };
            then.push(line(format!("__syncwarp({mask});")));
            then.extend(self.access());
        }
        let mut all = vec![block(head, then)];
        if self.random.one_in(3) {
            all.push(block("else", self.statements(1, false, depth - 1)));
        }
        all
    }

    fn repeated(&mut self, uniform: bool, depth: u32) -> Stmt {
        self.in_loop = true;
        let count = 1 + self.random.below(3);
        let body = self.statements(count, uniform, depth - 1);
        self.in_loop = false;
        let rounds = 2 + self.random.below(2);
        block(format!("for (int i = 0; i < {rounds}; ++i)"), body)
    }

    fn index(&mut self) -> String {
        let own = self.choose(&["t", "t", "t", "id"]);
        match self.random.below(14) {
            0..6 => own,
            6 => self.choose(&["t ^ 1", "t ^ 16", "t ^ 32"]),
            7 => self.choose(&["t + 1", "t + 32", "id + 1", "id + 64", "t + threads"]),
            8 => self.choose(&["t / 2", "t / 8", "t * 2", "t * 3"]),
            9 => self.choose(&["lane", "warp", "b", "threads - 1 - t"]),
            10 if self.in_loop => self.choose(&["i", "t + i", "i * threads + t"]),
            11 => self.choose(&["x", "x & 3"]),
            12 => self.choose(&["0", "1", "2", "5"]),
            _ => own,
        }
    }

    fn value(&mut self) -> String {
        self.choose(&["1", "1", "7", "0", "t", "x", "b", "id", "lane", "x + 1"])
    }

    fn place(&mut self, scalar: bool) -> Place {
        let array = self.random.below(2) as usize;
        let scalar_element = self.style.elements[array];
        let mut element = match (scalar_element, self.random.below(6)) {
            (Element::Int, 0) if !scalar => Element::Int4,
            (Element::Int, 1) if !scalar => Element::Int2,
            (Element::Char, 0 | 1) if !scalar => Element::Char4,
            _ => scalar_element,
        };
        if self.style.mixed && self.random.one_in(3) {
            element =
                [Element::Int, Element::Short, Element::Char, Element::Long][self.random.below(4) as usize];
        }
        let index = self.index();
        self.at(array, element, &index)
    }

    fn at(&self, array: usize, element: Element, index: &str) -> Place {
        let name = ["s", "g", "c"][array];
        let mask = BYTES[array] / element.bytes() - 1;
        let fits = index != "id" || array == 1;
        let simple = fits
            && matches!(index, "t" | "id" | "0" | "1" | "2" | "5" | "lane" | "warp" | "b" | "i")
            && matches!(element, Element::Int | Element::Short | Element::Char);
        let index = if simple { index.to_owned() } else { format!("({index}) & {mask}") };
        let of = |qualifier: &str| format!("(({qualifier}{} *){name})[{index}]", element.name());
        let text = if element == Element::Int { format!("{name}[{index}]") } else { of("") };
        Place { element, array, text, volatile: of("volatile ") }
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    /// One access, or the few of one idiom.
    fn access(&mut self) -> Vec<Stmt> {
        let scalar = self.random.one_in(2);
        let place = self.place(scalar);
        let value = self.value();
        if place.element.is_vector() {
            let (text, name) = (&place.text, place.element.name());
            return match self.random.below(3) {
                0 => vec![line(format!("{text} = {};", place.element.make(&value)))],
                1 => {
                    let local = self.name();
                    vec![line(format!("{name} {local} = {text};")), line(format!("x += {local}.x;"))]
                }
                _ => vec![line(format!("x += {text}.y;"))],
            };
        }
        if self.style.volatiles && self.random.one_in(2) {
            let text = &place.volatile;
            return match self.random.below(4) {
                0 => vec![line(format!("x += {text};"))],
                1 => vec![line(format!("x += {text};")), line(format!("x += {text};"))],
                _ => vec![line(format!("{text} = {value};"))],
            };
        }
        let atomic = matches!(place.element, Element::Int | Element::Long);
        if atomic && self.style.atomics && self.random.one_in(2) {
            return self.atomic(&place, &value);
        }
        let text = &place.text;
        match self.random.below(10) {
            0..4 => vec![line(format!("{text} = {value};"))],
            4..8 => vec![line(format!("x += {text};"))],
            8 => vec![line(format!("{text} += {value};"))],
            _ => {
                // In place, from a neighbour.
                let (index, other) = (self.index(), self.index());
                let [to, from] = [index, other].map(|index| self.at(place.array, place.element, &index).text);
                vec![line(format!("x = {from};")), line(format!("{to} = x + 1;"))]
            }
        }
    }

    fn atomic(&mut self, place: &Place, value: &str) -> Vec<Stmt> {
        let scope = self.choose(&["", "", "", "_block", "_system"]);
        let (text, ty) = (&place.text, place.element.name());
        if place.array == 1 && place.element == Element::Int && self.random.one_in(3) {
            return self.strong(text, value);
        }
        let used = if self.random.one_in(2) { "x += (int)" } else { "" };
        match self.random.below(8) {
            0..3 => vec![line(format!("{used}atomicAdd{scope}(&{text}, ({ty})({value}));"))],
            3 => vec![line(format!("{used}atomicMax{scope}(&{text}, ({ty})({value}));"))],
            4 => vec![line(format!("{used}atomicExch{scope}(&{text}, ({ty})({value}));"))],
            5 => vec![line(format!("{used}atomicCAS{scope}(&{text}, ({ty})0, ({ty})({value}));"))],
            6 => vec![line(format!("if ({text} < ({ty})t) atomicMax{scope}(&{text}, ({ty})t);"))],
            _ => {
                let (old, seen) = (self.name(), self.name());
                let first = if self.random.one_in(4) { &place.volatile } else { text };
                let comparand = if self.random.one_in(8) { format!("{seen} + 1") } else { seen.clone() };
                vec![
                    line(format!("{ty} {old} = {first}, {seen} = 0;")),
                    block(
                        "for (int n = 0; n < 100; ++n)",
                        vec![
                            line(format!("{seen} = {old};")),
                            line(format!("{old} = atomicCAS{scope}(&{text}, {comparand}, {seen} + 1);")),
                            line(format!("if ({old} == {seen}) break;")),
                        ],
                    ),
                ]
            }
        }
    }

    /// A load or store with an order, as inline PTX.
    fn strong(&mut self, text: &str, value: &str) -> Vec<Stmt> {
        let scope = self.choose(&["gpu", "gpu", "sys", "cta"]);
        let ordered = self.style.fences && self.random.one_in(2);
        if self.random.one_in(2) {
            let order = if ordered { "release" } else { "relaxed" };
            let store = format!("st.{order}.{scope}.global.s32 [%0], %1;");
            return vec![line(format!(
                r#"asm volatile("{store}" :: "l"(&{text}), "r"({value}) : "memory");"#
            ))];
        }
        let (order, seen) = (if ordered { "acquire" } else { "relaxed" }, self.name());
        let load = format!("ld.{order}.{scope}.global.s32 %0, [%1];");
        vec![
            line(format!("int {seen};")),
            line(format!(r#"asm volatile("{load}" : "=r"({seen}) : "l"(&{text}) : "memory");"#)),
            line(format!("x += {seen};")),
        ]
    }

    /// A fence, or none where the kernel has none or lacks this one.
    fn fence(&mut self) -> Stmt {
        let fences =
            ["__threadfence();", "__threadfence();", "__threadfence();", "__threadfence_block();", ";", ";"];
        if self.style.fences { line(self.choose(&fences)) } else { line(";") }
    }

    /// A barrier that may be missing.
    fn barrier(&mut self) -> Stmt {
        let barriers = ["__syncthreads();", "__syncthreads();", "__syncthreads();", "__syncwarp();", ";"];
        line(self.choose(&barriers))
    }

    fn pattern(&mut self) -> Vec<Stmt> {
        match self.random.below(11) {
            0 => self.tree(),
            10 => self.named(),
            6 => self.phase(),
            7 => self.copy(),
            8 => self.late_flag(),
            1 => self.scan(),
            2 => self.histogram(),
            3 => self.last_block(),
            4 => self.flag(),
            5 => self.lock(),
            _ => self.exchange(),
        }
    }

    fn tree(&mut self) -> Vec<Stmt> {
        let (before, after) = (self.barrier(), self.barrier());
        let step = block("if (t < d && t + d < threads)", vec![line("s[t] += s[t + d];")]);
        vec![
            line("s[t] = x;"),
            before,
            block("for (int d = 64; d > 0; d /= 2)", vec![step, after]),
            line("x = s[0];"),
        ]
    }

    fn scan(&mut self) -> Vec<Stmt> {
        let (read, written) = (self.barrier(), self.barrier());
        let body = vec![line("int y = t >= d ? s[t - d] : 0;"), read, line("s[t] += y;"), written];
        vec![block("for (int d = 1; d < threads; d *= 2)", body)]
    }

    fn histogram(&mut self) -> Vec<Stmt> {
        let add = self.choose(&["atomicAdd(&s[x & 3], 1);", "s[x & 3]++;", "atomicAdd_block(&s[x & 3], 1);"]);
        let out = self.choose(&["atomicAdd(&g[t], s[t]);", "g[t] += s[t];", "g[id] = s[t];"]);
        vec![line(add), self.barrier(), block("if (t < 4)", vec![line(out)])]
    }

    fn last_block(&mut self) -> Vec<Stmt> {
        let (release, acquire) = (self.fence(), self.fence());
        let (before, after) = (self.barrier(), self.barrier());
        let count = line("s[0] = atomicAdd(&c[0], 1) == gridDim.x - 1;");
        let sum =
            block("for (int k = t; k < gridDim.x * threads; k += threads)", vec![line("x += g[k & 511];")]);
        vec![
            line("g[id] = x;"),
            release,
            before,
            block("if (t == 0)", vec![count]),
            after,
            block("if (s[0])", vec![acquire, sum]),
        ]
    }

    fn flag(&mut self) -> Vec<Stmt> {
        let (release, acquire) = (self.fence(), self.fence());
        let set = self.choose(&[
            r#"asm volatile("st.release.gpu.global.s32 [%0], 1;" :: "l"(&c[1]) : "memory");"#,
            "atomicExch(&c[1], 1);",
            "*(volatile int *)&c[1] = 1;",
            "atomicExch_block(&c[1], 1);",
            "c[1] = 1;",
        ]);
        let get = self.choose(&[
            "if (atomicAdd(&c[1], 0))",
            "int seen; asm volatile(\"ld.acquire.gpu.global.s32 %0, [%1];\" : \"=r\"(seen) : \"l\"(&c[1]) : \"memory\"); if (seen)",
            "if (*(volatile int *)&c[1] && *(volatile int *)&c[1])",
            "if (*(volatile int *)&c[1])",
            "if (atomicCAS(&c[1], 1, 2) == 1)",
        ]);
        let writer = self.choose(&["if (id == 0)", "if (t == 0)", "if (id < 8)"]);
        let reader =
            self.choose(&["if (id == 40)", "if (t == threads - 1)", "if (b == 1)", "if (warp == 1)"]);
        let barrier = self.barrier();
        vec![
            block(writer, vec![line("g[3] = 5;"), release, line(set)]),
            if self.random.one_in(6) { barrier } else { line(";") },
            block(reader, vec![block(get, vec![acquire, line("x += g[3];")])]),
        ]
    }

    fn lock(&mut self) -> Vec<Stmt> {
        let (acquire, release) = (self.fence(), self.fence());
        let inside = self.choose(&["g[2] += 1;", "g[2] = x;", "x += g[2];"]);
        let body = vec![
            line("while (atomicCAS(&c[2], 0, 1)) {}"),
            acquire,
            line(inside),
            release,
            line("atomicExch(&c[2], 0);"),
        ];
        vec![block(self.choose(&["if (lane == 0)", "if (t == 0)"]), body)]
    }

    /// A barrier in shared memory at which all or some of the threads arrive.
    fn phase(&mut self) -> Vec<Stmt> {
        let bar = self.name();
        let some = self.random.one_in(3);
        let (count, who) = if some { ("min(threads, 32)", "if (t < 32)") } else { ("threads", "if (true)") };
        let meet = self.choose(&[
            "B.wait(B.arrive());",
            "B.wait(B.arrive());",
            "B.arrive_and_wait();",
            "(void)B.arrive();",
        ]);
        let meet = line(meet.replace('B', &bar));
        let index = self.choose(&["t ^ 1", "t ^ 16", "t", "t + 32"]);
        vec![
            line(format!("__shared__ cuda::barrier<cuda::thread_scope_block> {bar};")),
            block("if (t == 0)", vec![line(format!("init(&{bar}, {count});"))]),
            line("__syncthreads();"),
            line("s[t] = x;"),
            block(who, vec![meet]),
            line(format!("x = s[({index}) & 127];")),
            self.barrier(),
        ]
    }

    /// A named barrier at which all warps or some meet, or arrive without waiting.
    fn named(&mut self) -> Vec<Stmt> {
        let asm = |name: &str, number: &str, count: &str| {
            line(format!("asm volatile(\"{name} %0, %1;\" :: \"r\"({number}), \"r\"({count}) : \"memory\");"))
        };
        let parts = [
            ("if (true)", "(threads + 31) / 32 * 32"),
            ("if (t < 32)", "32"),
            ("if (t >= 32)", "(threads - 1) / 32 * 32"),
        ];
        let (who, count) = parts[self.random.below(3) as usize];
        let number = &self.choose(&["1", "2", "3"]);
        let parts = match self.random.below(4) {
            0 => vec![asm("barrier.sync", "t / 32", "32")],
            1 => vec![
                block("if (t / 32 == 1)", vec![asm("bar.arrive", number, count)]),
                block("if (t / 32 != 1)", vec![asm("bar.sync", number, count)]),
            ],
            _ => vec![asm("bar.sync", number, count)],
        };
        let index = self.choose(&["t ^ 1", "t ^ 32", "t", "t + 32"]);
        vec![line("s[t] = x;"), block(who, parts), line(format!("x = s[({index}) & 127];")), self.barrier()]
    }

    /// An asynchronous copy to shared memory, awaited or not.
    fn copy(&mut self) -> Vec<Stmt> {
        let from = self.choose(&["t", "id", "t + 1"]);
        let wait = self.choose(&[
            "__pipeline_wait_prior(0);",
            "__pipeline_wait_prior(0);",
            "__pipeline_wait_prior(1);",
            ";",
        ]);
        let (before, after) = (self.barrier(), self.barrier());
        let index = self.choose(&["t ^ 1", "t", "0"]);
        let write = self.choose(&[";", ";", "g[id] = 4;", "s[t] = 2;"]);
        vec![
            before,
            line(format!("__pipeline_memcpy_async(&s[t], &g[{from}], 4);")),
            line("__pipeline_commit();"),
            line(wait),
            line(write),
            after,
            line(format!("x += s[({index}) & 127];")),
        ]
    }

    /// A flag that is written some time after the fence.
    fn late_flag(&mut self) -> Vec<Stmt> {
        let (release, acquire) = (self.fence(), self.fence());
        let between = match self.random.below(4) {
            0 if self.cooperative => line("cg::this_grid().sync();"),
            1 => line("__syncwarp();"),
            2 => line(";"),
            _ => line("__syncthreads();"),
        };
        let reader =
            self.choose(&["if (id == 40)", "if (t == threads - 1)", "if (b == 1)", "if (warp == 1)"]);
        let look = self.choose(&[
            "int seen = ((volatile int *)c)[4]; if (!seen) seen = ((volatile int *)c)[4];",
            "int seen = ((volatile int *)c)[4];",
            "int seen = 0; for (int k = 0; k < 3; ++k) seen = ((volatile int *)c)[4];",
        ]);
        vec![
            block("if (t == 0)", vec![line("g[3] = 5;"), release]),
            between,
            block("if (id == 0)", vec![line("((volatile int *)c)[4] = 1;")]),
            block(reader, vec![line(look), block("if (seen)", vec![acquire, line("x += g[3];")])]),
        ]
    }

    /// Values handed to a neighbour through shared memory.
    fn exchange(&mut self) -> Vec<Stmt> {
        let (first, second) = (self.barrier(), self.barrier());
        let body = vec![line("s[t] = x;"), first, line("x = s[t ^ 1];"), second];
        if self.random.one_in(2) { body } else { vec![block("for (int k = 0; k < 2; ++k)", body)] }
    }
}
