//! Accesses that are wrong in themselves.

use super::{Case, count};
use simt::{AccessKind, Space, Target};
use simt_ir::{HEAP_TOTAL_BYTES, Location, SourceVariable, pointer};
use source::{Code, Diagnostic};

impl Case<'_> {
    pub(super) fn no_value(&self, variable: &SourceVariable) -> Diagnostic {
        let name = &variable.name;
        let title = format!("`{name}` is used before it has a value");
        let mut diagnostic = self.at_thread(Code::UninitializedVariable, title, "used here");
        diagnostic = self.labelled(diagnostic, Some(variable.declared), "declared here without a value");
        let is_element = name.ends_with(']');
        let is_member = !is_element && name.contains('.');
        let whole = name.split(['.', '[']).next().unwrap_or(name);
        diagnostic.help(match (is_element, is_member) {
            (true, _) => format!(
                "this thread got here without assigning to this element: do the loops that fill `{whole}` reach it? \
                 Or set all elements to zero where it is declared, with `= {{}}`"
            ),
            (false, true) => format!(
                "this thread got here without assigning to this member: assign to every member that is used, or set \
                 all to zero where `{whole}` is declared, with `= {{}}`"
            ),
            (false, false) => "this thread got here without assigning to it: give it an initial value where it is \
                               declared, or in the branch that lacks one"
                .to_owned(),
        })
    }

    pub(super) fn null_pointer(&self, offset: i64, access: AccessKind) -> Diagnostic {
        let label = format!("this {} goes through a null pointer", noun(access));
        self.at_thread(Code::NullPointer, "a null pointer is used", &label)
            .note(match offset {
                0 => "the pointer is null".to_owned(),
                _ => format!("the address is {offset} bytes from a null pointer"),
            })
            .help("was the pointer set, and the array passed to the kernel?")
    }

    pub(super) fn use_after_free(&self, target: &Target, offset: i64, access: AccessKind) -> Diagnostic {
        let title = format!("memory of {} is used after it was freed", count(target.bytes, "byte"));
        let label = format!("this {} is of its byte {offset}", noun(access));
        let diagnostic = self.at_thread(Code::UseAfterFree, title, &label);
        self.labelled(diagnostic, self.fault.other, "it was freed here")
            .help("free it after its last use: if another thread uses it, put `__syncthreads()` in between")
    }

    pub(super) fn double_free(&self) -> Diagnostic {
        let diagnostic = self.at_thread(Code::DoubleFree, "memory is freed twice", "freed again here");
        self.labelled(diagnostic, self.fault.other, "it was freed here")
            .help("let one thread free it, once; a pointer that is set to null can be freed again")
    }

    pub(super) fn invalid_free(&self, pointer: u64) -> Diagnostic {
        let offset = pointer::signed_offset(pointer);
        let what = match pointer::space(pointer) {
            Space::Global if self.fault.other.is_some() => {
                format!("it points to byte {offset} of the memory that was allocated")
            }
            Space::Global if pointer::is_in_heap(pointer) => return self.of_another_launch(),
            Space::Global => "it points to a buffer of the host, or to a `__device__` variable".to_owned(),
            space @ (Space::Shared | Space::Local | Space::Constant) => {
                format!("it points to {}", place(space))
            }
            Space::None => format!("its value is {pointer:#x}"),
        };
        let title = "what is freed was not allocated by `malloc` or `new` in device code";
        let diagnostic = self.at_thread(Code::InvalidFree, title, "not a pointer that can be freed");
        self.labelled(diagnostic, self.fault.other, "it was allocated here").note(what).help(
            "pass the pointer that `malloc` or `new` gave; what `new[]` gave ends with `delete[]`, and only that",
        )
    }

    /// A pointer to a block of the heap that the launch at hand was not given.
    fn of_another_launch(&self) -> Diagnostic {
        let title =
            "memory that an earlier launch allocated on the device is not supported by the simulator yet";
        self.at_thread(Code::DeviceAllocation, title, "the pointer comes from an earlier launch")
            .help("let the host allocate what several launches use")
    }

    pub(super) fn heap_spent(&self) -> Diagnostic {
        let title = format!(
            "a launch that allocates more than {} MiB on the device in all is not supported by the simulator yet",
            HEAP_TOTAL_BYTES >> 20
        );
        self.at_thread(Code::DeviceAllocation, title, "not enough is left for this")
            .note("what was freed counts as well: the simulator does not use it again, so that each later use of it is found")
            .help("allocate once and use it again, or use memory that the host allocated")
    }

    pub(super) fn invalid_pointer(&self, pointer: u64, access: AccessKind) -> Diagnostic {
        if pointer::is_in_heap(pointer) {
            return self.of_another_launch();
        }
        let label = format!("this {} points to no memory", noun(access));
        self.at_thread(Code::InvalidPointer, "a pointer that points to no memory is used", &label)
            .note(format!("its value is {pointer:#x}"))
            .help("a pointer must come from an array or variable, and stay within it; a freed buffer is no longer \
            valid")
    }

    pub(super) fn misaligned(
        &self,
        target: &Target,
        offset: i64,
        bytes: u32,
        access: AccessKind,
    ) -> Diagnostic {
        let name = quoted(target);
        let title = format!(
            "a {} of {bytes} bytes at byte {offset} of {name}, which is not a multiple of {bytes}",
            noun(access)
        );
        self.at_thread(Code::MisalignedAccess, title, "this address is not aligned").help(format!(
            "a `float2` needs an address divisible by 8, a `float4` by 16: index in steps of {bytes} bytes, and \
             access the rest element by element when a row's length is not a multiple of that"
        ))
    }

    pub(super) fn write_to_constant(&self, target: &Target) -> Diagnostic {
        let title = format!("`{}` is in constant memory, which a kernel cannot write", name(target));
        self.at_thread(Code::WriteToConstant, title, "written here")
            .help("the host sets constant memory before the launch (`cudaMemcpyToSymbol`)")
    }

    pub(super) fn uninitialised(&self, target: &Target, offset: i64, access: AccessKind) -> Diagnostic {
        let what = match is_temporary(target) {
            true => "a temporary".to_owned(),
            false => format!("`{}`", self.element_at(target, offset)),
        };
        let title = format!("{what} is read before anything is written to it");
        let label = match access {
            AccessKind::Atomic => "an atomic operation reads the previous value",
            AccessKind::Load | AccessKind::Store => "read here",
        };
        let mut diagnostic = self.at_thread(Code::UninitializedRead, title, label);
        diagnostic = self.labelled(diagnostic, declaration(self, target), declared(target));
        diagnostic.help(match target.space {
            Space::Shared if access == AccessKind::Atomic => {
                "shared memory is not initialised: let one thread set its initial value, and put `__syncthreads()` \
                 between that and the first atomic operation"
            }
            Space::Global if access == AccessKind::Atomic => {
                "let the host set the buffer before the launch (`cudaMemset`)"
            }
            Space::Shared => {
                "shared memory is not initialised: is this element left out when the tile is loaded (in the halo, or \
                 at the array's edge), or does this read access the wrong element: its index, or the condition around \
                 it?"
            }
            Space::Local => {
                "give the variable a value first; if an array belongs to the block, and not to each thread, declare \
                 it `__shared__`"
            }
            Space::Global | Space::Constant | Space::None => {
                "is an output array read instead of an input, is `+=` used on an array that was not cleared, or did \
                 an earlier launch leave this element out?"
            }
        })
    }
}

