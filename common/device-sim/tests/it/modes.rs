//! The programs of the language in every mode of the simulator. The other programs that the tests have are run so by the crate `fuzz`.

use device::{Argument, CompileOptions, Device, KernelFile, LaunchRequest, LaunchShape};
use device_sim::{DeviceModel, SimDevice};
use std::path::Path;

fn simulator() -> SimDevice {
    let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
    device.options_mut().every_mode = true;
    device
}

/// The programs of the language, each with what g++ computes for the same text.
#[test]
fn programs_of_the_language_compute_what_cpp_means_in_every_mode() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cuda-front/tests/language");
    let paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    for path in &paths {
        let text = std::fs::read_to_string(path).unwrap();
        let line = text.lines().find_map(|l| l.strip_prefix("// EXPECT: ")).expect("a line `// EXPECT: …`");
        let expected: Vec<i32> = line.split_whitespace().map(|w| w.parse().unwrap()).collect();
        let mut device = simulator();
        let program =
            device.compile(&KernelFile { name: "k.cu".into(), text }, &CompileOptions::default()).unwrap();
        let buffer = device.alloc(4 * 64).unwrap();
        device.write(buffer, 0, &[0; 4 * 64]).unwrap();
        let mut arguments = vec![Argument::Buffer(buffer)];
        arguments.resize(program.kernel("k").unwrap().parameters.len(), Argument::I32(1));
        let shape = LaunchShape { grid: [1; 3], block: [1; 3], dynamic_shared: 0 };
        if let Err(error) = device.launch(&LaunchRequest::new(program.id, "k", shape, &arguments)) {
            panic!("{}: {error:?}", path.display());
        }
        let mut bytes = [0; 4 * 64];
        device.read(buffer, 0, &mut bytes).unwrap();
        let found = bytes.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b));
        assert!(found.take(expected.len()).eq(expected.iter().copied()), "{}", path.display());
    }
    assert!(paths.len() > 40);
}
