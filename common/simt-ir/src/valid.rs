//! [`ValidModule`]: a module that was validated, once and for all.
//!
//! An executor of a module relies on its rules, and a module does not change while it is loaded: so it is looked at when it
//! is made, and not again at each launch. What changes a kernel goes through [`ValidModule::change`] or
//! [`ValidModule::replace`], which look at it again.

use crate::{Global, Kernel, Module, ValidateError, validate, validate_kernel};
use source::Span;
use std::ops::Deref;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// A module that keeps the rules.
#[derive(Clone, Debug)]
pub struct ValidModule {
    module: Module,
    version: ModuleVersion,
}

/// What tells a module from any other one of the process, and from itself before it was changed. A copy has that of its
/// original, until one of them is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModuleVersion(u64);

impl ModuleVersion {
    fn next() -> ModuleVersion {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        ModuleVersion(NEXT.fetch_add(1, Relaxed))
    }
}

impl ValidModule {
    /// Validates a module.
    ///
    /// # Errors
    /// The first broken rule.
    pub fn new(module: Module) -> Result<ValidModule, ValidateError> {
        validate(&module)?;
        Ok(ValidModule { module, version: ModuleVersion::next() })
    }

    /// Changes a kernel, which is validated then; does nothing if there is no such kernel.
    ///
    /// # Errors
    /// The first rule that the changed kernel breaks; the kernel is as before then.
    pub fn change(
        &mut self,
        kernel: usize,
        change: impl FnOnce(&mut Kernel, &[Global]),
    ) -> Result<(), ValidateError> {
        self.version = ModuleVersion::next();
        let Module { kernels, globals, .. } = &mut self.module;
        let Some(entry) = kernels.get_mut(kernel) else { return Ok(()) };
        let before = entry.clone();
        change(entry, globals);
        let valid = validate_kernel(&self.module, &self.module.kernels[kernel]);
        if valid.is_err() {
            self.module.kernels[kernel] = before;
        }
        valid
    }

    /// Puts a kernel in the place of one, with source positions and strings that come after those that the module has;
    /// does nothing if there is no such kernel.
    ///
    /// # Errors
    /// The first rule that the new kernel breaks; the module is as before then.
    pub fn replace(
        &mut self,
        kernel: usize,
        new: Kernel,
        locations: &[Span],
        strings: &[String],
    ) -> Result<(), ValidateError> {
        self.version = ModuleVersion::next();
        let before = (self.module.locations.len(), self.module.strings.len());
        let Some(entry) = self.module.kernels.get_mut(kernel) else { return Ok(()) };
        let old = std::mem::replace(entry, new);
        self.module.locations.extend_from_slice(locations);
        self.module.strings.extend_from_slice(strings);
        let valid = validate_kernel(&self.module, &self.module.kernels[kernel]);
        if valid.is_err() {
            self.module.kernels[kernel] = old;
            self.module.locations.truncate(before.0);
            self.module.strings.truncate(before.1);
        }
        valid
    }

    /// What tells it from others; another one after each change.
    pub fn version(&self) -> ModuleVersion {
        self.version
    }

    /// The module, free to be changed.
    pub fn into_module(self) -> Module {
        self.module
    }
}

impl Deref for ValidModule {
    type Target = Module;

    fn deref(&self) -> &Module {
        &self.module
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Constant, Inst, InstKind, Location, Node, Operand, Reg};
    use source::FileId;

    fn module() -> Module {
        let kernel = Kernel {
            name: "k".into(),
            params: Vec::new(),
            arguments: Vec::new(),
            shared: Vec::new(),
            locals: Vec::new(),
            registers: Vec::new(),
            body: Vec::new(),
            functions: Vec::new(),
            max_threads: None,
            location: Location(0),
        };
        Module { kernels: vec![kernel], locations: vec![Span::new(FileId(0), 0, 0)], ..Module::default() }
    }

    /// Writes a register that the kernel does not have.
    fn spoil(kernel: &mut Kernel) {
        let kind = InstKind::Copy { dst: Reg(7), src: Operand::Const(Constant::I32(1)) };
        kernel.body.push(Node::Inst(Inst { kind, location: Location(0) }));
    }

    #[test]
    fn a_change_that_breaks_a_rule_is_undone() {
        let mut spoiled = module();
        spoil(&mut spoiled.kernels[0]);
        assert!(ValidModule::new(spoiled).is_err());
        let mut valid = ValidModule::new(module()).unwrap();
        let error = valid.change(0, |kernel, _| spoil(kernel)).unwrap_err();
        assert_eq!(error.kernel.as_deref(), Some("k"));
        assert!(valid.kernels[0].body.is_empty());
        valid.change(0, |kernel, _| kernel.body.push(Node::Return)).unwrap();
        assert_eq!(valid.kernels[0].body, [Node::Return]);
    }
    #[test]
    fn a_kernel_that_takes_the_place_of_another_brings_its_positions() {
        let mut valid = ValidModule::new(module()).unwrap();
        let mut new = valid.kernels[0].clone();
        new.body.push(Node::Return);
        new.location = Location(1);
        assert!(valid.replace(0, new.clone(), &[], &[]).is_err());
        assert!(valid.kernels[0].body.is_empty());
        let mut spoiled = new.clone();
        spoil(&mut spoiled);
        let position = Span::new(FileId(0), 3, 4);
        assert!(valid.replace(0, spoiled, &[position], &["a".to_owned()]).is_err());
        assert_eq!((valid.locations.len(), valid.strings.len()), (1, 0));
        valid.replace(0, new, &[position], &["a".to_owned()]).unwrap();
        assert_eq!(
            (valid.locations[1], valid.kernels[0].body.as_slice()),
            (position, [Node::Return].as_slice())
        );
    }
}
