//! The table of diagnostic codes: each code's spelling, severity, verdict, and page of the book.
//!
//! A [`Diagnostic`](crate::Diagnostic) needs a [`Code`], so a message cannot use a code outside this table. Spellings
//! are public, because they appear in JSON and in messages: rows may be added, but never renamed or removed. Titles
//! and explanations are in `explanations.md`, one section per code in the order of the table. [`Code::title`] and
//! [`Code::explanation`] read them, and `cargo lab explain` prints them.

use crate::{Severity, Verdict};
use std::fmt;

/// Kind of a diagnostic: its severity and verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An error in the user's program: nvcc or the hardware would refuse it too, or its behaviour is undefined.
    Error,
    /// A warning about the user's program.
    Warning,
    /// An error because the simulator cannot do this yet; the program may be correct.
    Unsupported,
}

impl Kind {
    /// Severity of this kind.
    pub fn severity(self) -> Severity {
        match self {
            Kind::Error | Kind::Unsupported => Severity::Error,
            Kind::Warning => Severity::Warning,
        }
    }

    /// Verdict of this kind: user's program or simulator.
    pub fn verdict(self) -> Verdict {
        match self {
            Kind::Error | Kind::Warning => Verdict::Program,
            Kind::Unsupported => Verdict::Unsupported,
        }
    }
}

/// A row of the table.
struct Row {
    text: &'static str,
    kinds: &'static [Kind],
    group: &'static str,
    page: &'static str,
}

/// Syntax of the table: groups under a heading; in each group, pages of the book; for each page, its codes as
/// `Variant "spelling" Kind`. A code that can have several kinds lists them all, the default of
/// [`Diagnostic::new`](crate::Diagnostic::new) first.
macro_rules! codes {
    ($($group:literal { $($page:literal => $($code:ident $text:literal $kind:ident $(or $other:ident)*),+;)+ })+) => {
        /// The stable code of a diagnostic.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $($($(#[doc = concat!("`", $text, "`")] $code,)+)+)+
        }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Code] = &[$($($(Code::$code,)+)+)+];
        }

        /// The rows, in the order of [`Code`]'s variants.
        const ROWS: &[Row] = &[$($($(Row {
            text: $text,
            kinds: &[Kind::$kind $(, Kind::$other)*],
            group: $group,
            page: $page,
        },)+)+)+];
    };
}

