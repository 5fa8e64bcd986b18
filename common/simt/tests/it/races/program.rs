//! A generated kernel as a tree of text, so that one that fails can be made smaller and read.

use std::fmt::{Display, Formatter, Result};

/// A statement of CUDA C++.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stmt {
    /// Without a body.
    Line(String),
    /// A head, such as `if (t < 8)`, and what is in its braces.
    Block(String, Vec<Stmt>),
}

pub(crate) fn line(text: impl Into<String>) -> Stmt {
    Stmt::Line(text.into())
}

pub(crate) fn block(head: impl Into<String>, body: Vec<Stmt>) -> Stmt {
    Stmt::Block(head.into(), body)
}

/// A pointer parameter and the words that it points to.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) declaration: &'static str,
    pub(crate) words: Vec<u32>,
}

/// A kernel and its launch.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// What comes before the kernel.
    pub(crate) prelude: &'static str,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Vec<Stmt>,
    pub(crate) grid: u32,
    pub(crate) block: [u32; 2],
    pub(crate) cooperative: bool,
}

impl Program {
    /// The source text.
    pub(crate) fn text(&self) -> String {
        let parameters: Vec<&str> = self.parameters.iter().map(|p| p.declaration).collect();
        let mut body = String::new();
        self.body.iter().for_each(|stmt| print(&mut body, stmt, 1));
        let headers = [
            ("cg::", "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"),
            ("cuda::barrier", "#include <cuda/barrier>\n"),
            ("__pipeline", "#include <cuda_pipeline.h>\n"),
        ];
        let used = headers.iter().filter(|(name, _)| body.contains(name));
        let headers: String = used.map(|(_, header)| *header).collect();
        format!("{headers}{}__global__ void k({}) {{\n{body}}}\n", self.prelude, parameters.join(", "))
    }

    /// All programs that are a little smaller: without a statement, with a body in place of its statement, of fewer blocks or threads.
    pub(crate) fn smaller(&self) -> Vec<Program> {
        let mut all: Vec<Program> =
            without_one(&self.body).into_iter().map(|body| Program { body, ..self.clone() }).collect();
        let grids = (1..self.grid).map(|grid| Program { grid, ..self.clone() });
        let shapes = [[1, 1], [2, 1], [32, 1], [33, 1], [64, 1]];
        let fewer = |shape: &[u32; 2]| shape[0] * shape[1] < self.block[0] * self.block[1];
        let blocks = shapes.into_iter().filter(fewer).map(|block| Program { block, ..self.clone() });
        all.extend(grids.chain(blocks));
        all
    }

    /// The smallest program of the same kind that can be found by making it smaller step by step.
    pub(crate) fn shrink(self, is_alike: impl Fn(&Program) -> bool) -> Program {
        let mut program = self;
        while let Some(smaller) = program.smaller().into_iter().find(&is_alike) {
            program = smaller;
        }
        program
    }
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Program { grid, block: [x, y], .. } = self;
        let cooperative = if self.cooperative { "cooperative " } else { "" };
        write!(f, "// launch: {cooperative}<<<{grid}, dim3({x}, {y})>>>\n{}", self.text())
    }
}

fn print(text: &mut String, stmt: &Stmt, depth: usize) {
    let indent = "    ".repeat(depth);
    match stmt {
        Stmt::Line(line) => text.push_str(&format!("{indent}{line}\n")),
        Stmt::Block(head, body) => {
            text.push_str(&format!("{indent}{head} {{\n"));
            body.iter().for_each(|stmt| print(text, stmt, depth + 1));
            text.push_str(&format!("{indent}}}\n"));
        }
    }
}

fn without_one(body: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut all = Vec::new();
    for (at, stmt) in body.iter().enumerate() {
        let mut with = |middle: &[Stmt]| all.push([&body[..at], middle, &body[at + 1..]].concat());
        with(&[]);
        if let Stmt::Block(head, inner) = stmt {
            with(inner);
            without_one(inner).into_iter().for_each(|inner| with(&[block(head.clone(), inner)]));
        }
    }
    all
}
