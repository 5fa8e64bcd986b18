//! Generated kernels whose blocks are alike or not: those that are of one class must be.
//!
//! Most of what decides where these threads go and what they access does not depend on data, and nearly all accesses are inside. `CLASSES` is how
//! many kernels there are, `CLASSES_FROM` the seed of the first.

use super::generate::{Random, number};
use super::judge::Case;

struct Scope {
    random: Random,
    loops: usize,
    apart: bool,
}

impl Scope {
    fn variable(&mut self) -> String {
        if self.loops > 0 && self.random.one_in(4) {
            return format!("k{}", 1 + self.random.below(self.loops));
        }
        self.random.of(&["i", "i", "j", "t", "u", "bx", "x", "x", "y", "8 * by", "32 * bx", "T"]).to_owned()
    }

    fn sum(&mut self) -> String {
        let one = self.variable();
        match self.random.below(8) {
            0 => format!("{one} * {}", self.random.of(&["2", "3", "8", "32", "-1"])),
            1 => format!("{one} + {}", self.variable()),
            2 => format!("{one} - {}", self.variable()),
            3 => format!("{one} + {}", self.random.of(&["1", "-1", "-7", "n", "32", "m"])),
            4 => format!("{} - {one}", self.random.of(&["n", "m", "5"])),
            _ => one,
        }
    }

    /// A number that is not far from 0.
    fn number(&mut self) -> String {
        let [one, other] = [self.sum(), self.sum()];
        match self.random.below(15) {
            0 => format!("min({one}, {})", self.random.of(&["n", "m", "n - 1", "40"])),
            1 => format!("max({one}, {})", self.random.of(&["0", "m", "n - 9", "-3"])),
            2 => format!("min(max({one}, {}), n - 1)", self.random.of(&["0", "3", "m"])),
            3 => format!("min({one}, {other})"),
            4 | 13 => format!("(({}) ? {one} : {other})", self.guard(1)),
            14 => format!("({} ? {one} : {other})", self.random.of(&["f", "!f", "!f", "(f && i < m)"])),
            5 => format!("(({one}) & {})", self.random.of(&["7", "15", "-4", "~31"])),
            6 => format!("(int)((unsigned)({one}) / {}) % 512", self.random.of(&["4u", "10u", "32u", "m"])),
            7 => format!("(int)((unsigned)({one}) % {})", self.random.of(&["4u", "10u", "64u", "n", "m"])),
            8 => format!("({one}) / {}", self.random.of(&["3", "8", "m"])),
            9 => format!("(({one}) * 1103515245 + 12345 & 127)"),
            10 if self.random.one_in(3) => "(v & 63)".to_owned(),
            _ => one,
        }
    }

