//! What the writer of a program knows while it writes: names, types, text.

use super::{Choices, Num, Ty};

#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) ty: Ty,
    pub(super) is_const: bool,
    /// Elements of an array of `ty`; a power of two.
    pub(super) array: Option<usize>,
}

#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) result: Option<Ty>,
    /// How many of the last parameters have a default.
    pub(super) defaults: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) ty: Ty,
    /// `&` without `const`: the argument must be a variable of just this type.
    pub(super) is_reference: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Struct {
    pub(super) name: String,
    pub(super) fields: Vec<(String, Num)>,
    /// Name, parameters and result of each method that does not change the object.
    pub(super) methods: Vec<Function>,
    pub(super) has_constructor: bool,
    pub(super) has_plus: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Enum {
    pub(super) name: String,
    pub(super) is_scoped: bool,
    pub(super) items: Vec<String>,
}

pub(super) struct Writer<'a> {
    pub(super) c: Choices<'a>,
    pub(super) text: String,
    pub(super) indent: usize,
    pub(super) structs: Vec<Struct>,
    pub(super) enums: Vec<Enum>,
    pub(super) functions: Vec<Function>,
    pub(super) variables: Vec<Variable>,
    pub(super) in_loop: bool,
    /// Whether the kernel is written, whose parameters are known by name.
    pub(super) in_kernel: bool,
    /// The result of the function that is written.
    pub(super) result: Option<Ty>,
    pub(super) names: usize,
    pub(super) plain: bool,
    /// Whether there is `half`.
    pub(super) has_half: bool,
    /// Statements until the mistake.
    pub(super) countdown: Option<usize>,
    pub(super) file_mistake: bool,
    pub(super) made: Option<&'static str>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(c: Choices<'a>) -> Self {
        Writer {
            c,
            text: String::new(),
            indent: 0,
            structs: Vec::new(),
            enums: Vec::new(),
            functions: Vec::new(),
            variables: Vec::new(),
            in_loop: false,
            in_kernel: false,
            result: None,
            names: 0,
            plain: true,
            has_half: false,
            countdown: None,
            file_mistake: false,
            made: None,
        }
    }

    pub(super) fn line(&mut self, text: &str) {
        for line in text.lines() {
            self.text.push_str(&"    ".repeat(self.indent));
            self.text.push_str(line);
            self.text.push('\n');
        }
    }

    pub(super) fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    pub(super) fn spell(&self, ty: &Ty) -> String {
        match ty {
            Ty::Num(n) => n.name().to_owned(),
            Ty::Vector(stem, _, n) => format!("{stem}{n}"),
            Ty::Half => "half".to_owned(),
            Ty::Struct(n) => self.structs[*n].name.clone(),
            Ty::Enum(n) => self.enums[*n].name.clone(),
            Ty::Pointer(to, is_const) => {
                format!("{}{} *", if *is_const { "const " } else { "" }, self.spell(to))
            }
        }
    }

    /// A declarator: `float *p`, `int x`.
    pub(super) fn declared(&self, ty: &Ty, name: &str) -> String {
        let spelled = self.spell(ty);
        if spelled.ends_with('*') { format!("{spelled}{name}") } else { format!("{spelled} {name}") }
    }

    pub(super) fn num(&mut self) -> Num {
        self.c.pick(&Num::ALL).0
    }

    /// Any type of a variable.
    pub(super) fn any(&mut self) -> Ty {
        match self.c.below(12) {
            8 => self.c.pick(&Ty::VECTORS),
            9 if self.has_half => Ty::Half,
            10 if !self.structs.is_empty() => Ty::Struct(self.c.below(self.structs.len())),
            11 if !self.enums.is_empty() => Ty::Enum(self.c.below(self.enums.len())),
            _ => Ty::Num(self.num()),
        }
    }

    /// A variable that fits.
    pub(super) fn find(&mut self, fits: impl Fn(&Variable) -> bool) -> Option<Variable> {
        let fitting: Vec<Variable> = self.variables.iter().filter(|v| fits(v)).cloned().collect();
        if fitting.is_empty() { None } else { Some(self.c.pick(&fitting)) }
    }

    pub(super) fn declare(&mut self, name: &str, ty: Ty, is_const: bool) {
        self.variables.push(Variable { name: name.to_owned(), ty, is_const, array: None });
    }
}
