//! CUB's primitives against plain loops, which `cub/primitives.cu` has: block sizes of one to three dimensions, with whole
//! warps or not, by item counts, types and algorithms.

use crate::kernel::{numbers, run_block};

const PROGRAM: &str = include_str!("../cub/primitives.cu");

struct Case {
    block: [u32; 3],
    items: u32,
    combined: (&'static str, &'static str),
    number: &'static str,
    /// Of a logical warp.
    width: u32,
}

const CASES: &[Case] = &[
    Case { block: [1, 1, 1], items: 7, combined: ("int", "Larger"), number: "int", width: 1 },
    Case { block: [17, 1, 1], items: 3, combined: ("Affine", "Compose"), number: "unsigned char", width: 1 },
    Case { block: [64, 1, 1], items: 1, combined: ("Affine", "Compose"), number: "float", width: 8 },
    Case { block: [8, 3, 4], items: 2, combined: ("long long", "Plus"), number: "double", width: 16 },
    Case { block: [10, 10, 1], items: 4, combined: ("double", "Plus"), number: "short", width: 1 },
    Case { block: [32, 1, 5], items: 2, combined: ("Affine", "Compose"), number: "long long", width: 2 },
];

const ALGORITHMS: &[[&str; 5]] = &[
    [
        "BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY",
        "BLOCK_SCAN_RAKING",
        "BLOCK_LOAD_DIRECT",
        "BLOCK_STORE_DIRECT",
        "BLOCK_HISTO_SORT",
    ],
    [
        "BLOCK_REDUCE_RAKING",
        "BLOCK_SCAN_RAKING_MEMOIZE",
        "BLOCK_LOAD_STRIPED",
        "BLOCK_STORE_STRIPED",
        "BLOCK_HISTO_ATOMIC",
    ],
    [
        "BLOCK_REDUCE_WARP_REDUCTIONS",
        "BLOCK_SCAN_WARP_SCANS",
        "BLOCK_LOAD_TRANSPOSE",
        "BLOCK_STORE_WARP_TRANSPOSE",
        "BLOCK_HISTO_ATOMIC",
    ],
];

/// The program of a case, whose macros the kernel file names.
fn program(case: &Case, [reduce, scan, load, store, histogram]: [&str; 5]) -> String {
    let ([x, y, z], (of, combine)) = (case.block, case.combined);
    let (items, number, width) = (case.items, case.number, case.width);
    format!(
        "#define BLOCK_X {x}\n#define BLOCK_Y {y}\n#define BLOCK_Z {z}\n#define ITEMS {items}\n#define TYPE {of}\n\
         #define COMBINE {combine}\n#define NUMBER {number}\n#define WIDTH {width}\n#define REDUCE {reduce}\n\
         #define SCAN {scan}\n#define LOAD {load}\n#define STORE {store}\n#define HISTOGRAM {histogram}\n{PROGRAM}"
    )
}

#[test]
fn primitives_of_cub_compute_what_plain_loops_do() {
    for (n, case) in CASES.iter().enumerate() {
        let threads = case.block.iter().product::<u32>();
        let tile = (threads * case.items) as usize;
        let text = program(case, ALGORITHMS[n % ALGORITHMS.len()]);
        let got = run_block(&text, case.block, &numbers(tile as u32 + 80), tile + 2 * threads as usize);
        for (thread, counts) in got[tile..].chunks(2).enumerate() {
            assert!(counts[0] == 0 && counts[1] > 20, "case {n}, thread {thread}: {counts:?}");
        }
    }
}
