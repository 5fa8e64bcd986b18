//! Textures and surfaces: one kernel each, whose results must be the same bits on both devices.

use crate::{open, simulator, words};
use device::{
    AddressMode, Argument, CompileOptions, Device, DeviceError, Element, FilterMode, KernelFile,
    LaunchRequest, LaunchShape, SurfaceDescription, TextureDescription, TextureLayers,
};
use libtest_mimic::Failed;

/// Threads of the launch, and words of the output.
const THREADS: u32 = 256;
/// Bytes of the memory under the object.
const BYTES: u64 = 4096;

/// What the kernel's second parameter is.
#[derive(Clone, Copy, Debug)]
enum Object {
    Texture(TextureDescription),
    Surface(SurfaceDescription),
}

/// A kernel `k(unsigned *out, object)`.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The kernel's body; `i` is the thread, `t` the object, and `out[i]` what it writes.
    body: &'static str,
    object: Object,
}

const TEXELS: TextureDescription = TextureDescription {
    element: Element::F32,
    channels: 1,
    extent: [16, 8, 0],
    linear: false,
    layers: TextureLayers::None,
    normalized_read: false,
    address: AddressMode::Clamp,
    filter: FilterMode::Point,
    normalized: false,
};

const fn texture(name: &'static str, body: &'static str, what: TextureDescription) -> Case {
    Case { name, body, object: Object::Texture(what) }
}

const fn surface(
    name: &'static str,
    body: &'static str,
    element_bytes: u32,
    extent: [u32; 3],
    layers: TextureLayers,
) -> Case {
    Case { name, body, object: Object::Surface(SurfaceDescription { element_bytes, extent, layers }) }
}

