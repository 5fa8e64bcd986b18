//! Names of C++ among the symbols of a cubin, which are mangled by the rules of the Itanium ABI.

/// The symbol that a kernel or variable has: itself, or mangled. `name` is qualified, and may have `&` before it and a template's
/// arguments behind it; of several instances of a template, the one whose integer arguments are those of the name. A `static`
/// variable of a function is found by its own name, unless two functions have one of that name.
pub fn symbol_of(symbols: &[String], name: &str) -> Option<String> {
    let name = name.trim_start_matches('&').trim();
    let (base, arguments) = name.split_once('<').unwrap_or((name, ""));
    let wanted: Vec<&str> = base.split("::").map(str::trim).collect();
    if let ([plain], true) = (&wanted[..], arguments.is_empty())
        && let Some(found) = symbols.iter().find(|s| s == plain)
    {
        return Some(found.clone());
    }
    let is_it = |symbol: &&String| {
        let Some(Mangled { path, rest }) = Mangled::of(symbol) else { return false };
        path == wanted
            && rest.starts_with('I') != arguments.is_empty()
            && has_integers(rest, arguments.trim_end_matches('>'))
    };
    if let Some(found) = symbols.iter().find(is_it) {
        return Some(found.clone());
    }
    let mut of_functions = symbols.iter().filter(|s| of_function(s).is_some_and(|own| wanted == [own]));
    of_functions.next().filter(|_| of_functions.next().is_none()).cloned()
}

/// A mangled name at file scope.
struct Mangled<'s> {
    /// Its namespaces, without unnamed ones, and its own name.
    path: Vec<&'s str>,
    /// What follows: a template's arguments, and types of parameters.
    rest: &'s str,
}

impl<'s> Mangled<'s> {
    fn of(symbol: &'s str) -> Option<Mangled<'s>> {
        let rest = symbol.strip_prefix("_Z")?;
        let (is_nested, mut rest) = rest.strip_prefix('N').map_or((false, rest), |rest| (true, rest));
        let mut path = Vec::new();
        // `L` marks internal linkage.
        while let Some((name, behind)) = counted(rest.strip_prefix('L').unwrap_or(rest)) {
            rest = behind;
            if !name.starts_with("_GLOBAL__N_") && !name.starts_with("_INTERNAL_") {
                path.push(name);
            }
            if !is_nested {
                break;
            }
        }
        (!path.is_empty()).then_some(Mangled { path, rest })
    }
}

/// The name of a `static` variable of a function: `_ZZ`, the function, `E`, the name, and a number if it is not the first.
fn of_function(symbol: &str) -> Option<&str> {
    let all = symbol.strip_prefix("_ZZ")?;
    all.rmatch_indices('E').find_map(|(at, _)| {
        let (name, rest) = counted(&all[at + 1..])?;
        let number = rest.trim_matches('_');
        let is_number = rest.starts_with('_') && number.bytes().all(|b| b.is_ascii_digit());
        (rest.is_empty() || is_number).then_some(name)
    })
}

/// A name with its length before it, and what follows.
fn counted(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = text[..digits].parse().ok()?;
    text[digits..].split_at_checked(length)
}

/// Whether the integers among `arguments` stand in a mangled list of arguments, in order.
fn has_integers(mut mangled: &str, arguments: &str) -> bool {
    let integers = arguments.split(',').filter_map(|a| a.trim().parse::<i64>().ok());
    integers.into_iter().all(|value| {
        let digits = if value < 0 { format!("n{}E", -value) } else { format!("{value}E") };
        match mangled.find(&digits) {
            Some(found) => {
                mangled = &mangled[found + digits.len()..];
                true
            }
            None => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, symbols: &[&str]) -> Option<String> {
        symbol_of(&symbols.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>(), name)
    }

    #[test]
    fn names_are_found_among_mangled_symbols() {
        let symbols =
            ["_Z3addPfi", "_Z4tileILi16ELi32EEvPf", "_Z4tileILi8ELi32EEvPf", "table", "_ZN2ns3mulEPf"];
        let find = |name| found(name, &symbols);
        assert_eq!(find("add").as_deref(), Some("_Z3addPfi"));
        assert_eq!(find("tile<8, 32>").as_deref(), Some("_Z4tileILi8ELi32EEvPf"));
        assert_eq!(find("ns::mul").as_deref(), Some("_ZN2ns3mulEPf"));
        assert_eq!(find("&table").as_deref(), Some("table"));
        assert_eq!(find("tile"), None);
        assert_eq!(find("tile<4,32>"), None);
        assert_eq!(find("mul"), None, "another namespace");
    }

    #[test]
    fn a_name_is_no_part_of_another() {
        assert_eq!(found("n", &["_Z11nothing_newPi", "_ZN1n1kEv", "_Z1nIiE"]), None);
        assert_eq!(found("string literal", &["$str", "_Z1kPi"]), None);
    }

    #[test]
    fn internal_names_and_those_of_functions_are_found() {
        let inner = "_ZN34_INTERNAL_00000000_4_k_cu_unused_d2ns36_GLOBAL__N__00000000_4_k_cu_unused_d4anonE";
        assert_eq!(found("ns::anon", &[inner]).as_deref(), Some(inner));
        assert_eq!(found("table", &["_ZL5table"]).as_deref(), Some("_ZL5table"));
        let statics = ["_ZZ7countervE1n", "_ZZ1kPiE5local_0", "_ZZ2c1vE4both", "_ZZ2c2vE4both"];
        assert_eq!(found("&n", &statics).as_deref(), Some("_ZZ7countervE1n"));
        assert_eq!(found("&local", &statics).as_deref(), Some("_ZZ1kPiE5local_0"));
        assert_eq!(found("both", &statics), None, "of two functions");
    }

    #[test]
    fn what_is_not_mangled_as_expected_is_not_found() {
        for symbol in ["_Z", "_ZN", "_ZZ", "_Z9n", "_Z99999999999999999999999n", "_ZZE", "_ZZE9n", "_Z1é"] {
            assert_eq!(found("n", &[symbol]), None, "{symbol}");
        }
    }
}
