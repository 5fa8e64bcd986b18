//! Gates that several labs share, the amounts that exercises need, and arithmetic about launches.
//!
//! A sector has 32 bytes, eight floats. What an exercise needs follows from the sizes of a case alone. If it depends
//! on the tile size, which the student chooses, another gate of the exercise limits the cost of small tiles.

use crate::gate::SECTOR;
use crate::{Gate, Measured, Quantity};

/// Number of blocks of `block` threads that cover `len` elements along one axis.
pub fn blocks(len: usize, block: u32) -> u32 {
    len.div_ceil(block as usize) as u32
}

/// Number of warps of 32 lanes that cover `len` elements.
pub fn warps(len: usize) -> f64 {
    len.div_ceil(32) as f64
}

/// Number of warps with at least one element, in blocks of `block` threads that cover `len` elements.
pub fn warps_in_blocks(len: usize, block: u32) -> f64 {
    let block = block as usize;
    (len / block * block.div_ceil(32) + (len % block).div_ceil(32)) as f64
}

/// Sectors of `len` neighbouring floats that start at a sector boundary.
pub fn sectors(len: usize) -> f64 {
    len.div_ceil(SECTOR) as f64
}

/// Sectors that warps touch when they read `len` neighbouring floats, one per lane, starting `shift` floats after a
/// sector boundary. If the shift is not a multiple of a sector, each warp touches one more: 5 instead of 4.
pub fn read_sectors(len: usize, shift: usize) -> f64 {
    sectors(len) + if shift.is_multiple_of(SECTOR) { 0.0 } else { warps(len) }
}

/// Sectors that the warps of `len` neighbours touch when each lane reads the `2 * radius + 1` floats around its own,
/// one at a time.
pub fn window_sectors(len: usize, radius: usize) -> f64 {
    (0..=2 * radius).map(|j| read_sectors(len, j.abs_diff(radius))).sum()
}

/// Sectors that tiles touch when each of their cells, including the halo, is loaded once. Tiles have `[rows,
/// columns]` outputs and reach `radius` cells further on all sides; rows of the `[height, width]` array start at a
/// sector boundary.
pub fn tile_sectors([height, width]: [usize; 2], [rows, columns]: [usize; 2], radius: usize) -> f64 {
    let loaded = |len: usize, tile: usize, size: fn(usize, usize) -> usize| -> usize {
        let part = |start: usize| size(start.saturating_sub(radius), (start + tile + radius).min(len));
        (0..len).step_by(tile.max(1)).map(part).sum()
    };
    let cells = loaded(height, rows, |from, to| to - from);
    let across = loaded(width, columns, |from, to| to.div_ceil(SECTOR) - from / SECTOR);
    (cells * across) as f64
}

/// Global load sectors are at most `limit` times the sectors that `what` needs.
pub fn coalesced_loads(
    limit: f64,
    what: &str,
    takes: impl Fn(&Measured<'_>) -> f64 + Send + Sync + 'static,
) -> Gate {
    Gate::at_most("coalesced_loads", Quantity::LOAD_SECTORS, limit, what, takes)
        .hint("do adjacent threads (threadIdx.x) read adjacent elements, and is nothing read that is not needed?")
        .by_warp()
}

/// Global store sectors are at most `limit` times the sectors that `what` needs.
pub fn coalesced_stores(
    limit: f64,
    what: &str,
    takes: impl Fn(&Measured<'_>) -> f64 + Send + Sync + 'static,
) -> Gate {
    Gate::at_most("coalesced_stores", Quantity::STORE_SECTORS, limit, what, takes)
        .hint("do adjacent threads (threadIdx.x) write adjacent elements, each once?")
        .by_warp()
}

/// A gate: global load sectors are at most `limit` times those of reading the input once.
pub fn fewer_loads(
    limit: f64,
    what: &str,
    hint: &str,
    takes: impl Fn(&Measured<'_>) -> f64 + Send + Sync + 'static,
) -> Gate {
    Gate::at_most("fewer_loads", Quantity::LOAD_SECTORS, limit, what, takes).hint(hint).by_warp()
}

/// Shared memory is read at least so often.
pub fn through_shared(
    (goal, what): (&str, &str),
    takes: impl Fn(&Measured<'_>) -> f64 + Send + Sync + 'static,
) -> Gate {
    Gate::at_least("through_shared", Quantity::SHARED_LOADS, (goal, what), takes).hint(
        "elements that neighbouring threads need as well should come from shared memory, not from global memory again",
    )
}

/// A gate: shared memory uses at most `limit` times the necessary passes.
pub fn shared_wavefronts(
    limit: f64,
    what: &str,
    takes: impl Fn(&Measured<'_>) -> f64 + Send + Sync + 'static,
) -> Gate {
    Gate::at_most("shared_wavefronts", Quantity::SHARED_WAVEFRONTS, limit, what, takes).hint(
        "in which banks (index % 32) are the floats that a warp reads or writes together, and is each access needed?",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_warps_round_up() {
        assert_eq!(blocks(1, 256), 1);
        assert_eq!(blocks(256, 256), 1);
        assert_eq!(blocks(257, 256), 2);
        assert_eq!(warps(33), 2.0);
        assert_eq!(warps_in_blocks(1024, 256), 32.0);
        assert_eq!(warps_in_blocks(300, 100), 12.0);
        assert_eq!(warps_in_blocks(333, 100), 14.0);
        assert_eq!(warps_in_blocks(1, 256), 1.0);
    }

    /// Computes the same number by marking the sectors of each row of each tile.
    fn marked([height, width]: [usize; 2], [rows, columns]: [usize; 2], radius: usize) -> f64 {
        let mut count = 0;
        for top in (0..height).step_by(rows) {
            for left in (0..width).step_by(columns) {
                for row in top.saturating_sub(radius)..(top + rows + radius).min(height) {
                    let cells = left.saturating_sub(radius)..(left + columns + radius).min(width);
                    let touched: std::collections::BTreeSet<usize> =
                        cells.map(|column| (row * width + column) / 8).collect();
                    count += touched.len();
                }
            }
        }
        count as f64
    }

    #[test]
    fn sectors_of_tiles_are_those_that_marking_them_gives() {
        for [height, width] in [[16, 32], [24, 40], [33, 64], [7, 8]] {
            for [rows, columns] in [[16, 16], [8, 32], [14, 14], [5, 3], [1, 1]] {
                for radius in [0, 1, 3, 7] {
                    let fewest = tile_sectors([height, width], [rows, columns], radius);
                    assert_eq!(
                        fewest,
                        marked([height, width], [rows, columns], radius),
                        "{height} {width} {rows} {radius}"
                    );
                }
            }
        }
    }

    #[test]
    fn sectors_of_windows_are_four_or_five_for_each_read() {
        assert_eq!(window_sectors(32, 0), 4.0);
        assert_eq!(window_sectors(32, 1), 14.0);
        assert_eq!(window_sectors(32, 8), 4.0 * 3.0 + 5.0 * 14.0);
    }
}
