//! Changes of bytes.

use crate::Random;

/// What makes trouble: ends, controls, marks of direction and order, halves of characters, pieces of directives.
const PIECES: [&[u8]; 40] = [
    b"\0",
    b"\r",
    b"\r\n",
    b"\n",
    b"\t",
    b"\x0b",
    b"\x0c",
    b"\x7f",
    b"\x1b[31m",
    b"\x1b]0;title\x07",
    b"\x9b",
    b"\xff",
    b"\xc0\x80",
    b"\xe2\x80",
    b"\xed\xa0\x80",
    "\u{85}".as_bytes(),
    "\u{ad}".as_bytes(),
    "\u{200b}".as_bytes(),
    "\u{200f}".as_bytes(),
    "\u{202e}".as_bytes(),
    "\u{2066}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{feff}".as_bytes(),
    "\u{fffd}".as_bytes(),
    "\u{10ffff}".as_bytes(),
    "e\u{301}\u{301}\u{301}".as_bytes(),
    "宽".as_bytes(),
    b"\\\n",
    b"\\",
    b"\"",
    b"'",
    b"/*",
    b"*/",
    b"//",
    b"R\"x(",
    b"#",
    b"##",
    b"#define A A A\n",
    b"#include \"a.cu\"\n",
    b"#line 4294967295 \"\x1b\"\n",
];

/// Changes some bytes, or puts some of the donor's in.
pub fn change(input: &[u8], donor: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = input.to_vec();
    if out.is_empty() {
        out.extend_from_slice(random.pick::<&[u8]>(&PIECES));
        return out;
    }
    let at = random.below(out.len());
    match random.below(9) {
        0 => out[at] ^= 1 << random.below(8),
        1 => out[at] = random.number() as u8,
        2 => drop(out.drain(random.range(input.len()))),
        3 => {
            let piece = &input[random.range(input.len())];
            let times = if random.one_in(8) { 1 + random.below(400) } else { 1 };
            out.splice(at..at, piece.repeat(times));
        }
        4 if !donor.is_empty() => drop(out.splice(at..at, donor[random.range(donor.len())].iter().copied())),
        5 if !donor.is_empty() => {
            out.truncate(at);
            out.extend_from_slice(&donor[random.below(donor.len())..]);
        }
        6 => out.truncate(at),
        7 => {
            let range = random.range(input.len());
            out.splice(range, random.pick::<&[u8]>(&PIECES).iter().copied());
        }
        _ => drop(out.splice(at..at, random.pick::<&[u8]>(&PIECES).iter().copied())),
    }
    out
}
