//! What the artifact holds: kernels whose names say which mistakes they have, graphs, and what its host code (`indigo_cuda.h`) makes
//! of a graph.

use anyhow::{Context, ensure};
use device::KernelFile;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Blocks and threads of a block, as `hirace_experiments.py` launches each kernel.
pub const BLOCKS: u32 = 1024;
/// See [`BLOCKS`].
pub const THREADS: u32 = 256;

/// Shape of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Of the grid.
    pub blocks: u32,
    /// Of each block.
    pub threads: u32,
}

/// The kernel of each file.
pub const KERNEL: &str = "test_kernel";

/// The artifact's graphs, but for its two of five nodes.
const GRAPHS: [&str; 4] = ["DAG_100n_200e", "DAG_200n_400e", "counterDAG_200n_1000e", "power_law_200n_1000e"];

/// A checkout of the artifact.
pub struct Suite {
    folder: PathBuf,
}

impl Suite {
    /// Looks for it in a folder.
    ///
    /// # Errors
    /// If the folder is none.
    pub fn find(folder: &Path) -> anyhow::Result<Suite> {
        let folder = folder.join("indigo");
        for part in ["indigo_sources", "indigo_include", "input"] {
            let path = folder.join(part);
            ensure!(path.is_dir(), "{} is not a folder: is this the artifact?", path.display());
        }
        Ok(Suite { folder })
    }

    /// All kernel files, sorted.
    ///
    /// # Errors
    /// What the file system says.
    pub fn kernels(&self) -> anyhow::Result<Vec<PathBuf>> {
        let mut kernels = Vec::new();
        for pattern in entries(&self.folder.join("indigo_sources"))? {
            let files = entries(&pattern)?.into_iter();
            kernels.extend(files.filter(|path| path.extension().is_some_and(|end| end == "cu")));
        }
        kernels.sort();
        Ok(kernels)
    }

    /// Files of the graphs.
    pub fn graphs(&self) -> Vec<PathBuf> {
        GRAPHS.iter().map(|name| self.folder.join("input").join(name).with_extension("egr")).collect()
    }

    /// Where the kernels' header is.
    pub fn include(&self) -> PathBuf {
        self.folder.join("indigo_include")
    }

    /// Reads a kernel file.
    ///
    /// # Errors
    /// What the file system says.
    pub fn read(&self, path: &Path) -> anyhow::Result<KernelFile> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        Ok(KernelFile { name: path.display().to_string(), text })
    }
}

fn entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    Ok(entries.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?)
}

/// A mistake that names can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Mistake {
    /// A plain read decides whether an atomic follows.
    Guard,
    /// A plain read-modify-write.
    Atomic,
    /// A barrier is missing in a reduction.
    Sync,
    /// Plain accesses where others' need atomics.
    Race,
    /// An index out of bounds: not a race.
    Bounds,
}

impl Mistake {
    /// Those that are races.
    pub const RACES: [Mistake; 4] = [Mistake::Guard, Mistake::Atomic, Mistake::Sync, Mistake::Race];

    /// What names call it.
    pub fn name(self) -> &'static str {
        match self {
            Mistake::Guard => "guardBug",
            Mistake::Atomic => "atomicBug",
            Mistake::Sync => "syncBug",
            Mistake::Race => "raceBug",
            Mistake::Bounds => "boundsBug",
        }
    }
}

/// A kernel file's name without its ending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct KernelName {
    /// As it is.
    pub text: String,
}

impl KernelName {
    /// Of a file.
    pub fn of(path: &Path) -> KernelName {
        KernelName { text: path.file_stem().unwrap_or_default().to_string_lossy().into_owned() }
    }

    /// Whether it says a mistake.
    pub fn has(&self, mistake: Mistake) -> bool {
        self.text.split('_').any(|part| part == mistake.name())
    }

    /// Whether it is named after a race.
    pub fn is_racy(&self) -> bool {
        Mistake::RACES.iter().any(|mistake| self.has(*mistake))
    }

