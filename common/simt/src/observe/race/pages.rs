//! Tables of a value for each cell of the buffers, in pages that are made when first accessed.

/// Cells of a page.
const PAGE: usize = 1024;

/// A table.
pub(crate) struct Pages<T> {
    empty: T,
    /// By buffer, by page.
    pages: Vec<Vec<Option<Box<[T; PAGE]>>>>,
    /// Pages that there are.
    used: usize,
    /// Pages for later use, whatever they hold.
    free: Vec<Box<[T; PAGE]>>,
}

impl<T: Copy> Pages<T> {
    pub(crate) fn new(empty: T) -> Pages<T> {
        Pages { empty, pages: Vec::new(), used: 0, free: Vec::new() }
    }

    /// Pages that there are.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// Takes all pages out. The cells of those that are used again hold what they held.
    pub(crate) fn recycle(&mut self) {
        self.free.extend(self.pages.iter_mut().flatten().filter_map(Option::take));
        self.used = 0;
    }

    /// Empties all cells.
    pub(crate) fn clear(&mut self) {
        self.pages.iter_mut().flatten().flatten().for_each(|page| page.fill(self.empty));
        self.free.iter_mut().for_each(|page| page.fill(self.empty));
    }

    /// A cell of a buffer.
    #[inline(always)]
    pub(crate) fn at(&mut self, buffer: u32, cell: usize) -> &mut T {
        let (buffer, page) = (buffer as usize, cell / PAGE);
        if !matches!(self.pages.get(buffer).and_then(|pages| pages.get(page)), Some(Some(_))) {
            self.make(buffer, page);
        }
        match &mut self.pages[buffer][page] {
            Some(page) => &mut page[cell % PAGE],
            None => unreachable!("the page was made"),
        }
    }

    /// Neighbouring cells of a buffer, if they are of one page.
    #[inline(always)]
    pub(crate) fn row(&mut self, buffer: u32, first: usize, count: usize) -> Option<&mut [T]> {
        self.at(buffer, first);
        let page = self.pages[buffer as usize][first / PAGE].as_mut()?;
        page.get_mut(first % PAGE..first % PAGE + count)
    }

    #[cold]
    fn make(&mut self, buffer: usize, page: usize) {
        if self.pages.len() <= buffer {
            self.pages.resize_with(buffer + 1, Vec::new);
        }
        let pages = &mut self.pages[buffer];
        if pages.len() <= page {
            pages.resize_with(page + 1, || None);
        }
        let fresh = || match vec![self.empty; PAGE].into_boxed_slice().try_into() {
            Ok(page) => page,
            Err(_) => unreachable!("a page has {PAGE} cells"),
        };
        pages[page] = Some(self.free.pop().unwrap_or_else(fresh));
        self.used += 1;
    }
}
