//! Structures by value: a kernel writes out each scalar that it was given, in arguments of mixed sizes, and every word is
//! known beforehand.

use crate::{open, words};
use device::{Argument, CompileOptions, Device, DeviceError, KernelFile, LaunchRequest, LaunchShape};
use libtest_mimic::Failed;

/// Each scalar becomes one word of the output, in the order of the arguments; a 64-bit one becomes two, the lower first.
const TEXT: &str = "
struct Empty {};
struct Inner { char tag; double weight; short small[3]; };
struct Outer {
    int count;
    double scale;
    float3 axis;
    char letter;
    Inner inner[2];
    unsigned char bytes[5];
    const unsigned *data;
    bool on;
};
struct Base { unsigned short id; };
struct Derived : Base { long long wide; unsigned char last; };
struct __align__(16) Four { float x, y, z, w; };
__device__ void put(unsigned *out, int &at, unsigned v) { out[at++] = v; }
__device__ void put(unsigned *out, int &at, double v) {
    put(out, at, (unsigned)__double2loint(v));
    put(out, at, (unsigned)__double2hiint(v));
}
__global__ void k(unsigned *out, char first, Outer o, Empty none, short between, Derived d, Four f, bool flag, int2 pair) {
    int at = 0;
    put(out, at, (unsigned)(int)first);
    put(out, at, (unsigned)o.count);
    put(out, at, o.scale);
    put(out, at, __float_as_uint(o.axis.x));
    put(out, at, __float_as_uint(o.axis.y));
    put(out, at, __float_as_uint(o.axis.z));
    put(out, at, (unsigned)(int)o.letter);
    for (int i = 0; i < 2; i++) {
        put(out, at, (unsigned)(int)o.inner[i].tag);
        put(out, at, o.inner[i].weight);
        for (int j = 0; j < 3; j++) put(out, at, (unsigned)(int)o.inner[i].small[j]);
    }
    for (int j = 0; j < 5; j++) put(out, at, (unsigned)o.bytes[j]);
    put(out, at, o.data[1]);
    put(out, at, o.on ? 1u : 2u);
    put(out, at, (unsigned)(int)between);
    put(out, at, (unsigned)d.id);
    put(out, at, (unsigned)d.wide);
    put(out, at, (unsigned)(d.wide >> 32));
    put(out, at, (unsigned)d.last);
    put(out, at, __float_as_uint(f.x));
    put(out, at, __float_as_uint(f.w));
    put(out, at, flag ? 1u : 2u);
    put(out, at, (unsigned)pair.x);
    put(out, at, (unsigned)pair.y);
    put(out, at, (unsigned)(sizeof(Outer) + sizeof(none) + sizeof(Derived)));
}";

/// What `data` points to.
const DATA: [u32; 2] = [0x1111_2222, 0xdead_beef];

/// All arguments after the output, one for each scalar.
fn arguments(data: Argument) -> Vec<Argument> {
    let inner = |tag, weight, small: [i32; 3]| {
        [vec![Argument::I32(tag), Argument::F64(weight)], small.map(Argument::I32).to_vec()].concat()
    };
    [
        vec![Argument::I32(-7), Argument::I32(-30), Argument::F64(-0.1)],
        [1.5, -2.25, 3.125].map(Argument::F32).to_vec(),
        vec![Argument::I32(b'w'.into())],
        inner(-128, 1e300, [1, -2, 32767]),
        inner(127, -2.5e-300, [-32768, 4, -5]),
        [1, 2, 128, 254, 255].map(Argument::I32).to_vec(),
        vec![data, Argument::Bool(true), Argument::I32(-12345)],
        vec![Argument::I32(65535), Argument::I64(-0x0123_4567_89ab_cdef), Argument::I32(200)],
        [0.5, 1.0, 2.0, -4.0].map(Argument::F32).to_vec(),
        vec![Argument::Bool(false), Argument::I32(i32::MIN), Argument::I32(77)],
    ]
    .concat()
}

/// What the kernel writes for [`arguments`].
fn expected() -> Vec<u32> {
    let mut out = Vec::new();
    let pair = |bits: u64| [bits as u32, (bits >> 32) as u32];
    out.extend([-7i32 as u32, -30i32 as u32]);
    out.extend(pair((-0.1f64).to_bits()));
    out.extend([1.5f32, -2.25, 3.125].map(f32::to_bits));
    out.push(u32::from(b'w'));
    for (tag, weight, small) in [(-128i32, 1e300f64, [1, -2, 32767i32]), (127, -2.5e-300, [-32768, 4, -5])] {
        out.push(tag as u32);
        out.extend(pair(weight.to_bits()));
        out.extend(small.map(|s| s as u32));
    }
    out.extend([1, 2, 128, 254, 255, DATA[1], 1, -12345i32 as u32, 65535]);
    out.extend(pair(-0x0123_4567_89ab_cdef_i64 as u64));
    out.extend([200, 0.5f32.to_bits(), (-4.0f32).to_bits(), 2, i32::MIN as u32, 77]);
    // Outer: 4, 4 between, 8, 12, 1, 3 between, 2 x 24, 5, 3 between, 8, 1 and 7 to a multiple of 8; Derived: 2, 6, 8, 1, 7.
    out.push(104 + 1 + 24);
    out
}

fn run(device: &mut dyn Device, count: usize) -> Result<Vec<u32>, DeviceError> {
    let file = KernelFile { name: "structures.cu".into(), text: TEXT.to_owned() };
    let program = device.compile(&file, &CompileOptions::default())?;
    let (out, data) = (device.alloc(4 * count as u64)?, device.alloc(8)?);
    device.write(data, 0, &DATA.map(u32::to_le_bytes).concat())?;
    let all = [vec![Argument::Buffer(out)], arguments(Argument::Buffer(data))].concat();
    let shape = LaunchShape { grid: [1, 1, 1], block: [1, 1, 1], dynamic_shared: 0 };
    device.launch(&LaunchRequest::new(program.id, "k", shape, &all))?;
    let mut bytes = vec![0; 4 * count];
    device.read(out, 0, &mut bytes)?;
    device.free(out)?;
    device.free(data)?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect())
}

/// Every scalar arrives, on the device of that name.
pub(crate) fn arrive_on(name: &str) -> Result<(), Failed> {
    let expected = expected();
    let got = run(open(name)?.as_mut(), expected.len()).map_err(|e| format!("on `{name}`: {}", words(&e)))?;
    match (0..expected.len()).find(|i| got[*i] != expected[*i]) {
        None => Ok(()),
        Some(at) => {
            Err(format!("on `{name}`, word {at}: 0x{:08x}, not 0x{:08x}", got[at], expected[at]).into())
        }
    }
}
