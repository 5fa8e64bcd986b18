//! Accesses that are wrong in themselves.

use super::{Case, count};
use simt::{AccessKind, Space, Target};
use simt_ir::{Location, SourceVariable};
use source::Diagnostic;

impl Case<'_> {
    pub(super) fn out_of_bounds(
        &self,
        target: &Target,
        offset: i64,
        bytes: u32,
        access: AccessKind,
    ) -> Diagnostic {
        let name = quoted(target);
        let element = i64::from(self.element_bytes(target, bytes));
        let size = target.bytes as i64;
        let whole = self.elements(target).is_some() || offset % element == 0 && size % element == 0;
        let what = if whole && !is_temporary(target) {
            let elements = count((size / element) as u64, "element");
            let one = self.element(target, offset.div_euclid(element));
            format!("`{one}` is outside of {name}, which has {elements} of {element} bytes")
        } else {
            format!("byte {offset} is outside of {name}, which has {size} bytes")
        };
        let title = format!("{what} ({})", place(target.space));
        let label = format!("this {} is out of bounds", noun(access));
        let mut diagnostic = self.at_thread("out-of-bounds", title, &label);
        if let Some(span) = self.span(declaration(self, target)) {
            diagnostic = diagnostic.label(span, declared(target));
        }
        let distance = if offset < 0 { -offset } else { offset + i64::from(bytes) - size };
        let side = if offset < 0 { "before the first" } else { "behind the last" };
        diagnostic = diagnostic.note(format!("the access reaches {distance} bytes {side} byte of {name}"));
        if target.space == Space::Shared && size == 0 {
            return diagnostic.help(
                "this launch gives no dynamic shared memory: declare the array with its size instead, as in \
                 `__shared__ float tile[BLOCK + 2 * MAX_RADIUS];`",
            );
        }
        let in_a_row =
            self.elements(target).map_or(1, |e| e.dimensions.iter().skip(1).product::<u64>().max(1));
        let row = offset.div_euclid(element.saturating_mul(in_a_row as i64));
        let wraps =
            [row, offset.div_euclid(element)].into_iter().find_map(|index| Some((index, wrapped(index)?)));
        if let Some((index, below)) = wraps {
            return diagnostic
                .note(format!("{index} is what an index of {below} is without a sign"))
                .help(
                    "`threadIdx` and what is computed with it is unsigned: convert first, as in `(int)threadIdx.x - 1`; and \
                     what is before the first element cannot be read: test `>= 0` on the signed index",
                );
        }
        let diagnostic = diagnostic.help(bounds_help(target.space, offset, access));
        // The lab's own arrays have the host's sizes; of the kernel's own arrays a loop may take one element too many.
        match target.space {
            Space::Shared | Space::Constant | Space::Local if offset == size => diagnostic.help(
                "it is the first element behind the last: does a condition say `<=` where `<` is meant?",
            ),
            _ => diagnostic,
        }
    }

    pub(super) fn no_value(&self, variable: &SourceVariable) -> Diagnostic {
        let name = &variable.name;
        let title = format!("`{name}` is used before it has a value");
        let mut diagnostic = self.at_thread("uninitialized-variable", title, "used here");
        if let Some(span) = self.span(Some(variable.declared)) {
            diagnostic = diagnostic.label(span, "declared here without a value");
        }
        let is_element = name.ends_with(']');
        let is_member = !is_element && name.contains('.');
        let whole = name.split(['.', '[']).next().unwrap_or(name);
        diagnostic.help(match (is_element, is_member) {
            (true, _) => format!(
                "this thread came here without assigning to this element: do the loops that fill `{whole}` reach it? Or set all \
                 elements to zero where it is declared, with `= {{}}`"
            ),
            (false, true) => format!(
                "this thread came here without assigning to this member: assign to every member that is used, or set all to zero \
                 where `{whole}` is declared, with `= {{}}`"
            ),
            (false, false) => "this thread came here without assigning to it: give it a first value where it is declared, or in \
                               the branch that lacks one"
                .to_owned(),
        })
    }

    pub(super) fn null_pointer(&self, offset: i64, access: AccessKind) -> Diagnostic {
        let label = format!("this {} goes through a null pointer", noun(access));
        self.at_thread("null-pointer", "a null pointer is used", &label)
            .note(format!("the address is {offset} bytes from null"))
            .help("was the pointer set, and the array passed to the kernel?")
    }

    pub(super) fn invalid_pointer(&self, pointer: u64, access: AccessKind) -> Diagnostic {
        let label = format!("this {} goes nowhere", noun(access));
        self.at_thread("invalid-pointer", "a pointer that points to no memory is used", &label)
            .note(format!("its value is {pointer:#x}"))
            .help("a pointer must come from an array or variable, and stay on it; a freed buffer is no longer one")
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
            "a {} of {bytes} bytes at byte {offset} of {name}, which is no multiple of {bytes}",
            noun(access)
        );
        self.at_thread("misaligned-access", title, "this address is not aligned").help(format!(
            "a `float2` needs an address divisible by 8, a `float4` by 16: index in steps of {bytes} bytes, and take the \
             rest element by element when a row's length is no multiple of that"
        ))
    }

    pub(super) fn write_to_constant(&self, target: &Target) -> Diagnostic {
        let title = format!("`{}` is in constant memory, which a kernel cannot write", name(target));
        self.at_thread("write-to-constant", title, "written here")
            .help("the host sets constant memory before the launch (`cudaMemcpyToSymbol`)")
    }

    pub(super) fn uninitialised(&self, target: &Target, offset: i64, access: AccessKind) -> Diagnostic {
        let what = match is_temporary(target) {
            true => "a temporary".to_owned(),
            false => format!("`{}`", self.element_at(target, offset)),
        };
        let title = format!("{what} is read before anything was written to it");
        let label = match access {
            AccessKind::Atomic => "an atomic operation reads what was there",
            AccessKind::Load | AccessKind::Store => "read here",
        };
        let mut diagnostic = self.at_thread("uninitialized-read", title, label);
        if let Some(span) = self.span(declaration(self, target)) {
            diagnostic = diagnostic.label(span, declared(target));
        }
        diagnostic.help(match target.space {
            Space::Shared if access == AccessKind::Atomic => {
                "shared memory holds nothing at first: let one thread set it to its first value, and put \
                 `__syncthreads()` between that and the first atomic operation"
            }
            Space::Global if access == AccessKind::Atomic => {
                "let the host set the buffer before the launch (`cudaMemset`)"
            }
            Space::Shared => {
                "shared memory holds nothing at first: every element that is read must be loaded before the barrier, \
                 also those of the halo and of tiles at the array's edge (store 0 there)"
            }
            Space::Local => {
                "give the variable a value first; an array that is to be the block's, and not each thread's own, is \
                 declared `__shared__`"
            }
            Space::Global | Space::Constant | Space::None => {
                "is an output array read in place of an input, or is `+=` used on an array that nobody cleared?"
            }
        })
    }
}

