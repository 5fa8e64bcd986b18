//! Functions of CUDA that are written in CUDA C++ themselves and need no `#include`.
//!
//! A text is read only for a file that names one of its functions, before the file's own declarations and without its
//! macros; it declares them in a namespace of its own, where a call looks for what the file does not declare.

use super::{Preprocessor, Token, TokenKind};
use crate::word::Word;
use source::hash::Set;
use source::{FileId, Span, words};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Each text: what messages call it, the text, and the names that it declares for its users.
struct Text {
    name: &'static str,
    text: &'static str,
    declares: fn(&str) -> bool,
}

// One may use those after it.
const TEXTS: &[Text] = &[
    Text {
        name: "<ptx.h>",
        text: include_str!("../../headers/ptx.h"),
        declares: |name| matches!(name, "asm" | "__asm" | "__asm__"),
    },
    Text {
        name: "<device_functions.h>",
        text: include_str!("../../headers/device_functions.h"),
        declares: is_device_function,
    },
    Text {
        name: "<vector_atomics.h>",
        text: include_str!("../../headers/vector_atomics.h"),
        declares: |name| name == "atomicAdd",
    },
    Text {
        name: "<simd_functions.h>",
        text: include_str!("../../headers/simd_functions.h"),
        declares: is_simd_function,
    },
    Text {
        name: "<driver_types.h>",
        text: include_str!("../../headers/driver_types.h"),
        declares: |name| {
            name.starts_with("cudaError") || name.starts_with("cudaMemcpy") || name == "cudaSuccess"
        },
    },
    Text {
        name: "<int128.h>",
        text: include_str!("../../headers/int128.h"),
        declares: |name| matches!(name, "__int128" | "__int128_t" | "__uint128_t"),
    },
];

/// What is written in CUDA C++ of the standard library.
const STANDARD: &str = include_str!("../../headers/standard.h");

/// Names of it that are not told by a prefix or suffix, see [`is_standard`].
const STANDARD_NAMES: &[&str] = words!(
    "exchange integral_constant bool_constant true_type false_type enable_if conditional decay declval common_type
     integer_sequence index_sequence make_index_sequence make_integer_sequence index_sequence_for numeric_limits type_identity
     conjunction disjunction negation make_unsigned make_signed pair make_pair tuple make_tuple array
     tuple_size tuple_element initializer_list tie plus minus multiplies divides modulus negate bit_and bit_or bit_xor bit_not
     equal_to not_equal_to less greater less_equal greater_equal logical_and logical_or logical_not byte max_align"
);

/// Whether the standard library's text may declare the name: a superset is no harm.
fn is_standard(name: &str) -> bool {
    let base = name.strip_suffix("_t").or_else(|| name.strip_suffix("_v")).unwrap_or(name);
    STANDARD_NAMES.contains(&base)
        || name == "void_t"
        || ["is_", "remove_", "add_"].iter().any(|prefix| base.starts_with(prefix))
}

/// The namespace that the text declares them in.
pub const NAMESPACE: &str = "__composed";

/// The namespace of the functions that instructions of inline PTX are.
pub const PTX: &str = "__ptx";

/// Names ending in each direction of rounding.
const DIRECTED: &[&str] =
    &["__int2float", "__uint2float", "__ll2float", "__ull2float", "__ll2double", "__ull2double"];

const NAMES: &[&str] = words!(
    "__match_any_sync __match_all_sync __reduce_add_sync __reduce_min_sync __reduce_max_sync
     __reduce_and_sync __reduce_or_sync __reduce_xor_sync __byte_perm __funnelshift_lc __funnelshift_rc
     __dp4a __double2hiint __double2loint __hiloint2double frexp frexpf modf modff ilogb ilogbf logb logbf
     nextafter nextafterf remquo remquof norm rnorm normf rnormf norm3d norm4d rnorm3d rnorm4d norm3df
     norm4df rnorm3df rnorm4df __fns __dp2a_lo __dp2a_hi __builtin_assume_aligned memcpy memset"
);

fn is_device_function(name: &str) -> bool {
    static ALL: OnceLock<Set<String>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let directed = DIRECTED.iter().flat_map(|f| ["rz", "ru", "rd"].map(|r| format!("{f}_{r}")));
        NAMES.iter().map(|n| (*n).to_owned()).chain(directed).collect()
    });
    all.contains(name)
}

/// Operations of `__v…2` and `__v…4`, without that prefix and the number.
const PACKED: &[&str] = &[
    "abs", "absss", "absdiffs", "absdiffu", "add", "addss", "addus", "avgs", "avgu", "haddu", "maxs", "maxu",
    "mins", "minu", "neg", "negss", "sads", "sadu", "sub", "subss", "subus",
];

/// Comparisons of `__vcmp…` and `__vset…`.
const COMPARED: &[&str] = &["eq", "ne", "lts", "les", "gts", "ges", "ltu", "leu", "gtu", "geu"];

