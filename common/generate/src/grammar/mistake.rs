//! Mistakes: each is a statement or a declaration that the compiler must refuse, whatever surrounds it.

use super::state::Writer;
use super::{Num, Ty};

/// File-scope declarations that are wrong, by kind.
const DECLARATIONS: [(&str, &str); 29] = [
    ("undeclared type", "__device__ flaot wrong(int x) { return x; }"),
    ("missing result type", "__device__ wrong(int x) { return x; }"),
    ("kernel with a result", "__global__ int wrong(int *p) { return *p; }"),
    ("redefined function", "__device__ int wrong() { return 1; }\n__device__ int wrong() { return 2; }"),
    ("overload by result", "__device__ int wrong(int);\n__device__ float wrong(int);"),
    ("redefined struct", "struct Wrong { int a; };\nstruct Wrong { float b; };"),
    ("duplicate field", "struct Wrong {\n    int a;\n    float a;\n};"),
    ("duplicate enumerator", "enum Wrong { w_a, w_a };"),
    ("enumerator not constant", "__device__ int wrong_v;\nenum Wrong { w_a = wrong_v };"),
    ("array of negative size", "__device__ int wrong[-1];"),
    ("constant not constant", "__device__ int wrong_v;\nconstexpr int wrong = wrong_v + 1;"),
    ("failed static_assert", "static_assert(sizeof(float) == 8, \"no\");"),
    ("default before none", "__device__ int wrong(int a = 1, int b) { return a + b; }"),
    ("duplicate parameter", "__device__ int wrong(int a, int a) { return a; }"),
    (
        "template value of a type",
        "template <int N>\nstruct Wrong { int v[N]; };\n__device__ Wrong<float> wrong;",
    ),
    (
        "too few template arguments",
        "template <typename T, int N>\nstruct Wrong { T v[N]; };\n__device__ Wrong<int> wrong;",
    ),
    ("const method writes", "struct Wrong {\n    int a;\n    __device__ void set() const { a = 1; }\n};"),
    ("undefined method", "struct Wrong { int a; };\n__device__ int Wrong::get() { return a; }"),
    ("unknown in initialiser list", "struct Wrong {\n    int a;\n    __device__ Wrong() : b(1) {}\n};"),
    ("reference not bound", "__device__ int &wrong;"),
    ("namespace member", "namespace wrong_n { constexpr int a = 1; }\nconstexpr int wrong = wrong_n::b;"),
    ("void variable", "__device__ void wrong;"),
    ("operator without a class", "__device__ int operator+(int a, int b) { return a; }"),
    ("binary operator of one", "struct Wrong { int a; };\n__device__ Wrong operator/(Wrong a) { return a; }"),
    ("static method of nothing", "struct Wrong { int a; };\nconstexpr int wrong = Wrong::size();"),
    ("result of the wrong type", "struct Wrong { int a; };\n__device__ Wrong wrong() { return 1.5f; }"),
    ("value from void", "__device__ void wrong() { return 1; }"),
    ("shared at file scope with a value", "__shared__ float wrong[4] = {1.0f};"),
    ("kernel by reference to undeclared", "__global__ void wrong(Undeclared *p) {}"),
];

