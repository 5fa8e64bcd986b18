//! Textures of every kind on the simulated device, against values computed here.

use device::{
    AddressMode, Argument, CompileOptions, Device, DeviceError, Element, FilterMode, KernelFile,
    LaunchRequest, LaunchShape, TextureDescription, TextureLayers,
};
use device_sim::{DeviceModel, SimDevice};

/// A `float` texture of an array, read between elements as they are.
fn plain(extent: [u32; 3]) -> TextureDescription {
    TextureDescription {
        element: Element::F32,
        channels: 1,
        extent,
        linear: false,
        layers: TextureLayers::None,
        normalized_read: false,
        address: AddressMode::Clamp,
        filter: FilterMode::Point,
        normalized: false,
    }
}

/// Runs `k(float *out, cudaTextureObject_t t)`, whose body is given, in one thread over a texture of `bytes`; `Err` is the
/// message of the launch.
fn read(body: &str, what: &TextureDescription, bytes: &[u8], words: usize) -> Result<Vec<f32>, String> {
    let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
    device.options_mut().every_mode = true;
    let text = format!("__global__ void k(float *out, cudaTextureObject_t t) {{\n    {body}\n}}\n");
    let file = KernelFile { name: "k.cu".into(), text };
    let program = match device.compile(&file, &CompileOptions::default()) {
        Ok(program) => program,
        Err(DeviceError::Compile(m)) => {
            panic!("{body}\n{:?}", m.diagnostics.iter().map(|d| &d.title).collect::<Vec<_>>())
        }
        Err(error) => panic!("{error}"),
    };
    let source = device.alloc(bytes.len() as u64).unwrap();
    device.write(source, 0, bytes).unwrap();
    let texture = device.create_texture(source, what).map_err(|e| e.to_string())?;
    let out = device.alloc(words as u64 * 4).unwrap();
    let shape = LaunchShape { grid: [1; 3], block: [1; 3], dynamic_shared: 0 };
    match device.launch(&LaunchRequest::new(
        program.id,
        "k",
        shape,
        &[Argument::Buffer(out), Argument::Texture(texture)],
    )) {
        Ok(_) => {}
        Err(DeviceError::Launch { messages: m, .. }) => return Err(m.diagnostics[0].title.clone()),
        Err(error) => return Err(error.to_string()),
    }
    let mut bytes = vec![0; words * 4];
    device.read(out, 0, &mut bytes).unwrap();
    Ok(bytes.chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect())
}

fn floats(n: u32) -> Vec<u8> {
    (0..n).flat_map(|i| (i as f32).to_le_bytes()).collect()
}

#[test]
fn layers_are_read_alone_and_clamped() {
    let what = TextureDescription { layers: TextureLayers::Layered, ..plain([4, 2, 3]) };
    let body = "out[0] = tex2DLayered<float>(t, 1.5f, 1.5f, 2);\n    tex2DLayered(&out[1], t, 9.0f, -1.0f, 1);\n    \
        out[2] = tex2DLayered<float>(t, 0.0f, 0.0f, 7);\n    out[3] = tex2DLayeredLod<float>(t, 0.0f, 0.0f, -4, 0.0f);";
    assert_eq!(read(body, &what, &floats(24), 4).unwrap(), [21.0, 11.0, 16.0, 0.0]);
    let what =
        TextureDescription { layers: TextureLayers::Layered, filter: FilterMode::Linear, ..plain([4, 3, 0]) };
    // Halfway between two elements of a row, and never between rows.
    let body = "out[0] = tex1DLayered<float>(t, 2.0f, 1);\n    out[1] = tex1DLayered<float>(t, 4.0f, 2);";
    assert_eq!(read(body, &what, &floats(12), 2).unwrap(), [5.5, 11.0]);
}

