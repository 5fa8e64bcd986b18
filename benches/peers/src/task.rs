//! What a contestant runs: a kernel's text in CUDA C++ and in OpenCL C, the shape of its launch, and its arguments.

/// A file of kernels.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// What messages call it.
    pub(crate) name: String,
    /// The text.
    pub(crate) text: String,
}

/// A kernel that is ready to be compiled and launched.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    /// The kernel in CUDA C++.
    pub(crate) cuda: Text,
    /// The same in OpenCL C.
    pub(crate) opencl: Text,
    /// Its name in both.
    pub(crate) function: String,
    /// Arguments of a template in CUDA C++, as `<256>`; OpenCL C has none.
    pub(crate) template: Option<String>,
    /// Blocks by axis, at most three.
    pub(crate) grid: Vec<u32>,
    /// Threads of a block by axis, as many as `grid` has.
    pub(crate) block: Vec<u32>,
    /// The arguments in order.
    pub(crate) arguments: Vec<Argument>,
}

/// An argument of a [`Task`]; arrays are bytes in this machine's order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    /// A number.
    Scalar(Scalar),
    /// An array that is read.
    Input(Vec<u8>),
    /// An array of so many bytes that is written. Contestants begin with all bits set, which is NaN, so that a missing write is seen.
    Output(usize),
    /// An array that is changed. It has its first content again before each launch.
    Changed(Vec<u8>),
    /// An array in constant memory: a variable of this name in CUDA C++, and a parameter in OpenCL C.
    Constant(String, Vec<u8>),
    /// So many bytes of shared memory: `extern __shared__` in CUDA C++, and a parameter in OpenCL C.
    Local(usize),
}

/// A number as an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scalar {
    I32(i32),
    U32(u32),
    I64(i64),
    U64(u64),
    F32(f32),
    F64(f64),
}

impl Task {
    /// The kernel's name in CUDA C++, with the arguments of a template.
    pub(crate) fn cuda_function(&self) -> String {
        format!("{}{}", self.function, self.template.as_deref().unwrap_or_default())
    }
}
