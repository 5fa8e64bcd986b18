//! Calls, which are inlined, and the kernel's own parameters.

use super::builder::{Exit, Frame, Lowerer, Target, Value};
use super::switch::breaks_to;
use super::{layout, visit};
use crate::hir::{Argument, FunctionId, LocalId, Type};
use simt_ir::{
    ArgumentIndex, ArgumentLayout, ElementType, FunctionIndex, InstKind, Node, Operand, Param, ParamIndex,
    ParamKind,
};
use smallvec::smallvec;

impl Lowerer<'_> {
    /// A call, inlined where it can be; gives the result.
    pub(super) fn call(&mut self, id: FunctionId, arguments: &[Argument]) -> Value {
        let callee = &self.program.functions[id.0 as usize];
        if self.is_too_large() {
            return self.zeros(&callee.result);
        }
        if self.scans[id.0 as usize].recursive {
            return self.call_function(id, arguments);
        }
        let mut locals = vec![None; callee.locals.len()];
        for (parameter, argument) in callee.parameters.iter().zip(arguments) {
            locals[parameter.0 as usize] = Some(self.argument(id, *parameter, argument));
        }
        let direct = visit::returns_at_end_only(&callee.body);
        let exit = if direct {
            Exit::Direct(self.zeros(&callee.result))
        } else {
            let leaves = layout::leaves(self.program, &callee.result);
            Exit::Scope { label: self.label(), result: self.variables("", &leaves) }
        };
        let outer = std::mem::replace(&mut self.frame, Frame { function: id, locals, exit });
        let jumps = std::mem::take(&mut self.jumps);
        let call_site = std::mem::replace(&mut self.call_site, self.location);
        self.calls += 1;
        let body = if direct {
            self.stmts(&callee.body, true);
            None
        } else {
            Some(self.nested(|s| s.stmts(&callee.body, true)))
        };
        self.calls -= 1;
        self.call_site = call_site;
        self.jumps = jumps;
        let frame = std::mem::replace(&mut self.frame, outer);
        match frame.exit {
            Exit::Kernel | Exit::Call => Value::new(),
            Exit::Direct(value) => value,
            Exit::Scope { label, result } => {
                let body = body.unwrap_or_default();
                if breaks_to(&body, label) {
                    self.push(Node::Scope { label, body });
                } else {
                    self.append(body);
                }
                result.into_iter().map(Operand::Reg).collect()
            }
        }
    }

    /// A call of a function that is not inlined. What a reference refers to is in memory then, and goes by address.
    fn call_function(&mut self, id: FunctionId, arguments: &[Argument]) -> Value {
        let number = *self.number_of_called.entry(id).or_insert_with(|| {
            self.called.push(id);
            FunctionIndex(self.called.len() as u32 - 1)
        });
        let callee = &self.program.functions[id.0 as usize];
        let mut args = Value::new();
        let last_write = arguments.iter().rposition(|argument| match argument {
            Argument::Value(value) => visit::writes_variables(value),
            Argument::Place(place) => visit::place_writes_variables(place),
        });
        for (position, (parameter, argument)) in callee.parameters.iter().zip(arguments).enumerate() {
            let local = &callee.locals[parameter.0 as usize];
            let later = last_write > Some(position);
            let value = match argument {
                Argument::Place(place) if local.is_reference => {
                    let address = self.place_in_memory(place).address;
                    smallvec![self.pointer(address)]
                }
                Argument::Place(place) => {
                    let target = self.place(place, false);
                    self.load(&target, &place.ty)
                }
                Argument::Value(value) if local.is_reference => {
                    let leaves = self.expr(value);
                    let target = self.fresh(&local.name, &local.ty, true, local.align, local.span);
                    self.store(&target, &local.ty, &leaves);
                    match target {
                        Target::Memory(object) => smallvec![self.pointer(object.address)],
                        Target::Registers(_) => Value::new(),
                    }
                }
                Argument::Value(value) => self.expr(value),
            };
            args.extend(self.snapshot_before(value, later));
        }
        let types = self.leaf_types(&callee.result);
        self.all_computed(types, |dst| InstKind::Call { dst, function: number, args })
    }

    /// Reads the arguments of the function at hand, which is not inlined, into its parameters; gives their types.
    pub(super) fn incoming(&mut self) -> Vec<simt_ir::Type> {
        let function = self.function();
        let mut types = Vec::new();
        for id in &function.parameters {
            let local = &function.locals[id.0 as usize];
            let taken = match local.is_reference {
                true => vec![simt_ir::Type::Ptr],
                false => self.leaf_types(&local.ty),
            };
            self.at(local.span, |s| {
                let value: Value = taken
                    .iter()
                    .map(|ty| {
                        let dst = s.temporary(*ty);
                        s.emit(InstKind::Argument { dst, index: ArgumentIndex(types.len() as u32) });
                        types.push(*ty);
                        dst.into()
                    })
                    .collect();
                if let ([address], true) = (value.as_slice(), local.is_reference) {
                    let object = super::place::InMemory::reference(*address, local.is_volatile);
                    s.frame.locals[id.0 as usize] = Some(Target::Memory(object));
                } else {
                    let target = s.local(*id);
                    s.store(&target, &local.ty, &value);
                }
            });
        }
        types
    }

    /// What a parameter stands for in this call.
    fn argument(&mut self, callee: FunctionId, parameter: LocalId, argument: &Argument) -> Target {
        let local = &self.program.functions[callee.0 as usize].locals[parameter.0 as usize];
        let memory = self.scans[callee.0 as usize].in_memory[parameter.0 as usize];
        let value = match argument {
            Argument::Place(place) => {
                let target = self.place(place, memory);
                if local.is_reference {
                    return self.pin(target);
                }
                self.load(&target, &place.ty)
            }
            Argument::Value(value) => self.expr(value),
        };
        let target = self.fresh(&local.name, &local.ty, memory, local.align, local.span);
        self.store(&target, &local.ty, &value);
        target
    }

    /// Declares the kernel's parameters.
    pub(super) fn declare_parameters(&mut self) {
        let function = self.function();
        for (number, id) in function.parameters.iter().enumerate() {
            let local = &function.locals[id.0 as usize];
            let leaves = layout::leaves(self.program, &local.ty);
            self.kernel.arguments.push(ArgumentLayout {
                bytes: layout::size_of(self.program, &local.ty),
                places: leaves.iter().map(|l| l.offset..l.offset + u64::from(l.memory.bytes())).collect(),
            });
            if matches!(local.ty, Type::Struct(_) | Type::Array(..)) {
                let params: Vec<Param> = leaves
                    .iter()
                    .map(|leaf| {
                        let ty = self.scalar_type(&local.ty, leaf.offset);
                        let pointer = ty.filter(|ty| !matches!(ty, Type::Struct(_)));
                        // A half is a number to who gives it, and no structure.
                        let path = match ty {
                            Some(Type::Struct(_)) => leaf.path.strip_suffix(".__x").unwrap_or(&leaf.path),
                            _ => &leaf.path,
                        };
                        Param {
                            name: format!("{}{path}", local.name),
                            spelling: ty.map_or_else(
                                || spell_memory(leaf.memory),
                                |ty| layout::spell(self.program, ty),
                            ),
                            kind: pointer
                                .map_or(ParamKind::Scalar(leaf.memory), |ty| self.param_kind(ty, false)),
                        }
                    })
                    .collect();
                self.kernel.params.extend(params);
            } else {
                let spelling = function.parameter_spellings.get(number).cloned();
                let spelling = spelling.unwrap_or_else(|| layout::spell(self.program, &local.ty));
                let restrict = function.restrict.get(number) == Some(&true);
                let kind = self.param_kind(&local.ty, restrict);
                self.kernel.params.push(Param { name: local.name.to_string(), spelling, kind });
            }
        }
    }

    /// Reads the kernel's parameters into its locals.
    pub(super) fn read_parameters(&mut self) {
        let function = self.function();
        let mut first = 0;
        for (number, id) in function.parameters.iter().enumerate() {
            let local = &function.locals[id.0 as usize];
            let next = first + self.kernel.arguments[number].places.len();
            self.at(local.span, |s| {
                let value: Value = (first..next)
                    .map(|index| {
                        let dst = s.temporary(s.kernel.params[index].kind.register());
                        s.emit(InstKind::Param { dst, index: ParamIndex(index as u32) });
                        dst.into()
                    })
                    .collect();
                let target = s.local(*id);
                s.store(&target, &local.ty, &value);
            });
            first = next;
        }
    }

    fn param_kind(&self, ty: &Type, restrict: bool) -> ParamKind {
        match ty {
            Type::Pointer(to) => {
                let pointee = layout::element(self.program, &to.ty);
                ParamKind::Pointer { pointee, read_only: to.is_const, restrict }
            }
            Type::Texture => ParamKind::Texture,
            other => ParamKind::Scalar(layout::memory(other).unwrap_or(ElementType::U8)),
        }
    }

    /// The type of the scalar at a byte offset of an aggregate, which may be a half; `None` inside a union.
    fn scalar_type<'t>(&'t self, ty: &'t Type, offset: u64) -> Option<&'t Type> {
        match ty {
            Type::Array(a) => self.scalar_type(&a.of, offset % layout::size_of(self.program, &a.of).max(1)),
            Type::Struct(id) => {
                let layout = &self.program.structs[id.0 as usize];
                if layout::is_half(&layout.name) {
                    return Some(ty);
                }
                let inside = |f: &&crate::hir::Field| {
                    f.offset <= offset
                        && offset - f.offset < layout::size_of(self.program, &f.ty)
                        && layout::leaf_count(self.program, &f.ty) > 0
                };
                let field = layout.fields.iter().filter(|_| !layout.is_union).find(inside)?;
                self.scalar_type(&field.ty, offset - field.offset)
            }
            scalar => Some(scalar),
        }
    }
}

/// How the unit of a union is spelled.
fn spell_memory(memory: ElementType) -> String {
    let text = match memory {
        ElementType::Bool => "bool",
        ElementType::S8 => "signed char",
        ElementType::U8 => "unsigned char",
        ElementType::S16 => "short",
        ElementType::U16 => "unsigned short",
        ElementType::I32 => "unsigned int",
        ElementType::I64 => "unsigned long",
        ElementType::F32 => "float",
        ElementType::F64 => "double",
        ElementType::Ptr => "void *",
    };
    text.to_owned()
}
