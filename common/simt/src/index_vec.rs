//! Numbers that say what they number, and vectors that only take their own (compare rustc's `IndexVec`).

use std::fmt::{self, Debug};
use std::marker::PhantomData;
use std::ops;

/// A number of something in an [`IndexVec`] (0-based).
pub(crate) trait VecIndex: Copy + PartialEq {
    /// The number `index`, which fits.
    fn at(index: usize) -> Self;

    /// Its place in a slice.
    fn index(self) -> usize;
}

/// Numbers that the IR declares itself.
macro_rules! ir_indices {
    ($($name:ident)*) => {$(
        impl VecIndex for simt_ir::$name {
            #[inline(always)]
            fn at(index: usize) -> simt_ir::$name {
                simt_ir::$name(index as u32)
            }

            #[inline(always)]
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ir_indices! { Reg FunctionIndex }

/// Declares kinds of numbers. What is printed before the number tells them apart.
macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident($repr:ty) $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $name(pub(crate) $repr);

        impl $crate::index_vec::VecIndex for $name {
            #[inline(always)]
            fn at(index: usize) -> $name {
                $name(index as $repr)
            }

            #[inline(always)]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}
pub(crate) use indices;

/// A vector whose elements are numbered by `I`.
#[derive(Clone, PartialEq)]
pub(crate) struct IndexVec<I, T> {
    items: Vec<T>,
    numbers: PhantomData<I>,
}

impl<I: VecIndex, T> IndexVec<I, T> {
    pub(crate) fn new() -> IndexVec<I, T> {
        Vec::new().into()
    }

    /// So many times the same.
    pub(crate) fn filled(item: T, count: usize) -> IndexVec<I, T>
    where
        T: Clone,
    {
        vec![item; count].into()
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Adds an element, and gives its number.
    pub(crate) fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::at(self.items.len() - 1)
    }

    /// The number that the next element gets.
    pub(crate) fn next(&self) -> I {
        I::at(self.items.len())
    }

    /// All elements, in order.
    pub(crate) fn as_slice(&self) -> &[T] {
        &self.items
    }

    pub(crate) fn into_vec(self) -> Vec<T> {
        self.items
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// All numbers, in order.
    pub(crate) fn numbers(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::at)
    }

    /// All elements with their numbers, in order.
    pub(crate) fn enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(index, item)| (I::at(index), item))
    }
}

impl<I: VecIndex, T> ops::Index<I> for IndexVec<I, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, at: I) -> &T {
        &self.items[at.index()]
    }
}

impl<I: VecIndex, T> ops::IndexMut<I> for IndexVec<I, T> {
    #[inline(always)]
    fn index_mut(&mut self, at: I) -> &mut T {
        &mut self.items[at.index()]
    }
}

/// The elements from one number up to, without, another.
impl<I: VecIndex, T> ops::Index<ops::Range<I>> for IndexVec<I, T> {
    type Output = [T];

    #[inline(always)]
    fn index(&self, at: ops::Range<I>) -> &[T] {
        &self.items[at.start.index()..at.end.index()]
    }
}

impl<I: VecIndex, T> ops::IndexMut<ops::Range<I>> for IndexVec<I, T> {
    #[inline(always)]
    fn index_mut(&mut self, at: ops::Range<I>) -> &mut [T] {
        &mut self.items[at.start.index()..at.end.index()]
    }
}

impl<I, T> From<Vec<T>> for IndexVec<I, T> {
    fn from(items: Vec<T>) -> IndexVec<I, T> {
        IndexVec { items, numbers: PhantomData }
    }
}

impl<I, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<A: IntoIterator<Item = T>>(items: A) -> IndexVec<I, T> {
        IndexVec::from(Vec::from_iter(items))
    }
}

impl<I: VecIndex, T> Default for IndexVec<I, T> {
    fn default() -> IndexVec<I, T> {
        IndexVec::new()
    }
}

impl<I: VecIndex + Debug, T: Debug> Debug for IndexVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_map().entries(self.enumerated()).finish()
    }
}