#[test]
fn faces_of_a_cube_are_met_by_directions() {
    let what = TextureDescription { layers: TextureLayers::Cube, ..plain([2, 2, 6]) };
    let body = "out[0] = texCubemap<float>(t, 1.0f, 0.5f, -0.5f);\n    out[1] = texCubemap<float>(t, -2.0f, 1.0f, 1.0f);\n    \
        out[2] = texCubemap<float>(t, 0.1f, 3.0f, 0.1f);\n    out[3] = texCubemap<float>(t, -0.1f, -3.0f, 0.1f);\n    \
        out[4] = texCubemap<float>(t, 0.2f, 0.2f, 1.0f);\n    texCubemap(out + 5, t, 0.2f, -0.2f, -1.0f);";
    // Face f begins at 4f; s to the right, t downwards.
    let want = [0.0 + 1.0, 4.0 + 1.0, 8.0 + 3.0, 12.0, 16.0 + 1.0, 20.0 + 2.0];
    assert_eq!(read(body, &what, &floats(24), 6).unwrap(), want);
    let what = TextureDescription { layers: TextureLayers::CubeLayered, ..plain([2, 2, 12]) };
    let body = "out[0] = texCubemapLayered<float>(t, 1.0f, 0.5f, -0.5f, 1);\n    \
        out[1] = texCubemapLayered<float>(t, 1.0f, 0.5f, -0.5f, 0);";
    assert_eq!(read(body, &what, &floats(48), 2).unwrap(), [25.0, 1.0]);
    let wrong = TextureDescription { layers: TextureLayers::Cube, ..plain([2, 3, 6]) };
    assert!(read("out[0] = 0.0f;", &wrong, &floats(36), 1).unwrap_err().contains("six square faces"));
}

#[test]
fn bytes_are_read_as_floats_with_four_channels() {
    let bytes: Vec<u8> = (0..32).map(|i| (i * 37 + 5) as u8).collect();
    let what = TextureDescription {
        element: Element::U8,
        channels: 4,
        normalized_read: true,
        filter: FilterMode::Linear,
        normalized: true,
        ..plain([4, 2, 0])
    };
    let body = "float4 v = tex2D<float4>(t, 0.375f, 0.25f), w;\n    tex2D(&w, t, 0.25f, 0.5f);\n    \
        out[0] = v.x; out[1] = v.y; out[2] = v.z; out[3] = v.w; out[4] = w.x; out[5] = w.w;";
    let got = read(body, &what, &bytes, 6).unwrap();
    let unit = |i: usize| f32::from(bytes[i]) / 255.0;
    for (i, channel) in got[..4].iter().enumerate() {
        assert_eq!(*channel, unit(4 + i), "channel {i} of the second element");
    }
    // The mean of the four elements around the corner.
    for (got, c) in [(got[4], 0), (got[5], 3)] {
        let mean = (unit(c) + unit(4 + c) + unit(16 + c) + unit(20 + c)) / 4.0;
        assert!((got - mean).abs() < 1e-6, "{got} {mean}");
    }
    let signed = TextureDescription { element: Element::I8, normalized_read: true, ..plain([3, 0, 0]) };
    let body = "for (int i = 0; i < 3; ++i) out[i] = tex1D<float>(t, i + 0.5f);";
    assert_eq!(read(body, &signed, &[0x80, 0x7f, 0x81], 3).unwrap(), [-1.0, 1.0, -1.0]);
    let uchar4 = TextureDescription { element: Element::U8, channels: 4, ..plain([4, 2, 0]) };
    let body = "uchar4 v = tex2D<uchar4>(t, 1.0f, 1.0f);\n    out[0] = v.x * 65536.0f + v.y * 256.0f + v.w;";
    let want = f32::from(bytes[20]) * 65536.0 + f32::from(bytes[21]) * 256.0 + f32::from(bytes[23]);
    assert_eq!(read(body, &uchar4, &bytes, 1).unwrap(), [want]);
}

