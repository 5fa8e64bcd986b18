//! How a file is launched: a comment at its beginning says so, so that a case is one file.

use crate::Random;
use device::LaunchShape;

/// The shape of a launch, and what its arguments are.
///
/// ```text
/// // launch: grid 3 1 1 block 64 1 1 shared 8192 n 64 unwritten cooperative
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks by axis.
    pub grid: [u32; 3],
    /// Threads of a block by axis.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory, for a kernel that has such.
    pub shared: u32,
    /// What integers are.
    pub n: i32,
    /// Whether buffers that the kernel may write start without values.
    pub unwritten: bool,
    /// Whether the launch is cooperative.
    pub cooperative: bool,
}

const USUAL: Shape =
    Shape { grid: [3, 1, 1], block: [64, 1, 1], shared: 8192, n: 64, unwritten: false, cooperative: false };

const HEADER: &str = "// launch: ";

/// Threads of all blocks that are tried, so that a case takes milliseconds.
const MOST_THREADS: u64 = 1500;

impl Shape {
    /// What the first comment of that kind in a file says; where there is none, or it is of another kind, one warp row after the other.
    pub fn of(text: &str) -> Shape {
        let header = text.lines().find_map(|line| line.strip_prefix(HEADER));
        header.and_then(Shape::parse).unwrap_or(USUAL)
    }

    fn parse(header: &str) -> Option<Shape> {
        let mut shape = USUAL;
        let mut words = header.split_whitespace();
        while let Some(word) = words.next() {
            let mut number = || words.next()?.parse::<u32>().ok();
            match word {
                "grid" => shape.grid = [number()?, number()?, number()?],
                "block" => shape.block = [number()?, number()?, number()?],
                "shared" => shape.shared = number()?,
                "n" => shape.n = words.next()?.parse().ok()?,
                "unwritten" => shape.unwritten = true,
                "cooperative" => shape.cooperative = true,
                _ => return None,
            }
        }
        Some(shape)
    }

    /// Any shape: mostly small; a few are refused.
    pub fn random(random: &mut Random) -> Shape {
        let grids =
            [[1, 1, 1], [2, 1, 1], [3, 1, 1], [2, 2, 1], [5, 1, 2], [1, 3, 2], [0, 1, 1], [1, 70_000, 1]];
        let blocks = [
            [1, 1, 1],
            [31, 1, 1],
            [32, 1, 1],
            [33, 1, 1],
            [64, 1, 1],
            [96, 1, 1],
            [16, 9, 1],
            [7, 5, 3],
            [1, 40, 1],
            [1, 1, 64],
            [32, 4, 1],
            [256, 1, 1],
            [1024, 1, 1],
            [0, 1, 1],
            [1025, 1, 1],
            [2, 2, 65],
        ];
        let mut shape = Shape {
            grid: *random.pick(&grids),
            block: *random.pick(&blocks),
            shared: *random.pick(&[
                0,
                1,
                4,
                100,
                1024,
                8192,
                8192,
                49_152,
                49_153,
                232_448,
                232_449,
                u32::MAX,
            ]),
            n: *random.pick(&[0, 1, -1, 7, 32, 33, 64, 100, 1000, 4096, i32::MAX, i32::MIN]),
            unwritten: random.one_in(3),
            cooperative: random.one_in(5),
        };
        let threads =
            |shape: &Shape| shape.grid.iter().chain(&shape.block).map(|e| u64::from(*e)).product::<u64>();
        if threads(&shape) > MOST_THREADS && shape.grid[1] < 65_536 {
            shape.grid = [1, 1, 1];
        }
        shape
    }

    /// The text with this shape as its first line, in place of another.
    pub fn written_into(&self, text: &str) -> String {
        let rest = text.lines().next().is_some_and(|line| line.starts_with(HEADER));
        let rest = if rest { text.split_once('\n').map_or("", |(_, rest)| rest) } else { text };
        let Shape { grid: [gx, gy, gz], block: [bx, by, bz], shared, n, unwritten, cooperative } = self;
        let unwritten = if *unwritten { " unwritten" } else { "" };
        let cooperative = if *cooperative { " cooperative" } else { "" };
        format!(
            "{HEADER}grid {gx} {gy} {gz} block {bx} {by} {bz} shared {shared} n {n}{unwritten}{cooperative}\n{rest}"
        )
    }

    /// The launch of a kernel with these properties.
    pub fn launch(&self, max_threads: Option<u32>, dynamic_shared: bool) -> LaunchShape {
        let Shape { grid, mut block, shared, .. } = *self;
        let threads = block.iter().fold(1u32, |n, e| n.saturating_mul(*e));
        if let Some(most) = max_threads.filter(|most| threads > *most && threads <= 1024) {
            block = [most, 1, 1];
        }
        LaunchShape { grid, block, dynamic_shared: if dynamic_shared { shared } else { 0 } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_read_as_it_is_written() {
        for case in 0..50 {
            let shape = Shape::random(&mut Random::of(1, case));
            let text = shape.written_into("__global__ void k() {}\n");
            assert_eq!(Shape::of(&text), shape, "{text}");
            assert_eq!(shape.written_into(&text), text);
        }
        assert_eq!(Shape::of("// launch: <<<2, 64>>> 5\n"), USUAL);
    }
}
