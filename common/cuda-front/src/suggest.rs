//! Near names for "did you mean".

/// The candidate nearest to `name`, if it is near enough that a slip of the fingers explains it.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.chars().count() > 64 {
        return None;
    }
    let limit = match name.chars().count() {
        0..=2 => 0,
        3..=5 => 1 + usize::from(name.len() > 3),
        _ => 2,
    };
    candidates
        .into_iter()
        .filter(|c| *c != name)
        .map(|c| (if c.eq_ignore_ascii_case(name) { 0 } else { distance(name, c) }, c))
        .filter(|(d, c)| *d <= limit && *d * 2 < c.chars().count().max(2))
        .min_by_key(|(d, c)| (*d, *c))
        .map(|(_, c)| c)
}

/// Edit distance with swaps of neighbours (optimal string alignment), in characters.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 2 {
        return usize::MAX;
    }
    let mut rows = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let types = ["float", "double", "int", "void", "size_t"];
        assert_eq!(nearest("flaot", types), Some("float"));
        assert_eq!(nearest("Float", types), Some("float"));
        assert_eq!(nearest("viod", types), Some("void"));
        assert_eq!(nearest("itn", types), Some("int"));
        assert_eq!(nearest("banana", types), None);
        assert_eq!(nearest("x", types), None);
    }
}
