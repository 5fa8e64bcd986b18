//! Generated kernels, most of which go wrong somewhere: what is proved of them must hold.
//!
//! `PROVE` is how many there are, `PROVE_FROM` the seed of the first.

use super::judge::Case;

/// PCG's multiplier over 64 bits.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n as u64) as usize
    }

    pub(crate) fn of<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// Names of numbers that a thread has, and of which loops are around.
struct Scope {
    random: Random,
    loops: usize,
    /// Whether threads may have parted here, so that there is no barrier.
    apart: bool,
    /// The index at which threads write what they read again.
    own: &'static str,
}

impl Scope {
    /// An index that is probably right for a buffer.
    fn index(&mut self) -> String {
        let base = match self.random.below(10) {
            0..=2 => "i".to_owned(),
            3 => "j * n + i".to_owned(),
            4 => "i * m + j".to_owned(),
            5 => format!("i / {d} * {d} + i % {d}", d = self.random.of(&["n", "3", "4"])),
            6 => "(i % n) * m + i / n".to_owned(),
            7 => "2 * i".to_owned(),
            8 => self.random.of(&["(v & 31)", "(a[i % 8] & 31)", "(s[t] & 15)"]).to_owned(),
            _ => "bx * 64 + t".to_owned(),
        };
        self.changed(base)
    }

    /// An index of shared memory.
    fn place(&mut self) -> String {
        let base = match self.random.below(9) {
            0..=1 => "t".to_owned(),
            2 => "u * X + t".to_owned(),
            3 => "t * Y + u".to_owned(),
            4 => "u".to_owned(),
            5 => "X * Y - 1 - (u * X + t)".to_owned(),
            6 => self.random.of(&["(v & 31)", "(a[i % 8] & 31)", "k0"]).to_owned(),
            7 => "2 * (t % (X / 2 + 1)) + (u & 1)".to_owned(),
            _ => "t + X".to_owned(),
        };
        self.changed(base)
    }

    /// The same, or a little different.
    fn changed(&mut self, base: String) -> String {
        let counter = format!("k{}", self.loops);
        match self.random.below(10) {
            0 => format!("{base} + 1"),
            1 => format!("{base} - 1"),
            2 if self.loops > 0 => {
                format!("{base} + {counter} * {}", self.random.of(&["T", "n", "1", "X", "m", "2"]))
            }
            3 if self.loops > 0 => format!("{base} + {counter}"),
            4 => format!("({base}) * {}", self.random.of(&["2", "3", "n"])),
            5 => format!(
                "({base}) {} {}",
                self.random.of(&["/", "%", "&", ">>"]),
                self.random.of(&["2", "3", "n", "7"])
            ),
            6 => format!("min({base}, {})", self.random.of(&["n - 1", "m", "5", "X"])),
            7 => match self.random.below(4) {
                0 => format!("max(({base}) - {}, 0)", self.random.of(&["1", "n", "m"])),
                1 => format!("(({base}) < {n} ? ({base}) : {n} - 1)", n = self.random.of(&["n", "64", "m"])),
                2 => format!("(unsigned)({base}) % {}", self.random.of(&["64u", "32", "X", "12"])),
                _ => format!("({}) ? {base} : t", self.guard()),
            },
            _ => base,
        }
    }

    fn guard(&mut self) -> String {
        let left = self.random.of(&["i", "j", "t", "u", "i + j", "bx", "t - u", "i % 3", "a[i % 8]"]);
        let op = self.random.of(&["<", "<", "<", "<=", ">", ">=", "==", "!="]);
        let right = self.random.of(&["n", "m", "n - 1", "0", "1", "X / 2", "7"]);
        let one = format!("{left} {op} {right}");
        match self.random.below(4) {
            0 => format!("{one} && {}", self.guard()),
            1 if self.random.one_in(3) => format!("{one} || j < m"),
            _ => one,
        }
    }

