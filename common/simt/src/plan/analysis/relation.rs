//! A relation between numbered things: for each of them some others, in two allocations.

/// For each of some things, by number, the numbers of others.
pub(crate) struct Relation {
    /// Where those of each thing begin; those of the last one end at the last of these.
    starts: Vec<u32>,
    others: Vec<u32>,
}

impl Relation {
    /// The relation of so many things that has these pairs, which are fewer than 2^32.
    pub(crate) fn of(things: usize, pairs: &[(u32, u32)]) -> Relation {
        let mut starts = vec![0; things + 1];
        pairs.iter().for_each(|(one, _)| starts[*one as usize + 1] += 1);
        for thing in 0..things {
            starts[thing + 1] += starts[thing];
        }
        let mut next = starts.clone();
        let mut others = vec![0; pairs.len()];
        for (one, other) in pairs {
            let next = &mut next[*one as usize];
            others[*next as usize] = *other;
            *next += 1;
        }
        Relation { starts, others }
    }

    /// The others of one thing, in the order of the pairs.
    pub(crate) fn others(&self, one: u32) -> &[u32] {
        &self.others[self.starts[one as usize] as usize..self.starts[one as usize + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::Relation;

    #[test]
    fn each_thing_has_the_others_of_its_pairs_in_their_order() {
        let relation = Relation::of(4, &[(2, 7), (0, 1), (2, 5), (2, 7), (3, 0)]);
        let all: Vec<&[u32]> = (0..4).map(|one| relation.others(one)).collect();
        assert_eq!(all, [&[1][..], &[], &[7, 5, 7], &[0]]);
        assert!(Relation::of(1, &[]).others(0).is_empty());
    }
}