    fn guard(&mut self, depth: usize) -> String {
        let op = self.random.of(&["<", "<", "<", "<=", ">", ">=", "==", "!="]);
        let one = match self.random.below(8) {
            0 => format!("(unsigned)({}) < {}", self.sum(), self.random.of(&["(unsigned)n", "64u", "9u"])),
            1 => format!("(unsigned)({}) < (unsigned)({})", self.sum(), self.sum()),
            2 => self.random.of(&["f", "!f", "f && x > 3"]).to_owned(),
            3 => format!("{} {op} {}", self.number(), self.random.of(&["n", "3", "7", "16"])),
            4 if self.loops > 0 => format!("k{} {op} {}", self.loops, self.random.of(&["n", "m", "i", "64"])),
            _ => format!(
                "{} {op} {}",
                self.sum(),
                self.random.of(&["n", "m", "n - 1", "0", "1", "7", "x", "64"])
            ),
        };
        match self.random.below(7) {
            0 if depth > 0 => format!("{one} && {}", self.guard(depth - 1)),
            1 if depth > 0 => format!("({one} || {})", self.guard(depth - 1)),
            2 if depth > 0 => format!("!({one})"),
            _ => one,
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        match self.random.below(20) {
            16 => format!("if ({}) f = {};\n", self.guard(1), self.guard(0)),
            17 => format!("if ({}) x = {};\n", self.guard(1), self.number()),
            18 => {
                let (guard, flag, left) = (self.guard(1), self.guard(0), self.guard(1));
                format!(
                    "for (int w = 0; w < 3 + (v & 1) * 0; w++) {{\nv += a[8192 + w];\nif ({guard}) {{\nf = {flag};\nif ({left}) break;\n}}\nx ^= 8 * w;\n}}\n"
                )
            }
            19 => {
                let test = self.random.of(&["(x >>= 1) > 0", "(x /= 3) > 1", "(y = x - 8 * w) > 40"]);
                format!("for (int w = 0; {test} && w < 9; w++) {{\nv += a[8192 + ({})];\n}}\n", self.number())
            }
            0 | 1 => format!("{} = {};\n", self.random.of(&["x", "y"]), self.number()),
            2 => format!("f = {};\n", self.guard(1)),
            3 => format!("c[8192 + {}] = v;\n", self.number()),
            4 => format!("v += a[8192 + {}];\n", self.number()),
            5 => format!("v ^= b[({}) + 8192];\n", self.number()),
            6 => format!("s[({}) & 63] = v;\n", self.number()),
            7 => format!("v += s[({}) & 63];\n", self.number()),
            8 => format!("v = v * 3 + {};\n", self.number()),
            9 if !self.apart => "__syncthreads();\n".to_owned(),
            10 | 11 if depth > 0 => {
                let guard = self.guard(2);
                let was = std::mem::replace(&mut self.apart, true);
                let then = self.block(depth - 1);
                let otherwise = if self.random.one_in(3) { self.block(depth - 1) } else { String::new() };
                self.apart = was;
                format!("if ({guard}) {{\n{then}}} else {{\n{otherwise}}}\n")
            }
            12 | 13 if depth > 0 => {
                self.loops += 1;
                let k = format!("k{}", self.loops);
                let from = ["i", "bx", "j - 1", "max(i - 1, 0)", "x"][self.random.below(5)];
                let to = ["n", "m", "min(i + 2, n)", "40"][self.random.below(4)];
                let heads = [
                    format!("int {k} = {from}; {k} < {to}; {k} += T"),
                    format!("int {k} = {from}; {k} < {to}; {k}++"),
                    format!(
                        "int {k} = 0; {k} < {}; {k}++",
                        self.random.of(&["3", "m", "bx", "bx + 1", "by"])
                    ),
                    format!("int {k} = n; {k} > {from}; {k} -= 8"),
                    format!("int {k} = 1; {k} < {to}; {k} *= 2"),
                    format!("int {k} = 64; {k} > 0; {k} >>= 1"),
                ];
                let head = heads[self.random.below(heads.len())].clone();
                let was = std::mem::replace(&mut self.apart, true);
                let mut body = self.block(depth - 1);
                if self.random.one_in(4) {
                    let leave = self.random.of(&["break", "continue", "return"]);
                    let guard = if self.random.one_in(3) { "(v & 15) == 3".into() } else { self.guard(1) };
                    body = format!("{}if ({guard}) {leave};\n{body}", self.block(0));
                }
                self.apart = was;
                self.loops -= 1;
                // Loops that begin below what they count to may be long.
                format!("{{ int w = 0;\nfor ({head}) {{\nif (++w > 40) break;\n{body}}}\n}}\n").replace(
                    "if (++w > 40) break;\n",
                    if self.random.one_in(2) { "" } else { "if (++w > 40) break;\n" },
                )
            }
            14 if self.random.one_in(4) => {
                self.apart = true;
                format!("if ({}) return;\n", self.guard(1))
            }
            15 if self.random.one_in(6) => format!("if (v & 1) {{\n{}}}\n", self.block(0)),
            _ => format!("c[8192 + {}] = a[8192 + {}];\n", self.number(), self.number()),
        }
    }

    fn block(&mut self, depth: usize) -> String {
        (0..1 + self.random.below(3)).map(|_| self.statement(depth)).collect()
    }
}

fn case(seed: u64) -> Case {
    let random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 77);
    let mut scope = Scope { random, loops: 0, apart: false };
    (0..4).for_each(|_| _ = scope.random.below(2));
    let block = [[8, 4, 1], [32, 1, 1], [16, 2, 1], [64, 1, 1], [5, 3, 1]][scope.random.below(5)];
    let grid = [2 + scope.random.below(8) as u32, 1 + scope.random.below(3) as u32, 1];
    let [n, m] = [8 + scope.random.below(200) as i32, 3 + scope.random.below(30) as i32];
    let body: String = (0..2 + scope.random.below(4)).map(|_| scope.statement(3)).collect();
    let text = format!(
        "__global__ void k(int *a, int *b, int *c, int n, int m) {{
    __shared__ int s[64];
    const int X = blockDim.x, Y = blockDim.y, T = gridDim.x * blockDim.x;
    const int t = threadIdx.x, u = threadIdx.y, bx = blockIdx.x, by = blockIdx.y;
    const int i = bx * X + t, j = by * Y + u;
    int v = 1, x = i, y = t;
    bool f = i < n;
{body}    c[8192 + 4 * y] = v + x + f;
}}
"
    );
    Case { text, grid, block, buffers: vec![16384; 3], pointers: vec![0, 1, 2], numbers: vec![n, m] }
}