fn is_simd_function(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("__v") else { return false };
    if let Some(operation) = rest.strip_suffix(['2', '4']) {
        let compared = operation.strip_prefix("cmp").or(operation.strip_prefix("set"));
        if PACKED.contains(&operation) || compared.is_some_and(|c| COMPARED.contains(&c)) {
            return true;
        }
    }
    let (pick, types): (&str, &[&str]) = match rest.strip_prefix('i') {
        Some(r) if r.starts_with("add") => {
            (&r[3..], &["_s32", "_u32", "_s16x2", "_u16x2", "_s32_relu", "_s16x2_relu"])
        }
        Some(r) if r.starts_with('b') => (&r[1..], &["_s32", "_u32", "_s16x2", "_u16x2"]),
        Some(r) => match r.strip_prefix("max3").or(r.strip_prefix("min3")) {
            Some(kind) => {
                return ["_s32", "_u32", "_s16x2", "_u16x2", "_s32_relu", "_s16x2_relu"].contains(&kind);
            }
            None => (r, &["_s32_relu", "_s16x2_relu"]),
        },
        None => return false,
    };
    pick.strip_prefix("max").or(pick.strip_prefix("min")).is_some_and(|kind| types.contains(&kind))
}

/// The mark of a word that names [`STANDARD`]'s namespace, and of one that it may declare.
const STD: u8 = 1 << 6;
const OF_STD: u8 = 1 << 7;
/// The marks of a file for which [`STANDARD`] is read.
pub(super) const OF_STANDARD: u8 = STD | OF_STD;

/// What is noted of a word: a bit for each of [`TEXTS`] that declares it, and of the standard library.
pub(super) fn marks(name: &str) -> u8 {
    let declaring = TEXTS.iter().enumerate().filter(|(_, text)| (text.declares)(name));
    let mut marks = declaring.fold(0, |marks, (at, _)| marks | 1 << at);
    if name == "std" {
        marks |= STD;
    }
    if is_standard(name) {
        marks |= OF_STD;
    }
    marks
}

/// Whether one of the texts declares the name for its users.
pub fn is_composed(name: &str) -> bool {
    TEXTS.iter().any(|t| (t.declares)(name))
}

/// Tokens of each text that has been read in this process.
static READ: Mutex<BTreeMap<&'static str, Arc<[Token]>>> = Mutex::new(BTreeMap::new());

fn read_before(name: &str) -> Option<Arc<[Token]>> {
    READ.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
}

fn keep(name: &'static str, tokens: &[Token]) {
    READ.lock().unwrap_or_else(PoisonError::into_inner).insert(name, tokens.into());
}

fn words(tokens: &[Token]) -> impl Iterator<Item = &Word> {
    tokens.iter().filter_map(|token| match &token.kind {
        TokenKind::Ident(word) => Some(word),
        _ => None,
    })
}

/// The tokens of a text as those of a file that has the same text.
fn in_file(tokens: &[Token], file: FileId) -> Vec<Token> {
    let placed = |t: &Token| Token { span: Span { file, ..t.span }, ..t.clone() };
    tokens.iter().map(placed).collect()
}

impl Preprocessor<'_> {
    /// Puts each text before the tokens read so far if they name one of its functions.
    pub(super) fn prepend_composed(&mut self) {
        for (at, text) in TEXTS.iter().enumerate() {
            if self.marks & 1 << at != 0 {
                self.prepend(text.name, text.text);
            }
        }
        if self.marks & OF_STANDARD == OF_STANDARD {
            self.prepend("<standard.h>", STANDARD);
        }
    }

    /// Puts a text before the tokens read so far.
    fn prepend(&mut self, name: &'static str, text: &'static str) {
        if self.stopped {
            return;
        }
        let own = std::mem::take(&mut self.output);
        self.macros.clear();
        let id = self.map.add(name, text);
        match read_before(name) {
            // The text is read without macros, so that its tokens are the same for every file.
            Some(tokens) if self.charge(tokens.len(), Span::new(id, 0, 0)) => {
                self.output = in_file(&tokens, id);
                self.marks |= words(&tokens).fold(0, |marks, word| marks | word.marks());
            }
            Some(_) => {}
            None => {
                let errors = self.errors;
                if self.enter_file(id, None, None) {
                    self.run();
                }
                if !self.stopped && self.errors == errors {
                    keep(name, &self.output);
                }
            }
        }
        self.output.reserve_exact(own.len());
        self.output.extend(own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_packed_integers_are_told_from_others() {
        for name in
            ["__vadd4", "__vcmpgtu2", "__vsetne4", "__viaddmax_s16x2_relu", "__vibmin_u32", "__vimax3_u16x2"]
        {
            assert!(is_composed(name), "{name}");
        }
        for name in ["__vadd3", "__vcmpeqs2", "__vimax_u32", "__vibmax_s32_relu", "__v", "vadd4", "__viadd"] {
            assert!(!is_composed(name), "{name}");
        }
    }
}
