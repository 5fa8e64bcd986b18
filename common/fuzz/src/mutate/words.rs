//! Changes of words: literals, operators, types, qualifiers and names for others of their kind.

use crate::Random;
use generate::grammar::Choices;
use generate::grammar::mutate::mutate;
use generate::words::words;

const NUMBERS: [&str; 32] = [
    "0",
    "1",
    "-1",
    "2",
    "31",
    "32",
    "33",
    "63",
    "64",
    "65",
    "1023",
    "1024",
    "0x7fffffff",
    "2147483648",
    "-2147483648",
    "4294967295u",
    "4294967296",
    "0xffffffffffffffff",
    "1e9",
    "1ull << 63",
    "0.0f",
    "-0.0f",
    "1e-45f",
    "3.4e38f",
    "1.0f / 0.0f",
    "1e308",
    "nan(\"\")",
    "'a'",
    "'\\0'",
    "true",
    "0b101",
    "0x1p-3f",
];
const OPERATORS: [&str; 40] = [
    "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "&&", "||", "<", ">", "<=", ">=", "==", "!=", "=",
    "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", ".", "->", ",", "::", "!", "~", "++", "--",
    "?", ":", "...",
];
const TYPES: [&str; 36] = [
    "int",
    "float",
    "double",
    "bool",
    "char",
    "short",
    "long",
    "unsigned",
    "signed",
    "void",
    "auto",
    "half",
    "__half",
    "__half2",
    "__nv_bfloat16",
    "size_t",
    "long long",
    "unsigned long long",
    "unsigned char",
    "float2",
    "float3",
    "float4",
    "int2",
    "int4",
    "uchar4",
    "double2",
    "dim3",
    "cudaTextureObject_t",
    "int *",
    "float *",
    "const float *",
    "int &",
    "int &&",
    "float **",
    "int (*)",
    "decltype(0)",
];
const QUALIFIERS: [&str; 30] = [
    "const",
    "volatile",
    "__restrict__",
    "static",
    "extern",
    "inline",
    "constexpr",
    "__shared__",
    "__constant__",
    "__device__",
    "__global__",
    "__host__",
    "__managed__",
    "__forceinline__",
    "__noinline__",
    "__launch_bounds__(32)",
    "template <typename T>",
    "template <int N>",
    "typename",
    "virtual",
    "friend",
    "explicit",
    "mutable",
    "noexcept",
    "override",
    "[[nodiscard]]",
    "alignas(16)",
    "#pragma unroll\n",
    "struct",
    "extern \"C\"",
];
const STATEMENTS: [&str; 24] = [
    "return;",
    "break;",
    "continue;",
    "__syncthreads();",
    "__syncwarp();",
    "__threadfence();",
    "goto again;",
    "again:",
    "default:",
    "case 1:",
    "int x = 3;",
    "float y;",
    "int a[4];",
    "__shared__ int s[32];",
    "extern __shared__ float dynamic[];",
    "asm(\"\");",
    "printf(\"%d %s\\n\", 1, \"x\");",
    "__trap();",
    "assert(threadIdx.x < 7);",
    "if (threadIdx.x > 3) return;",
    "while (true) {}",
    "do {} while (threadIdx.x < 0);",
    "for (int i = 0; i < 5; i++)",
    "else",
];
const CALLS: [&str; 30] = [
    "threadIdx.x",
    "threadIdx.y",
    "blockIdx.x",
    "blockDim.x",
    "gridDim.z",
    "warpSize",
    "__shfl_sync(0xffffffff, 1, 2)",
    "__ballot_sync(0xffffffff, threadIdx.x & 1)",
    "__activemask()",
    "__popc(7)",
    "__ldg",
    "atomicAdd",
    "atomicCAS",
    "atomicExch",
    "__float2int_rn",
    "__fdividef",
    "sqrtf",
    "fmaf",
    "min",
    "max",
    "sizeof",
    "this",
    "nullptr",
    "__syncthreads_count(1)",
    "__reduce_add_sync(0xffffffff, 1)",
    "clock64()",
    "__LINE__",
    "__func__",
    "&",
    "*",
];

fn is_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Changes a word or a few.
pub fn change(text: &str, donor: &str, random: &mut Random) -> String {
    let mut all = words(text);
    let solid: Vec<usize> = (0..all.len()).filter(|at| !all[*at].trim().is_empty()).collect();
    if solid.is_empty() {
        return donor.to_owned();
    }
    let of =
        |fits: &dyn Fn(&str) -> bool| solid.iter().copied().filter(|at| fits(all[*at])).collect::<Vec<_>>();
    let (numbers, names) = (of(&is_number), of(&is_name));
    let operators = of(&|word| OPERATORS.contains(&word));
    let types = of(&|word| TYPES.contains(&word));
    let at = *random.pick(&solid);
    match random.below(15) {
        0 | 1 if !numbers.is_empty() => all[*random.pick(&numbers)] = *random.pick(&NUMBERS),
        2 | 3 if !operators.is_empty() => all[*random.pick(&operators)] = *random.pick(&OPERATORS),
        4 if !types.is_empty() => all[*random.pick(&types)] = *random.pick(&TYPES),
        5 if !types.is_empty() => all.splice_before(*random.pick(&types), random.pick::<&str>(&QUALIFIERS)),
        6 | 7 if !names.is_empty() => all[*random.pick(&names)] = all[*random.pick(&names)],
        8 if !names.is_empty() => {
            let lists: [&[&str]; 4] = [&CALLS, &NUMBERS, &TYPES, &QUALIFIERS];
            let list = *random.pick(&lists);
            all[*random.pick(&names)] = *random.pick(list);
        }
        9 => all.splice_before(at, random.pick::<&str>(&STATEMENTS)),
        10 => {
            let others = words(donor);
            if !others.is_empty() {
                let range = random.range(others.len());
                all.splice(at..at, others[range].iter().copied());
            }
        }
        11 => drop(all.drain(random.range(all.len()))),
        12 => {
            let range = random.range(all.len());
            let copy = all[range].to_vec();
            all.splice(at..at, copy);
        }
        13 => {
            let other = *random.pick(&solid);
            all.swap(at, other);
        }
        // As the tests against CUDA's own compiler change a word.
        _ => {
            let numbers: Vec<u32> = (0..8).map(|_| random.number()).collect();
            return mutate(text, &mut Choices::new(&numbers));
        }
    }
    all.concat()
}

/// Puts a word and a blank before another.
trait SpliceBefore<'t> {
    fn splice_before(&mut self, at: usize, word: &'t str);
}

impl<'t> SpliceBefore<'t> for Vec<&'t str> {
    fn splice_before(&mut self, at: usize, word: &'t str) {
        self.splice(at..at, [word, " "]);
    }
}
