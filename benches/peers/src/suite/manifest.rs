//! A folder of kernels: `suite.toml`, with a row per kernel, and the files that it names.
//!
//! ```toml
//! [[kernel]]
//! name = "saxpy"
//! title = "saxpy, grid-stride loop"
//! sizes = { n = 1048576 }
//! tiny = { n = 4096 }
//! arguments = ["i32 = n", "f32 = 2.5", "f32[n] = random:1", "inout f32[n] = random:2"]
//! spellings = [
//!     { function = "saxpy_for", grid = "256", block = "256" },
//!     { function = "saxpy_while", grid = "256", block = "256" },
//! ]
//! ```
//!
//! The kernels are in `NAME.cu` and `NAME.cl`, or in the files named by `file`. Every spelling computes the same.
//! [`argument`](super::argument) says how arguments are written, and [`Fill`](super::fill::Fill) what arrays begin with.

use super::argument::{Argument, Role};
use super::expression::{Sizes, evaluate};
use super::values::{Element, Tolerance};
use crate::task::{Task, Text};
use anyhow::{Context, ensure};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The name of the file with the rows.
const MANIFEST: &str = "suite.toml";

/// A folder of kernels.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    /// The rows in order.
    #[serde(rename = "kernel")]
    pub(crate) kernels: Vec<Row>,
    /// Where the files are.
    #[serde(skip)]
    folder: PathBuf,
}

/// A kernel.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    /// What options and results call it.
    pub(crate) name: String,
    /// What tables call it.
    pub(crate) title: String,
    /// The files' name without its ending; the row's name if it is missing.
    file: Option<String>,
    /// Sizes by name.
    sizes: Sizes,
    /// Sizes at which it takes next to no time.
    #[serde(default)]
    tiny: Sizes,
    arguments: Vec<String>,
    /// The host's function in [`reference`](super::reference) that computes the same; without it, contestants are compared with each
    /// other.
    pub(crate) reference: Option<String>,
    /// See [`Tolerance`].
    #[serde(default)]
    ulps: u64,
    #[serde(default)]
    absolute: f64,
    #[serde(default)]
    differing: f64,
    /// Ways to write it.
    pub(crate) spellings: Vec<Spelling>,
}

/// A way to write a kernel.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spelling {
    /// The function's name in both files.
    pub(crate) function: String,
    /// Arguments of a template in CUDA C++, as `<256>`.
    template: Option<String>,
    /// Blocks by axis, as `n / 16, n / 16`.
    grid: String,
    /// Threads of a block by axis.
    block: String,
}

impl Manifest {
    /// The rows of a folder.
    pub(crate) fn load(folder: &Path) -> anyhow::Result<Manifest> {
        let path = folder.join(MANIFEST);
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("{} cannot be read: it has to list the kernels", path.display()))?;
        let manifest: Manifest =
            toml::from_str(&text).with_context(|| format!("{} is no list of kernels", path.display()))?;
        for row in &manifest.kernels {
            ensure!(!row.spellings.is_empty(), "`{}` in {} has no spellings", row.name, path.display());
            let twice = manifest.kernels.iter().filter(|other| other.name == row.name).count() > 1;
            ensure!(!twice, "`{}` appears twice in {}", row.name, path.display());
        }
        Ok(Manifest { folder: folder.to_owned(), ..manifest })
    }

    /// Where its files are.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A row by its name.
    pub(crate) fn row(&self, name: &str) -> anyhow::Result<&Row> {
        let row = self.kernels.iter().find(|row| row.name == name);
        row.with_context(|| {
            let names: Vec<&str> = self.kernels.iter().map(|row| row.name.as_str()).collect();
            format!("there is no kernel `{name}`; there are {}", names.join(", "))
        })
    }

    /// What a spelling of a row asks a contestant to run.
    pub(crate) fn task(&self, row: &Row, spelling: usize, tiny: bool) -> anyhow::Result<Task> {
        let spelling = row.spellings.get(spelling).context("there is no such spelling")?;
        let sizes = row.sizes(tiny);
        let axes = |text: &str| -> anyhow::Result<Vec<u32>> {
            let axes = text.split(',').map(|axis| {
                let value = evaluate(axis.trim(), &sizes)?;
                u32::try_from(value).ok().filter(|v| *v > 0).with_context(|| format!("`{axis}` is {value}"))
            });
            let axes = axes.collect::<anyhow::Result<Vec<u32>>>()?;
            ensure!(axes.len() <= 3, "`{text}` has more than three axes");
            Ok(axes)
        };
        let shape = || anyhow::Ok((axes(&spelling.grid)?, axes(&spelling.block)?));
        let (grid, block) = shape().with_context(|| format!("the launch of `{}`", spelling.function))?;
        ensure!(grid.len() == block.len(), "grid and block of `{}` differ in their axes", spelling.function);
        let mut arguments = Vec::new();
        for argument in row.arguments(tiny)? {
            arguments.push(argument.task_argument()?);
        }
        Ok(Task {
            cuda: self.text(row, "cu")?,
            opencl: self.text(row, "cl")?,
            function: spelling.function.clone(),
            template: spelling.template.clone(),
            grid,
            block,
            arguments,
        })
    }

    fn text(&self, row: &Row, ending: &str) -> anyhow::Result<Text> {
        let name = format!("{}.{ending}", row.file.as_ref().unwrap_or(&row.name));
        let path = self.folder.join(&name);
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        Ok(Text { name, text })
    }
}