    fn value(&mut self) -> String {
        match self.random.below(6) {
            0 => format!("a[{}]", self.index()),
            1 => format!("b[{}]", self.index()),
            2 | 3 => format!("s[{}]", self.place()),
            4 if self.random.one_in(2) => {
                format!("(({} *)s)[{}]", self.random.of(&["char", "short"]), self.place())
            }
            4 => format!("q[{}] + 1", self.place()),
            _ => "i".to_owned(),
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        match self.random.below(16) {
            0..=2 => format!("s[{}] = {};\n", self.place(), self.value()),
            3 => format!("q[{}] = {};\n", self.place(), self.value()),
            4 | 5 => format!("a[{}] = {};\n", self.index(), self.value()),
            6 => format!("b[{}] = {};\n", self.index(), self.value()),
            7 if self.random.one_in(2) => {
                let ty = self.random.of(&["char", "short", "long long"]);
                match self.random.one_in(2) {
                    true => format!("(({ty} *)a)[{}] = {};\n", self.index(), self.value()),
                    false => format!("(({ty} *)s)[{}] = {};\n", self.place(), self.value()),
                }
            }
            7 => format!("v += {};\n", self.value()),
            14 | 15 => {
                let index =
                    if self.random.one_in(6) { self.changed(self.own.into()) } else { self.own.into() };
                match self.random.below(5) {
                    0 | 1 => format!("c[{index}] = {};\n", self.value()),
                    2 => format!("c[{index}] += {};\n", self.value()),
                    3 => format!("v += ((short *)c)[2 * ({index}) + 1];\n"),
                    _ => format!("v = c[{index}];\n"),
                }
            }
            8 | 9 if !self.apart => "__syncthreads();\n".to_owned(),
            10 | 11 if depth > 0 => {
                let guard = self.guard();
                let was = std::mem::replace(&mut self.apart, true);
                let then = self.block(depth - 1);
                let otherwise = if self.random.one_in(3) {
                    format!(" else {{\n{}}}", self.block(depth - 1))
                } else {
                    String::new()
                };
                self.apart = was;
                format!("if ({guard}) {{\n{then}}}{otherwise}\n")
            }
            12 if depth > 0 => {
                self.loops += 1;
                let k = format!("k{}", self.loops);
                let heads = [
                    format!("int {k} = 0; {k} < 3; {k}++"),
                    format!("int {k} = 0; {k} < n; {k} += 2"),
                    format!("int {k} = X / 2; {k} > 0; {k} >>= 1"),
                    format!("int {k} = 1; {k} < X; {k} *= 2"),
                    format!("int {k} = 4; {k} >= 0; {k}--"),
                    format!("int {k} = t; {k} < X * Y; {k} += 5"),
                    format!("int {k} = t; {k} < 40; {k} += X"),
                ];
                let head = heads[self.random.below(heads.len())].clone();
                let was = self.apart;
                self.apart |= head.contains("= t;");
                let mut body = self.block(depth - 1);
                if !self.apart && self.random.one_in(2) {
                    body += "__syncthreads();\n";
                }
                if self.random.one_in(6) {
                    body += &format!(
                        "if ({}) {};\n",
                        self.random.of(&["v > 9", "n > 5"]),
                        self.random.of(&["break", "continue"])
                    );
                    if body.contains("v > 9") {
                        body = body.replace("__syncthreads();\n", "");
                    }
                }
                self.apart = was;
                self.loops -= 1;
                format!("for ({head}) {{\n{body}}}\n")
            }
            _ => format!("s[{}] = i;\n__syncthreads();\n", self.place())
                .replace("__syncthreads();\n", if self.apart { "" } else { "__syncthreads();\n" }),
        }
    }

    fn block(&mut self, depth: usize) -> String {
        (0..1 + self.random.below(3)).map(|_| self.statement(depth)).collect()
    }
}

fn case(seed: u64) -> Case {
    let random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
    let mut scope = Scope { random, loops: 0, apart: false, own: "" };
    (0..4).for_each(|_| _ = scope.random.below(2));
    scope.own = ["i", "i * m + j", "(v & 31)", "bx * 64 + t + 2 * k0"][scope.random.below(4)];
    let blocks = [[8, 4, 1], [32, 1, 1], [5, 3, 1], [33, 1, 1], [16, 2, 1], [4, 4, 2]];
    let block = blocks[scope.random.below(blocks.len())];
    let grid = [1 + scope.random.below(5) as u32, 1 + scope.random.below(3) as u32, 1];
    let [n, m] = [3 + scope.random.below(30) as i32, 3 + scope.random.below(30) as i32];
    let early =
        if scope.random.one_in(4) { format!("if ({}) return;\n", scope.guard()) } else { String::new() };
    if !early.is_empty() {
        scope.apart = scope.random.one_in(2);
    }
    let body: String = (0..2 + scope.random.below(4)).map(|_| scope.statement(2)).collect();
    let first = if scope.random.one_in(4) { String::new() } else { format!("c[{}] = 0;\n", scope.own) };
    let text = format!(
        "__global__ void k(int *a, int *b, int *c, int n, int m) {{
    __shared__ int s[128];
    __shared__ int q[64];
    const int X = blockDim.x, Y = blockDim.y, T = gridDim.x * blockDim.x;
    const int t = threadIdx.x, u = threadIdx.y, bx = blockIdx.x;
    const int k0 = 3, i = bx * X + t, j = blockIdx.y * Y + u;
    int v = 0;
{early}{first}{body}    if (v == 123456) b[0] = v + T + Y;
}}
"
    );
    let alias = scope.random.one_in(6);
    let buffers = vec![[4096, 700, 60][scope.random.below(3)], 2048, [4096, 400][scope.random.below(2)]];
    Case { text, grid, block, buffers, pointers: vec![0, u32::from(!alias), 2], numbers: vec![n, m] }
}