codes! {
    "When a kernel runs" {
        "messages.md#out-of-bounds" => OutOfBounds "out-of-bounds" Error;
        "messages.md#null-pointer-invalid-pointer" =>
            NullPointer "null-pointer" Error,
            InvalidPointer "invalid-pointer" Error;
        "messages.md#use-after-free-double-free-invalid-free" =>
            UseAfterFree "use-after-free" Error,
            DoubleFree "double-free" Error,
            InvalidFree "invalid-free" Error;
        "messages.md#misaligned-access" => MisalignedAccess "misaligned-access" Error;
        "messages.md#read-only-written" => ReadOnlyWritten "read-only-written" Error;
        "messages.md#uninitialized-read" => UninitializedRead "uninitialized-read" Error;
        "messages.md#uninitialized-variable" => UninitializedVariable "uninitialized-variable" Error or Warning;
        "messages.md#shared-memory-race" => SharedMemoryRace "shared-memory-race" Error;
        "messages.md#global-memory-race" => GlobalMemoryRace "global-memory-race" Error;
        "races.md#same-value" => SameValue "same-value" Warning;
        "races.md#cas-guess" => CasGuess "cas-guess" Warning;
        "races.md#missing-acquire" => MissingAcquire "missing-acquire" Warning;
        "races.md#mixed-size-atomics" => MixedSizeAtomics "mixed-size-atomics" Warning;
        "messages.md#race-search-limit" => RaceSearchLimit "race-search-limit" Warning;
        "messages.md#barrier-divergence" => BarrierDivergence "barrier-divergence" Error;
        "messages.md#not-cooperative-grid-barrier-divergence-cooperative-launch-too-large" =>
            NotCooperative "not-cooperative" Error,
            GridBarrierDivergence "grid-barrier-divergence" Error,
            CooperativeLaunchTooLarge "cooperative-launch-too-large" Error;
        "messages.md#instruction-budget" => InstructionBudget "instruction-budget" Error;
        "messages.md#stack-overflow" => StackOverflow "stack-overflow" Error;
        "messages.md#null-function-call-invalid-function-call" =>
            NullFunctionCall "null-function-call" Error,
            InvalidFunctionCall "invalid-function-call" Error;
        "messages.md#deadlock" => Deadlock "deadlock" Error;
        "messages.md#spin-wait" => SpinWait "spin-wait" Unsupported;
        "messages.md#division-by-zero" => DivisionByZero "division-by-zero" Error or Warning;
        "messages.md#write-to-constant" => WriteToConstant "write-to-constant" Error;
        "messages.md#shared-memory-limit-constant-memory-limit-local-memory-limit" =>
            SharedMemoryLimit "shared-memory-limit" Error,
            ConstantMemoryLimit "constant-memory-limit" Error,
            LocalMemoryLimit "local-memory-limit" Error;
        "messages.md#block-too-large-grid-too-large-empty-launch-launch-argument" =>
            BlockTooLarge "block-too-large" Error,
            GridTooLarge "grid-too-large" Error,
            EmptyLaunch "empty-launch" Error,
            LaunchArgument "launch-argument" Error;
        "messages.md#warp-members-inactive-shuffle-lane-shuffle-width" =>
            WarpMembers "warp-members" Error,
            InactiveShuffleLane "inactive-shuffle-lane" Error,
            ShuffleWidth "shuffle-width" Error;
        "messages.md#async-copy-not-awaited" => AsyncCopyNotAwaited "async-copy-not-awaited" Error;
        "messages.md#barrier-never-completes-barrier-not-initialized-barrier-count" =>
            BarrierNeverCompletes "barrier-never-completes" Error,
            BarrierNotInitialized "barrier-not-initialized" Error,
            BarrierCount "barrier-count" Error;
        "messages.md#part-of-warp-matrix-tile" =>
            PartOfWarp "part-of-warp" Error,
            MatrixTile "matrix-tile" Error;
        "messages.md#wrong-memory-async-copy-size" =>
            WrongMemory "wrong-memory" Error,
            AsyncCopySize "async-copy-size" Error;
        "messages.md#failed-assert-trap" =>
            FailedAssert "failed-assert" Error,
            Trap "trap" Error;
        "messages.md#invalid-texture-invalid-surface" =>
            InvalidTexture "invalid-texture" Error,
            InvalidSurface "invalid-surface" Error;
        "simulator.md#execution" => CooperativeStateLimit "cooperative-state-limit" Unsupported;
        "messages.md#when-a-kernel-is-compiled" => InternalError "internal-error" Unsupported;
    }
    "When a file is read" {
        "messages.md#when-a-kernel-is-compiled" =>
            LaunchOfAFunction "launch-of-a-function" Error,
            UnexpectedToken "unexpected-token" Error,
            UnknownSpecifier "unknown-specifier" Error,
            MisplacedBrackets "misplaced-brackets" Error,
            RestrictKeyword "restrict-keyword" Error,
            UnknownType "unknown-type" Error,
            MissingParameterType "missing-parameter-type" Error,
            DeclaresNothing "declares-nothing" Error,
            MissingResultType "missing-result-type" Error,
            MissingOpeningBrace "missing-opening-brace" Error,
            InvalidNumber "invalid-number" Error,
            ExceptionOnDevice "exception-on-device" Error,
            TypeAsValue "type-as-value" Error,
            TooComplex "too-complex" Error,
            TooManyErrors "too-many-errors" Error or Warning,
            NestingTooDeep "nesting-too-deep" Error or Unsupported,
            UnknownStatement "unknown-statement" Error,
            MissingConditionParen "missing-condition-paren" Error,
            NestedFunction "nested-function" Error,
            VexingParse "vexing-parse" Error,
            ElseWithoutIf "else-without-if" Error,
            UnmatchedCloser "unmatched-closer" Error,
            UnknownNamespace "unknown-namespace" Error,
            MissingClosingParen "missing-closing-paren" Error,
            MissingClosingBracket "missing-closing-bracket" Error,
            MissingClosingAngle "missing-closing-angle" Error,
            MissingClosingBrace "missing-closing-brace" Error,
            MissingSemicolon "missing-semicolon" Error,
            ReservedWord "reserved-word" Error,
            MissingType "missing-type" Error,
            MissingTypename "missing-typename" Error,
            InvalidType "invalid-type" Error,
            InvalidUnroll "invalid-unroll" Warning,
            MisplacedUnroll "misplaced-unroll" Warning,
            BadDirective "bad-directive" Error,
            UnknownDirective "unknown-directive" Error,
            ErrorDirective "error-directive" Error,
            BadCondition "bad-condition" Error,
            IncludeWithoutQuotes "include-without-quotes" Error,
            IncludeNotFound "include-not-found" Error,
            IncludeNotReadable "include-not-readable" Error,
            IncludeOutside "include-outside" Error,
            IncludeTooDeep "include-too-deep" Error,
            FileTooLarge "file-too-large" Error,
            HipFile "hip-file" Error,
            MacroArgumentCount "macro-argument-count" Error,
            UnterminatedMacroCall "unterminated-macro-call" Error,
            InvalidPaste "invalid-paste" Error,
            ExpansionLimit "expansion-limit" Error,
            StrayCharacter "stray-character" Error,
            UnterminatedComment "unterminated-comment" Error,
            UnterminatedString "unterminated-string" Error,
            UnterminatedCharacter "unterminated-character" Error,
            UnterminatedIf "unterminated-if" Error;
    }
    "When names and types are checked" {
        "messages.md#when-a-kernel-is-compiled" =>
            UndeclaredName "undeclared-name" Error,
            UsedBeforeDeclaration "used-before-declaration" Error,
            UndefinedFunction "undefined-function" Error,
            SeparateCompilation "separate-compilation" Unsupported,
            HostFunctionCall "host-function-call" Error,
            HostVariable "host-variable" Error,
            KernelCalled "kernel-called" Error,
            KernelAndDevice "kernel-and-device" Error,
            KernelResult "kernel-result" Error,
            KernelReferenceParameter "kernel-reference-parameter" Warning,
            MisplacedCall "misplaced-call" Error,
            DeletedFunction "deleted-function" Error,
            RedeclaredName "redeclared-name" Error,
            RedefinedFunction "redefined-function" Error,
            RedefinedDefaultArgument "redefined-default-argument" Error,
            ConflictingResult "conflicting-result" Error,
            OverloadedByResult "overloaded-by-result" Error,
            FunctionNotCalled "function-not-called" Error,
            MethodNotCalled "method-not-called" Error,
            NotAFunction "not-a-function" Error,
            NotAValue "not-a-value" Error,
            NotAType "not-a-type" Error,
            NotAClass "not-a-class" Error,
            NotAScope "not-a-scope" Error,
            NotAPointer "not-a-pointer" Error,
            NotAnObject "not-an-object" Error,
            NotAnInteger "not-an-integer" Error,
            NotAPack "not-a-pack" Error,
            InvalidIndex "invalid-index" Error,
            NotIndexable "not-indexable" Error,
            NoSuchMember "no-such-member" Error,
            UndeclaredMember "undeclared-member" Error,
            InaccessibleMember "inaccessible-member" Error,
            NoObject "no-object" Error,
            NoThis "no-this" Error,
            MethodNotConst "method-not-const" Error,
            AmbiguousCall "ambiguous-call" Error,
            AmbiguousConversion "ambiguous-conversion" Error,
            AmbiguousName "ambiguous-name" Error,
            NoMatchingFunction "no-matching-function" Error,
            WrongArgumentCount "wrong-argument-count" Error,
            WrongArgumentType "wrong-argument-type" Error,
            MissingDefaultArgument "missing-default-argument" Error,
            MissingReturnValue "missing-return-value" Warning,
            UnexpectedReturnValue "unexpected-return-value" Error,
            AutoNotAllowed "auto-not-allowed" Error,
            AutoRecursion "auto-recursion" Error,
            MissingInitializer "missing-initializer" Error,
            TooManyInitializers "too-many-initializers" Error,
            ArrayInitializer "array-initializer" Error,
            PackInitializer "pack-initializer" Unsupported,
            InvalidArray "invalid-array" Error,
            ArrayTooLarge "array-too-large" Error or Unsupported,
            VariableLengthArray "variable-length-array" Error,
            VoidVariable "void-variable" Error,
            IncompleteType "incomplete-type" Error,
            PointerToReference "pointer-to-reference" Error,
            InvalidAlignment "invalid-alignment" Error,
            InvalidCast "invalid-cast" Error,
            CannotConvert "cannot-convert" Error,
            CannotBindReference "cannot-bind-reference" Error,
            DanglingReference "dangling-reference" Error,
            InvalidPlacement "invalid-placement" Error,
            InvalidOperands "invalid-operands" Error,
            AssignToConst "assign-to-const" Error,
            AssignToBuiltin "assign-to-builtin" Error,
            ConstantMemoryWrite "constant-memory-write" Error,
            NotAssignable "not-assignable" Error,
            NoConstructor "no-constructor" Error,
            InvalidBase "invalid-base" Error,
            InvalidOverride "invalid-override" Error,
            AbstractClass "abstract-class" Error,
            NotABase "not-a-base" Error,
            OperatorOutside "operator-outside" Error,
            InvalidBitField "invalid-bit-field" Error,
            BitFieldInitializer "bit-field-initializer" Unsupported,
            BindingCount "binding-count" Error,
            InvalidRange "invalid-range" Error,
            NotCaptured "not-captured" Error,
            UnexpandedPack "unexpanded-pack" Error,
            PackLengths "pack-lengths" Error,
            EmptyFold "empty-fold" Error,
            TemplateArgument "template-argument" Error,
            NoTemplate "no-template" Error,
            TemplateDepth "template-depth" Error,
            StaticAssertion "static-assertion" Error,
            NotConstant "not-constant" Error,
            MisplacedSpecifier "misplaced-specifier" Error,
            MisplacedDeclaration "misplaced-declaration" Error,
            MisplacedCase "misplaced-case" Error,
            DuplicateCase "duplicate-case" Error,
            MisplacedJump "misplaced-jump" Error,
            DuplicateLabel "duplicate-label" Error,
            UndeclaredLabel "undeclared-label" Error,
            InitializedWithItself "initialized-with-itself" Error,
            SharedAtFileScope "shared-at-file-scope" Error,
            SharedInitializer "shared-initializer" Error or Warning,
            DynamicSharedSize "dynamic-shared-size" Error,
            DynamicSharedType "dynamic-shared-type" Error,
            SharedMemoryTooLarge "shared-memory-too-large" Error,
            ConstantMemoryExceeded "constant-memory-exceeded" Error,
            ConstantMemoryTooLarge "constant-memory-too-large" Error,
            LocalMemoryTooLarge "local-memory-too-large" Error,
            RemovedReference "removed-reference" Error,
            AsmSyntax "asm-syntax" Error,
            AsmInstruction "asm-instruction" Error,
            AsmOperand "asm-operand" Error;
    }
    "Warnings of the compiler" {
        "messages.md#warnings" =>
            MacroRedefined "macro-redefined" Warning,
            MacroWithAssignment "macro-with-assignment" Warning,
            MacroWithSemicolon "macro-with-semicolon" Warning,
            WarningDirective "warning-directive" Warning,
            CarriageReturn "carriage-return" Warning,
            EmptyIf "empty-if" Warning,
            EmptyBody "empty-body" Warning,
            UnsignedComparison "unsigned-comparison" Warning,
            IntegerDivision "integer-division" Warning,
            FractionLost "fraction-lost" Warning,
            DoubleLiteral "double-literal" Warning,
            ShiftCount "shift-count" Warning,
            WritableString "writable-string" Warning,
            IndexOutOfBounds "index-out-of-bounds" Warning,
            AssignmentInCondition "assignment-in-condition" Warning,
            AssignedSign "assigned-sign" Warning,
            UnusedResult "unused-result" Warning,
            JumpPastInitialization "jump-past-initialization" Warning or Error,
            ChainedComparison "chained-comparison" Warning,
            BitwisePrecedence "bitwise-precedence" Warning,
            ConstantCondition "constant-condition" Warning,
            CaretAsPower "caret-as-power" Warning,
            CommaInIndex "comma-in-index" Warning,
            SizeofPointer "sizeof-pointer" Warning,
            BarrierInBranch "barrier-in-branch" Warning,
            AddressOfLocal "address-of-local" Warning,
            NullDereference "null-dereference" Warning,
            PrintfFormat "printf-format" Warning,
            PrintfArguments "printf-arguments" Warning,
            MissingReturn "missing-return" Warning,
            UncheckedHostCode "unchecked-host-code" Warning;
    }
    "Not supported by the simulator yet" {
        "supported.md#what-is-supported" =>
            UnsupportedFeature "unsupported-feature" Unsupported,
            UnsupportedOperator "unsupported-operator" Unsupported;
        "supported.md#files" =>
            UnsupportedLibrary "unsupported-library" Unsupported,
            SkippedHeader "skipped-header" Unsupported;
        "supported.md#threads" => LaunchOnDevice "launch-on-device" Unsupported;
        "supported.md#memory" =>
            DeviceAllocation "device-allocation" Unsupported,
            OperatorNew "operator-new" Unsupported;
        "supported.md#functions" => CVariadic "c-variadic" Unsupported;
        "supported.md#control-flow" =>
            CaseRange "case-range" Unsupported,
            StatementExpression "statement-expression" Unsupported;
        "supported.md#classes-and-templates" =>
            StructuredBinding "structured-binding" Unsupported,
            VirtualBase "virtual-base" Unsupported;
        "supported.md#library" =>
            FormatNotLiteral "format-not-literal" Unsupported,
            TextureType "texture-type" Unsupported;
        "messages.md#when-a-kernel-is-compiled" =>
            LargeValue "large-value" Unsupported,
            KernelTooLong "kernel-too-long" Unsupported,
            CallsTooDeep "calls-too-deep" Unsupported,
            TooDeeplyNested "too-deeply-nested" Unsupported;
        "supported.md#threads" => ThreadBlockClusters "thread-block-clusters" Unsupported;
    }
    "From the GPU" {
        "messages.md#from-the-gpu" =>
            GpuIllegalAddress "gpu-illegal-address" Error,
            GpuOutOfResources "gpu-out-of-resources" Error,
            GpuLaunchTimeout "gpu-launch-timeout" Error,
            GpuTimeLimit "gpu-time-limit" Error,
            GpuAssert "gpu-assert" Error,
            GpuStackOverflow "gpu-stack-overflow" Error,
            GpuIllegalInstruction "gpu-illegal-instruction" Error,
            GpuMisalignedAddress "gpu-misaligned-address" Error,
            GpuAddressSpace "gpu-address-space" Error,
            GpuInvalidPc "gpu-invalid-pc" Error,
            GpuLaunchFailed "gpu-launch-failed" Error,
            DevicesDisagree "devices-disagree" Error,
            ResultsDifferBetweenLaunches "results-differ-between-launches" Warning,
            NvccError "nvcc-error" Error,
            CompilersDisagree "compilers-disagree" Warning;
    }
}

