//! The options of a launch, as they are written.

use clap::Args;

/// What to launch, and with what.
#[derive(Args, Clone, Debug)]
pub struct LaunchLine {
    /// The kernel, where the file has several; a template with its arguments
    #[arg(long, value_name = "NAME")]
    pub kernel: Option<String>,
    /// Blocks by axis; as in the file's launch `kernel<<<grid, block>>>(…)` if not given
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub grid: Option<String>,
    /// Threads of a block by axis; as in the file's launch if not given
    #[arg(long, value_name = "X[,Y[,Z]]")]
    pub block: Option<String>,
    /// Dynamic shared memory of a block; 0 if not given, or as in the file's launch where grid or block are from there
    #[arg(long, value_name = "BYTES")]
    pub shared: Option<u32>,
    /// Launch cooperatively, as `cudaLaunchCooperativeKernel`: all blocks must fit on the device at once, and `grid.sync()` works
    #[arg(long)]
    pub cooperative: bool,
    /// An argument of the kernel; one for each parameter, in order
    #[arg(long = "arg", value_name = "SPEC", allow_hyphen_values = true)]
    pub arguments: Vec<String>,
    /// Set a `__constant__`, `__device__` or `__managed__` variable, as `mask=f32[9]=ones` or `count=5`
    #[arg(long = "set", value_name = "SYMBOL=SPEC")]
    pub symbols: Vec<String>,
    /// Write a buffer or variable to a NumPy file after the run, or with `-` to standard output as text instead of the report; by the parameter's name or 0-based index, or the variable's name
    #[arg(long = "dump", value_name = "ARG=FILE.npy")]
    pub dumps: Vec<String>,
    /// Print elements of a buffer or variable after the run, such as `out`, `out[7]`, `out[10..20]`, `out[10..]`
    #[arg(long = "print", value_name = "ARG[FROM..TO]")]
    pub prints: Vec<String>,
}

/// How a launch is run.
#[derive(Args, Clone, Debug)]
pub struct LaunchLimits {
    /// Warp instructions that the launch may execute on the simulator
    #[arg(long, value_name = "N")]
    pub budget: Option<u64>,
    /// Look for no races and no uninitialised reads, and count nothing, for the sake of speed (simulator)
    #[arg(long)]
    pub fast: bool,
    /// Bytes of stack a thread has for recursive functions, as `cudaLimitStackSize` (1024 if not given).
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(..=524_288))]
    pub stack: Option<u32>,
    /// Launch so many times, each on fresh buffers, and give the median of the times
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub repeat: u32,
    /// Show what one warp accesses, for each line that takes more sectors or passes than it needs or splits warps (simulator)
    #[arg(long)]
    pub show_access: bool,
    /// Print a hash of each buffer too, which tells whether two runs gave the same bytes
    #[arg(long, short)]
    pub verbose: bool,
}