/// Statements that are wrong without knowing what surrounds them. `N` is a number.
const STATEMENTS: [(&str, &str); 79] = [
    ("undeclared name", "int w = undeclared + N;"),
    ("undeclared function", "int w = undeclared(N);"),
    ("undeclared type", "Undeclared w = N;"),
    ("undeclared namespace", "int w = undeclared::f(N);"),
    ("undeclared template", "int w = undeclared<int>(N);"),
    ("write to const", "const int w = N;\nw = 2;"),
    ("step of const", "const int w = N;\n++w;"),
    ("compound of const", "constexpr int w = 3;\nw += 1;"),
    ("const without value", "const int w;"),
    ("pointer to const loses const", "const int w = 1;\nint *w_p = &w;"),
    ("write through pointer to const", "const float *w_p = 0;\n*w_p = N;"),
    ("const pointer moved", "float *const w_p = 0;\nw_p = nullptr;"),
    ("number to pointer", "int *w = 5;"),
    ("pointer to number", "int w_a = 0;\nint w = &w_a;"),
    ("pointer of other type", "float w_f = 0;\nint *w = &w_f;"),
    ("pointer to float arithmetic", "int w_a[4];\nint *w = w_a + 1.5f;"),
    ("sum of pointers", "int w_a[4];\nint *w = w_a + w_a;"),
    ("product of a pointer", "int w_a[4];\nauto w = w_a * 2;"),
    ("dereferenced number", "int w_a = 1;\nint w = *w_a;"),
    ("indexed number", "int w_a = 1;\nint w = w_a[0];"),
    ("indexed by float", "int w_a[4] = {};\nint w = w_a[1.5f];"),
    ("called number", "int w_a = 1;\nint w = w_a(2);"),
    ("member of number", "int w_a = 1;\nint w = w_a.x;"),
    ("arrow on number", "int w_a = 1;\nint w = w_a->x;"),
    ("unknown component", "float2 w_v = make_float2(1, 2);\nfloat w = w_v.z;"),
    ("dot on pointer", "float2 w_v = make_float2(1, 2);\nfloat2 *w_p = &w_v;\nfloat w = w_p.x;"),
    ("arrow on value", "float2 w_v = make_float2(1, 2);\nfloat w = w_v->x;"),
    ("vector sum", "float2 w_v = make_float2(1, 2);\nfloat2 w = w_v + w_v;"),
    ("vector to number", "float4 w_v = make_float4(1, 2, 3, 4);\nfloat w = w_v;"),
    ("number to vector", "float4 w = 1.0f;"),
    ("vector as condition", "float4 w_v = make_float4(1, 2, 3, 4);\nif (w_v) {}"),
    ("missing argument", "float w = fmaxf(N);"),
    ("one argument more", "float w = sqrtf(1.0f, N);"),
    ("too many initialisers", "int w[2] = {1, 2, 3};"),
    ("too many for a struct", "float2 w = {1.0f, 2.0f, 3.0f};"),
    ("array of run-time size", "int w_n = N;\nint w[w_n];"),
    ("array assigned", "int w_a[2] = {}, w_b[2] = {};\nw_a = w_b;"),
    ("assign to value", "1 = N;"),
    ("assign to sum", "int w_a = 1, w_b = 2;\nw_a + w_b = 3;"),
    ("step of value", "(1 + 2)++;"),
    ("address of value", "int *w = &5;"),
    ("reference to value", "int &w = 5;"),
    ("reference of other type", "float w_f = 0;\nint &w = w_f;"),
    ("reference without value", "int &w;"),
    ("redeclared", "int w = N;\nfloat w = 1;"),
    ("remainder of floats", "float w = 1.5f % 2;"),
    ("shift of float", "float w = 1.5f << 2;"),
    ("and of floats", "float w = 1.5f & 2.0f;"),
    ("not of float", "float w_f = 1.5f;\nauto w = ~w_f;"),
    ("compound remainder of float", "float w_f = 1.5f;\nw_f %= 2;"),
    ("break outside", "} break; {"),
    ("case outside", "case 3:;"),
    ("duplicate case", "switch (3) {\ncase 1:\n    break;\ncase 1:\n    break;\n}"),
    ("duplicate default", "switch (3) {\ndefault:\n    break;\ndefault:\n    break;\n}"),
    ("case not constant", "int w = N;\nswitch (3) {\ncase w:\n    break;\n}"),
    ("switch on float", "switch (1.5f) {\ncase 1:\n    break;\n}"),
    ("goto past a value", "goto w_end;\nint w = 1;\nw_end:;"),
    ("goto nowhere", "goto w_nowhere;"),
    ("else without if", "else {}"),
    ("enum from number", "enum class WE { a };\nWE w = 1;"),
    ("number from scoped enum", "enum class WE { a };\nint w = WE::a;"),
    ("unknown enumerator", "enum class WE { a };\nWE w = WE::b;"),
    ("unknown field", "struct W { int a; };\nW w_s = {1};\nint w = w_s.b;"),
    ("struct sum", "struct W { int a; };\nW w_s = {1};\nW w = w_s + w_s;"),
    ("struct as condition", "struct W { int a; };\nW w_s = {1};\nif (w_s) {}"),
    ("struct from number", "struct W { int a; };\nW w = 1;"),
    ("auto without value", "auto w;"),
    ("auto of a list", "auto w{1, 2};"),
    ("void value", "auto w = __syncthreads();"),
    ("lambda without capture", "int w_a = 1;\nauto w_f = [](int x) { return x + w_a; };"),
    ("lambda writes a copy", "int w_a = 1;\nauto w_f = [=](int x) { w_a = x; };"),
    ("lambda of two results", "auto w_f = [](int x) { if (x) return 1; return 2.0f; };"),
    ("lambda missing argument", "auto w_f = [](int x) { return x; };\nint w = w_f();"),
    ("static cast of pointer", "int w_a = 1;\nfloat *w = static_cast<float *>(&w_a);"),
    ("const cast to other", "const int w_a = 1;\nfloat *w = const_cast<float *>(&w_a);"),
    ("reinterpret to float", "int w_a = 1;\nfloat w = reinterpret_cast<float>(w_a);"),
    ("conditional of unlike", "int w_a = 1;\nauto w = w_a ? &w_a : 1.5f;"),
    ("pointers compared", "int w_a = 1;\nfloat w_f = 1;\nbool w = &w_a == &w_f;"),
    ("static_assert", "static_assert(limit == 6, \"limit\");"),
];

