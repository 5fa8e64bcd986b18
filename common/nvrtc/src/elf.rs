//! What a cubin says of its symbols and of its kernels' parameters. A cubin is an ELF file of 64 bits, little-endian.

/// Names of all symbols of a cubin; none of a file that is no such ELF file.
pub fn symbols(cubin: &[u8]) -> Vec<String> {
    let all = Elf::of(cubin).and_then(|elf| elf.symbols()).unwrap_or_default();
    all.into_iter().map(|symbol| symbol.name).collect()
}

/// Names of the variables in device memory: what kernels may change from one launch to the next.
pub fn variables(cubin: &[u8]) -> Vec<String> {
    let Some(elf) = Elf::of(cubin) else { return Vec::new() };
    let is_variable = |symbol: &Symbol| {
        let section = elf.section(symbol.section).and_then(|s| elf.name(&s));
        symbol.kind == OBJECT && section.is_some_and(|name| name.starts_with(b".nv.global"))
    };
    // Names with `$` are of the compiler's own, such as those of string literals.
    let of_program = |symbol: &Symbol| is_variable(symbol) && !symbol.name.starts_with('$');
    elf.symbols().unwrap_or_default().into_iter().filter(of_program).map(|s| s.name).collect()
}

/// Bytes of each parameter of a kernel, in order, by its name in the cubin; `None` if the cubin has no such kernel, or
/// describes parameters in a way unknown here.
pub fn parameter_sizes(cubin: &[u8], kernel: &str) -> Option<Vec<u64>> {
    let elf = Elf::of(cubin)?;
    let name = format!(".nv.info.{kernel}");
    let about =
        (0..elf.count).filter_map(|i| elf.section(i)).find(|s| elf.name(s) == Some(name.as_bytes()))?;
    let mut sizes = parameters(elf.content(&about)?)?;
    sizes.sort_unstable();
    let in_order = sizes.iter().enumerate().all(|(i, (ordinal, _))| i as u64 == *ordinal);
    in_order.then(|| sizes.into_iter().map(|(_, bytes)| bytes).collect())
}

const SYMBOL_TABLE: u32 = 2;
/// The kind of a symbol that is a variable.
const OBJECT: u8 = 1;

/// The attribute of a kernel that describes one parameter (`EIATTR_KPARAM_INFO`, as `cuobjdump -elf` prints it).
const PARAMETER: u64 = 0x17;
/// The form of an attribute that is followed by as many bytes as its value says (`EIFMT_SVAL`).
const WITH_BYTES: u64 = 4;

/// Ordinal and bytes of each parameter, in any order. An attribute is its form, its number and 16 bits of value.
fn parameters(attributes: &[u8]) -> Option<Vec<(u64, u64)>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < attributes.len() as u64 {
        let (form, attribute, value) =
            (number(attributes, at, 1)?, number(attributes, at + 1, 1)?, number(attributes, at + 2, 2)?);
        at += 4;
        if (form, attribute) == (WITH_BYTES, PARAMETER) {
            // An index, 16 bits of ordinal, 16 of offset, and a word whose upper 14 bits are the size.
            found.push((number(attributes, at + 4, 2)?, number(attributes, at + 8, 4)? >> 18));
        }
        if form == WITH_BYTES {
            at += value;
        }
    }
    Some(found)
}

struct Elf<'b> {
    bytes: &'b [u8],
    /// Where the headers of sections are, the size of each, and how many.
    headers: u64,
    header_size: u64,
    count: u64,
    /// The section with the sections' names.
    names: u64,
}

struct Symbol {
    name: String,
    kind: u8,
    /// The number of the section that it lies in.
    section: u64,
}

struct Section {
    name: u64,
    kind: u32,
    offset: u64,
    length: u64,
    link: u64,
}

impl<'b> Elf<'b> {
    fn of(bytes: &'b [u8]) -> Option<Elf<'b>> {
        if bytes.get(..5)? != b"\x7fELF\x02" {
            return None;
        }
        Some(Elf {
            bytes,
            headers: number(bytes, 0x28, 8)?,
            header_size: number(bytes, 0x3a, 2)?,
            count: number(bytes, 0x3c, 2)?,
            names: number(bytes, 0x3e, 2)?,
        })
    }

    fn section(&self, index: u64) -> Option<Section> {
        let at = self.headers.checked_add(index.checked_mul(self.header_size)?)?;
        let field = |offset: u64, size| number(self.bytes, at.checked_add(offset)?, size);
        Some(Section {
            name: field(0, 4)?,
            kind: field(4, 4)? as u32,
            offset: field(0x18, 8)?,
            length: field(0x20, 8)?,
            link: field(0x28, 4)?,
        })
    }

    fn content(&self, section: &Section) -> Option<&'b [u8]> {
        let start = usize::try_from(section.offset).ok()?;
        self.bytes.get(start..start.checked_add(usize::try_from(section.length).ok()?)?)
    }

    /// The text at an offset of a section of texts.
    fn text(&self, section: u64, offset: u64) -> Option<&'b [u8]> {
        let start = self.section(section)?.offset.checked_add(offset)?;
        self.bytes.get(usize::try_from(start).ok()?..)?.split(|b| *b == 0).next()
    }

    fn name(&self, section: &Section) -> Option<&'b [u8]> {
        self.text(self.names, section.name)
    }

    /// Those with a name.
    fn symbols(&self) -> Option<Vec<Symbol>> {
        let mut symbols = Vec::new();
        let tables = (0..self.count).filter_map(|i| self.section(i)).filter(|s| s.kind == SYMBOL_TABLE);
        for table in tables {
            for at in (0..table.length / 24).filter_map(|i| table.offset.checked_add(24 * i)) {
                let name = self.text(table.link, number(self.bytes, at, 4)?)?;
                let field = |offset: u64, size| number(self.bytes, at.checked_add(offset)?, size);
                let (kind, section) = ((field(4, 1)? & 0xf) as u8, field(6, 2)?);
                symbols.push(Symbol { name: String::from_utf8_lossy(name).into_owned(), kind, section });
            }
        }
        symbols.retain(|symbol| !symbol.name.is_empty());
        Some(symbols)
    }
}

/// A number of so many bytes.
fn number(bytes: &[u8], at: u64, size: usize) -> Option<u64> {
    let at = usize::try_from(at).ok()?;
    let part = bytes.get(at..at.checked_add(size)?)?;
    Some(part.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_object_has_no_symbols() {
        let mut far = b"\x7fELF\x02".to_vec();
        far.resize(64, 0xff);
        for bytes in [b"".as_slice(), b"\x7fELF\x02 and then nothing of use", &far] {
            assert!(symbols(bytes).is_empty() && variables(bytes).is_empty());
            assert_eq!(parameter_sizes(bytes, "k"), None);
        }
    }

    #[test]
    fn parameters_are_found_among_other_attributes() {
        let mut attributes = vec![4, 0x37, 4, 0, 0x81, 0, 0, 0];
        attributes.extend([4, PARAMETER as u8, 12, 0, 0, 0, 0, 0, 1, 0, 8, 0, 0x00, 0xf0, 0x21, 0x00]);
        attributes.extend([3, 0x1b, 0xff, 0]);
        attributes.extend([4, PARAMETER as u8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x00, 0xf0, 0x61, 0x00]);
        assert_eq!(parameters(&attributes), Some(vec![(1, 8), (0, 24)]));
        assert_eq!(parameters(&attributes[..30]), None, "cut off");
    }
}
