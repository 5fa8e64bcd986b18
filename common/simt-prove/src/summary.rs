//! Where each load and store of a kernel can be, to compare with where it is when the launch runs.
//!
//! Proofs follow from these summaries. If a summary is wrong, so may be a proof, so the simulator looks at some of the accesses that it
//! does not check otherwise.

use crate::form::{Atom, AtomKind, Atoms, Form, Range};
use crate::overlap::gcd;
use simt_ir::pointer::Space;

/// Different places of one instruction, at most.
const MAX_PLACES: usize = 128;

/// Where a load or a store can be.
#[derive(Clone, Debug, Default, PartialEq)]
struct Site {
    places: Vec<(Space, u32, Form)>,
    /// Whether it can be elsewhere, too.
    is_unclear: bool,
}

/// Where the loads and stores of a launch can be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summaries {
    atoms: Atoms,
    /// The quantities that are coordinates: of the thread in its block, then of the block.
    coordinates: [Option<Atom>; 6],
    loads: Vec<Site>,
    stores: Vec<Site>,
}

/// A load or a store, by its number among the loads or the stores of a kernel's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteId {
    /// A load.
    Load(usize),
    /// A store.
    Store(usize),
}

impl Summaries {
    pub(crate) fn new(coordinates: [Atom; 6]) -> Summaries {
        Summaries { coordinates: coordinates.map(Some), ..Summaries::default() }
    }

    pub(crate) fn with(self, atoms: Atoms) -> Summaries {
        Summaries { atoms, ..self }
    }

    pub(crate) fn add(&mut self, stores: bool) -> SiteId {
        let sites = if stores { &mut self.stores } else { &mut self.loads };
        sites.push(Site::default());
        let number = sites.len() - 1;
        if stores { SiteId::Store(number) } else { SiteId::Load(number) }
    }

    pub(crate) fn note(&mut self, site: SiteId, place: Option<(Space, u32, Form)>) {
        let site = match site {
            SiteId::Load(number) => &mut self.loads[number],
            SiteId::Store(number) => &mut self.stores[number],
        };
        match place {
            Some(place) if site.places.contains(&place) => {}
            Some(place) if site.places.len() < MAX_PLACES => site.places.push(place),
            _ => site.is_unclear = true,
        }
    }

    /// How many loads and how many stores there are.
    pub fn counts(&self) -> [usize; 2] {
        [self.loads.len(), self.stores.len()]
    }

    /// Whether a thread can access that byte first by an instruction: `thread` is its place in its block, `block` that of the block.
    pub fn allow(
        &self,
        site: SiteId,
        [thread, block]: [[u32; 3]; 2],
        (space, allocation, offset): (Space, u32, i64),
    ) -> bool {
        let site = match site {
            SiteId::Load(number) => self.loads.get(number),
            SiteId::Store(number) => self.stores.get(number),
        };
        let Some(site) = site.filter(|site| !site.is_unclear) else { return true };
        let value = |atom: Atom| {
            let at = self.coordinates.iter().position(|known| *known == Some(atom))?;
            Some(i64::from(if at < 3 { thread[at] } else { block[at - 3] }))
        };
        site.places.iter().any(|(of, number, form)| {
            (*of, *number) == (space, allocation) && self.can_be(form, offset, &value)
        })
    }

    /// Whether a form can have a value where quantities have theirs.
    fn can_be(&self, form: &Form, wanted: i64, value: &dyn Fn(Atom) -> Option<i64>) -> bool {
        let (mut known, mut rest, mut common) = (form.constant, Range::one(0), 0);
        for (atom, factor) in &form.terms {
            match self.value_of(*atom, value) {
                Some(value) => known += factor * value,
                None => {
                    rest = rest.plus(self.atoms.range(*atom).times(*factor));
                    common = gcd(common, *factor);
                }
            }
        }
        let left = wanted - known;
        rest.contains(Range::one(left)) && (common == 0 || left % common == 0)
    }

    fn value_of(&self, atom: Atom, value: &dyn Fn(Atom) -> Option<i64>) -> Option<i64> {
        let of_form = |form: &Form| {
            let terms = form.terms.iter();
            terms
                .map(|(atom, factor)| Some(factor * value(*atom)?))
                .sum::<Option<i64>>()
                .map(|sum| sum + form.constant)
        };
        match self.atoms.kind(atom) {
            AtomKind::Quotient { of, by } => Some(of_form(of)?.div_euclid(*by)),
            AtomKind::Remainder { of, by } => Some(of_form(of)?.rem_euclid(*by)),
            _ => value(atom),
        }
    }
}
