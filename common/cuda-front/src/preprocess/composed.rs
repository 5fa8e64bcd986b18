//! Functions of CUDA that are written in CUDA C++ themselves and need no `#include`.
//!
//! Their text is read only for a file that names one of them, before the file's own declarations and without its macros;
//! it declares them in a namespace of its own, where a call looks for what the file does not declare.

use super::{Preprocessor, TokenKind};
use std::collections::HashSet;
use std::sync::OnceLock;

const TEXT: &str = include_str!("../../headers/device_functions.h");

/// The namespace that the text declares them in.
pub(crate) const NAMESPACE: &str = "__composed";

/// Names ending in each direction of rounding.
const DIRECTED: &[&str] = &[
    "__fadd",
    "__fsub",
    "__fmul",
    "__fdiv",
    "__fmaf",
    "__frcp",
    "__fsqrt",
    "__int2float",
    "__uint2float",
    "__double2float",
];

const NAMES: &[&str] = &[
    "__match_any_sync",
    "__match_all_sync",
    "__reduce_add_sync",
    "__reduce_min_sync",
    "__reduce_max_sync",
    "__reduce_and_sync",
    "__reduce_or_sync",
    "__reduce_xor_sync",
    "__byte_perm",
    "__funnelshift_lc",
    "__funnelshift_rc",
    "__dp4a",
    "__double2hiint",
    "__double2loint",
    "__hiloint2double",
    "frexp",
    "frexpf",
    "modf",
    "modff",
    "ilogb",
    "ilogbf",
    "logb",
    "logbf",
    "nextafter",
    "nextafterf",
    "erfinvf",
];

/// Whether the text declares the name for its users.
pub(crate) fn is_composed(name: &str) -> bool {
    static ALL: OnceLock<HashSet<String>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let directed = DIRECTED.iter().flat_map(|f| ["rz", "ru", "rd"].map(|r| format!("{f}_{r}")));
        NAMES.iter().map(|n| (*n).to_owned()).chain(directed).collect()
    });
    all.contains(name)
}

impl Preprocessor<'_> {
    /// Puts the text before the tokens read so far if they name one of its functions.
    pub(super) fn prepend_composed(&mut self) {
        let named = |kind: &TokenKind| matches!(kind, TokenKind::Ident(name) if is_composed(name));
        if self.stopped || !self.output.iter().any(|token| named(&token.kind)) {
            return;
        }
        let own = std::mem::take(&mut self.output);
        self.macros.clear();
        let id = self.map.add("<device_functions.h>", TEXT);
        if self.enter_file(id, None, None) {
            self.run();
        }
        self.output.extend(own);
    }
}
