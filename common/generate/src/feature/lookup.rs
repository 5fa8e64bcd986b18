//! What a name means: kinds of declarations, the scopes that declare it, and the places where it is used.
//!
//! Every declaration of a program has another value, so that the value of a use tells which declaration it means. Nothing
//! makes sure that a use is allowed: the name may not be declared there, or be ambiguous, or need an object.

use super::{Case, Feature};
use crate::grammar::Choices;

/// How a name is used, `@` being the name with its qualifiers. The kinds of [`KINDS`] refer to these by number.
const FORMS: [&str; 7] =
    ["@", "@()", "@::value", "(int)sizeof(@)", "@<int>::value", "@(1)", "(int)sizeof(struct @)"];

/// A kind of declaration: the form that suits it, and its text in a class, in a namespace and in a block, `#` being its
/// value. An empty text stands where the kind cannot.
type Kind = (usize, [&'static str; 3]);

const KINDS: [Kind; 18] = [
    (0, ["static constexpr int x = #;", "constexpr int x = #;", "constexpr int x = #;"]),
    (0, ["int x = #;", "constexpr int x = #;", "int x = #;"]),
    (0, ["int x = #;", "constexpr int x = #;", "int x = #;"]),
    (0, ["enum { x = # };", "enum { x = # };", "enum { x = # };"]),
    (1, ["D int x() const { return #; }", "D int x() { return #; }", "auto x = [] { return #; };"]),
    (1, ["D static int x() { return #; }", "D int x() { return #; }", "auto x = [] { return #; };"]),
    (
        2,
        [
            "struct x { static constexpr int value = #; };",
            "struct x { static constexpr int value = #; };",
            "",
        ],
    ),
    (2, ["typedef Num<#> x;", "typedef Num<#> x;", "typedef Num<#> x;"]),
    (2, ["using x = Num<#>;", "namespace x { constexpr int value = #; }", "using x = Num<#>;"]),
    (2, ["enum class x { value = # };", "namespace x = k#;", "namespace x = k#;"]),
    (3, ["char x[#];", "D char x[#] = {};", "char x[#] = {};"]),
    (3, ["struct x { char c[#]; };", "struct x { char c[#]; };", "struct x { char c[#]; };"]),
    (3, ["typedef char x[#];", "typedef char x[#];", "typedef char x[#];"]),
    (4, ["template <class T> using x = Num<#>;", "template <class T> using x = Num<#>;", ""]),
    (
        4,
        [
            "template <class T> struct x { static constexpr int value = #; };",
            "template <class T> struct x { static constexpr int value = #; };",
            "",
        ],
    ),
    (5, ["D int x(%) const { return #; }", "D int x(%) { return #; }", "auto x = [](int) { return #; };"]),
    (
        5,
        [
            "template <class T> D int x(T) const { return #; }",
            "template <class T> D int x(T) { return #; }",
            "",
        ],
    ),
    (6, ["struct x { char c[#]; };", "struct x { char c[#]; };", "struct x { char c[#]; };"]),
];

/// Where a name is declared. The scopes are those of [`scopes`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Slot {
    Outermost,
    OneNamespace,
    OtherNamespace,
    Around,
    BaseOfBase,
    Base,
    OtherBase,
    EnclosingClass,
    Before,
    After,
    EnclosingClassAfter,
    AroundAfter,
    Block,
    Derived,
}

const SLOTS: [Slot; 14] = [
    Slot::Outermost,
    Slot::OneNamespace,
    Slot::OtherNamespace,
    Slot::Around,
    Slot::BaseOfBase,
    Slot::Base,
    Slot::OtherBase,
    Slot::EnclosingClass,
    Slot::Before,
    Slot::After,
    Slot::EnclosingClassAfter,
    Slot::AroundAfter,
    Slot::Block,
    Slot::Derived,
];

const PARAMETERS: [&str; 7] = ["int", "long", "char", "double", "int", "unsigned", "short"];

/// A place of use: what it adds to the class `S`, what follows the class, and the expression that has the value. `@` is the use,
/// `$` the declarations of the block.
type Place = (&'static str, [&'static str; 3]);