#[test]
fn blocks_of_one_class_access_alike() {
    let (from, count) = (number("CLASSES_FROM", 0), number("CLASSES", 1500));
    let (mut failures, mut done, mut known, mut blocks, mut classes) = (Vec::new(), 0, 0, 0, 0);
    for seed in from..from + count {
        let case = case(seed);
        let (wrong, proofs, shown) = case.judge();
        if !wrong.is_empty() {
            failures.push(format!("seed {seed}: {wrong:?} of {:?}\n{case:?}\n{}", proofs.classes, case.text));
        }
        done += u64::from(shown.done);
        if let Some(found) = proofs.classes.as_ref().filter(|_| shown.done) {
            known += 1;
            blocks += case.grid.iter().product::<u32>();
            classes += case.blocks(found).len() as u32;
        }
    }
    println!(
        "{done} kernels run to their end, of {known} of them classes are known: {classes} of {blocks} blocks"
    );
    failures.truncate(3);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(done * 2 > count && known * 3 > done, "{done} of {count}, {known}");
    // Classes of one block each would pass the rest.
    assert!(classes * 4 < blocks * 3, "{classes} of {blocks}");
}

/// Kernels with blocks of 16 threads, and two blocks that do not access alike although they nearly do.
const UNLIKE: [(&str, &str, [u32; 2]); 5] = [
    (
        "a quotient that its block's last threads alone reach",
        "if (i / 10 + (t & 1) >= 15) v += a[t];",
        [3, 8],
    ),
    (
        "a guard that comes true in a later iteration",
        "for (int k = 0; k < n; k++) { if (bx + k >= 5) v += a[64 * k + t]; }",
        [0, 3],
    ),
    (
        "a number that changes where threads leave a loop",
        "int q = 0;
        for (int k = 0; k < n; k++) { v += a[k]; if (t == k + 1) { q = 7 * bx; break; } q ^= 1; }
        v += c[32 * q + t];",
        [1, 2],
    ),
    (
        "a number that a loop's test changes",
        "int q = 0;
        for (int k = 0; (q = q * 7 ^ bx), k < n; k++) { v += a[k]; q = (t ^ k) & 3; }
        v += c[32 * q + t];",
        [1, 2],
    ),
    ("a condition together with another one", "x = (i < 64 && t < 8) ? i : 0; v += a[x];", [1, 2]),
];

#[test]
fn blocks_that_are_nearly_alike_are_of_two_classes() {
    for (name, body, [one, other]) in UNLIKE {
        let text = format!(
            "__global__ void k(int *a, int *b, int *c, int n) {{
    const int t = threadIdx.x, bx = blockIdx.x, i = 16 * bx + t;
    int v = 1, x = 0;
    {body}
    c[i] = v + x;
}}
"
        );
        let case = Case {
            text,
            grid: [16, 1, 1],
            block: [16, 1, 1],
            buffers: vec![16384; 3],
            pointers: vec![0, 1, 2],
            numbers: vec![3],
        };
        let (wrong, proofs, shown) = case.judge();
        assert!(wrong.is_empty() && shown.done, "{name}: {wrong:?}");
        let classes = proofs.classes.unwrap_or_else(|| panic!("{name}: no classes"));
        let of = |block: u32| classes.answers([block, 0, 0]).collect::<Vec<i64>>();
        assert_ne!(of(one), of(other), "{name}");
    }
}