#[test]
fn rows_of_memory_are_a_texture_and_gather_takes_four() {
    let pitch = TextureDescription { linear: true, filter: FilterMode::Linear, ..plain([4, 3, 0]) };
    let body = "out[0] = tex2D<float>(t, 2.0f, 1.5f);\n    out[1] = tex2DLod<float>(t, 1.0f, 1.0f, 3.0f);\n    \
        float4 g = tex2Dgather<float4>(t, 2.0f, 2.0f, 0);\n    out[2] = g.x; out[3] = g.y; out[4] = g.z; out[5] = g.w;\n    \
        out[6] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(1, 0), make_float2(0, 1));\n    \
        out[7] = tex2Dgather<float4>(t, 0.0f, 0.0f).x;";
    let want = [5.5, 2.5, 9.0, 10.0, 6.0, 5.0, 0.0, 0.0];
    assert_eq!(read(body, &pitch, &floats(12), 8).unwrap(), want);
    let volume = TextureDescription { filter: FilterMode::Linear, ..plain([2, 2, 2]) };
    let body = "out[0] = tex3D<float>(t, 1.0f, 1.0f, 1.0f);\n    tex3D(out + 1, t, 0.5f, 0.5f, 1.25f);\n    \
        out[2] = tex3DLod<float>(t, 1.5f, 1.5f, 1.5f, 0.0f);";
    assert_eq!(read(body, &volume, &floats(8), 3).unwrap(), [3.5, 3.0, 7.0]);
}

#[test]
fn weights_have_eight_bits_of_fraction() {
    let what = TextureDescription { filter: FilterMode::Linear, ..plain([2, 0, 0]) };
    let bytes: Vec<u8> = [0f32, 1024.0].into_iter().flat_map(f32::to_le_bytes).collect();
    let body = "for (int i = 0; i < 64; ++i) out[i] = tex1D<float>(t, 0.5f + i / 1024.0f);";
    let got = read(body, &what, &bytes, 64).unwrap();
    for (i, v) in got.iter().enumerate() {
        assert_eq!(v % 4.0, 0.0, "{i}: {v} is no whole number of 1/256");
        assert!((v - i as f32).abs() <= 2.0, "{i}: {v}");
    }
}

#[test]
fn every_addressing_mode_outside() {
    for (address, want) in [
        (AddressMode::Clamp, [3.0, 0.0]),
        (AddressMode::Border, [0.0, 0.0]),
        (AddressMode::Wrap, [1.0, 3.0]),
        (AddressMode::Mirror, [2.0, 0.0]),
    ] {
        let what = TextureDescription { address, normalized: true, ..plain([4, 0, 0]) };
        let body = "out[0] = tex1D<float>(t, 1.375f);\n    out[1] = tex1D<float>(t, -0.125f);";
        assert_eq!(read(body, &what, &floats(4), 2).unwrap(), want, "{address:?}");
    }
}

#[test]
fn a_read_of_another_kind_is_diagnosed() {
    let what = TextureDescription { layers: TextureLayers::Layered, ..plain([4, 2, 3]) };
    let error = read("out[0] = tex3D<float>(t, 0, 0, 0);", &what, &floats(24), 1).unwrap_err();
    assert!(error.contains("tex2DLayered"), "{error}");
    let error = read("out[0] = tex1Dfetch<float>(t, 0);", &plain([4, 0, 0]), &floats(4), 1).unwrap_err();
    assert!(error.contains("tex1Dfetch can only read linear textures"), "{error}");
}

#[test]
fn an_unsigned_long_long_takes_a_texture() {
    let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
    device.options_mut().every_mode = true;
    let text = "__global__ void k(float *out, unsigned long long t) { *out = tex1Dfetch<float>(t, 2); }";
    let file = KernelFile { name: "k.cu".into(), text: text.into() };
    let program = device.compile(&file, &CompileOptions::default()).unwrap();
    let source = device.alloc(16).unwrap();
    device.write(source, 0, &floats(4)).unwrap();
    let what = TextureDescription { linear: true, ..plain([4, 0, 0]) };
    let texture = device.create_texture(source, &what).unwrap();
    let out = device.alloc(4).unwrap();
    let shape = LaunchShape { grid: [1; 3], block: [1; 3], dynamic_shared: 0 };
    device
        .launch(&LaunchRequest::new(
            program.id,
            "k",
            shape,
            &[Argument::Buffer(out), Argument::Texture(texture)],
        ))
        .unwrap();
    let mut bytes = [0; 4];
    device.read(out, 0, &mut bytes).unwrap();
    assert_eq!(f32::from_le_bytes(bytes), 2.0);
}