impl Writer<'_> {
    pub(super) fn wrong_declaration(&mut self) -> &'static str {
        let (kind, text) = self.c.pick(&DECLARATIONS);
        self.line(text);
        kind
    }

    pub(super) fn wrong_statement(&mut self) -> &'static str {
        if self.c.chance(25)
            && let Some((kind, text)) = self.wrong_with_names()
        {
            self.line(&text);
            return kind;
        }
        let (kind, text) = self.c.pick(&STATEMENTS);
        let number = self.number(1);
        self.line("{");
        self.indent += 1;
        self.line(&text.replace('N', &number));
        self.indent -= 1;
        self.line("}");
        kind
    }

    /// A mistake with what the program itself has declared.
    fn wrong_with_names(&mut self) -> Option<(&'static str, String)> {
        let ty = self.num();
        Some(match self.c.below(10) {
            0 => {
                let v = self.find(|v| v.is_const)?;
                ("write to const", format!("{} = {};", v.name, self.value(&v.ty, 1)))
            }
            1 => {
                let v = self.find(|v| matches!(v.ty, Ty::Struct(_)))?;
                ("member of an object", format!("{}.nothing = 1;", v.name))
            }
            2 => {
                let f = self.functions.first()?;
                ("too many arguments", format!("{}(1, 2, 3, 4, 5, 6);", f.name))
            }
            3 => {
                let v = self.find(|v| matches!(v.ty, Ty::Enum(_)))?;
                ("enum assigned a number", format!("{} = 1;", v.name))
            }
            4 => {
                let v = self.find(|v| matches!(v.ty, Ty::Num(_)) && v.array.is_none())?;
                ("called variable", format!("{}({});", v.name, self.number(1)))
            }
            5 => {
                let v = self.find(|v| v.array.is_some())?;
                ("array assigned", format!("{} = 0;", v.name))
            }
            6 => {
                let v = self.find(|v| matches!(v.ty, Ty::Vector(..)))?;
                ("vector compared", format!("bool w{} = {} == {};", self.names, v.name, v.name))
            }
            7 => {
                let v = self.find(|v| matches!(v.ty, Ty::Struct(_)))?;
                let ty = if ty == Num::Bool { Num::Int } else { ty };
                ("object as a number", format!("{} w_{} = {};", ty.name(), self.names, v.name))
            }
            8 => {
                let v = self.find(|v| matches!(v.ty, Ty::Half))?;
                ("half by name", format!("{}.x_ = 1;", v.name))
            }
            _ => {
                let v = self.find(|v| matches!(v.ty, Ty::Num(_)) && v.array.is_none())?;
                ("pointer from a variable", format!("{} *w_{} = {};", ty.name(), self.names, v.name))
            }
        })
    }
}