impl Row {
    /// Its sizes; the small ones replace those of the same name.
    pub(crate) fn sizes(&self, tiny: bool) -> Sizes {
        let mut sizes = self.sizes.clone();
        if tiny {
            sizes.extend(self.tiny.clone());
        }
        sizes
    }

    /// Its arguments in order.
    pub(crate) fn arguments(&self, tiny: bool) -> anyhow::Result<Vec<Argument>> {
        let sizes = self.sizes(tiny);
        let parse = |text: &String| {
            Argument::parse(text, &sizes).with_context(|| format!("the argument `{text}` of `{}`", self.name))
        };
        self.arguments.iter().map(parse).collect()
    }

    /// Types and lengths of the arrays that it writes, in order.
    pub(crate) fn results(&self, tiny: bool) -> anyhow::Result<Vec<(Element, usize)>> {
        let written = |argument: Argument| match argument {
            Argument::Array { role: Role::Output | Role::Changed, element, length, .. } => {
                Some((element, length))
            }
            Argument::Array { .. } | Argument::Scalar(_) | Argument::Local(_) => None,
        };
        Ok(self.arguments(tiny)?.into_iter().filter_map(written).collect())
    }

    /// How far a result may be from what is expected.
    pub(crate) fn tolerance(&self) -> Tolerance {
        Tolerance { ulps: self.ulps, absolute: self.absolute, differing: self.differing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> anyhow::Result<(tempfile::TempDir, Manifest)> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join(MANIFEST), text)?;
        std::fs::write(folder.path().join("k.cu"), "cuda")?;
        std::fs::write(folder.path().join("k.cl"), "opencl")?;
        let manifest = Manifest::load(folder.path())?;
        Ok((folder, manifest))
    }

    const ROW: &str = r#"
        [[kernel]]
        name = "k"
        title = "a kernel"
        sizes = { n = 1000, m = 3 }
        tiny = { n = 10 }
        arguments = ["i32 = n", "out f32[n]"]
        spellings = [{ function = "f", template = "<7>", grid = "(n + 255) / 256, m", block = "256, 1" }]
    "#;

    #[test]
    fn a_row_becomes_a_task() {
        let (_folder, manifest) = load(ROW).unwrap();
        let row = manifest.row("k").unwrap();
        let task = manifest.task(row, 0, false).unwrap();
        assert_eq!((task.grid, task.block), (vec![4, 3], vec![256, 1]));
        assert_eq!((&*task.cuda.text, &*task.opencl.text), ("cuda", "opencl"));
        assert_eq!(manifest.task(row, 0, true).unwrap().grid, [1, 3]);
        assert_eq!(row.results(true).unwrap(), [(Element::F32, 10)]);
    }

    #[test]
    fn what_is_wrong_in_a_manifest_is_said() {
        let error = |text: &str| {
            let result = load(text)
                .and_then(|(_folder, manifest)| manifest.task(&manifest.kernels[0], 0, false).map(drop));
            format!("{:#}", result.unwrap_err())
        };
        for (from, to, message) in [
            ("\"k\"", "\"other\"", "other.cu cannot be read"),
            ("title", "titel", "unknown field `titel`"),
            ("256, 1", "256", "differ in their axes"),
            ("256, 1", "256, 0", "`0` is 0"),
            ("out f32[n]", "out f33[n]", "the argument `out f33[n]` of `k`"),
        ] {
            let said = error(&ROW.replacen(from, to, 1));
            assert!(said.contains(message) || said.contains(&message.replace("0` is", " 0` is")), "{said}");
        }
        assert!(error(&(ROW.to_owned() + ROW)).contains("`k` appears twice"));
        let (_folder, manifest) = load(ROW).unwrap();
        assert!(manifest.row("l").unwrap_err().to_string().contains("there are k"));
    }
}
