//! Expressions.

use super::state::{Function, Writer};
use super::{LENGTH, Num, Ty};

const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

impl Writer<'_> {
    /// An expression that converts to `ty` without a cast.
    pub(super) fn value(&mut self, ty: &Ty, depth: usize) -> String {
        let next = depth.saturating_sub(1);
        if depth > 0
            && !matches!(ty, Ty::Num(_))
            && let Some(v) = self.find(|v| v.ty == *ty && v.array.is_none())
            && self.c.chance(60)
        {
            return v.name;
        }
        match ty {
            Ty::Num(_) => self.number(depth),
            Ty::Vector(stem, element, n) => {
                let parts: Vec<String> =
                    (0..*n).map(|_| self.value(&Ty::Num(*element), next.min(1))).collect();
                format!("make_{stem}{n}({})", parts.join(", "))
            }
            Ty::Half => self.half(depth),
            Ty::Struct(n) => self.object(*n, depth),
            Ty::Enum(n) => {
                let e = self.enums[*n].clone();
                if self.c.chance(15) {
                    return format!("static_cast<{}>({})", e.name, self.c.below(e.items.len()));
                }
                let item = self.c.pick(&e.items);
                if e.is_scoped || self.c.chance(20) { format!("{}::{item}", e.name) } else { item }
            }
            Ty::Pointer(..) => "nullptr".to_owned(),
        }
    }

    fn half(&mut self, depth: usize) -> String {
        if depth == 0 {
            return "__float2half(0.5f)".to_owned();
        }
        let next = depth - 1;
        match self.c.below(5) {
            0 => format!("__float2half({})", self.float(next)),
            1 => format!("__hadd({}, {})", self.half(next), self.half(next)),
            2 => format!("({} + {})", self.half(next), self.half(next)),
            3 => format!("(-{})", self.half(next)),
            _ => format!("half({})", self.float(next)),
        }
    }

    fn object(&mut self, n: usize, depth: usize) -> String {
        let s = self.structs[n].clone();
        let next = depth.saturating_sub(1);
        if s.has_plus && depth > 0 && self.c.chance(20) {
            return format!("({} + {})", self.object(n, next), self.object(n, next));
        }
        let fields: Vec<String> = s.fields.iter().map(|(_, ty)| self.exact(*ty, next.min(1))).collect();
        if s.has_constructor {
            format!("{}({})", s.name, fields.join(", "))
        } else {
            format!("{}{{{}}}", s.name, fields.join(", "))
        }
    }

    /// An expression of just this type, as braces want it.
    pub(super) fn exact(&mut self, ty: Num, depth: usize) -> String {
        let value = self.number(depth);
        match self.c.below(2) {
            0 => format!("static_cast<{}>({value})", ty.name()),
            _ => format!("({})({value})", ty.name()),
        }
    }

    pub(super) fn float(&mut self, depth: usize) -> String {
        match self.c.below(3) {
            0 => self.c.pick(&["1.5f", "0.25f", "2.0f", "1e2f", ".5f", "3.f", "0.0f"]).to_owned(),
            1 => format!("float({})", self.number(depth)),
            _ => self.variable(|n| n == Num::Float).unwrap_or_else(|| "4.0f".to_owned()),
        }
    }

    /// An expression of an arithmetic type.
    pub(super) fn number(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let next = depth - 1;
        match self.c.below(22) {
            0 | 1 => self.leaf(),
            2 | 3 => {
                let op = self.c.pick(&["+", "-"]);
                format!("({} {op} {})", self.number(next), self.number(next))
            }
            4 => format!("({} * {})", self.number(next), self.c.pick(&["2.0f", "0.5f", "4", "2.0", "0.25"])),
            5 => format!("({} / {})", self.number(next), self.c.pick(&["2.0f", "4.0", "3", "8u"])),
            6 | 7 => self.integer(depth),
            8 => format!("({} ? {} : {})", self.condition(next), self.number(next), self.number(next)),
            9 => format!("({}, {})", self.number(next), self.number(next)),
            10 => {
                let op = self.c.pick(&["-", "+", "!"]);
                format!("{op}({})", self.number(next))
            }
            11 => {
                let ty = self.num();
                self.exact(ty, next)
            }
            12 => self.step(next),
            13 | 14 => self.call(next, false).unwrap_or_else(|| self.leaf()),
            15 => self.method(next).unwrap_or_else(|| self.leaf()),
            16 => {
                let capture = self.c.pick(&["=", "&", ""]);
                let ty = self.num();
                let inner = std::mem::take(&mut self.variables);
                let in_kernel = std::mem::take(&mut self.in_kernel);
                let body = self.number(next.min(1));
                self.variables = inner;
                self.in_kernel = in_kernel;
                let argument = self.number(next);
                format!("[{capture}]({} a) {{ return {body} + a; }}({argument})", ty.name())
            }
            17 => {
                let ty = self.any();
                let text = self.spell(&ty);
                format!("sizeof({text})")
            }
            18 => {
                let pick = self.c.pick(&["min", "max"]);
                format!("{pick}((int)({}), {})", self.integer(next), self.c.pick(&["7", "2"]))
            }
            19 => self.use_of_library(next),
            20 => {
                let f = self.c.pick(&["fmaxf", "fminf"]);
                format!("{f}({}, {})", self.number(next), self.float(next))
            }
            _ => format!("({})", self.condition(next)),
        }
    }

    fn use_of_library(&mut self, next: usize) -> String {
        if !self.in_kernel || self.c.chance(60) {
            return match self.c.below(5) {
                0 => format!("fabsf({})", self.number(next)),
                1 => format!("__popc({})", self.number(next)),
                2 => format!("abs((int)({}))", self.number(next)),
                3 => format!("__float_as_int({})", self.float(next)),
                _ => format!("sqrtf(fabsf({}))", self.float(next)),
            };
        }
        self.plain = false;
        match self.c.below(12) {
            0 => format!("__shfl_down_sync(0xffffffff, {}, {})", self.float(next), self.c.below(5)),
            1 => format!("__shfl_xor_sync(0xffffffffu, {}, 1)", self.integer(next)),
            2 => format!("__ballot_sync(0xffffffff, {})", self.condition(next)),
            3 => format!("__any_sync(~0u, {})", self.condition(next)),
            4 => format!("__ldg(&in[{}])", self.index(next)),
            5 => format!("tex1Dfetch<float>(tex, {})", self.integer(next)),
            6 => format!("tex2D<float4>(tex, {}, {}).y", self.float(next), self.float(next)),
            7 => format!("__fmaf_rn({}, {}, {})", self.float(next), self.float(next), self.float(next)),
            8 if self.has_half => format!("__half2float({})", self.half(next)),
            9 => format!("atomicMax(&counts[{}], {})", self.index(next), self.integer(next)),
            10 => format!("expf({})", self.float(next)),
            _ => format!("atomicAdd(out + ({}), {})", self.index(next), self.float(next)),
        }
    }

    pub(super) fn index(&mut self, depth: usize) -> String {
        format!("({}) & {}", self.integer(depth), LENGTH - 1)
    }

    fn leaf(&mut self) -> String {
        match self.c.below(4) {
            0 | 1 => self.variable(|_| true).unwrap_or_else(|| "1".to_owned()),
            2 => self
                .c
                .pick(&[
                    "0", "1", "2", "17", "3u", "0x1f", "5L", "7ull", "'a'", "true", "1.5f", "2.0", "0.25f",
                    "1e2f", "0b101", "1'000", "false", "'\\n'", "010",
                ])
                .to_owned(),
            _ if self.in_kernel => self
                .c
                .pick(&[
                    "threadIdx.x",
                    "blockDim.x",
                    "blockIdx.y",
                    "gridDim.z",
                    "warpSize",
                    "n",
                    "in[3]",
                    "limit",
                ])
                .to_owned(),
            _ => "limit".to_owned(),
        }
    }

    /// Something of an arithmetic type that has a name: a variable, a component, a field, an element.
    pub(super) fn variable(&mut self, fits: impl Fn(Num) -> bool) -> Option<String> {
        let structs = self.structs.clone();
        let v = self.find(|v| match &v.ty {
            Ty::Num(n) => fits(*n),
            Ty::Vector(_, n, _) => fits(*n),
            Ty::Struct(s) => structs[*s].fields.iter().any(|(_, n)| fits(*n)),
            Ty::Pointer(to, _) => matches!(**to, Ty::Num(n) if fits(n)),
            Ty::Half | Ty::Enum(_) => false,
        })?;
        Some(self.part(&v, &fits))
    }

    fn part(&mut self, v: &super::Variable, fits: &impl Fn(Num) -> bool) -> String {
        let mut name = v.name.clone();
        if let Some(n) = v.array {
            name = format!("{name}[{} & {}]", self.c.pick(&["0", "1", "limit", "7u"]), n - 1);
        }
        match &v.ty {
            Ty::Vector(_, _, n) => format!("{name}.{}", self.c.pick(&COMPONENTS[..*n])),
            Ty::Struct(s) => {
                let fields = self.structs[*s].fields.clone();
                let fields: Vec<_> = fields.into_iter().filter(|(_, n)| fits(*n)).collect();
                format!("{name}.{}", self.c.pick(&fields).0)
            }
            Ty::Pointer(..) => match self.c.below(2) {
                0 => format!("*{name}"),
                _ => format!("{name}[0]"),
            },
            _ => name,
        }
    }

    /// An expression of an integer type.
    pub(super) fn integer(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.c.below(3) {
                0 => self.c.below(9).to_string(),
                1 => "limit".to_owned(),
                _ => self.variable(|n| !n.is_float()).unwrap_or_else(|| "3".to_owned()),
            };
        }
        let next = depth - 1;
        match self.c.below(8) {
            0 => self.integer(0),
            1 => {
                let op = self.c.pick(&["+", "-", "*", "&", "|", "^"]);
                format!("({} {op} {})", self.integer(next), self.integer(next))
            }
            2 => {
                let op = self.c.pick(&["/", "%"]);
                format!("({} {op} ({} | 1))", self.integer(next), self.integer(next))
            }
            3 => {
                let op = self.c.pick(&["<<", ">>"]);
                format!("({} {op} ({} & 7))", self.integer(next), self.integer(next))
            }
            4 => format!("~({})", self.integer(next)),
            5 => format!("({} ? {} : {})", self.condition(next), self.integer(next), self.integer(next)),
            6 => format!("int({})", self.number(next)),
            _ => format!(
                "({})({})",
                self.c.pick(&["unsigned", "long", "short", "unsigned char"]),
                self.number(next)
            ),
        }
    }

    pub(super) fn condition(&mut self, depth: usize) -> String {
        let next = depth.saturating_sub(1);
        match self.c.below(if depth == 0 { 1 } else { 5 }) {
            0 => {
                let op = self.c.pick(&["<", "==", "!=", ">", "<=", ">="]);
                format!("{} {op} {}", self.number(next.min(2)), self.number(next.min(2)))
            }
            1 => format!("({}) && ({})", self.condition(next), self.condition(next)),
            2 => format!("({}) || {}", self.condition(next), self.number(next)),
            3 => format!("!({})", self.condition(next)),
            _ => self.number(next),
        }
    }

    /// An assignment or a step of something that can change.
    pub(super) fn step(&mut self, depth: usize) -> String {
        let Some(v) = self.find(|v| matches!(v.ty, Ty::Num(_)) && !v.is_const) else { return "1".to_owned() };
        let Ty::Num(ty) = v.ty else { return "1".to_owned() };
        let name = self.part(&v, &|_| true);
        match self.c.below(5) {
            0 if ty != Num::Bool => format!("{name}++"),
            1 if ty != Num::Bool => format!("--{name}"),
            2 => {
                let op = self.c.pick(&["+=", "-="]);
                format!("({name} {op} {})", self.number(depth))
            }
            3 if !ty.is_float() => {
                let op = self.c.pick(&["&=", "|=", "^=", "*="]);
                format!("({name} {op} {})", self.integer(depth))
            }
            _ => format!("({name} = {})", self.number(depth)),
        }
    }

    pub(super) fn arguments(&mut self, f: &Function, depth: usize) -> Option<String> {
        let given = f.parameters.len() - self.c.below(f.defaults + 1);
        let mut arguments = Vec::new();
        for p in &f.parameters[..given] {
            if p.is_reference {
                let v = self.find(|v| v.ty == p.ty && !v.is_const && v.array.is_none())?;
                arguments.push(v.name);
            } else {
                // Of just this type, so that no overload is as good as another.
                let argument = match &p.ty {
                    Ty::Num(n) => self.exact(*n, depth),
                    other => self.value(other, depth),
                };
                arguments.push(argument);
            }
        }
        Some(arguments.join(", "))
    }

    /// A call of one of the program's functions with an arithmetic result (or, as a statement, any).
    pub(super) fn call(&mut self, depth: usize, any: bool) -> Option<String> {
        let fitting: Vec<Function> =
            self.functions.iter().filter(|f| any || matches!(f.result, Some(Ty::Num(_)))).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let f = self.c.pick(&fitting);
        let arguments = self.arguments(&f, depth.min(1))?;
        Some(format!("{}({arguments})", f.name))
    }

    fn method(&mut self, depth: usize) -> Option<String> {
        let structs = self.structs.clone();
        let v = self
            .find(|v| matches!(v.ty, Ty::Struct(s) if !structs[s].methods.is_empty()) && v.array.is_none())?;
        let Ty::Struct(s) = v.ty else { return None };
        let m = self.c.pick(&structs[s].methods);
        let arguments = self.arguments(&m, depth.min(1))?;
        Some(format!("{}.{}({arguments})", v.name, m.name))
    }
}