pub(crate) const ALL: &[Case] = &[
    texture(
        "texture_1d_layered",
        "out[i] = __float_as_uint(tex1DLayered<float>(t, (float)(i % 20) - 1.5f, i / 20 % 8));",
        TextureDescription { layers: TextureLayers::Layered, ..TEXELS },
    ),
    texture(
        "texture_2d_layered",
        "out[i] = __float_as_uint(tex2DLayered<float>(t, (float)(i % 9) - 0.5f, (float)(i / 9 % 6) - 0.5f, i / 54));",
        TextureDescription { extent: [8, 4, 5], layers: TextureLayers::Layered, ..TEXELS },
    ),
    texture(
        "texture_cube",
        "float a = (float)(i % 16) / 8.0f - 0.96f, b = (float)(i / 16) / 8.0f - 0.96f;
        float x = i % 3 == 0 ? 1.0f : a, y = i % 3 == 1 ? -1.0f : b, z = i % 3 == 2 ? 1.0f : a * b;
        out[i] = __float_as_uint(texCubemap<float>(t, x, y, z));",
        TextureDescription { extent: [8, 8, 6], layers: TextureLayers::Cube, normalized: true, ..TEXELS },
    ),
    texture(
        "texture_cube_layered",
        "float a = (float)(i % 16) / 8.0f - 0.96f;
        out[i] = __float_as_uint(texCubemapLayered<float>(t, i % 2 ? 1.0f : a, a, i % 2 ? a : -1.0f, i % 3));",
        TextureDescription { extent: [4, 4, 18], layers: TextureLayers::CubeLayered, normalized: true, ..TEXELS },
    ),
    texture(
        "texture_3d_border",
        "out[i] = __float_as_uint(tex3D<float>(t, (float)(i % 6) - 0.5f, (float)(i / 6 % 6) - 0.5f, (float)(i / 36) - 0.5f));",
        TextureDescription { extent: [4, 4, 4], address: AddressMode::Border, ..TEXELS },
    ),
    texture(
        "texture_2d_pitched",
        "out[i] = __float_as_uint(tex2D<float>(t, (float)(i % 20) - 1.5f, (float)(i / 20) - 1.5f));",
        TextureDescription { linear: true, ..TEXELS },
    ),
    texture(
        "texture_2d_wrapped",
        "out[i] = __float_as_uint(tex2D<float>(t, (float)(i % 48) / 16.0f - 0.97f, (float)(i / 48) / 2.0f - 0.97f));",
        TextureDescription { address: AddressMode::Wrap, normalized: true, ..TEXELS },
    ),
    texture(
        "texture_2d_mirrored",
        "out[i] = __float_as_uint(tex2D<float>(t, (float)(i % 48) / 16.0f - 0.97f, (float)(i / 48) / 2.0f - 0.97f));",
        TextureDescription { address: AddressMode::Mirror, normalized: true, ..TEXELS },
    ),
    texture(
        "texture_of_bytes_as_floats",
        "float4 v = tex2D<float4>(t, (float)(i % 16) + 0.5f, (float)(i / 16 % 8) + 0.5f);
        out[i] = __float_as_uint(v.x) ^ __float_as_uint(v.y) * 3 ^ __float_as_uint(v.z) * 5 ^ __float_as_uint(v.w) * 7;",
        TextureDescription { element: Element::U8, channels: 4, normalized_read: true, ..TEXELS },
    ),
    texture(
        "texture_of_shorts",
        "short2 v = tex1D<short2>(t, (float)(i % 40) - 3.5f); out[i] = (unsigned short)v.x + 65536u * (unsigned short)v.y;",
        TextureDescription { element: Element::I16, channels: 2, extent: [32, 0, 0], ..TEXELS },
    ),
    texture(
        "texture_1d_between_texels",
        "out[i] = __float_as_uint(tex1D<float>(t, (float)i / 16.0f));",
        TextureDescription { extent: [16, 0, 0], filter: FilterMode::Linear, ..TEXELS },
    ),
    surface(
        "surface_1d",
        "unsigned v; surf1Dread(&v, t, i * 4); surf1Dwrite(v * 3 + i, t, i * 4); out[i] = v;",
        4,
        [256, 0, 0],
        TextureLayers::None,
    ),
    surface(
        "surface_2d",
        "float2 v = surf2Dread<float2>(t, (i % 16) * 8, i / 16); float2 w = make_float2(v.y, v.x + 1.0f);
        surf2Dwrite(w, t, (i % 16) * 8, i / 16); out[i] = __float_as_uint(v.x);",
        8,
        [16, 16, 0],
        TextureLayers::None,
    ),
    surface(
        "surface_2d_of_bytes",
        "unsigned char v; surf2Dread(&v, t, i % 32, i / 32); surf2Dwrite((unsigned char)(v + 77), t, i % 32, i / 32); out[i] = v;",
        1,
        [32, 8, 0],
        TextureLayers::None,
    ),
    surface(
        "surface_2d_outside",
        "unsigned v; surf2Dread(&v, t, (i % 18 - 1) * 4, i / 18 - 1, cudaBoundaryModeZero); out[i] = v;
        surf2Dwrite(v + 1, t, (i % 18 - 1) * 4, i / 18 - 1, cudaBoundaryModeZero);",
        4,
        [16, 12, 0],
        TextureLayers::None,
    ),
    surface(
        "surface_3d",
        "uint4 v; surf3Dread(&v, t, (i % 4) * 16, i / 4 % 8, i / 32); v.x += i; v.w ^= v.x;
        surf3Dwrite(v, t, (i % 4) * 16, i / 4 % 8, i / 32); out[i] = v.y;",
        16,
        [4, 8, 8],
        TextureLayers::None,
    ),
    surface(
        "surface_1d_layered",
        "unsigned short v; surf1DLayeredread(&v, t, (i % 32) * 2, i / 32); out[i] = v;
        surf1DLayeredwrite((unsigned short)(v + i), t, (i % 32) * 2, i / 32);",
        2,
        [32, 8, 0],
        TextureLayers::Layered,
    ),
    surface(
        "surface_2d_layered",
        "unsigned v; surf2DLayeredread(&v, t, (i % 8) * 4, i / 8 % 8, i / 64); out[i] = v;
        surf2DLayeredwrite(v * 5 + i, t, (i % 8) * 4, i / 8 % 8, i / 64);",
        4,
        [8, 8, 4],
        TextureLayers::Layered,
    ),
    surface(
        "surface_cube",
        "unsigned v = 0; if (i < 216) { surfCubemapread(&v, t, (i % 6) * 4, i / 6 % 6, i / 36);
        surfCubemapwrite(v + i + 1, t, (i % 6) * 4, i / 6 % 6, i / 36); } out[i] = v;",
        4,
        [6, 6, 6],
        TextureLayers::Cube,
    ),
];

