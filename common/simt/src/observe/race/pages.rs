//! Tables of a value for each cell of the buffers, in pages that are made when first accessed.

/// Cells of a page.
const PAGE: usize = 256;

/// A table.
#[derive(Default)]
pub(crate) struct Pages<T> {
    /// By buffer, by page.
    pages: Vec<Vec<Option<Box<[T]>>>>,
}

impl<T: Default> Pages<T> {
    /// Removes all pages.
    pub(crate) fn clear(&mut self) {
        *self = Pages::default();
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
        pages[page] = Some((0..PAGE).map(|_| T::default()).collect());
    }
}