const PLACES: [Place; 26] = [
    ("method", ["D int m() const { $ return @; }", "", "s.m()"]),
    ("static method", ["D static int m() { $ return @; }", "", "S::m()"]),
    ("default argument", ["D int m(int a = @) const { return a; }", "", "s.m()"]),
    ("constructor initialiser", ["int f; D S() : f(@) {}", "", "s.f"]),
    ("default of a field", ["int f = @;", "", "s.f"]),
    ("array bound", ["char f[@];", "", "sizeof(s.f)"]),
    ("static member's value", ["static constexpr int f = @;", "", "S::f"]),
    ("enumerator's value", ["enum { f = @ };", "", "S::f"]),
    ("trailing return type", ["D auto m() const -> Num<@> { return {}; }", "", "decltype(s.m())::value"]),
    ("result", ["D Num<@> m() const { return {}; }", "", "decltype(s.m())::value"]),
    ("parameter", ["D int m(Num<@> n) const { return n.value; }", "", "s.m({})"]),
    ("static_assert", ["D int m() const { $ static_assert(@ > 7, \"\"); return 1; }", "", "s.m()"]),
    ("class in a class", ["struct N { D int m() const { return @; } };", "", "S::N{}.m()"]),
    (
        "class in a method",
        ["D int m() const { $ struct N { D int m() const { return @; } }; return N{}.m(); }", "", "s.m()"],
    ),
    ("lambda", ["D int m() const { $ auto l = [=] { return @; }; return l(); }", "", "s.m()"]),
    (
        "lambda without captures",
        ["D int m() const { $ auto l = [] { return @; }; return l(); }", "", "s.m()"],
    ),
    ("definition outside", ["D int m() const;", "D inline int S::m() const { $ return @; }", "s.m()"]),
    (
        "parameter outside",
        ["D int m(int) const;", "D inline int S::m(int (*)[@] = nullptr) const { return 1; }", "s.m(0)"],
    ),
    (
        "result outside",
        [
            "D auto m() const -> Num<9>;",
            "D inline auto S::m() const -> Num<@> { return {}; }",
            "decltype(s.m())::value",
        ],
    ),
    ("derived class", ["int f;", "struct T : S { ! D int m() const { $ return @; } };", "T{}.m()"]),
    ("friend", ["D friend int fm(const S &s) { $ return @; }", "", "fm(s)"]),
    ("member template", ["template <class U> D int m(U) const { $ return @; }", "", "s.m(0)"]),
    ("default template argument", ["template <int V = @> D int m() const { return V; }", "", "s.m()"]),
    ("function", ["int f;", "D inline int g() { $ S s{}; (void)s; return @; }", "g()"]),
    (
        "function template",
        ["int f;", "template <class U> D int g(U u) { $ S s{}; (void)s; return @ + 0 * u; }", "g(0)"],
    ),
    ("condition", ["D int m() const { if (int x = 61) { return @; } return 0; }", "", "s.m()"]),
];

const QUALIFIERS: [&str; 11] = [
    "this->",
    "S::",
    "Base::",
    "this->Base::",
    "one::",
    "around::",
    "::",
    "Outer::",
    "s.",
    "S::Base::",
    "two::",
];

/// The names of the features, and what writes their programs.
pub const LOOKUPS: [Feature; 28] = {
    macro_rules! features {
        ($($n:literal)*) => {
            [$((PLACES[$n].0, place::<$n>),)* ("argument-dependent look-up", associated), ("redeclaration", redeclared)]
        };
    }
    features!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25)
};

/// A kind that suits a form, nearly always.
fn kind(c: &mut Choices<'_>, form: usize) -> Kind {
    let fitting: Vec<Kind> = KINDS.into_iter().filter(|k| k.0 == form).collect();
    if c.chance(85) { c.pick(&fitting) } else { c.pick(&KINDS) }
}