const EXPLANATIONS: &str = include_str!("explanations.md");

impl Code {
    /// The spelling in messages and JSON: lower-case words with hyphens.
    pub fn as_str(self) -> &'static str {
        self.row().text
    }

    /// The code with this spelling; `None` if there is none.
    pub fn named(text: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.as_str() == text)
    }

    /// The kinds that diagnostics of this code can have: at least one; the first is the default of
    /// [`Diagnostic::new`](crate::Diagnostic::new).
    pub fn kinds(self) -> &'static [Kind] {
        self.row().kinds
    }

    /// The heading of its group, such as `When a kernel runs`.
    pub fn group(self) -> &'static str {
        self.row().group
    }

    /// The page and anchor in the book, such as `messages.md#out-of-bounds`.
    pub fn page(self) -> &'static str {
        self.row().page
    }

    /// The general meaning in one line, without a full stop.
    pub fn title(self) -> &'static str {
        self.section().split_once("\n\n").map_or("", |(title, _)| title)
    }

    /// The explanation: what it means, why it is an error and how to fix it, as Markdown paragraphs and code blocks.
    pub fn explanation(self) -> &'static str {
        self.section().split_once("\n\n").map_or("", |(_, text)| text)
    }

    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The code's section of `explanations.md`, without the heading. A test checks that it exists.
    fn section(self) -> &'static str {
        let mut sections = EXPLANATIONS.split("\n## ").skip(1).filter_map(|section| section.split_once('\n'));
        sections.find(|(code, _)| *code == self.as_str()).map_or("", |(_, text)| text.trim())
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl serde::Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl PartialEq<str> for Code {
    fn eq(&self, text: &str) -> bool {
        self.as_str() == text
    }
}

