//! Random kernels of locks, counters and flags, most of them with a part missing or in the wrong place: each compared with the race oracle in
//! lockstep, and, with the definition asked where the machine is in doubt, in descending order as well.

use super::compare;
use super::generated::{assert_balanced, check_all};
use super::program::{Parameter, Program, Stmt, block, line};
use crate::support::{Random, number};
use simt_ref::Schedule;
use simt_ref::races::Outcome;

struct Generate(Random);

fn generate(seed: u64) -> Program {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x10c5);
    for _ in 0..4 {
        random.below(2);
    }
    // Each try to take a lock is an access that the oracle compares with all others.
    let (grid, threads) = match random.below(5) {
        0 => (1, 34),
        1 => (2, 33),
        2 => (2, 8),
        3 => (3, 4),
        _ => (4, 1),
    };
    let mut g = Generate(random);
    let mut body = vec![
        line("__shared__ int s[64];"),
        line("__shared__ int lock;"),
        line("int t = threadIdx.x, b = blockIdx.x, n = blockDim.x, id = b * n + t, x = t;"),
        line("if (t == 0) lock = 0;"),
        line("for (int k = t; k < 64; k += n) s[k] = 0;"),
        line("__syncthreads();"),
    ];
    for _ in 0..1 + g.0.below(2) {
        body.extend(g.pattern());
        if g.0.one_in(2) {
            body.push(line("__syncthreads();"));
        }
    }
    body.push(line("out[id] = x;"));
    let zeros = |words: usize| vec![0; words];
    let parameters = vec![
        Parameter { declaration: "int *g", words: zeros(256) },
        Parameter { declaration: "int *c", words: zeros(64) },
        Parameter { declaration: "int *out", words: zeros(256) },
    ];
    Program { prelude: "", parameters, body, grid, block: [threads, 1], cooperative: false }
}

impl Generate {
    fn choose(&mut self, of: &[&str]) -> String {
        of[self.0.below(of.len() as u32) as usize].to_owned()
    }

    /// What is right, or seldom something else.
    fn mostly(&mut self, right: &str, wrong: &[&str]) -> String {
        if self.0.one_in(6) { self.choose(wrong) } else { right.to_owned() }
    }

    fn fence(&mut self) -> Stmt {
        line(self.mostly("__threadfence();", &["__threadfence_block();", ";", "__threadfence_system();"]))
    }

    fn inside(&mut self, word: &str) -> Stmt {
        let body = self.choose(&["W += 1;", "W = x;", "x += W;", "W = W + id; x = W;"]);
        line(body.replace('W', word))
    }

    fn pattern(&mut self) -> Vec<Stmt> {
        match self.0.below(10) {
            0 => self.lock_of_one(),
            1 => Self::scoped(self.lock_of_each("c[LOCK]", "g[3]")),
            2 => self.buckets(),
            3 => self.ticket(),
            4 => self.try_lock(),
            5 => self.readers(),
            6 => self.last_block(),
            7 => self.chain(),
            8 => self.shared_lock(),
            _ => self.semaphore(),
        }
    }

    fn guard(&mut self) -> String {
        self.choose(&["if (t == 0)", "if (t % 32 == 0)", "if (t == n - 1)"])
    }

    fn lock_of_one(&mut self) -> Vec<Stmt> {
        let (acquire, release, inside) = (self.fence(), self.fence(), self.inside("g[2]"));
        let lock = self.mostly("c[0]", &["c[b & 1]"]);
        let free = self.mostly("atomicExch(&c[0], 0);", &["c[0] = 0;", "atomicExch_block(&c[0], 0);"]);
        let after = line(self.mostly(";", &["g[2] = 1;", "x += g[2];"]));
        let take = line(format!("while (atomicCAS(&{lock}, 0, 1) != 0) {{}}"));
        let free = line(free.replace("c[0]", &lock));
        vec![block(self.guard(), vec![take, acquire, inside, release, free, after])]
    }

    /// A lock that each thread takes, also those of one warp.
    fn lock_of_each(&mut self, lock: &str, word: &str) -> Vec<Stmt> {
        let (acquire, release, inside) = (self.fence(), self.fence(), self.inside(word));
        let lock = lock.replace("LOCK", &self.mostly("1", &["t & 1"]));
        let taken =
            vec![acquire, inside, release, line(format!("atomicExch(&{lock}, 0);")), line("done = true;")];
        let attempt = block(format!("if (atomicCAS(&{lock}, 0, 1) == 0)"), taken);
        vec![line("bool done = false;"), block("while (!done)", vec![attempt])]
    }

    fn scoped(body: Vec<Stmt>) -> Vec<Stmt> {
        vec![block("", body)]
    }

    fn buckets(&mut self) -> Vec<Stmt> {
        let word = self.mostly("g[8 + (id & 3)]", &["g[8 + (id & 1)]", "g[8 + (t & 3)]"]);
        Self::scoped(self.lock_of_each("c[8 + (id & 3)]", &word))
    }

    fn ticket(&mut self) -> Vec<Stmt> {
        let (acquire, release, inside) = (self.fence(), self.fence(), self.inside("g[4]"));
        let wait = self.mostly("!=", &["<"]);
        let body = vec![
            line("int mine = atomicAdd(&c[2], 1);"),
            line(format!("while (atomicAdd(&c[3], 0) {wait} mine) {{}}")),
            acquire,
            inside,
            release,
            line("atomicAdd(&c[3], 1);"),
        ];
        vec![block(self.guard(), body)]
    }