fn place<const PLACE: usize>(c: &mut Choices<'_>, case: &mut Case) {
    let (_, [member, after, value]) = PLACES[PLACE];
    let form = c.pick(&[0, 0, 0, 1, 2, 3, 3, 4, 5, 6]);
    let mut slots: Vec<(Slot, Kind)> = Vec::new();
    for _ in 0..[1, 1, 2, 2, 3][c.below(5)] {
        let mut slot = SLOTS[c.below(SLOTS.len())];
        // A name that means something else in the complete class makes a program ill-formed, which no compiler need report.
        if slot == Slot::After && matches!(PLACE, 5..=10 | 22) {
            slot = Slot::Before;
        }
        slots.push((slot, kind(c, form)));
    }
    let dependent = c.chance(25);
    let template = dependent || c.chance(10);
    let qualifier = if c.chance(20) { c.pick::<&str>(&QUALIFIERS) } else { "" };
    let names_type = (2..5).contains(&form) && form != 3;
    let mut name = format!("{qualifier}x");
    if qualifier.contains("this") && form == 4 {
        name = name.replace('x', "template x");
    }
    let typename = dependent && names_type && qualifier.contains("S::");
    let used = format!("{}{}", if typename { "typename " } else { "" }, FORMS[form].replace('@', &name));
    let has = |slot: Slot| slots.iter().any(|(s, _)| *s == slot);
    let directive: &str = match (has(Slot::OneNamespace), has(Slot::OtherNamespace)) {
        (false, false) => "",
        (true, true) => {
            c.pick(&["", "using namespace one; using namespace two;", "using one::x; using two::x;"])
        }
        (true, false) => c.pick(&[
            "using namespace one;",
            "using namespace one;",
            "using one::x;",
            "namespace alias = one; using namespace alias;",
        ]),
        (false, true) => c.pick(&["using namespace two;", "using two::x;"]),
    };
    let in_block = c.chance(30);
    let base: &str = c.pick(&["", "Base", "Base", "Base, OtherBase"]);
    let base = match (dependent, base) {
        (true, "") => "DBase<X>".to_owned(),
        (true, "Base") => "DBase<X>, Base".to_owned(),
        _ => base.to_owned(),
    };
    let using_member = if has(Slot::Base) && c.chance(30) { "using Base::x;" } else { "" };
    let written = |slot: Slot, scope: usize| -> String {
        let of_slot = slots.iter().enumerate().filter(|(_, (s, _))| *s == slot);
        let lines = of_slot.map(|(n, (_, (_, texts)))| {
            texts[scope]
                .replace('#', &(11 + 10 * n).to_string())
                .replace('%', PARAMETERS[(n * 3 + slot as usize) % PARAMETERS.len()])
        });
        lines.collect::<Vec<_>>().join(" ")
    };
    let block = format!("{} {}", if in_block { directive } else { "" }, written(Slot::Block, 2));
    let fill = |text: &str| {
        text.replace('$', block.trim()).replace('@', &used).replace('!', &written(Slot::Derived, 0))
    };
    scopes(case, &written);
    if !in_block {
        case.declare(directive);
    }
    case.declare(written(Slot::Around, 1));
    case.declare(format!("struct BaseOfBase {{ {} }};", written(Slot::BaseOfBase, 0)));
    case.declare(format!("struct Base : BaseOfBase {{ {} }};", written(Slot::Base, 0)));
    case.declare(format!("struct OtherBase {{ {} }};", written(Slot::OtherBase, 0)));
    case.declare(format!("template <class X> struct DBase {{ {} }};", written(Slot::OtherBase, 0)));
    // A class in another one, or a template.
    if !template {
        case.declare(format!("struct Outer {{ {}", written(Slot::EnclosingClass, 0)));
    }
    let head = if template { "template <class X> struct " } else { "struct " };
    let class = if template { "C" } else { "S" };
    let colon = if base.is_empty() { "" } else { " : " };
    case.declare(format!("{head}{class}{colon}{base} {{"));
    if template {
        case.declare("typedef C S;");
    }
    case.declare(written(Slot::Before, 0));
    case.declare(using_member);
    let member = fill(member);
    case.declare(if template { member.replace(" S()", " C()") } else { member });
    case.declare(written(Slot::After, 0));
    case.declare("};");
    if !template {
        case.declare(format!("{} }};", written(Slot::EnclosingClassAfter, 0)));
    }
    case.declare(if template { "typedef C<int> S;" } else { "typedef Outer::S S;" });
    let after = fill(after);
    case.declare(match template {
        true if after.contains("S::m(") => {
            format!("template <class X> {}", after.replacen("S::m(", "C<X>::m(", 1))
        }
        _ => after,
    });
    case.declare(written(Slot::AroundAfter, 1));
    case.declare(format!("D inline int result() {{ S s{{}}; (void)s; return {}; }}", value));
    case.declare("}");
    case.put("around::result()");
}

