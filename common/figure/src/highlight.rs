//! Classifies tokens of CUDA C++, for colours in a listing.
//!
//! The front-end's lexer finds comments, literals, words and preprocessor lines in any text; of a word, its spelling alone says whether it is
//! a keyword, a qualifier of CUDA's or a built-in name.

use cuda_syntax::parse::is_keyword;
use cuda_syntax::preprocess::{PieceKind, pieces};
use std::ops::Range;

/// Class of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `// …` and `/* … */`.
    Comment,
    /// Strings and characters.
    String,
    /// Numbers with their suffixes.
    Number,
    /// Keywords of C++ and names of its fundamental types.
    Keyword,
    /// `__global__`, `__shared__`, `__launch_bounds__` and other qualifiers.
    Qualifier,
    /// `threadIdx`, `__syncthreads`, `atomicAdd` and other built-in names.
    Builtin,
    /// A preprocessor line, without its comments.
    Directive,
}

impl Class {
    /// The name of the class in the style sheet.
    pub fn name(self) -> &'static str {
        match self {
            Class::Comment => "comment",
            Class::String => "string",
            Class::Number => "number",
            Class::Keyword => "keyword",
            Class::Qualifier => "qualifier",
            Class::Builtin => "builtin",
            Class::Directive => "directive",
        }
    }
}

/// The tokens that have a class, as byte ranges in order. Text between them has no class.
///
/// ```
/// use figure::highlight::{Class, tokens};
/// let text = "__global__ void k();";
/// assert_eq!(tokens(text), [(0..10, Class::Qualifier), (11..15, Class::Keyword)]);
/// ```
pub fn tokens(text: &str) -> Vec<(Range<usize>, Class)> {
    let class = |range: &Range<usize>, kind| match kind {
        PieceKind::Comment => Some(Class::Comment),
        PieceKind::Quoted => Some(Class::String),
        PieceKind::Number => Some(Class::Number),
        PieceKind::Directive => Some(Class::Directive),
        PieceKind::Word => class_of(&text[range.clone()]),
    };
    let pieces = pieces(text).into_iter();
    pieces.filter_map(|(range, kind)| Some((range.clone(), class(&range, kind)?))).collect()
}

/// Whether a blank-separated list contains a word.
fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|own| own == word)
}

fn class_of(name: &str) -> Option<Class> {
    if has(QUALIFIERS, name) {
        return Some(Class::Qualifier);
    }
    if is_keyword(name) {
        return Some(Class::Keyword);
    }
    is_builtin(name).then_some(Class::Builtin)
}

fn is_builtin(name: &str) -> bool {
    const PREFIXES: &str =
        "__sync __shfl __ldg __ldc __st __threadfence __ballot __any __all __activemask __popc __match_
     __reduce_ atomic cudaTextureObject";
    has(BUILTINS, name) || PREFIXES.split_ascii_whitespace().any(|p| name.starts_with(p)) || is_vector(name)
}

/// Whether a name is a vector type, such as `float4` or `uchar2`.
fn is_vector(name: &str) -> bool {
    let Some((element, lanes)) = name.split_at_checked(name.len().saturating_sub(1)) else { return false };
    let elements = ["char", "short", "int", "long", "longlong", "float", "double"];
    matches!(lanes, "1" | "2" | "3" | "4")
        && (elements.contains(&element)
            || element.strip_prefix('u').is_some_and(|e| elements[..5].contains(&e)))
}

const QUALIFIERS: &str =
    "__global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ __restrict
     __launch_bounds__ __cluster_dims__ __maxnreg__ __grid_constant__ __forceinline__ __noinline__ __align__";

const BUILTINS: &str =
    "threadIdx blockIdx blockDim gridDim warpSize dim3 size_t int8_t int16_t int32_t int64_t uint8_t
     uint16_t uint32_t uint64_t half __half __half2 __nv_bfloat16 tex1D tex2D tex3D tex1Dfetch fmaf printf
     assert";
