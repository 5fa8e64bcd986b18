//! Surfaces on the simulated device: what is read and written where, and what is diagnosed.

use device::{
    Argument, CompileOptions, Device, DeviceError, KernelFile, LaunchRequest, LaunchShape,
    SurfaceDescription, TextureLayers,
};
use device_sim::{DeviceModel, SimDevice};

/// Runs `k(float *out, cudaSurfaceObject_t s)` over a surface of `float`s 0, 1, 2 …; gives `out` and the surface, or the
/// code and title of the message.
fn run(
    body: &str,
    extent: [u32; 3],
    layers: TextureLayers,
    blocks: u32,
) -> Result<(Vec<f32>, Vec<f32>), (String, String)> {
    let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
    device.options_mut().every_mode = true;
    let text = format!(
        "__global__ void k(float *out, cudaSurfaceObject_t s) {{\n    int t = threadIdx.x;\n    {body}\n}}\n"
    );
    let file = KernelFile { name: "k.cu".into(), text };
    let program = match device.compile(&file, &CompileOptions::default()) {
        Ok(program) => program,
        Err(DeviceError::Compile(m)) => {
            panic!("{body}\n{:?}", m.diagnostics.iter().map(|d| &d.title).collect::<Vec<_>>())
        }
        Err(error) => panic!("{error}"),
    };
    let count = extent.iter().map(|e| e.max(&1)).product::<u32>();
    let bytes: Vec<u8> = (0..count).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let memory = device.alloc(bytes.len() as u64).unwrap();
    device.write(memory, 0, &bytes).unwrap();
    let what = SurfaceDescription { element_bytes: 4, extent, layers };
    let surface = device.create_surface(memory, &what).unwrap();
    let out = device.alloc(64).unwrap();
    device.write(out, 0, &[0; 64]).unwrap();
    let shape = LaunchShape { grid: [blocks, 1, 1], block: [1; 3], dynamic_shared: 0 };
    match device.launch(&LaunchRequest::new(
        program.id,
        "k",
        shape,
        &[Argument::Buffer(out), Argument::Surface(surface)],
    )) {
        Ok(_) => {}
        Err(DeviceError::Launch { messages: m, .. }) => {
            let d = &m.diagnostics[0];
            return Err((d.code.to_string(), d.title.clone()));
        }
        Err(error) => panic!("{error}"),
    }
    let mut floats = |buffer, n: u32| {
        let mut bytes = vec![0; n as usize * 4];
        device.read(buffer, 0, &mut bytes).unwrap();
        bytes.chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect::<Vec<f32>>()
    };
    Ok((floats(out, 16), floats(memory, count)))
}

#[test]
fn places_are_bytes_rows_and_slices() {
    let body = "out[0] = surf2Dread<float>(s, 2 * 4, 1);\n    surf2Dread(out + 1, s, 0, 2);\n    \
        surf2Dwrite(100.0f, s, 3 * sizeof(float), 1);\n    surf2Dwrite<float2>(make_float2(7, 8), s, 8, 2);\n    \
        uchar4 b = surf2Dread<uchar4>(s, 4, 0);\n    out[2] = b.w;";
    let (out, memory) = run(body, [4, 3, 0], TextureLayers::None, 1).unwrap();
    assert_eq!(out[..3], [6.0, 8.0, 63.0]);
    assert_eq!(memory, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 100.0, 8.0, 9.0, 7.0, 8.0]);
    let (out, memory) = run(
        "out[0] = surf3Dread<float>(s, 4, 1, 2); surf3Dwrite(-1.0f, s, 0, 0, 1);",
        [2, 2, 3],
        TextureLayers::None,
        1,
    )
    .unwrap();
    assert_eq!((out[0], memory[4]), (11.0, -1.0));
    let (out, _) = run("out[0] = surf1Dread<float>(s, 12);", [5, 0, 0], TextureLayers::None, 1).unwrap();
    assert_eq!(out[0], 3.0);
}

#[test]
fn layers_and_faces_come_last() {
    let (out, memory) = run(
        "out[0] = surf2DLayeredread<float>(s, 4, 1, 2); surf2DLayeredwrite(9.5f, s, 0, 0, 1);",
        [2, 2, 3],
        TextureLayers::Layered,
        1,
    )
    .unwrap();
    assert_eq!((out[0], memory[4]), (11.0, 9.5));
    let (out, _) =
        run("out[0] = surf1DLayeredread<float>(s, 4, 2);", [2, 3, 0], TextureLayers::Layered, 1).unwrap();
    assert_eq!(out[0], 5.0);
    let (out, _) =
        run("out[0] = surfCubemapread<float>(s, 4, 0, 5);", [2, 2, 6], TextureLayers::Cube, 1).unwrap();
    assert_eq!(out[0], 21.0);
}

#[test]
fn boundaries_trap_clamp_or_read_zero() {
    let none = TextureLayers::None;
    let (code, title) = run("out[0] = surf2Dread<float>(s, 16, 0);", [4, 2, 0], none, 1).unwrap_err();
    assert_eq!(code, "out-of-bounds");
    assert!(title.contains("byte 16") && title.contains("16 bytes"), "{title}");
    let (_, title) =
        run("surf2Dwrite(1.0f, s, 0, -1, cudaBoundaryModeTrap);", [4, 2, 0], none, 1).unwrap_err();
    assert!(title.contains("-1"), "{title}");
    let body = "out[0] = surf2Dread<float>(s, 40, 9, cudaBoundaryModeClamp);\n    \
        out[1] = surf2Dread<float>(s, -4, 1, cudaBoundaryModeZero) + 0.5f;\n    \
        out[2] = surf2Dread<float>(s, 4, 1, cudaBoundaryModeZero);\n    \
        surf2Dwrite(50.0f, s, -4, 0, cudaBoundaryModeZero);\n    surf2Dwrite(60.0f, s, -4, 0, cudaBoundaryModeClamp);";
    let (out, memory) = run(body, [4, 2, 0], none, 1).unwrap();
    assert_eq!(out[..3], [7.0, 0.5, 5.0]);
    assert_eq!(memory, [60.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
}

#[test]
fn mistakes_are_diagnosed() {
    let none = TextureLayers::None;
    let (code, _) = run("surf2Dwrite((float)blockIdx.x, s, 0, 0);", [4, 2, 0], none, 2).unwrap_err();
    assert!(code.contains("race"), "{code}");
    let (code, _) = run("out[t] = surf2Dread<float>(s, 2, 0);", [4, 2, 0], none, 1).unwrap_err();
    assert_eq!(code, "misaligned-access");
    let (code, title) = run("out[t] = surf3Dread<float>(s, 0, 0, 0);", [4, 2, 0], none, 1).unwrap_err();
    assert!(code == "invalid-surface" && title.contains("surf2Dread"), "{code} {title}");
    let (code, _) = run("out[t] = surf1Dread<float>(s + 1, 0);", [4, 0, 0], none, 1).unwrap_err();
    assert_eq!(code, "invalid-surface");
}
