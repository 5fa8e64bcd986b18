//! Finds similar names for "did you mean".

/// Maximum length of a compared name, in characters.
const LONGEST: usize = 64;

/// The candidate most similar to `name`, if it is similar enough to be a typo. Ignores case.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    if length > LONGEST {
        return None;
    }
    let limit = match length {
        0..=2 => 0,
        3 => 1,
        _ => 2,
    };
    let lower = name.to_lowercase();
    candidates
        .into_iter()
        .filter(|c| *c != name && c.chars().count().abs_diff(length) <= limit)
        .map(|c| (strsim::osa_distance(&lower, &c.to_lowercase()), strsim::osa_distance(name, c), c))
        .filter(|(d, _, c)| *d <= limit && *d * 2 < c.chars().count().max(2))
        .min()
        .map(|(_, _, c)| c)
}

/// The suggestion as a question in parentheses after a blank, to follow the name in a message; empty if no candidate
/// is similar.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, candidates).map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let types = ["float", "double", "int", "void", "size_t"];
        assert_eq!(nearest("flaot", types), Some("float"));
        assert_eq!(nearest("Float", types), Some("float"));
        assert_eq!(nearest("FLAOT", types), Some("float"));
        assert_eq!(nearest("viod", types), Some("void"));
        assert_eq!(nearest("itn", types), Some("int"));
        assert_eq!(nearest("banana", types), None);
        assert_eq!(nearest("x", types), None);
    }

    #[test]
    fn of_names_that_differ_in_case_alone_the_one_of_the_same_case_is_nearer() {
        assert_eq!(nearest("BLOKC", ["block", "BLOCK"]), Some("BLOCK"));
        assert_eq!(nearest("blokc", ["BLOCK", "block"]), Some("block"));
    }
}
