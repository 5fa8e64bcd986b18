//! Accesses out of bounds: what lies where, and the cure that fits.
//!
//! The cause is read from numbers, in this order: how far the access reaches, how far apart the threads of the warp read, and whether
//! the thread has an element at all. Loads and stores are reported alike. What the numbers do not show is not guessed, and nothing is
//! proposed that only the launch could change.

use super::memory::{declaration, declared, is_temporary, noun, place, quoted};
use super::{Case, cause, count};
use simt::{AccessKind, Space, Target};
use source::{Code, Diagnostic};

/// An access that is out of bounds.
pub(super) struct Outside<'a> {
    pub(super) target: &'a Target,
    /// First byte, from the start of the target.
    pub(super) offset: i64,
    pub(super) bytes: u32,
    pub(super) access: AccessKind,
    /// Bytes from one lane's place to the next one's, where it is the same for all.
    pub(super) stride: Option<i64>,
}

impl Outside<'_> {
    fn size(&self) -> i64 {
        self.target.bytes as i64
    }

    /// Whether it begins inside and reaches out.
    fn reaches_out(&self) -> bool {
        (0..self.size()).contains(&self.offset)
    }
}

/// What a message says of the launch: the shape of its blocks, and the integers among its arguments by the parameter's name.
#[derive(Clone, Debug, Default)]
pub(crate) struct LaunchFacts {
    pub(crate) block: [u32; 3],
    /// Blocks by axis.
    pub(crate) grid: [u32; 3],
    pub(crate) integers: Vec<(String, i64)>,
    /// Of a launch that was stopped because its budget was spent.
    pub(crate) budget: Option<SpentBudget>,
}

/// What is known of a launch whose budget was spent.
#[derive(Clone, Debug)]
pub(crate) struct SpentBudget {
    /// Whether it is that of all launches of a submission, in units of work.
    pub(crate) is_shared: bool,
    /// Whether the launch had most of it to itself.
    pub(crate) is_most: bool,
    /// Counters of its first instructions, by location.
    pub(crate) lines: Vec<simt::Counters>,
}

