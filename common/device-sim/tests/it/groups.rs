//! Cooperative groups on the simulated device, against what their threads should see.

use crate::kernel::{numbers, run};

const HEAD: &str = "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n\
    #include <cooperative_groups/scan.h>\nnamespace cg = cooperative_groups;\n";

fn with(body: &str) -> String {
    format!(
        "{HEAD}struct Three {{ float x; short y; char z; }};\nstruct Bytes {{ char a, b, c; }};\n\
         __global__ void k(unsigned *out, const unsigned *in) {{\n    unsigned t = threadIdx.x;\n    \
         cg::thread_block block = cg::this_thread_block();\n{body}}}\n"
    )
}

#[test]
fn tiles_of_tiles_have_ranks_in_their_parent() {
    let text = with(
        "    auto warp = cg::tiled_partition<32>(block);\n    auto four = cg::tiled_partition<4>(warp);\n    \
         auto eight = cg::tiled_partition<8>(block);\n    unsigned *o = out + 6 * t;\n    \
         o[0] = four.meta_group_rank();\n    o[1] = four.meta_group_size();\n    o[2] = eight.meta_group_rank();\n    \
         o[3] = eight.meta_group_size();\n    o[4] = four.match_any(in[t]);\n    o[5] = cg::this_grid().thread_rank();\n",
    );
    let input: Vec<u32> = (0..64).map(|i| i * i % 3).collect();
    let got = run(&text, 64, &input, 384);
    for t in 0..64u32 {
        let first = (t & !3) as usize;
        let peers = (0..4).filter(|i| input[first + i] == input[t as usize]).fold(0, |m, i| m | 1 << i);
        assert_eq!(got[6 * t as usize..][..6], [t % 32 / 4, 8, t / 8, 8, peers, t], "thread {t}");
    }
}

#[test]
fn groups_of_run_time_size_are_thread_groups() {
    let text = with(
        "    cg::thread_group tile = cg::tiled_partition(block, 8);\n    cg::thread_group all = block;\n    \
         tile.sync();\n    all.sync();\n    out[3 * t] = tile.size() * 100 + tile.thread_rank();\n    \
         out[3 * t + 1] = all.size() * 100 + all.thread_rank();\n    \
         cg::coalesced_group met = cg::coalesced_threads();\n    auto half = cg::tiled_partition(met, 16);\n    \
         out[3 * t + 2] = half.size() * 100 + half.thread_rank() + 10000 * half.meta_group_rank();\n",
    );
    let got = run(&text, 64, &[0], 192);
    for t in 0..64u32 {
        let want = [800 + t % 8, 6400 + t, 1600 + t % 16 + 10000 * (t % 32 / 16)];
        assert_eq!(got[3 * t as usize..][..3], want, "thread {t}");
    }
}

#[test]
fn lanes_that_meet_are_ranked_and_exchange() {
    let text = with(
        "    if (in[t] % 3 == 0) {\n        cg::coalesced_group met = cg::coalesced_threads();\n        \
         unsigned *o = out + 8 * t;\n        o[0] = met.size();\n        o[1] = met.thread_rank();\n        \
         o[2] = met.shfl(in[t], 1);\n        o[3] = met.shfl_up(in[t], 1);\n        o[4] = met.shfl_down(in[t], 2);\n        \
         o[5] = met.ballot(in[t] % 2);\n        o[6] = cg::reduce(met, in[t], cg::plus<unsigned>());\n        \
         o[7] = cg::exclusive_scan(met, in[t]);\n    }\n",
    );
    let input = numbers(32);
    let members: Vec<usize> = (0..32).filter(|t| input[*t].is_multiple_of(3)).collect();
    assert!(members.len() > 4);
    let got = run(
        &(text.replace("if (in[t]", "for (int i = 0; i < 8; ++i) out[8 * t + i] = 0;\n    if (in[t]")),
        32,
        &input,
        256,
    );
    let v = |rank: usize| input[members[rank]];
    for (rank, t) in members.iter().enumerate() {
        let n = members.len();
        let ballot = (0..n).filter(|r| v(*r) % 2 == 1).fold(0u32, |m, r| m | 1 << r);
        let want = [
            n as u32,
            rank as u32,
            v(1),
            v(rank.saturating_sub(1)),
            v(if rank + 2 < n { rank + 2 } else { rank }),
            ballot,
            (0..n).map(v).fold(0, u32::wrapping_add),
            (0..rank).map(v).fold(0, u32::wrapping_add),
        ];
        assert_eq!(got[8 * t..][..8], want, "lane {t}");
    }
}

#[test]
fn any_type_is_shuffled_and_scanned() {
    let text = with(
        "    auto tile = cg::tiled_partition<16>(block);\n    Three v = {(float)t, (short)(t + 1), (char)(t + 2)};\n    \
         Bytes b = {(char)t, (char)(2 * t), 7};\n    Three from = tile.shfl(v, 3);\n    Bytes up = tile.shfl_up(b, 2);\n    \
         double down = tile.shfl_down((double)t, 4);\n    unsigned *o = out + 7 * t;\n    o[0] = (unsigned)from.x;\n    \
         o[1] = from.y * 100 + from.z;\n    o[2] = up.a * 1000 + up.b * 10 + up.c;\n    o[3] = (unsigned)down;\n    \
         o[4] = cg::inclusive_scan(tile, t, cg::greater<unsigned>());\n    o[5] = cg::inclusive_scan(tile, t);\n    \
         o[6] = cg::reduce(tile, in[t], cg::bit_xor<unsigned>());\n",
    );
    let input = numbers(32);
    let got = run(&text, 32, &input, 224);
    for t in 0..32u32 {
        let (first, rank) = (t & !15, t % 16);
        let (from, up) = (first + 3, if rank < 2 { t } else { t - 2 });
        let want = [
            from,
            (from + 1) * 100 + from + 2,
            up * 1000 + up * 20 + 7,
            if rank + 4 < 16 { t + 4 } else { t },
            t,
            (first..=t).sum(),
            input[first as usize..][..16].iter().fold(0, |x, v| x ^ v),
        ];
        assert_eq!(got[7 * t as usize..][..7], want, "thread {t}");
    }
}

#[test]
fn partitions_are_by_label_and_by_truth() {
    let text = with(
        "    auto warp = cg::tiled_partition<32>(block);\n    auto same = cg::labeled_partition(warp, (int)in[t]);\n    \
         auto odd = cg::binary_partition(warp, in[t] % 2 == 1);\n    unsigned *o = out + 5 * t;\n    \
         o[0] = same.size();\n    o[1] = same.thread_rank();\n    o[2] = same.meta_group_rank() * 10 + same.meta_group_size();\n    \
         o[3] = odd.size();\n    o[4] = odd.meta_group_rank();\n    same.sync();\n",
    );
    let input: Vec<u32> = (0..32).map(|i| (i * 7 + 3) % 5).collect();
    let got = run(&text, 32, &input, 160);
    for t in 0..32 {
        let of = |label: u32| input.iter().filter(|v| **v == label).count() as u32;
        let mut labels: Vec<u32> = Vec::new();
        input.iter().for_each(|v| {
            if !labels.contains(v) {
                labels.push(*v)
            }
        });
        let place = labels.iter().position(|v| *v == input[t]).unwrap() as u32;
        let odd = input[t] % 2;
        let want = [
            of(input[t]),
            input[..t].iter().filter(|v| **v == input[t]).count() as u32,
            place * 10 + 5,
            input.iter().filter(|v| **v % 2 == odd).count() as u32,
            odd,
        ];
        assert_eq!(got[5 * t..][..5], want, "lane {t}");
    }
}