/// What may be said of an index beyond 2³¹: it was computed without a sign, and wrapped around below 0.
fn wrapped(element: i64) -> Option<i64> {
    const AROUND: i64 = 1 << 32;
    (AROUND / 2..AROUND).contains(&element).then_some(element - AROUND)
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
fn is_temporary(target: &Target) -> bool {
    target.name.as_deref() == Some("")
}

/// The variable in a sentence.
fn quoted(target: &Target) -> String {
    if is_temporary(target) { "a temporary".to_owned() } else { format!("`{}`", name(target)) }
}

/// What a message says where the variable is declared.
fn declared(target: &Target) -> String {
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

fn place(space: Space) -> &'static str {
    match space {
        Space::Global => "global memory",
        Space::Shared => "shared memory",
        Space::Constant => "constant memory",
        Space::Local => "local memory",
        Space::None => "no memory",
    }
}

fn bounds_help(space: Space, offset: i64, access: AccessKind) -> &'static str {
    match (space, offset < 0) {
        (Space::Global, true) => {
            "the index is negative: at the array's start a halo index such as `i - radius` has nothing to read; test \
             `>= 0` before the access, and compute it with signed integers"
        }
        (Space::Global | Space::None, _) if access == AccessKind::Load => {
            "the last block has threads beyond the array's end, and a halo reaches past it: guard the access, as in \
             `if (i < n)`"
        }
        (Space::Global | Space::None, _) => {
            "the last block has threads beyond the array's end: guard the store, as in `if (i < n)`; are row and column \
             in the right order?"
        }
        (Space::Shared, true) => {
            "the index into the tile is negative: `threadIdx.x - radius` needs the halo's offset added, or another source \
             for what lies outside the tile"
        }
        (Space::Shared, false) => {
            "a tile with a halo needs `blockDim.x + 2 * radius` elements along an axis; is the array large enough for this \
             block, and are its indices in the order in which it is declared?"
        }
        (Space::Constant, _) => "is the `__constant__` array large enough for this filter or these taps?",
        (Space::Local, _) => "check the index against the array's declared length",
    }
}