    fn try_lock(&mut self) -> Vec<Stmt> {
        let (acquire, release, inside) = (self.fence(), self.fence(), self.inside("g[5]"));
        let body = vec![acquire, inside, release, line("atomicExch(&c[4], 0);")];
        let otherwise = line(self.mostly("atomicAdd(&c[5], 1);", &["g[5] = 0;", "x += g[5];"]));
        vec![block("if (atomicCAS(&c[4], 0, 1) == 0)", body), block("else", vec![otherwise])]
    }

    fn readers(&mut self) -> Vec<Stmt> {
        let fences: Vec<Stmt> = (0..4).map(|_| self.fence()).collect();
        let [first, second, third, fourth] = fences.try_into().expect("four");
        let enter = vec![
            line("int now = atomicAdd(&c[6], 0);"),
            line("if (now >= 0 && atomicCAS(&c[6], now, now + 1) == now) break;"),
        ];
        let read = line(self.mostly("x += g[6] + g[7];", &["g[7] = x;"]));
        let writer = vec![
            line("while (atomicCAS(&c[6], 0, -1) != 0) {}"),
            first,
            line("g[6] += 1; g[7] += 2;"),
            second,
            line("atomicExch(&c[6], 0);"),
        ];
        let reader = vec![block("for (;;)", enter), third, read, fourth, line("atomicSub(&c[6], 1);")];
        vec![block(self.guard(), vec![block("if (b == 0)", writer), block("else", reader)])]
    }

    fn last_block(&mut self) -> Vec<Stmt> {
        let by_all = self.0.one_in(2);
        let (release, acquire) = (self.fence(), self.fence());
        let [each, one] = if by_all { [release, line(";")] } else { [line(";"), release] };
        let before = line(self.mostly("__syncthreads();", &[";"]));
        let count = vec![one, line("s[1] = atomicAdd(&c[7], 1) == gridDim.x - 1;"), acquire];
        let sum = vec![line("for (int k = t; k < gridDim.x * n; k += n) x += g[64 + k % 160];")];
        vec![
            line("g[64 + id % 160] = x;"),
            each,
            before,
            block("if (t == 0)", count),
            line("__syncthreads();"),
            block("if (s[1])", sum),
        ]
    }

    /// Each block waits for the one before it.
    fn chain(&mut self) -> Vec<Stmt> {
        let (acquire, release) = (self.fence(), self.fence());
        let wait = self.mostly(
            "while (atomicAdd(&c[16 + b - 1], 0) == 0) {}",
            &["x += atomicAdd(&c[16 + b - 1], 0);", "while (((volatile int *)c)[16 + b - 1] == 0) {}"],
        );
        let set = self.mostly("atomicExch(&c[16 + b], 1);", &["((volatile int *)c)[16 + b] = 1;"]);
        let first = vec![line(wait), acquire, line("x += g[32 + b - 1];")];
        let body = vec![block("if (b > 0)", first), line("g[32 + b] = x;"), release, line(set)];
        vec![block("if (t == 0)", body)]
    }

    fn shared_lock(&mut self) -> Vec<Stmt> {
        let of_block = |text: &mut Stmt| {
            if let Stmt::Line(text) = text
                && text == "__threadfence();"
            {
                *text = "__threadfence_block();".into();
            }
        };
        let (mut acquire, mut release, inside) = (self.fence(), self.fence(), self.inside("s[40]"));
        of_block(&mut acquire);
        of_block(&mut release);
        let free = self.mostly("atomicExch(&lock, 0);", &["atomicExch_block(&lock, 0);", "lock = 0;"]);
        let taken = vec![acquire, inside, release, line(free), line("done = true;")];
        let attempt = block("if (atomicCAS_block(&lock, 0, 1) == 0)", taken);
        Self::scoped(vec![line("bool done = false;"), block("while (!done)", vec![attempt])])
    }

    fn semaphore(&mut self) -> Vec<Stmt> {
        let most = self.mostly("1", &["2"]);
        let (acquire, release, inside) = (self.fence(), self.fence(), self.inside("g[9]"));
        let enter = vec![
            line("int used = atomicAdd(&c[9], 0);"),
            line(format!("if (used < {most} && atomicCAS(&c[9], used, used + 1) == used) break;")),
        ];
        let body = vec![block("for (;;)", enter), acquire, inside, release, line("atomicSub(&c[9], 1);")];
        vec![block(self.guard(), body)]
    }
}

#[test]
fn locks_agree_with_the_oracle() {
    let tally = check_all(generate, 30);
    assert_balanced(&tally);
}

/// A launch is clear or not as the oracle says of lockstep and of the descending order.
#[test]
fn locks_agree_with_the_oracle_in_both_orders() {
    let (from, count) = (number("RACES_FROM", 0), number("RACES", 30));
    let (mut clean, mut races, mut only_descending) = (0, 0, 0);
    for seed in from..from + count {
        let program = generate(seed);
        let module = compare::module(&program).unwrap_or_else(|| panic!("seed {seed}:\n{program}"));
        let has_race = |schedule| {
            let verdicts = compare::oracle_in(&program, &module, schedule)?;
            Some(verdicts.iter().any(|verdict| verdict.outcome == Outcome::Race))
        };
        let orders = [Schedule::Lockstep, Schedule::Threads { descending: true }].map(has_race);
        let [Some(lockstep), Some(descending)] = orders else { continue };
        let fault = compare::detect(&program, &module, false).err();
        assert_eq!(fault.is_some(), lockstep || descending, "seed {seed}: {fault:?}\n{program}");
        *(if lockstep || descending { &mut races } else { &mut clean }) += 1;
        only_descending += u64::from(descending && !lockstep);
    }
    println!("{clean} clean, {races} with races, {only_descending} of these in descending order alone");
    assert!(clean * 5 > count && races * 10 > count, "{clean} {races}");
}
