//! Compiled files: what the front-end made, and what the host may ask of it.

use crate::diagnose;
use crate::source_lines::CodeLines;
use ::device::{
    ArgumentLayout, CompileOptions, ConstantValue, DeviceError, Element, HostFunction, HostLaunch,
    KernelFile, KernelInfo, KernelResources, Messages, NamedConstant, ParameterInfo, ParameterKind,
    ProgramId, ProgramInfo, SymbolInfo,
};
use cuda_front::hir::Const;
use cuda_front::lower::Later;
use simt::{DeviceMemory, ModuleId};
use simt_ir::{
    ElementType, GlobalSpace, InstKind, Kernel, Location, Module, ParamKind, ValidModule, VariableRef,
    for_each_inst,
};
use source::{Code, FileId, Severity, SourceMap, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A compiled file.
pub(crate) struct Program {
    /// Its kernels and variables; a kernel has a body, and is optimised, once its registers are known.
    pub(crate) module: ValidModule,
    /// What the kernels are made from that are not needed yet.
    later: Later,
    /// What the file was compiled with.
    pub(crate) front: cuda_front::Options,
    /// Its variables in device memory.
    pub(crate) symbols: ModuleId,
    /// Its text.
    pub(crate) sources: Arc<SourceMap>,
    /// Parameters of each kernel, in the module's order.
    pub(crate) parameters: Vec<Vec<ParameterInfo>>,
    /// What each of its variables is made of, as a parameter would be.
    pub(crate) variables: Vec<ParameterInfo>,
    /// 32-bit registers of a thread of each kernel, estimated; `None` before the number was needed.
    registers: Vec<Option<u32>>,
    /// Where variables are declared of which the compiler has said that they get no value.
    pub(crate) never_set: Vec<Span>,
}

impl Program {
    /// The text of a location.
    pub(crate) fn span(&self, location: Location) -> Option<Span> {
        self.module.locations.get(location.0 as usize).copied()
    }

    /// The place of a kernel in the module.
    pub(crate) fn index(&self, kernel: &str) -> Result<usize, DeviceError> {
        let unknown = || DeviceError::Use(format!("the program has no kernel `{kernel}`"));
        self.module.kernels.iter().position(|k| k.name == kernel).ok_or_else(unknown)
    }

    /// A kernel of the module as the file has it, before it is optimised.
    pub(crate) fn unoptimised(&self, kernel: usize) -> Option<Kernel> {
        self.later.unoptimised(kernel)
    }

    /// Optimises a kernel of the module unless it is, and says what it takes.
    pub(crate) fn ready(&mut self, kernel: usize) -> Result<KernelResources, DeviceError> {
        let registers = match self.registers[kernel] {
            Some(registers) => registers,
            None => {
                cuda_front::prepare(&mut self.module, &mut self.later, kernel).map_err(|diagnostics| {
                    DeviceError::Compile(Messages { sources: self.sources.clone(), diagnostics })
                })?
            }
        };
        self.registers[kernel] = Some(registers);
        let entry = &self.module.kernels[kernel];
        let constant_bytes = constant_bytes(&self.module, entry);
        Ok(KernelResources { constant_bytes, local_bytes: entry.local_bytes(), registers })
    }
}

/// Compiles a file, or its declarations alone, and loads its variables.
pub(crate) fn compile(
    file: &KernelFile,
    options: &CompileOptions,
    declarations: bool,
    memory: &mut DeviceMemory,
    id: ProgramId,
) -> Result<(Program, ProgramInfo), DeviceError> {
    let options = cuda_front::Options {
        defines: options.defines.clone(),
        instantiate: options.instantiate.clone(),
        include_dirs: options.include_dirs.clone(),
        includes: options.includes.clone(),
        arguments: options.arguments.clone(),
        lazily: true,
        declarations,
        ..cuda_front::Options::default()
    };
    let compilation = cuda_front::compile(&file.name, &file.text, &options);
    let sources = Arc::new(compilation.sources);
    let mut messages = Messages { sources: sources.clone(), diagnostics: compilation.diagnostics };
    let Some(module) = compilation.module else { return Err(DeviceError::Compile(messages)) };
    let parameters: Vec<_> = module.kernels.iter().map(parameters).collect();
    let symbols = match memory.load(&module) {
        Ok(symbols) => symbols,
        Err(fault) => {
            messages.diagnostics.push(diagnose::of_module(&module, &fault));
            return Err(DeviceError::Compile(messages));
        }
    };
    messages.diagnostics.retain(|d| d.severity != Severity::Error);
    // String literals, which no file names, come after these.
    let variables: Vec<_> = compilation.elements.into_iter().zip(&module.globals).map(variable).collect();
    let registers = vec![None; module.kernels.len()];
    let later = compilation.later;
    let never_set = messages.diagnostics.iter().filter(|d| d.code == Code::UninitializedVariable);
    let never_set = never_set.flat_map(|d| d.labels.iter().map(|label| label.span)).collect();
    let program = Program {
        module,
        later,
        front: options,
        symbols,
        sources,
        parameters,
        variables,
        registers,
        never_set,
    };
    let line = |span: Span| program.sources.position(span).line;
    let host_function = |(name, span): (String, Span)| {
        let end = Span { start: span.end.saturating_sub(1), ..span };
        HostFunction { name, line: line(span), end_line: line(end) }
    };
    let host_launch = |launch: cuda_front::HostLaunch| {
        let cuda_front::HostLaunch { kernel, span, grid, block, shared } = launch;
        HostLaunch { kernel, line: line(span), grid, block, shared }
    };
    let constants = compilation.constants.into_iter();
    let mut code = BTreeMap::new();
    let info = ProgramInfo {
        id,
        kernels: (0..program.module.kernels.len()).map(|i| kernel_info(&program, i, &mut code)).collect(),
        constants: constants.map(|c| NamedConstant { name: c.name, value: value(c.value) }).collect(),
        symbols: program.module.globals.iter().take(program.variables.len()).map(symbol_info).collect(),
        host_functions: compilation.host_functions.into_iter().map(host_function).collect(),
        launches: compilation.launches.into_iter().map(host_launch).collect(),
        warnings: messages,
    };
    Ok((program, info))
}

fn value(value: Const) -> ConstantValue {
    match value {
        Const::Bool(v) => ConstantValue::Integer(i64::from(v)),
        Const::Int(v, _) => ConstantValue::Integer(v),
        Const::Float(v) => ConstantValue::Float(f64::from(v)),
        Const::Double(v) => ConstantValue::Float(v),
    }
}

fn symbol_info(global: &simt_ir::Global) -> SymbolInfo {
    let is_constant = global.space == GlobalSpace::Constant;
    SymbolInfo { name: global.name.clone(), bytes: global.bytes, is_constant }
}

/// `code`: that of the files with kernels before this one.
fn kernel_info(program: &Program, index: usize, code: &mut BTreeMap<FileId, CodeLines>) -> KernelInfo {
    let kernel = &program.module.kernels[index];
    let span = program.span(kernel.location);
    let mut lines = |s: Span| {
        let of_file =
            code.entry(s.file).or_insert_with(|| CodeLines::of(program.sources.file(s.file).text()));
        of_file.count(s.start as usize)
    };
    KernelInfo {
        name: kernel.name.clone(),
        parameters: program.parameters[index].clone(),
        arguments: kernel.arguments.iter().map(argument).collect(),
        static_shared_bytes: kernel.static_shared_bytes(),
        dynamic_shared: kernel.shared.iter().any(|v| v.dynamic),
        max_threads: kernel.max_threads,
        source_lines: span.map_or(0, &mut lines),
        line: span.map_or(0, |s| program.sources.position(s).line),
    }
}

/// Bytes of the `__constant__` variables that a kernel takes the address of.
fn constant_bytes(module: &Module, kernel: &Kernel) -> u64 {
    let mut used = BTreeSet::new();
    for_each_inst(&kernel.body, &mut |inst| {
        if let InstKind::AddressOf { variable: VariableRef::Global(index), .. } = inst.kind {
            used.insert(index.index());
        }
    });
    let variables = used.into_iter().filter_map(|index| module.globals.get(index));
    variables.filter(|g| g.space == GlobalSpace::Constant).map(|g| g.bytes).sum()
}

fn parameters(kernel: &Kernel) -> Vec<ParameterInfo> {
    let kind = |kind: ParamKind| match kind {
        ParamKind::Scalar(memory) => ParameterKind::Scalar(element(memory).unwrap_or(Element::I64)),
        ParamKind::Pointer { pointee, read_only, restrict: _ } => {
            ParameterKind::Pointer { element: pointee.and_then(element), read_only }
        }
        ParamKind::Texture => ParameterKind::Texture,
    };
    let info = |p: &simt_ir::Param| ParameterInfo {
        name: p.name.clone(),
        spelling: p.spelling.clone(),
        kind: kind(p.kind),
    };
    kernel.params.iter().map(info).collect()
}

fn argument(layout: &simt_ir::ArgumentLayout) -> ArgumentLayout {
    ArgumentLayout { bytes: layout.bytes, places: layout.places.clone() }
}

/// A variable's elements; of a structure's, the kind says nothing.
fn variable(
    ((spelling, memory), global): ((String, Option<ElementType>), &simt_ir::Global),
) -> ParameterInfo {
    let kind = match memory.and_then(element) {
        Some(element) => ParameterKind::Scalar(element),
        None => ParameterKind::Pointer { element: None, read_only: false },
    };
    ParameterInfo { name: global.name.clone(), spelling, kind }
}

/// `None` for pointers.
fn element(memory: ElementType) -> Option<Element> {
    match memory {
        ElementType::Bool => Some(Element::Bool),
        ElementType::S8 => Some(Element::I8),
        ElementType::U8 => Some(Element::U8),
        ElementType::S16 => Some(Element::I16),
        ElementType::U16 => Some(Element::U16),
        ElementType::I32 => Some(Element::I32),
        ElementType::I64 => Some(Element::I64),
        ElementType::F32 => Some(Element::F32),
        ElementType::F64 => Some(Element::F64),
        ElementType::Ptr => None,
    }
}