/// Floats that differ, some negative: 0.5, -1.5, 2.5 and so on.
fn content() -> Vec<u8> {
    let value = |i: u64| (i as f32 + 0.5) * if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    (0..BYTES / 4).flat_map(|i| value(i).to_le_bytes()).collect()
}

/// The output, and what is then under the object, after two launches.
fn run(device: &mut dyn Device, case: &Case) -> Result<[Vec<u8>; 2], DeviceError> {
    let kind =
        if matches!(case.object, Object::Texture(_)) { "cudaTextureObject_t" } else { "cudaSurfaceObject_t" };
    let text = format!(
        "__global__ void k(unsigned *out, {kind} t) {{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    {}\n}}\n",
        case.body
    );
    let program = device.compile(&KernelFile { name: "k.cu".into(), text }, &CompileOptions::default())?;
    let (out, memory) = (device.alloc(4 * u64::from(THREADS))?, device.alloc(BYTES)?);
    device.write(memory, 0, &content())?;
    let object = match &case.object {
        Object::Texture(what) => Argument::Texture(device.create_texture(memory, what)?),
        Object::Surface(what) => Argument::Surface(device.create_surface(memory, what)?),
    };
    let shape = LaunchShape { grid: [8, 1, 1], block: [THREADS / 8, 1, 1], dynamic_shared: 0 };
    let mut results = [vec![0; 4 * THREADS as usize], vec![0; BYTES as usize]];
    for _ in 0..2 {
        device.launch(&LaunchRequest::new(program.id, "k", shape, &[Argument::Buffer(out), object]))?;
    }
    device.read(out, 0, &mut results[0])?;
    device.read(memory, 0, &mut results[1])?;
    device.free(out)?;
    device.free(memory)?;
    Ok(results)
}

pub(crate) fn agrees(case: &Case) -> Result<(), Failed> {
    let mut results = Vec::new();
    for name in ["sim", "gpu"] {
        let result = run(open(name)?.as_mut(), case);
        results.push(result.map_err(|e| Failed::from(format!("on `{name}`: {}", words(&e))))?);
    }
    let [sim, gpu] = &results[..] else { return Err("two devices".into()) };
    for (what, sim, gpu) in [("output", &sim[0], &gpu[0]), ("memory under the object", &sim[1], &gpu[1])] {
        if let Some(at) = (0..sim.len()).find(|i| sim[*i] != gpu[*i]) {
            let word = |bytes: &[u8]| u32::from_le_bytes(std::array::from_fn(|b| bytes[at / 4 * 4 + b]));
            let (sim, gpu) = (word(sim), word(gpu));
            return Err(format!(
                "{what}, word {}: 0x{sim:08x} on the simulator, 0x{gpu:08x} on the GPU",
                at / 4
            )
            .into());
        }
    }
    let words = sim[0].as_chunks::<4>().0;
    match words.iter().all(|w| *w == words[0]) {
        true => Err("all of the output is the same: it tests nothing".into()),
        false => Ok(()),
    }
}

/// What the cases test on the simulator alone, where there is no GPU: that each is taken, does something, and the same in
/// every mode.
pub(crate) fn runs_on_the_simulator() -> Result<(), Failed> {
    for case in ALL {
        let results = run(&mut simulator(), case);
        let [output, memory] = results.map_err(|e| format!("{}: {}", case.name, words(&e)))?;
        let changed = memory != content();
        if changed != matches!(case.object, Object::Surface(_)) {
            return Err(format!("{}: memory changed: {changed}", case.name).into());
        }
        if output.iter().all(|b| *b == 0) {
            return Err(format!("{}: nothing but zeros were read", case.name).into());
        }
    }
    Ok(())
}