    /// The name of the kernel without its mistakes.
    pub fn without_mistakes(&self) -> String {
        let is_mistake = |part: &&str| {
            let mut all = Mistake::RACES.iter().chain([&Mistake::Bounds]);
            all.any(|mistake| mistake.name() == *part)
        };
        let parts = self.text.split('_').filter(|part| !is_mistake(part));
        parts.collect::<Vec<_>>().join("_")
    }

    /// Whether it is named after no mistake.
    pub fn is_clean(&self) -> bool {
        !self.is_racy() && !self.has(Mistake::Bounds)
    }
}

/// A graph: the neighbours of node `i` are `neighbors[index[i]..index[i + 1]]`.
pub struct Graph {
    /// The file's name without its ending.
    pub name: String,
    /// Where the neighbours of each node begin, and where the last ones end.
    pub index: Vec<i32>,
    /// Those of all nodes.
    pub neighbors: Vec<i32>,
}

impl Graph {
    /// Reads the format of `readECLgraph`: numbers of nodes and of edges, then the two arrays, all 32-bit.
    ///
    /// # Errors
    /// A file that is not in this format.
    pub fn read(path: &Path) -> anyhow::Result<Graph> {
        let shown = path.display();
        let bytes = std::fs::read(path).with_context(|| shown.to_string())?;
        let words: Vec<i32> = bytes.as_chunks().0.iter().map(|word| i32::from_le_bytes(*word)).collect();
        let [nodes, edges, arrays @ ..] = &words[..] else { anyhow::bail!("{shown} is too short") };
        ensure!(*nodes >= 1 && *edges >= 1, "{shown} has no nodes or no edges");
        let (nodes, edges) = (*nodes as usize, *edges as usize);
        ensure!(arrays.len() == nodes + 1 + edges, "{shown} is not as long as its numbers say");
        let (index, neighbors) = arrays.split_at(nodes + 1);
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Graph { name, index: index.to_vec(), neighbors: neighbors.to_vec() })
    }

    /// How many nodes it has.
    pub fn nodes(&self) -> i32 {
        self.index.len() as i32 - 1
    }

    /// The kernel's four buffers: index, neighbours, and the two data arrays with the values that `main` gives them.
    pub fn buffers(&self) -> [Vec<i32>; 4] {
        let (nodes, edges) = (self.index.len() - 1, self.neighbors.len());
        let mut random = glibc_rand();
        let mut data = |below: usize| -> Vec<i32> {
            let values = random.by_ref().take(nodes.max(edges) - 1).map(|value| value % below as i32);
            std::iter::once(0).chain(values).collect()
        };
        let (data1, data2) = (data(nodes), data(edges));
        [self.index.clone(), self.neighbors.clone(), data1, data2]
    }
}

/// What `rand()` of glibc gives without `srand`: an additive feedback generator over 31 words (Marsaglia's form of it), whose first 310
/// numbers are thrown away.
fn glibc_rand() -> impl Iterator<Item = i32> {
    let mut words: Vec<u32> = vec![1];
    for i in 1..31 {
        words.push((16807 * u64::from(words[i - 1]) % 2_147_483_647) as u32);
    }
    for i in 31..34 {
        words.push(words[i - 31]);
    }
    let next = move || {
        let word = words[words.len() - 31].wrapping_add(words[words.len() - 3]);
        words.push(word);
        Some((word >> 1) as i32)
    };
    std::iter::from_fn(next).skip(310)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a C program on Linux prints them.
    #[test]
    fn rand_is_that_of_glibc() {
        let first: Vec<i32> = glibc_rand().take(4).collect();
        assert_eq!(first, [1804289383, 846930886, 1681692777, 1714636915]);
        assert_eq!(glibc_rand().take(2000).map(i64::from).sum::<i64>(), 2156379669668);
    }

    #[test]
    fn names_say_mistakes() {
        let name = KernelName::of(Path::new("a/pull_last_boundsBug_guardBug.cu"));
        assert!(name.is_racy() && name.has(Mistake::Guard) && name.has(Mistake::Bounds));
        let bounds = KernelName::of(Path::new("pull_boundsBug.cu"));
        assert!(!bounds.is_racy() && !bounds.is_clean());
        assert!(KernelName::of(Path::new("pull_last.cu")).is_clean());
    }
}