/// What every program has around its class: values with a type each, and two namespaces.
fn scopes(case: &mut Case, written: &dyn Fn(Slot, usize) -> String) {
    case.declare("#define D __device__ constexpr");
    case.declare("template <int N> struct Num { static constexpr int value = N; };");
    for n in 0..3 {
        case.declare(format!("namespace k{0} {{ constexpr int value = {0}; }}", 11 + 10 * n));
    }
    case.declare(written(Slot::Outermost, 1));
    case.declare(format!("namespace one {{ {} }}", written(Slot::OneNamespace, 1)));
    case.declare(format!("namespace two {{ {} }}", written(Slot::OtherNamespace, 1)));
    case.declare("namespace around {");
}

/// Functions and operators that only the types of the arguments lead to.
fn associated(c: &mut Choices<'_>, case: &mut Case) {
    case.declare("#define D __device__ constexpr");
    let operator = c.chance(40);
    let name = if operator { "operator+" } else { "f" };
    let mut n = 0;
    let mut function = |c: &mut Choices<'_>, ty: &str, friend: bool| -> String {
        n += 1;
        if c.chance(45) {
            return String::new();
        }
        let second: &str = c.pick(&["int", "int", "long", "double"]);
        let hidden = if friend { "friend " } else { "" };
        let value = 10 + n;
        match c.below(7) {
            0 => format!("template <class U> D {hidden}int {name}({ty}, U) {{ return {value}; }}"),
            _ => format!("D {hidden}int {name}({ty}, {second}) {{ return {value}; }}"),
        }
    };
    let base = function(c, "const Base &", true);
    case.declare(format!(
        "namespace one {{ struct Base {{ {base} }}; {} }}",
        function(c, "const Base &", false)
    ));
    let friend = function(c, "const A &", true);
    let inner = function(c, "const In &", true);
    case.declare(format!(
        "namespace two {{ struct A : one::Base {{ {friend} struct In {{ {inner} }}; }}; enum E {{ e0 }}; {} {} {} }}",
        function(c, "const A &", false),
        function(c, "E", false),
        function(c, "A *", false)
    ));
    let of_template = function(c, "const W &", true);
    case.declare(format!(
        "namespace three {{ template <class T> struct W {{ T t; {of_template} }}; {} }}",
        {
            let text = function(c, "const W<T> &", false);
            if text.is_empty() || text.starts_with("template") {
                text.replace("<class U>", "<class U, class T>")
            } else {
                format!("template <class T> {text}")
            }
        }
    ));
    let inline: &str = c.pick(&["inline ", ""]);
    case.declare(format!(
        "namespace four {{ {inline}namespace deep {{ struct Q {{}}; }} {} }}",
        function(c, "const deep::Q &", false)
    ));
    case.declare(function(c, "const two::A &", false));
    let argument: &str = c.pick(&[
        "two::A{}",
        "two::A{}",
        "two::A::In{}",
        "two::e0",
        "(two::A *)nullptr",
        "one::Base{}",
        "three::W<int>{}",
        "three::W<two::A>{}",
        "four::deep::Q{}",
    ]);
    let around: &str = c.pick(&[
        "",
        "",
        "",
        "D int f(int, int) { return 1; }",
        "struct f { D f(int, int) {} D operator int() const { return 2; } };",
        "constexpr int f = 3;",
        "struct L; D int operator+(struct L, int);",
        "template <class A> D int f(A, const char *) { return 4; }",
    ]);
    let block: &str = c.pick(&[
        "",
        "",
        "",
        "int f(int, int);",
        "auto f = [](int, int) { return 5; };",
        "using two::f;",
        "using namespace two;",
        "int f = 3; (void)f;",
    ]);
    let member: &str = c.pick(&[
        "",
        "",
        "D int f(int, int) const { return 6; }",
        "int f = 0;",
        "D int operator+(int) const { return 7; }",
        "struct f {};",
    ]);
    let second: &str = c.pick(&["1", "1", "1L", "1.0", "'c'"]);
    let call: &str = if operator { "@ + #" } else { c.pick(&["f(@, #)", "f(@, #)", "(f)(@, #)"]) };
    let call = call.replace('@', argument).replace('#', second);
    case.declare(format!("namespace around {{ {around}"));
    match c.below(3) {
        0 => case.declare(format!("D int result() {{ {block} return {call}; }}")),
        1 => case.declare(format!(
            "struct M {{ {member} D int m() const {{ {block} return {call}; }} }}; D int result() {{ return M{{}}.m(); }}"
        )),
        _ => {
            let call = call.replace(argument, "t");
            case.declare(format!(
                "template <class T> D int g(T t) {{ {block} return {call}; }} D int result() {{ return g({argument}); }}"
            ));
        }
    }
    case.declare("}");
    case.put("around::result()");
}

