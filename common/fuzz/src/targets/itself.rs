//! A target with known defects, to test that what is there is found.

use crate::{Finding, Random, Target, mutate};

/// A target with known defects: it panics where `left` and `right` meet in one text, and hangs where `left` and `forever` do.
#[derive(Clone, Copy, Debug)]
pub struct Itself;

impl Target for Itself {
    fn name(&self) -> &'static str {
        "itself"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        [
            "int left() { return 1; }\nint up() { return 3; }\n",
            "int right() { return 2; }\nint down() { return 4; }\n",
            "int forever() { return 5; }\n",
        ]
        .map(Vec::from)
        .to_vec()
    }

    fn mutate(&self, input: &[u8], donors: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
        mutate::program(input, donors, random)
    }

    fn run(&self, input: &[u8]) -> Result<(), Finding> {
        let text = String::from_utf8_lossy(input);
        let has = |word: &str| text.contains(word);
        assert!(!(has("left") && has("right")), "left and right meet");
        while has("left") && has("forever") {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        match has("return 4") && has("return 5") {
            true => Err(Finding::new("sum", "4 and 5 meet")),
            false => Ok(()),
        }
    }
}
