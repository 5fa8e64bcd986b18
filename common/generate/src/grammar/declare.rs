//! Declarations and statements.

use super::state::{Enum, Function, Parameter, Struct, Variable, Writer};
use super::{LENGTH, Num, Ty};

/// Templates that every program may use: the declaration's lines, and a use with `A` and `B` for two numbers.
const TEMPLATES: [(&str, &str); 10] = [
    ("template <typename T>\n__device__ T larger(T a, T b) { return a > b ? a : b; }", "larger<float>(A, B)"),
    ("template <int N>\n__device__ int times(int x) { return x * N; }", "times<3>(A)"),
    (
        "template <typename... Ts>\n__device__ int total(Ts... xs) { return (0 + ... + int(xs)); }",
        "total(A, B, 2.5f)",
    ),
    (
        "template <typename T, int N>\nstruct Row {\n    T v[N];\n    __device__ T &operator[](int i) { return v[i]; }\n    \
         __device__ static constexpr int size() { return N; }\n};",
        "Row<double, 4>::size() + (A)",
    ),
    (
        "template <typename T>\nstruct Width {\n    static constexpr int value = 1;\n};\ntemplate <>\nstruct Width<double> {\n    \
         static constexpr int value = 2;\n};",
        "Width<double>::value + (B)",
    ),
    ("constexpr __host__ __device__ int square(int x) { return x * x; }", "square(A)"),
    (
        "namespace geo {\nconstexpr int side = 4;\n__device__ inline float area(float a) { return a * side; }\n}",
        "geo::area(A)",
    ),
    (
        "template <typename F>\n__device__ float apply(F f, float x) { return f(x); }",
        "apply([](float y) { return y + 1.0f; }, A)",
    ),
    (
        "template <typename T>\n__device__ int kind(T) {\n    if constexpr (sizeof(T) == 4) {\n        return 4;\n    } else {\n        \
         return 0;\n    }\n}",
        "kind(A)",
    ),
    (
        "union Bits {\n    float f;\n    unsigned u;\n};\n__device__ unsigned bits(float f) {\n    Bits b;\n    b.f = f;\n    \
         return b.u;\n}",
        "bits(A)",
    ),
];