/// Two declarations of a name in one scope, which may be apart, the same, or not allowed.
fn redeclared(c: &mut Choices<'_>, case: &mut Case) {
    case.declare("#define D __device__ constexpr");
    case.declare("template <int N> struct Num { static constexpr int value = N; };");
    case.declare("namespace one { struct x { char c[41]; }; } namespace two { constexpr int x = 51; }");
    const DECLARATIONS: [&str; 20] = [
        "struct x { char c[11]; };",
        "struct x;",
        "enum x { e1 = 12 };",
        "typedef struct x x;",
        "typedef struct { char c[13]; } x;",
        "typedef int x;",
        "using x = int;",
        "constexpr int x = 14;",
        "D int x() { return 15; }",
        "D int x(int) { return 16; }",
        "namespace x { constexpr int value = 17; }",
        "enum { x = 18 };",
        "template <class T> struct x { char c[19]; };",
        "template <class T> D int x(T) { return 20; }",
        "D int x();",
        "using one::x;",
        "using two::x;",
        "struct x { D x() {} char c[21]; };",
        "extern __device__ int x;",
        "class x;",
    ];
    let uses = [
        "(int)sizeof(x)",
        "x",
        "x()",
        "(int)sizeof(struct x)",
        "x(1)",
        "(int)sizeof(x<int>)",
        "(int)sizeof(class x)",
        "x::value",
    ];
    let in_class = c.chance(25);
    case.declare(if in_class { "struct around {" } else { "namespace around {" });
    for _ in 0..2 + c.below(2) {
        let text: &str = c.pick(&DECLARATIONS);
        let text = if in_class {
            text.replace("constexpr int x", "static constexpr int x")
        } else {
            text.to_owned()
        };
        case.declare(if in_class { text.replace("D int", "D static int") } else { text });
    }
    let used: &str = c.pick(&uses);
    let is_static = if in_class { "static " } else { "" };
    case.declare(format!("D {is_static}int result() {{ return {used}; }}"));
    case.declare("};");
    case.put("around::result()");
}
