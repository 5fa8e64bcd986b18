//! `printf` formats against their arguments.

use super::super::Checker;
use super::super::ty::Ty;
use super::super::value::Value;
use crate::hir::IntType;
use source::{Code, Diagnostic, Span};

/// One `%…` of a format.
#[derive(Debug, PartialEq)]
struct Spec<'f> {
    text: &'f str,
    /// Width and precision given as `*`.
    stars: usize,
    long: bool,
    conversion: char,
}

fn specs(format: &str) -> Vec<Spec<'_>> {
    let mut found = Vec::new();
    let mut rest = format;
    while let Some(start) = rest.find('%') {
        let spec = &rest[start..];
        let end = spec[1..].find(|c: char| c == '%' || (c.is_ascii_alphabetic() && !"hlLjzt".contains(c)));
        let Some(end) = end.map(|e| e + 1) else { break };
        let conversion = spec[end..].chars().next().unwrap_or('%');
        let text = &spec[..=end];
        rest = &spec[end + 1..];
        if conversion != '%' {
            let long = text.contains(['l', 'j', 'z', 't']);
            found.push(Spec { text, stars: text.matches('*').count(), long, conversion });
        }
    }
    found
}

/// What prints a value of this (promoted) type.
fn suits(t: &Ty) -> Option<&'static str> {
    Some(match t {
        Ty::Float | Ty::Double => "%f",
        Ty::Int(IntType::UnsignedLong | IntType::UnsignedLongLong) => "%llu",
        Ty::Int(i) if i.bits() == 64 => "%lld",
        Ty::Int(IntType::UnsignedInt) => "%u",
        t if t.is_integral() => "%d",
        t if t.is_pointer() => "%p",
        _ => return None,
    })
}

fn fits(spec: &Spec, t: &Ty) -> bool {
    match spec.conversion {
        'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'c' => match t {
            Ty::Int(i) => (i.bits() == 64) == spec.long,
            t => t.is_integral() && !spec.long,
        },
        'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' => t.is_floating(),
        's' | 'p' => t.is_pointer() || *t == Ty::NullPtr,
        _ => true,
    }
}

/// Warns where the number or the types of the arguments are not those of the format. The arguments are promoted.
pub(super) fn check(c: &mut Checker, format: &str, arguments: &[Value], span: Span) {
    let specs = specs(format);
    let wanted: usize = specs.iter().map(|s| 1 + s.stars).sum();
    if wanted != arguments.len() {
        let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
        let title = format!("this format prints {}, but {} given", plural(wanted, "value"), arguments.len());
        let title = if arguments.len() == 1 {
            title.replace("given", "is given")
        } else {
            title.replace("given", "are given")
        };
        c.sink.push(
            Diagnostic::new(Code::PrintfArguments, title)
                .label(span, "")
                .help("each `%…` of the format takes one argument, in order; `%%` prints a `%`"),
        );
        return;
    }
    let mut values = arguments.iter();
    for spec in &specs {
        let Some(value) = values.nth(spec.stars) else { return };
        if fits(spec, &value.ty.ty) {
            continue;
        }
        let name = c.types.spell(&value.ty);
        let mut d = Diagnostic::new(Code::PrintfFormat, format!("`{}` does not print a `{name}`", spec.text))
            .label(value.span, format!("this is `{name}`"));
        if let Some(right) = suits(&value.ty.ty) {
            d = d.help(format!("write `{right}`, or convert the value"));
        }
        c.sink.push(d);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_taken_apart() {
        let found: Vec<_> =
            specs("%5.2f%% %*d %llu%").into_iter().map(|s| (s.text, s.stars, s.long)).collect();
        assert_eq!(found, [("%5.2f", 0, false), ("%*d", 1, false), ("%llu", 0, true)]);
    }
}
