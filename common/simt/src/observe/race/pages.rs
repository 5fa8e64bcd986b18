//! Tables of a value for each cell of the buffers, in pages that are made when first accessed.

/// Cells of a page.
const PAGE: usize = 256;

/// A table.
pub(crate) struct Pages<T> {
    empty: T,
    /// By buffer, by page.
    pages: Vec<Vec<Option<Box<[T; PAGE]>>>>,
    /// The pages that there are, by buffer and index.
    used: Vec<(usize, usize)>,
    /// Pages for later use, whatever they hold.
    free: Vec<Box<[T; PAGE]>>,
}

impl<T: Copy> Pages<T> {
    pub(crate) fn new(empty: T) -> Pages<T> {
        Pages { empty, pages: Vec::new(), used: Vec::new(), free: Vec::new() }
    }

    /// Pages that there are.
    pub(crate) fn used(&self) -> usize {
        self.used.len()
    }

    /// Takes all pages out. The cells of those that are used again hold what they held.
    pub(crate) fn recycle(&mut self) {
        for (buffer, page) in self.used.drain(..) {
            self.free.extend(self.pages[buffer][page].take());
        }
    }

    /// Empties all cells.
    pub(crate) fn clear(&mut self) {
        for (buffer, page) in &self.used {
            if let Some(page) = &mut self.pages[*buffer][*page] {
                page.fill(self.empty);
            }
        }
        self.free.iter_mut().for_each(|page| page.fill(self.empty));
    }

    /// A cell of a buffer, if its page was made.
    #[inline(always)]
    pub(crate) fn get(&self, buffer: u32, cell: usize) -> Option<&T> {
        let page = self.pages.get(buffer as usize)?.get(cell / PAGE)?.as_ref()?;
        Some(&page[cell % PAGE])
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
        self.used.push((buffer, page));
    }
}
