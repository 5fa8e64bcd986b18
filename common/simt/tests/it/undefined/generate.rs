//! Random kernels with variables of all kinds that get values on some paths only.
//!
//! A condition that may be undefined guards a store to memory: else a pass may make a choice between values of it, which is no
//! use of the condition but makes these undefined.

use crate::races::program::{Parameter, Program, Stmt, block, line};
use crate::support::Random;

const PRELUDE: &str = "
struct P { int a, b; };
struct Q { P p; float f; };
__device__ int id(int v) { return v; }
__device__ int deep(int v, int n) { return n <= 0 ? v : deep(v, n - 1) + n; }
__device__ int lost(int t) { int r; if (t % 3 == 0) r = t; return t < 0 ? lost(t + 1) : r; }
__device__ P make(int v) { P p; p.a = v; return p; }
__device__ void set(P &p, int v) { p.b = v; }
__device__ P pass(P p, int n) { if (n > 0) return pass(p, n - 1); return p; }
";

/// Declarations; of each, whether it has a value is chosen.
const VARIABLES: [[&str; 2]; 9] = [
    ["int x;", "int x = t;"],
    ["int y;", "int y = 3;"],
    ["float f;", "float f = 1;"],
    ["long long w;", "long long w = 9;"],
    ["bool b;", "bool b = t > 4;"],
    ["P p;", "P p = {1, 2};"],
    ["Q q;", "Q q = {};"],
    ["int2 v;", "int2 v = make_int2(t, 1);"],
    ["int a[3];", "int a[3] = {};"],
];

/// What is assigned to, and read as a number.
const PLACES: [&str; 14] =
    ["x", "x", "y", "y", "f", "w", "b", "p.a", "p.b", "q.p.b", "q.f", "v.x", "v.y", "a[1]"];

struct Generate {
    random: Random,
    depth: u32,
    /// Whether all lanes are here.
    together: bool,
    /// Counters of the loops around.
    counters: Vec<&'static str>,
    outputs: u32,
}

