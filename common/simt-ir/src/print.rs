//! The textual form of modules, kernels and instructions, for snapshots and for messages to developers.
//!
//! A register is `%3`, or `%3.i` if it stands for the source variable `i`; a mnemonic carries the type it works on
//! (`add.i32`). Source positions are left out. The text is meant to be read, not parsed back.

use crate::text::{KernelNames, Shown, Text, flag, snake};
use crate::{
    Global, GlobalSpace, InstKind, Kernel, LocalIndex, Module, Node, ParamIndex, ParamKind, Reg, Region,
    SharedIndex, Type, UnrollHint,
};
use std::fmt::{self, Display, Formatter};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (number, global) in self.globals.iter().enumerate() {
            let Global { name, space, bytes, align, initial, .. } = global;
            let space = match space {
                GlobalSpace::Constant => "constant",
                GlobalSpace::Device => "device",
            };
            let zeroed = if initial.is_empty() { ", zeroed" } else { "" };
            writeln!(f, "global[{number}] {space} {name}: {bytes} bytes, align {align}{zeroed}")?;
        }
        for (number, string) in self.strings.iter().enumerate() {
            writeln!(f, "string[{number}] {string:?}")?;
        }
        for kernel in &self.kernels {
            Display::fmt(kernel, f)?;
        }
        Ok(())
    }
}

impl Display for Kernel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}(", self.name)?;
        for (number, param) in self.params.iter().enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            let kind = match param.kind {
                ParamKind::Scalar(memory) => snake(&memory),
                ParamKind::Pointer { read_only, restrict, .. } => {
                    let (constant, restrict) = (flag(read_only, "const "), flag(restrict, " restrict"));
                    format!("{constant}ptr{restrict}")
                }
                ParamKind::Texture => "texture".to_owned(),
            };
            write!(f, "{comma}{}: {kind}", param.name)?;
        }
        writeln!(f, ") {{")?;
        for (number, shared) in self.shared.iter().enumerate() {
            let dynamic = if shared.dynamic { ", dynamic" } else { "" };
            let (name, bytes, offset) = (&shared.name, shared.bytes, shared.offset);
            writeln!(f, "  shared[{number}] {name}: {bytes} bytes at {offset}{dynamic}")?;
        }
        for (number, local) in self.locals.iter().enumerate() {
            writeln!(f, "  local[{number}] {}: {} bytes at {}", local.name, local.bytes, local.offset)?;
        }
        write_region(f, self, &self.body, 1)?;
        writeln!(f, "}}")?;
        for (number, function) in self.functions.iter().enumerate() {
            let types = |types: &[Type]| types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
            let (params, results) = (types(&function.params), types(&function.results));
            writeln!(f, "function[{number}] {}({params}) -> ({results}) {{", function.name)?;
            for (number, local) in function.locals.iter().enumerate() {
                writeln!(f, "  local[{number}] {}: {} bytes at {}", local.name, local.bytes, local.offset)?;
            }
            write_region(f, &function.as_kernel(self), &function.body, 1)?;
            writeln!(f, "}}")?;
        }
        Ok(())
    }
}

impl KernelNames for Kernel {
    fn register_type(&self, reg: Reg) -> Option<Type> {
        self.registers.get(reg.index()).map(|register| register.ty)
    }

    fn register_name(&self, reg: Reg) -> Option<&str> {
        self.registers.get(reg.index())?.name.as_deref()
    }

    fn param_name(&self, param: ParamIndex) -> Option<&str> {
        self.params.get(param.index()).map(|param| param.name.as_str())
    }

    fn shared_name(&self, variable: SharedIndex) -> Option<&str> {
        self.shared.get(variable.index()).map(|variable| variable.name.as_str())
    }

    fn local_name(&self, variable: LocalIndex) -> Option<&str> {
        self.locals.get(variable.index()).map(|variable| variable.name.as_str())
    }
}

impl Kernel {
    /// An instruction of this kernel in textual form.
    pub fn display<'k>(&'k self, kind: &'k InstKind) -> impl Display + 'k {
        Shown { kernel: self, value: kind }
    }
}

/// Writes the nodes of a region, a line each, indented by `depth`.
fn write_region(f: &mut Formatter<'_>, kernel: &Kernel, region: &Region, depth: usize) -> fmt::Result {
    let pad = "  ".repeat(depth);
    let inner = |f: &mut Formatter<'_>, region| write_region(f, kernel, region, depth + 1);
    for node in region {
        match node {
            Node::Inst(inst) => writeln!(f, "{pad}{}", kernel.display(&inst.kind))?,
            Node::If { condition, then, otherwise, .. } => {
                writeln!(f, "{pad}if {} {{", Shown { kernel, value: condition })?;
                inner(f, then)?;
                if !otherwise.is_empty() {
                    writeln!(f, "{pad}}} else {{")?;
                    inner(f, otherwise)?;
                }
                writeln!(f, "{pad}}}")?;
            }
            Node::Loop { label, header, condition, body, step, unroll, .. } => {
                let unroll = match unroll {
                    None => String::new(),
                    Some(UnrollHint::Full) => " unroll(0)".to_owned(),
                    Some(UnrollHint::Factor(factor)) => format!(" unroll({factor})"),
                };
                writeln!(f, "{pad}loop {label}{unroll} {{")?;
                inner(f, header)?;
                match condition {
                    Some(value) => writeln!(f, "{pad}}} while {} {{", Shown { kernel, value })?,
                    None => writeln!(f, "{pad}}} forever {{")?,
                }
                inner(f, body)?;
                if !step.is_empty() {
                    writeln!(f, "{pad}}} step {{")?;
                    inner(f, step)?;
                }
                writeln!(f, "{pad}}}")?;
            }
            Node::Scope { label, body } => {
                writeln!(f, "{pad}scope {label} {{")?;
                inner(f, body)?;
                writeln!(f, "{pad}}}")?;
            }
            Node::Break(label) => writeln!(f, "{pad}break {label}")?,
            Node::Continue(label) => writeln!(f, "{pad}continue {label}")?,
            Node::Return => writeln!(f, "{pad}return")?,
        }
    }
    Ok(())
}

impl Text for InstKind {
    fn text(&self, kernel: &dyn KernelNames, f: &mut Formatter<'_>) -> fmt::Result {
        let mut written = Vec::new();
        self.for_each_def(|reg| written.push(Shown { kernel, value: reg }.to_string()));
        if !written.is_empty() {
            write!(f, "{} = ", written.join(", "))?;
        }
        self.operation_text(kernel, f)
    }
}
