//! What the labs' texts say of banks, sectors, tiles and overlap, worked out lane by lane.

use lab_2::BlockShape;
use std::collections::{BTreeMap, BTreeSet};

/// Wavefronts of one shared access of a warp: the most different words of any of the 32 banks.
fn wavefronts(words: impl Iterator<Item = usize>) -> usize {
    let mut banks: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for word in words {
        banks.entry(word % 32).or_default().insert(word);
    }
    banks.values().map(BTreeSet::len).max().unwrap_or(0)
}

/// The most wavefronts of a warp that reads a tile of `rows` x `columns` (+ `pad`) by columns, threads numbered anew.
fn reading_columns(rows: usize, columns: usize, pad: usize) -> usize {
    let word = |t: usize| t % rows * (columns + pad) + t / rows;
    let warps = 0..rows * columns / 32;
    warps.map(|w| wavefronts((32 * w..32 * w + 32).map(word))).max().unwrap_or(0)
}

#[test]
fn lab_7_a_16_by_32_tile_has_16_way_conflicts_2_way_with_one_column_none_with_two() {
    assert_eq!([0, 1, 2].map(|pad| reading_columns(16, 32, pad)), [16, 2, 1]);
}

#[test]
fn lab_7_one_column_is_right_for_square_tiles_of_a_warps_width() {
    assert_eq!(reading_columns(32, 32, 0), 32);
    assert_eq!(reading_columns(32, 32, 1), 1);
    assert_eq!(reading_columns(16, 16, 1), 2);
    assert_eq!(reading_columns(8, 8, 1), 2);
}

#[test]
fn lab_7_two_tiles_side_by_side_keep_the_padding_of_one() {
    let word = |t: usize| t % 16 * (64 + 2) + t / 16;
    assert!((0..16).all(|w| wavefronts((32 * w..32 * w + 32).map(word)) == 1));
}

#[test]
fn lab_7_a_warp_of_the_second_half_writes_two_rows_of_two_sectors() {
    // Rows of `out` have 512 floats; 16 neighbours in each of two rows.
    let sectors: BTreeSet<usize> = (0..32).map(|t| (t / 16 * 512 + t % 16) / 8).collect();
    assert_eq!(sectors.len(), 4);
    let naive: BTreeSet<usize> = (0..32).map(|t| t * 512 / 8).collect();
    assert_eq!(naive.len(), 32);
}

#[test]
fn lab_6_the_extra_float4_keeps_two_rows_of_a_out_of_each_others_banks() {
    // A warp has two ty; its lanes of one ty read the same float4, of row 4 * ty + i.
    let banks = |row_length: usize, ty: usize| -> BTreeSet<usize> {
        (0..4).map(|word| (4 * ty * row_length * 4 + word) % 32).collect()
    };
    assert!(banks(16 / 4, 0).intersection(&banks(16 / 4, 1)).count() > 0);
    assert_eq!(banks(16 / 4 + 1, 0).intersection(&banks(16 / 4 + 1, 1)).count(), 0);
}

#[test]
fn lab_4_idle_threads_and_overlap() {
    // 16 x 16 threads, radius 1: 14 x 14 compute.
    assert!((lab_4::idle_share(BlockShape::Inputs, 16, 1) - 60.0 / 256.0).abs() < 1e-12);
    assert_eq!(lab_4::idle_share(BlockShape::Outputs, 16, 1), 0.0);
    assert!((lab_4::loads_per_output(BlockShape::Inputs, 16, 1) - 256.0 / 196.0).abs() < 1e-12);
    assert!((lab_4::loads_per_output(BlockShape::Outputs, 16, 1) - 324.0 / 256.0).abs() < 1e-12);
    assert_eq!(lab_4::loads_per_output(BlockShape::Free, 16, 1), 9.0);
}