impl PartialEq<&str> for Code {
    fn eq(&self, text: &&str) -> bool {
        self.as_str() == *text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_kebab_case() {
        let mut seen = std::collections::BTreeSet::new();
        for code in Code::ALL {
            let text = code.as_str();
            assert!(seen.insert(text), "`{text}` is in the table twice");
            let word = |w: &str| !w.is_empty() && w.chars().all(|c| c.is_ascii_lowercase());
            assert!(text.split('-').all(word), "`{text}` is not kebab-case");
            assert_eq!(Code::named(text), Some(*code));
        }
        assert_eq!(Code::named("no-such-code"), None);
    }

    #[test]
    fn kinds_of_a_code_differ() {
        for code in Code::ALL {
            let kinds = code.kinds();
            assert!(!kinds.is_empty());
            assert!((1..kinds.len()).all(|i| !kinds[..i].contains(&kinds[i])), "{code}: {kinds:?}");
        }
    }

    #[test]
    fn explanations_are_those_of_the_table_in_its_order() {
        let sections = EXPLANATIONS.split("\n## ").skip(1).filter_map(|section| section.lines().next());
        let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(sections.collect::<Vec<_>>(), codes);
    }

    #[test]
    fn each_code_has_a_title_and_an_explanation() {
        let mut titles = std::collections::BTreeSet::new();
        for code in Code::ALL {
            let (title, text) = (code.title(), code.explanation());
            assert!(title.chars().next().is_some_and(|c| !c.is_lowercase()), "{code}: {title:?}");
            assert!(
                !title.contains('\n') && !title.ends_with('.') && title.len() <= 100,
                "{code}: {title:?}"
            );
            assert!(titles.insert(title), "{code}: another code has the title {title:?}");
            let prose: String = text.split("```").step_by(2).collect();
            assert!(prose.trim().len() >= 30 && prose.contains('.'), "{code} has no explanation");
            assert!(text.matches("```").count() % 2 == 0, "{code} has an open block of code");
        }
    }
}