impl Generate {
    fn choose<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.random.below(of.len() as u32) as usize]
    }

    fn place(&mut self) -> String {
        match self.counters.last() {
            Some(counter) if self.random.one_in(4) => format!("a[{counter}]"),
            _ => self.choose(&PLACES).to_owned(),
        }
    }

    /// A value without undefined parts.
    fn known(&mut self) -> String {
        let constant = (self.random.below(7)).to_string();
        let counter = self.counters.last().copied().unwrap_or("t");
        self.choose(&[&constant, "t", "in[t]", "(t & 3)", counter]).to_owned()
    }

    fn operand(&mut self) -> String {
        if self.random.one_in(2) { self.known() } else { format!("(int){}", self.place()) }
    }

    fn value(&mut self) -> String {
        let (a, b, c) = (self.operand(), self.operand(), self.known());
        match self.random.below(12) {
            0..4 => a,
            4 => format!("{a} + {b}"),
            5 => format!("{a} * {c}"),
            6 => format!("({a} & {c})"),
            7 => format!("({} ? {a} : {b})", self.condition()),
            8 => format!("id({a})"),
            9 => format!("deep({a}, {})", self.random.below(3)),
            10 => format!("min({a}, {b})"),
            _ => format!("({a} >> 1) - 2"),
        }
    }

    /// A condition that is defined.
    fn condition(&mut self) -> String {
        let number = self.random.below(20);
        let known = self.known();
        match self.random.below(4) {
            0 => format!("t < {number}"),
            1 => format!("(t & {}) != 0", number % 4 + 1),
            2 => format!("in[t] > {}", number % 5),
            _ => format!("{known} == {}", number % 3),
        }
    }

    fn output(&mut self) -> String {
        self.outputs += 1;
        format!("out[t * 8 + {}] = (int){};", self.outputs % 8, self.place())
    }

    fn body(&mut self, most: u32) -> Vec<Stmt> {
        let count = 1 + self.random.below(most);
        (0..count).map(|_| self.statement()).collect()
    }

    /// Statements that not all lanes may come to.
    fn apart(&mut self, most: u32) -> Vec<Stmt> {
        let together = std::mem::replace(&mut self.together, false);
        self.depth += 1;
        let body = self.body(most);
        self.depth -= 1;
        self.together = together;
        body
    }

    fn statement(&mut self) -> Stmt {
        match self.random.below(if self.depth < 3 { 20 } else { 10 }) {
            0..5 => line(format!("{} = {};", self.place(), self.value())),
            5 => line(format!("{} += {};", self.place(), self.known())),
            6 => line(self.output()),
            7 => self.whole(),
            8 if self.together => self.across(),
            8 => line(format!("y = lost(t - {});", self.random.below(3))),
            9 => self.use_with_effect(),
            10..15 => block(format!("if ({})", self.condition()), self.apart(3)),
            15 => {
                let a = block(format!("if ({})", self.condition()), self.apart(2));
                let Stmt::Block(head, mut body) = a else { return a };
                body.extend(self.leave());
                block(head, body)
            }
            _ => self.repeat(),
        }
    }

    /// A jump out of a loop, or on to its next round.
    fn leave(&mut self) -> Option<Stmt> {
        (!self.counters.is_empty()).then(|| line(self.choose(&["break;", "continue;"])))
    }

    fn repeat(&mut self) -> Stmt {
        let counter = ["j", "k", "l"][self.depth.min(2) as usize];
        if self.counters.contains(&counter) {
            return line(self.output());
        }
        self.counters.push(counter);
        let body = self.apart(4);
        self.counters.pop();
        let pragma = self.choose(&["", "", "#pragma unroll 1\n    "]);
        let limit = self.choose(&["3", "2", "3", "(t & 1) + 2", "in[t] % 4"]);
        let limit = if limit.starts_with("in") { "min(in[t] % 4, 3)" } else { limit };
        block(format!("{pragma}for (int {counter} = 0; {counter} < {limit}; {counter}++)"), body)
    }

    /// Structures as a whole.
    fn whole(&mut self) -> Stmt {
        let value = self.value();
        let condition = self.condition();
        let known = self.random.below(3);
        match self.random.below(8) {
            0 => line("q.p = p;"),
            1 => line("p = q.p;"),
            2 => line(format!("p = make({value});")),
            3 => line(format!("set(p, {value});")),
            4 => line(format!("p = {condition} ? p : make({value});")),
            5 => line(format!("p = pass(p, {known});")),
            6 => line(format!("{{ P r = p; r.a = {value}; set(r, r.a); p.a = r.b; }}")),
            _ => line(format!("{{ int z; if ({condition}) z = {value}; x = z; }}")),
        }
    }

    /// What looks at other lanes.
    fn across(&mut self) -> Stmt {
        let (place, from) = (self.place(), self.operand());
        let condition = self.condition();
        let lane = 1 << self.random.below(5);
        match self.random.below(4) {
            0 => line(format!("{place} = __shfl_xor_sync(~0u, {from}, {lane});")),
            1 => line(format!("{place} = __shfl_down_sync(~0u, {from}, {lane});")),
            2 => line(format!("{place} = __ballot_sync(~0u, {condition} && {from} > 1) != 0;")),
            _ => line(format!("{place} = __shfl_sync(~0u, {from}, {lane} - 1);")),
        }
    }

    /// A condition, an address or a divisor that may be undefined.
    fn use_with_effect(&mut self) -> Stmt {
        let (place, output) = (self.place(), self.output());
        match self.random.below(8) {
            0 => line(format!("out[(int){place} & 7] = 1;")),
            1 => line(format!("x = t / (((int){place} & 3) + 1);")),
            _ => block(format!("if ({place} > 0)"), vec![line(output)]),
        }
    }
}

pub(crate) fn generate(seed: u64) -> Program {
    let mut generate = Generate {
        random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(7)),
        depth: 0,
        together: true,
        counters: Vec::new(),
        outputs: 0,
    };
    for _ in 0..4 {
        generate.random.below(2);
    }
    let mut body = vec![line("const int t = threadIdx.x;")];
    // How many of four variables have a value where they are declared.
    let with_value = generate.random.below(4);
    for [without, with] in VARIABLES {
        body.push(line(if generate.random.below(4) < with_value { with } else { without }));
    }
    body.extend(generate.body(9));
    body.push(line(generate.output()));
    let mut words = Vec::new();
    words.extend((0..64).map(|_| generate.random.below(6)));
    let parameters = vec![
        Parameter { declaration: "int *out", words: vec![0; 8 * 64] },
        Parameter { declaration: "const int *in", words },
    ];
    let block = [[32, 1], [40, 1], [64, 1]][generate.random.below(3) as usize];
    let grid = 1;
    Program { prelude: PRELUDE, parameters, body, grid, block, cooperative: false }
}
