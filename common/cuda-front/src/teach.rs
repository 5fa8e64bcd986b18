//! What to do about a mistake, where the stage that found it had nothing more particular to say.

/// The help that belongs to a code.
pub(crate) fn help(code: &str) -> Option<&'static str> {
    Some(match code {
        "address-of-temporary" | "not-an-object" => {
            "keep the value in a variable, and take that one's address"
        }
        "assign-to-const" => {
            "what is `const` is for reading; write to another variable, or take the `const` away"
        }
        "cannot-convert" => "check the types on both sides; a conversion that is meant is written `(T)value`",
        "division-by-zero" => "check the divisor before dividing",
        "duplicate-case" => "each value may be there once: delete one, or give it another value",
        "function-not-called" => "a function runs only with parentheses after its name: `name()`",
        "index-out-of-bounds" => "an array of n elements has the indices 0 to n - 1",
        "invalid-array" => "the length of an array is a constant of at least 1",
        "invalid-number" => "numbers look like `1`, `1u`, `0x1f`, `1.0f` or `1e-3f`",
        "invalid-operands" => {
            "check the types: a pointer is dereferenced with `*p` or `p[i]` before computing with it"
        }
        "misplaced-case" => "write `switch (value) { case …: … }` around it",
        "misplaced-jump" => "to end a thread's work early, write `return`",
        "missing-closing-angle"
        | "missing-closing-brace"
        | "missing-closing-bracket"
        | "missing-closing-paren" => {
            "what is opened is closed in reverse order: count the brackets from the marked one on"
        }
        "missing-return" => "end every path with `return value;`",
        "missing-semicolon" => {
            "a statement ends with `;`, and so does the `}` of a struct or of a lambda's declaration"
        }
        "no-matching-function" => "compare the types of the arguments with those of the parameters",
        "not-a-pointer" => "take the address with `&`, or leave the `*` away",
        "not-assignable" => "only a variable, an element or what a pointer points to can be assigned",
        "redeclared-name" => "give one of them another name, or assign without the type",
        "shift-count" => "shift by less than the number of bits; a wider type such as `1ull` has 64",
        "too-many-initializers" => "an array or struct takes at most as many values as it has members",
        "undeclared-name" => {
            "declare it before its first use, in this block or around it, as in `float x = 0.0f;`"
        }
        "unexpected-return-value" => {
            "write results through a pointer parameter, and `return;` without a value"
        }
        "uninitialized-variable" => "give it a first value where it is declared",
        "unmatched-closer" => "take it away, or add its opening bracket before",
        "unused-result" => "assign the result, or delete the statement",
        "wrong-argument-count" => "pass one argument for each parameter, in their order",
        "wrong-argument-type" => "pass a pointer with `&x` or the array's name, a value with `*p` or `p[i]`",
        _ => return None,
    })
}
