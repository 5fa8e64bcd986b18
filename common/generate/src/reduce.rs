//! The smallest list that still shows something, by leaving out pieces: delta debugging (Zeller and Hildebrandt, "Simplifying and
//! isolating failure-inducing input", 2002), with pieces that are halved.

/// Leaves out pieces of the list, long ones first, as long as `same` says that what remains shows the same.
pub fn list<T: Clone>(mut list: Vec<T>, mut same: impl FnMut(&[T]) -> bool) -> Vec<T> {
    let mut size = list.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < list.len() {
            let mut shorter = list.clone();
            shorter.drain(at..(at + size).min(list.len()));
            if same(&shorter) {
                list = shorter;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    list
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_shows_it_is_left() {
        let list = super::list((0..100).collect(), |list: &[u32]| list.contains(&3) && list.contains(&77));
        assert_eq!(list, [3, 77]);
        assert_eq!(super::list(vec![1], |_| true), Vec::<u32>::new());
    }
}