impl Writer<'_> {
    pub(super) fn header(&mut self) {
        // The header is most of what the other compiler reads, so not every program has it.
        self.has_half = self.c.chance(25);
        if self.has_half {
            self.line("#include <cuda_fp16.h>");
        }
        self.line("constexpr int limit = 5;");
        self.line("__constant__ float table[16];");
    }

    pub(super) fn declarations(&mut self) {
        for _ in 0..self.c.below(3) {
            self.an_enum();
        }
        for _ in 0..self.c.below(3) {
            self.a_struct();
        }
        if self.file_mistake {
            self.made = Some(self.wrong_declaration());
        }
        for _ in 0..self.c.below(4) {
            self.function();
        }
    }

    fn an_enum(&mut self) {
        let name = self.fresh("E");
        let is_scoped = self.c.chance(50);
        let items: Vec<String> = (0..1 + self.c.below(3)).map(|_| self.fresh("item")).collect();
        let class = if is_scoped { "class " } else { "" };
        let base = self.c.pick(&["", " : unsigned char", " : int"]);
        self.line(&format!("enum {class}{name}{base} {{ {} }};", items.join(", ")));
        self.enums.push(Enum { name, is_scoped, items });
    }

    fn a_struct(&mut self) {
        let name = self.fresh("S");
        let fields: Vec<(String, Num)> =
            (0..1 + self.c.below(3)).map(|_| (self.fresh("f"), self.num())).collect();
        let has_constructor = self.c.chance(40);
        let has_plus = self.c.chance(40);
        self.line(&format!("struct {name} {{"));
        self.indent += 1;
        for (field, ty) in &fields {
            self.line(&format!("{} {field};", ty.name()));
        }
        if has_constructor {
            let parameters: Vec<String> =
                fields.iter().map(|(f, ty)| format!("{} {f}_", ty.name())).collect();
            let inits: Vec<String> = fields.iter().map(|(f, _)| format!("{f}({f}_)")).collect();
            self.line(&format!("__device__ {name}() {{}}"));
            self.line(&format!("__device__ {name}({}) : {} {{}}", parameters.join(", "), inits.join(", ")));
        }
        let outer = std::mem::take(&mut self.variables);
        for (field, ty) in &fields {
            self.declare(field, Ty::Num(*ty), true);
        }
        let mut methods = Vec::new();
        for _ in 0..self.c.below(3) {
            let (method, result, parameter) = (self.fresh("m"), self.num(), self.num());
            let body = self.number(2);
            self.line(&format!(
                "__device__ {} {method}({} p) const {{ return {body} + p; }}",
                result.name(),
                parameter.name()
            ));
            let parameter = Parameter { ty: Ty::Num(parameter), is_reference: false };
            let result = Some(Ty::Num(result));
            methods.push(Function { name: method, parameters: vec![parameter], result, defaults: 0 });
        }
        self.variables = outer;
        self.indent -= 1;
        self.line("};");
        if has_plus {
            self.line(&format!("__device__ {name} operator+(const {name} &a, const {name} &b) {{"));
            self.line(&format!("    {name} r = a;"));
            self.line(&format!("    r.{0} = a.{0} + b.{0};", fields[0].0));
            self.line("    return r;");
            self.line("}");
        }
        self.structs.push(Struct { name, fields, methods, has_constructor, has_plus });
    }

    fn function(&mut self) {
        // Two in three are a further overload of `over`, told apart by the number of parameters.
        let count = self.c.below(4);
        let overload = format!("over{count}");
        let taken = self.functions.iter().any(|f| f.name.starts_with("over") && f.parameters.len() == count);
        let name = if taken { self.fresh("fun") } else { overload };
        let result = if self.c.chance(20) { None } else { Some(self.any()) };
        let outer = std::mem::take(&mut self.variables);
        let mut parameters = Vec::new();
        let mut spelled = Vec::new();
        for _ in 0..count {
            let (p, ty) = (self.fresh("p"), self.any());
            let is_reference = self.c.chance(15);
            let as_const = !is_reference && self.c.chance(15);
            let declared = match (is_reference, as_const) {
                (true, _) => format!("{} &{p}", self.spell(&ty)),
                (_, true) => format!("const {} &{p}", self.spell(&ty)),
                _ => self.declared(&ty, &p),
            };
            spelled.push(declared);
            self.declare(&p, ty.clone(), as_const);
            parameters.push(Parameter { ty, is_reference });
        }
        let mut defaults = 0;
        if let (Some(Parameter { ty: Ty::Num(_), is_reference: false }), Some(last)) =
            (parameters.last(), spelled.last_mut())
            && !last.contains('&')
            && name.starts_with("fun")
            && self.c.chance(30)
        {
            last.push_str(" = 3");
            defaults = 1;
        }
        let word = result.as_ref().map_or("void".to_owned(), |ty| self.spell(ty));
        let word = if word.ends_with('*') { word } else { word + " " };
        let inline = self.c.pick(&["", "inline ", "static ", "__forceinline__ "]);
        self.line(&format!("__device__ {inline}{word}{name}({}) {{", spelled.join(", ")));
        self.indent += 1;
        self.result = result.clone();
        self.body(2);
        if let Some(ty) = &result {
            let value = self.value(ty, 2);
            self.line(&format!("return {value};"));
        }
        self.indent -= 1;
        self.line("}");
        self.variables = outer;
        self.functions.push(Function { name, parameters, result, defaults });
    }

    pub(super) fn kernel(&mut self) {
        let used: Vec<(&str, &str)> = TEMPLATES.iter().filter(|_| self.c.chance(15)).copied().collect();
        for (declaration, _) in &used {
            self.line(declaration);
        }
        self.line("__global__ void kernel(float *out, int *counts, const float *in, int n, cudaTextureObject_t tex) {");
        self.indent += 1;
        self.in_kernel = true;
        self.result = None;
        self.line("__shared__ float tile[16];");
        self.line("int i = threadIdx.x;");
        self.line("float sum = 0.0f;");
        self.line("tile[i & 15] = in[i & 15];");
        self.line("__syncthreads();");
        let array = Some(LENGTH);
        let float = Ty::Num(Num::Float);
        self.variables.push(Variable { name: "tile".to_owned(), ty: float.clone(), is_const: false, array });
        self.declare("i", Ty::Num(Num::Int), false);
        self.declare("sum", float, false);
        for (_, usage) in used {
            let (a, b) = (self.exact(Num::Int, 1), self.exact(Num::Int, 1));
            let usage = usage.replace('A', &a).replace('B', &b);
            self.line(&format!("sum += {usage};"));
        }
        self.body(3);
        self.body(2);
        if self.countdown.is_some() {
            self.countdown = None;
            self.made = Some(self.wrong_statement());
        }
        self.line("out[i & 15] = sum;");
        self.line("counts[i & 15] = i;");
        self.indent -= 1;
        self.line("}");
    }

    /// Statements; what they declare is known only within.
    pub(super) fn body(&mut self, depth: usize) {
        let known = self.variables.len();
        for _ in 0..1 + self.c.below(4) {
            self.statement(depth);
        }
        // Those of the function's own block stay, which the caller's next ones can use.
        if self.indent > 1 {
            self.variables.truncate(known);
        }
    }

    fn block(&mut self, head: &str, depth: usize) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
        self.body(depth);
        self.indent -= 1;
        self.line("}");
    }

    fn statement(&mut self, depth: usize) {
        match self.countdown {
            Some(0) => {
                self.countdown = None;
                self.made = Some(self.wrong_statement());
            }
            Some(n) => self.countdown = Some(n - 1),
            None => {}
        }
        let next = depth.saturating_sub(1);
        match self.c.below(if depth == 0 { 7 } else { 14 }) {
            0 | 1 => {
                let step = self.step(3);
                self.line(&format!("{step};"));
            }
            2..=4 => self.local(),
            5 => match self.call(2, true) {
                Some(call) => self.line(&format!("{call};")),
                None => self.line(";"),
            },
            6 => {
                let value = self.number(3);
                let target = self.variable_target();
                self.line(&format!("{target} = {value};"));
            }
            7 | 8 => {
                let condition = self.condition(2);
                self.block(&format!("if ({condition})"), next);
                if self.c.chance(40) {
                    self.block("else", next);
                }
            }
            9 => self.loops(next),
            10 => self.switch(next),
            11 if self.in_loop => {
                let jump = self.c.pick(&["break", "continue"]);
                let condition = self.condition(1);
                self.line(&format!("if ({condition}) {jump};"));
            }
            12 => {
                let condition = self.condition(1);
                let value = self.result.clone().map(|ty| self.value(&ty, 1));
                let value = value.map_or(String::new(), |v| format!(" {v}"));
                self.line(&format!("if ({condition}) return{value};"));
            }
            _ => self.block("", next),
        }
    }

    fn variable_target(&mut self) -> String {
        match self.find(|v| matches!(v.ty, Ty::Num(_)) && !v.is_const && v.array.is_none()) {
            Some(v) => v.name,
            None => {
                let name = self.fresh("v");
                self.declare(&name, Ty::Num(Num::Int), false);
                format!("int {name}")
            }
        }
    }

    fn loops(&mut self, depth: usize) {
        let counter = self.fresh("k");
        let bound = self.c.below(5);
        let outer = std::mem::replace(&mut self.in_loop, true);
        self.variables.push(Variable {
            name: counter.clone(),
            ty: Ty::Num(Num::Int),
            is_const: true,
            array: None,
        });
        match self.c.below(4) {
            0 => self.block(&format!("for (int {counter} = 0; {counter} < {bound}; ++{counter})"), depth),
            1 => {
                self.line("#pragma unroll");
                self.block(&format!("for (int {counter} = {bound}; {counter}--; )"), depth);
            }
            2 => {
                self.line(&format!("int {counter} = 0;"));
                self.block(&format!("while ({counter}++ < {bound})"), depth);
            }
            _ => {
                self.line(&format!("int {counter} = {bound};"));
                self.block("do", depth);
                self.line(&format!("while (--{counter} > 0);"));
            }
        }
        self.variables.retain(|v| v.name != counter);
        self.in_loop = outer;
    }

    fn switch(&mut self, depth: usize) {
        let value = self.integer(2);
        self.line(&format!("switch ({value}) {{"));
        // `continue` would leave the switch, too; `break` means the switch.
        for case in 0..1 + self.c.below(3) {
            self.block(&format!("case {}:", case * 2), depth);
            if self.c.chance(60) {
                self.line("break;");
            }
        }
        if self.c.chance(60) {
            self.block("default:", depth);
        }
        self.line("}");
    }

    fn local(&mut self) {
        let (name, ty) = (self.fresh("v"), self.any());
        if self.c.chance(15)
            && let Ty::Num(n) = ty
        {
            let count = 1 << self.c.below(4);
            let elements: Vec<String> = (0..count.min(3)).map(|_| self.exact(n, 1)).collect();
            self.line(&format!("{} {name}[{count}] = {{{}}};", n.name(), elements.join(", ")));
            self.variables.push(Variable { name, ty, is_const: false, array: Some(count) });
            return;
        }
        if self.c.chance(12)
            && let Some(v) = self.find(|v| v.ty == ty && v.array.is_none() && !v.is_const)
        {
            let line = match self.c.below(2) {
                0 => format!("{} &{name} = {};", self.spell(&ty), v.name),
                _ => format!("auto &{name} = {};", v.name),
            };
            self.line(&line);
            self.declare(&name, ty, false);
            return;
        }
        if self.c.chance(8)
            && let Some(v) = self.find(|v| v.ty == ty && v.array.is_none() && !v.is_const)
        {
            self.line(&format!("{} *{name} = &{};", self.spell(&ty), v.name));
            self.declare(&name, Ty::Pointer(Box::new(ty), false), false);
            return;
        }
        let value = self.value(&ty, 3);
        let is_const = self.c.chance(15);
        let prefix = if is_const { "const " } else { "" };
        let spelled = self.spell(&ty);
        let line = match (self.c.below(4), &ty) {
            (1, Ty::Num(n)) => format!("{prefix}{spelled} {name}{{{}}};", self.exact(*n, 1)),
            (2, Ty::Num(_) | Ty::Struct(_)) => format!("{prefix}{spelled} {name}({value});"),
            (3, Ty::Vector(..) | Ty::Struct(_) | Ty::Half) => format!("{prefix}auto {name} = {value};"),
            _ => format!("{prefix}{spelled} {name} = {value};"),
        };
        self.line(&line);
        self.declare(&name, ty, is_const);
    }
}