impl Case<'_> {
    pub(super) fn out_of_bounds(&self, outside: &Outside<'_>) -> Diagnostic {
        let Outside { target, offset, bytes, access, .. } = *outside;
        let name = quoted(target);
        let element = i64::from(self.element_bytes(target, bytes));
        let size = outside.size();
        let whole = self.elements(target).is_some() || offset % element == 0 && size % element == 0;
        let what = if whole && !is_temporary(target) {
            let elements = count((size / element) as u64, "element");
            let one = self.element(target, offset.div_euclid(element));
            match outside.reaches_out() {
                true => format!(
                    "an access of {bytes} bytes at `{one}` extends outside {name}, which has {elements} of {element} \
                    bytes"
                ),
                false => format!("`{one}` is outside {name}, which has {elements} of {element} bytes"),
            }
        } else {
            format!("byte {offset} is outside {name}, which has {size} bytes")
        };
        let title = format!("{what} ({})", place(target.space));
        let label = format!("this {} is out of bounds", noun(access));
        let mut diagnostic = self.at_thread(Code::OutOfBounds, title, &label);
        diagnostic = self.labelled(diagnostic, declaration(self, target), declared(target));
        // Of memory that was allocated on the device.
        diagnostic = self.labelled(diagnostic, self.fault.other, "it was allocated here");
        let distance = if offset < 0 { -offset } else { offset + i64::from(bytes) - size };
        let side = if offset < 0 { "before the start" } else { "past the end" };
        diagnostic = diagnostic.note(format!("the access reaches {distance} bytes {side} of {name}"));
        let wrapped = self.wrapped_index(outside, element);
        if let Some((index, below)) = wrapped {
            diagnostic = diagnostic.note(format!("{index} is the index {below} converted to unsigned"));
        }
        if i64::from(bytes) > element && !outside.reaches_out() {
            diagnostic = diagnostic.note(format!("it is an access of {bytes} bytes"));
        }
        let is_empty = target.space == Space::Shared && size == 0;
        let cause = cause::find(self, outside, element).filter(|_| !is_empty);
        let known = cause.and_then(|cause| self.cause_in_words(&cause, outside, element));
        diagnostic.help(known.unwrap_or_else(|| self.bounds_cure(outside, element, wrapped.is_some())))
    }

    /// An index or a row beyond 2³¹, and what it is with a sign.
    fn wrapped_index(&self, outside: &Outside<'_>, element: i64) -> Option<(i64, i64)> {
        let in_a_row =
            self.elements(outside.target).map_or(1, |e| e.dimensions.iter().skip(1).product::<u64>().max(1));
        let row = outside.offset.div_euclid(element.saturating_mul(in_a_row as i64));
        let index = outside.offset.div_euclid(element);
        [row, index].into_iter().find_map(|index| Some((index, wrapped(index)?)))
    }

    fn bounds_cure(&self, outside: &Outside<'_>, element: i64, is_wrapped: bool) -> String {
        let Outside { target, offset, bytes, access, stride } = *outside;
        if target.space == Space::Shared && outside.size() == 0 {
            return format!(
                "this launch provides no dynamic shared memory: declare {} with its number of elements, and without \
                 `extern`",
                quoted(target)
            );
        }
        if outside.reaches_out() && i64::from(bytes) > element {
            let elements = i64::from(bytes) / element;
            return format!(
                "it accesses {elements} elements at once: do so only where that many are left, as in `if (i + {} < \
                 n)`, and access the remaining ones one by one",
                elements - 1
            );
        }
        if is_wrapped {
            return "a negative number was converted to unsigned: `threadIdx` and values computed from it are unsigned; \
                    compute the index with signed integers, and access nothing where it is negative"
                .into();
        }
        if offset < 0 {
            return "the index is negative, and there is nothing before the first element: what is it computed from?".into();
        }
        if let Some(cure) = stride.and_then(|stride| self.strided(stride, element)) {
            return cure;
        }
        if self.is_row_behind_the_last(outside) {
            return "it is in the row after the last: does a loop or condition go one too far (`<=` instead of `<`), \
                    is the array too small for the block, or is an offset missing from the index?"
                .into();
        }
        if let Some(cure) = self.longer_argument(outside, element) {
            return cure;
        }
        if stride == Some(0) {
            return format!(
                "all threads of the warp {} this element, so the index does not depend on them: does a loop count too \
                 far, because of `<=`, a fixed count, or the count of another array?",
                verb(access)
            );
        }
        self.behind_the_end(outside, element)
    }

    /// The cure where a guard lets the thread through because an argument is larger than the array.
    fn longer_argument(&self, outside: &Outside<'_>, element: i64) -> Option<String> {
        let launch = self.launch.filter(|_| outside.target.space == Space::Global)?;
        let elements = outside.size() / element;
        let is_own = self.thread_number() == Some(outside.offset.div_euclid(element));
        if !is_own || launch.integers.iter().any(|(_, value)| *value == elements) {
            return None;
        }
        let (name, value) = launch.integers.iter().find(|(_, value)| *value == elements + 1)?;
        let array = quoted(outside.target);
        Some(format!(
            "`{name}` is {value}, but {array} has {elements} elements: a guard with `{name}` lets one thread too many \
            through"
        ))
    }

    /// The number of the thread in a launch along x.
    fn thread_number(&self) -> Option<i64> {
        let launch = self.launch.filter(|l| l.block[1] * l.block[2] == 1)?;
        let [block, thread] = [self.fault.block[0], self.fault.thread[0]].map(i64::from);
        Some(block * i64::from(launch.block[0]) + thread)
    }

    /// Whether it lies in the row after the last of an array of several dimensions.
    fn is_row_behind_the_last(&self, outside: &Outside<'_>) -> bool {
        let Some(shape) = self.elements(outside.target) else { return false };
        let Some(rows) = shape.dimensions.first().filter(|_| shape.dimensions.len() > 1) else {
            return false;
        };
        let row = outside.size() / (*rows).max(1) as i64;
        (outside.size()..outside.size() + row).contains(&outside.offset)
    }

    /// The cure where neighbouring threads are several elements apart.
    fn strided(&self, stride: i64, element: i64) -> Option<String> {
        let apart = stride / element;
        if stride % element != 0 || apart.abs() < 2 {
            return None;
        }
        let named = self.launch.and_then(|l| l.integers.iter().find(|(_, value)| *value == apart));
        Some(match named {
            Some((name, _)) => format!(
                "neighbouring threads are `{name}` elements apart here: are row and column in the right order, as in \
                 `row * width + column` with the column from `threadIdx.x`, and is the width that of the right array?"
            ),
            None => format!(
                "neighbouring threads are {apart} elements apart here: is the index multiplied by {}, or are its \
                 parts in a different order than the array's?",
                apart.abs()
            ),
        })
    }

    /// The cure where adjacent threads are past the end.
    fn behind_the_end(&self, outside: &Outside<'_>, element: i64) -> String {
        let Outside { target, offset, .. } = *outside;
        match target.space {
            Space::Global | Space::None => {}
            Space::Shared => {
                return "is the array large enough for this block, are its indices in the order of its \
                        declaration, and is each compared with its own size?"
                    .into();
            }
            Space::Constant => {
                return "is the `__constant__` array large enough for this filter or these taps?".into();
            }
            Space::Local => return "check the index against the array's declared length".into(),
        }
        let (index, elements) = (offset.div_euclid(element), outside.size() / element);
        let length = self.launch.and_then(|l| l.integers.iter().find(|(_, v)| *v == elements && *v > 1));
        let Some((thread, (length, _))) = self.thread_number().zip(length) else {
            return "the index is past the end of the array: is each axis compared with its own size using `<`, is the \
                    row multiplied by this array's own row length, and is it this array's index at all?"
                .into();
        };
        match thread {
            thread if thread == index => format!(
                "this thread, number {thread} of the launch, has no element: is the guard `if (i < {length})` missing, or does it say `<=`?"
            ),
            thread if thread < elements && index > thread => format!(
                "this thread, number {thread} of the launch, goes {} elements further than its own, past the end: \
                 compare the index that is used, not the thread's index, with `{length}`; is the sign of its offset \
                 correct?",
                index - thread
            ),
            _ => {
                format!("the index is past the end of the array: is it compared with `{length}`, using `<`?")
            }
        }
    }
}

fn verb(access: AccessKind) -> &'static str {
    match access {
        AccessKind::Load => "read",
        AccessKind::Store => "write",
        AccessKind::Atomic => "change",
    }
}

/// What may be said of an index beyond 2³¹: it was computed without a sign, and wrapped around below 0.
fn wrapped(element: i64) -> Option<i64> {
    const AROUND: i64 = 1 << 32;
    (AROUND / 2..AROUND).contains(&element).then_some(element - AROUND)
}
