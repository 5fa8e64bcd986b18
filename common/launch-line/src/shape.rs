//! The shape of a launch: from the command line, and what it leaves out from a launch in the file's host code.

use crate::launch::Request;
use device::{HostLaunch, KernelInfo, LaunchShape, ProgramInfo};
use source::Failure;

/// The shape as far as it is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    pub(crate) grid: Option<[u32; 3]>,
    pub(crate) block: Option<[u32; 3]>,
    pub(crate) shared: Option<u32>,
    /// 1-based line of the launch in the file that gave the missing values; `None` if none was taken from the file.
    pub(crate) line: Option<u32>,
}

impl Shape {
    /// The shape for the launch. An unknown grid or block has size 0 in all axes.
    pub(crate) fn whole(&self) -> LaunchShape {
        LaunchShape {
            grid: self.grid.unwrap_or_default(),
            block: self.block.unwrap_or_default(),
            dynamic_shared: self.shared.unwrap_or(0),
        }
    }
}

impl Request {
    /// If the command line lacks the grid or the block, takes what it lacks, shared memory included, from the launches of the kernel in the
    /// file.
    ///
    /// # Errors
    /// Which options are missing, and why the file does not say them.
    pub(crate) fn take_shape(&mut self, program: &ProgramInfo, kernel: &KernelInfo) -> Result<(), Failure> {
        let missing = self.missing_options();
        if missing.is_empty() {
            return Ok(());
        }
        let launches = of_kernel(&program.launches, &kernel.name);
        let (name, options) = (base(&kernel.name), missing.join(" and "));
        let help = format!(
            "give {}",
            missing.iter().map(|option| example(option)).collect::<Vec<_>>().join(" and ")
        );
        let Some(first) = launches.first() else {
            let has = format!("the file has no launch `{name}<<<…>>>` that says them");
            return Err(Failure::new(format!("{options}: missing, and {has}"), help));
        };
        let is_like_first =
            |l: &HostLaunch| l.grid == first.grid && l.block == first.block && l.shared == first.shared;
        if !launches.iter().all(|launch| is_like_first(launch)) {
            let lines: Vec<String> = launches.iter().map(|launch| launch.line.to_string()).collect();
            let differ =
                format!("the file launches `{name}` in lines {}, in different shapes", lines.join(", "));
            return Err(Failure::new(format!("{options}: missing, and {differ}"), help));
        }
        let known = |option: &str, what: &str, unknown: &String| {
            let launch =
                format!("the {what} of the launch in {}:{} depends on `{unknown}`", self.file, first.line);
            Failure::new(
                format!("{option}: missing, and {launch}, which is known only when the program runs"),
                format!("give {}", example(option)),
            )
        };
        let mut shape = self.shape.clone();
        if shape.grid.is_none() {
            shape.grid = Some(first.grid.clone().map_err(|unknown| known("--grid", "grid", &unknown))?);
        }
        if shape.block.is_none() {
            shape.block = Some(first.block.clone().map_err(|unknown| known("--block", "block", &unknown))?);
        }
        if shape.shared.is_none() {
            let shared = first.shared.clone();
            shape.shared = Some(shared.map_err(|unknown| known("--shared", "shared memory", &unknown))?);
        }
        shape.line = Some(first.line);
        self.shape = shape;
        Ok(())
    }

    fn missing_options(&self) -> Vec<&'static str> {
        let grid = self.shape.grid.is_none().then_some("--grid");
        let block = self.shape.block.is_none().then_some("--block");
        grid.into_iter().chain(block).collect()
    }

    /// Where the shape comes from, if the line does not say all of it.
    pub(crate) fn origin(&self) -> Option<String> {
        let line = self.shape.line?;
        let mut taken = Vec::new();
        taken.extend(self.line.grid.is_none().then_some("grid"));
        taken.extend(self.line.block.is_none().then_some("block"));
        let has_shared = self.line.shared.is_none() && self.shape.shared.is_some_and(|bytes| bytes > 0);
        let shared = format!("{} bytes of shared memory", self.shape.shared.unwrap_or(0));
        taken.extend(has_shared.then_some(shared.as_str()));
        Some(format!("{} from the launch in {}:{line}", taken.join(" and "), self.file))
    }
}

/// The launches of a kernel: those with its template arguments if there are any, otherwise all with its name.
fn of_kernel<'l>(launches: &'l [HostLaunch], kernel: &str) -> Vec<&'l HostLaunch> {
    let plain = |text: &str| text.split_whitespace().collect::<String>();
    let exact: Vec<&HostLaunch> = launches.iter().filter(|l| plain(&l.kernel) == plain(kernel)).collect();
    match exact.is_empty() {
        true => launches.iter().filter(|launch| base(&launch.kernel) == base(kernel)).collect(),
        false => exact,
    }
}

/// A kernel's name without namespaces and template arguments.
fn base(kernel: &str) -> &str {
    let name = kernel.split('<').next().unwrap_or_default();
    name.rsplit("::").next().unwrap_or_default().trim()
}

fn example(option: &str) -> String {
    match option {
        "--grid" => "--grid X[,Y[,Z]], such as --grid 4".to_owned(),
        "--block" => "--block X[,Y[,Z]], such as --block 256".to_owned(),
        other => format!("{other} BYTES"),
    }
}