/// The variable's name as messages write it.
pub(super) fn name(target: &Target) -> String {
    match (&target.name, target.space) {
        (Some(name), _) => name.clone(),
        (None, Space::Global) => format!("buffer {}", target.allocation),
        (None, Space::Shared | Space::Constant | Space::Local | Space::None) => {
            format!("variable {}", target.allocation)
        }
    }
}

/// Whether it is an object that an expression made: it has no name.
pub(super) fn is_temporary(target: &Target) -> bool {
    target.name.as_deref() == Some("")
}

/// The variable in a sentence.
pub(super) fn quoted(target: &Target) -> String {
    if is_temporary(target) { "a temporary".to_owned() } else { format!("`{}`", name(target)) }
}

/// What a message says where the variable is declared.
pub(super) fn declared(target: &Target) -> String {
    if is_temporary(target) {
        "the temporary is made here".to_owned()
    } else {
        format!("{} is declared here", quoted(target))
    }
}

/// Where a variable is declared; buffers are not.
pub(super) fn declaration(case: &Case<'_>, target: &Target) -> Option<Location> {
    let index = target.allocation as usize;
    match target.space {
        Space::Shared => case.kernel?.shared.get(index).map(|v| v.location),
        Space::Local => case.kernel?.locals.get(index).map(|v| v.location),
        Space::Constant => case.module.globals.get(index).map(|v| v.location),
        Space::Global | Space::None => None,
    }
}

pub(super) fn noun(access: AccessKind) -> &'static str {
    match access {
        AccessKind::Load => "read",
        AccessKind::Store => "write",
        AccessKind::Atomic => "atomic operation",
    }
}

pub(super) fn place(space: Space) -> &'static str {
    match space {
        Space::Global => "global memory",
        Space::Shared => "shared memory",
        Space::Constant => "constant memory",
        Space::Local => "local memory",
        Space::None => "no memory",
    }
}
