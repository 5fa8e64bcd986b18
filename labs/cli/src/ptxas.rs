//! Resources of a file's kernels according to CUDA's own compiler: registers, stack and spills, from the log of
//! `ptxas`.

use crate::args::FileArgs;
use device::ProgramInfo;
use nvrtc::{Compiler, Request, Resources};
use source::Failure;

/// The resources of each kernel, by the kernel's name in the program, and the compiler's description.
///
/// # Errors
/// Says that there is no compiler, or that it rejects the file.
pub(crate) fn resources(
    args: &FileArgs,
    program: &ProgramInfo,
) -> Result<(String, Vec<(String, Resources)>), Failure> {
    let compiler = Compiler::find().ok_or_else(|| {
        let help = "it needs no GPU: `pip install nvidia-cuda-nvrtc`, or the CUDA Toolkit; `cargo lab doctor` says more";
        Failure::new("--ptxas: no CUDA compiler was found", help)
    })?;
    let name = args.file.display().to_string();
    let fail = |what: String| Failure::new(format!("--ptxas: {what}"), "check the path");
    let file = harness::read_kernel_file(&args.file, &name).map_err(fail)?;
    let architecture = backend::probe().map(|gpu| backend::architecture(gpu.compute_capability));
    let architecture = architecture.unwrap_or_else(|_| "sm_90".into());
    let request = Request {
        name: file.name,
        text: file.text,
        architecture: architecture.clone(),
        defines: args.defines.clone(),
        include_dirs: args.include.clone(),
        relaxed: true,
        options: vec!["--ptxas-options=-v".into()],
        names: program.kernels.iter().map(|k| k.name.clone()).collect(),
    };
    let answer = compiler.compile(&request).map_err(fail)?;
    if !answer.accepted {
        let first = nvrtc::messages(&answer.log).into_iter().find(|m| m.is_error);
        let why = first.map_or_else(|| answer.log.trim().to_owned(), |m| m.text);
        let help = "this project's front-end accepts the file; CUDA's compiler does not";
        return Err(Failure::new(format!("--ptxas: {name}: {why}"), help));
    }
    let found = nvrtc::resources(&answer.log);
    let of = |lowered: &String| found.iter().find(|r| r.kernel == *lowered).cloned();
    let named = program.kernels.iter().zip(&answer.lowered);
    let kernels = named.filter_map(|(k, lowered)| Some((k.name.clone(), of(lowered)?))).collect();
    Ok((format!("{}, {architecture}", compiler.describe()), kernels))
}