pub(crate) fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().expect("a number"))
}

#[test]
fn what_is_proved_of_generated_kernels_holds() {
    let (from, count) = (number("PROVE_FROM", 0), number("PROVE", 1500));
    let mut alike = [0; 3];
    let (mut failures, mut proved, mut clean, mut mistakes) = (Vec::new(), [0; 4], [0; 4], [0; 5]);
    for seed in from..from + count {
        let case = case(seed);
        let (wrong, proofs, shown) = case.judge();
        if !wrong.is_empty() {
            failures.push(format!("seed {seed}: {wrong:?} of {proofs:?}\n{case:?}\n{}", case.text));
        }
        if let Some(classes) = &proofs.classes {
            alike[0] += 1;
            alike[1] += case.grid.iter().product::<u32>();
            alike[2] += case.blocks(classes).len() as u32;
        }
        mistakes[0] += usize::from(shown.meets.contains(&true));
        mistakes[1] += usize::from(shown.shared_meets.contains(&true));
        mistakes[2] += usize::from(shown.unwritten.contains(&true));
        mistakes[3] += usize::from(shown.failed.contains(&true));
        mistakes[4] += usize::from(shown.reads_others[2]);
        if shown.done {
            if shown.accessed[2] && !shown.reads_others[2] {
                clean[3] += 1;
                proved[3] += usize::from(proofs.initialized.contains(&2));
            }
            for (buffer, accessed) in shown.accessed.iter().enumerate() {
                if *accessed && !shown.meets[buffer] {
                    clean[0] += 1;
                    proved[0] += usize::from(proofs.apart.contains(&(buffer as u32)));
                }
            }
            for (number, meets) in shown.shared_meets.iter().enumerate() {
                if shown.shared_accessed[number] && !meets {
                    clean[1] += 1;
                    proved[1] += usize::from(proofs.shared_apart.get(number) == Some(&true));
                    clean[2] += usize::from(!shown.unwritten[number]);
                    proved[2] += usize::from(proofs.shared_written.get(number) == Some(&true));
                }
            }
        }
    }
    println!(
        "proved {proved:?} of {clean:?}: buffers apart, shared variables apart, and written before they are read; buffers \
         read by those who have written them"
    );
    println!(
        "kernels in which threads meet, in buffers and in shared memory, read too early, access what is not there, or \
         read in a buffer what they have not written: {mistakes:?}"
    );
    println!("kernels with classes of blocks, their blocks, and classes: {alike:?}");
    failures.truncate(3);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(mistakes.iter().all(|kind| *kind as u64 * 20 > count), "{mistakes:?}");
    // A prover that proves nothing would pass the rest.
    assert!((0..4).all(|kind| proved[kind] * 4 > clean[kind]), "{proved:?} of {clean:?}");
}
