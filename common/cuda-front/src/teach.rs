//! What to do about a mistake, where the stage that found it had nothing more particular to say.

use source::Code;

/// The help that belongs to a code.
pub(crate) fn help(code: Code) -> Option<&'static str> {
    Some(match code {
        Code::NotAnObject => "store the value in a variable, and take the address of that variable",
        Code::AssignToConst => {
            "a `const` object can only be read; write to another variable, or remove the `const`"
        }
        Code::CannotConvert => {
            "there is no conversion between these two types: compare what is on both sides"
        }
        Code::DivisionByZero => "check the divisor before dividing",
        Code::DuplicateCase => "each value may appear only once: delete one, or give it another value",
        Code::FunctionNotCalled => "a function runs only with parentheses after its name: `name()`",
        Code::IndexOutOfBounds => "an array of n elements has the indices 0 to n - 1",
        Code::InvalidArray => "the length of an array must be a constant of at least 1",
        Code::InvalidNumber => "numbers look like `1`, `1u`, `0x1f`, `1.0f` or `1e-3f`",
        Code::InvalidOperands => "the operator is not defined for these types",
        Code::MisplacedCase => "write `switch (value) { case …: … }` around it",
        Code::MisplacedJump => "to end a thread's work early, write `return`",
        Code::MissingClosingAngle
        | Code::MissingClosingBrace
        | Code::MissingClosingBracket
        | Code::MissingClosingParen => "brackets close in reverse order: count them from the marked one on",
        Code::MissingReturn => "end every path with `return value;`",
        Code::MissingSemicolon => {
            "a statement ends with `;`, and so does the `}` of a struct or of a lambda's declaration"
        }
        Code::NoMatchingFunction => "compare the types of the arguments with those of the parameters",
        Code::NotAPointer => {
            "only a pointer can be dereferenced: remove the `*`, or use the pointer that is intended"
        }
        Code::NotAssignable => "only a variable, an element or what a pointer points to can be assigned",
        Code::RedeclaredName => "give one of them another name, or assign without the type",
        Code::ShiftCount => "shift by less than the number of bits; a wider type such as `1ull` has 64",
        Code::TooManyInitializers => "an array or struct takes at most as many values as it has members",
        Code::UndeclaredName => "declare it before its first use, in this block or an enclosing one",
        Code::UnexpectedReturnValue => {
            "write results through a pointer parameter, and `return;` without a value"
        }
        Code::UninitializedVariable => "give it an initial value where it is declared",
        Code::UnmatchedCloser => "remove it, or add the matching opening bracket before it",
        Code::UnusedResult => "assign the result, or delete the statement",
        Code::WrongArgumentCount => "pass one argument for each parameter, in order",
        Code::WrongArgumentType => {
            "pass a pointer with `&x` or the array's name, a value with `*p` or `p[i]`"
        }
        _ => return None,
    })
}
