//! The one place that knows which devices there are. Labs and harness see a `Device` and no more; their caller, a
//! test target or the command line, asks here for one by name.
//!
//! | name | what |
//! |---|---|
//! | `sim` | the simulator, of a device model |
//! | `gpu` | the first NVIDIA GPU |
//! | `both` | every launch on the simulator, which diagnoses and counts, and then on the GPU, which is timed; their results are compared |
//!
//! Without a name: `both` where there is a GPU and a CUDA compiler, otherwise `sim`. Who names a device model other than the default asks
//! for modelled times, and gets `sim`.

mod both;

pub use both::BothDevices;
pub use device_gpu::{Absent, LinkBandwidth, Properties, architecture, link_bandwidth, probe};
pub use device_sim::{run_launches_on_their_callers_thread, with_large_stack};

use device::Device;
use device_gpu::GpuDevice;
use device_sim::{DEFAULT_MODEL, DeviceModel, SimDevice};

/// The names that [`open`] takes.
pub const NAMES: [&str; 3] = ["sim", "gpu", "both"];

/// Seconds that a launch on a GPU may run, from the environment.
const TIME_LIMIT: &str = "LAB_TIME_LIMIT";

/// The name of the device that is opened when none is named.
pub fn default_name(model: Option<&str>) -> &'static str {
    let other_model = model.is_some_and(|m| m != DEFAULT_MODEL);
    if other_model || probe().is_err() || !device_gpu::has_compiler() { "sim" } else { "both" }
}

/// The device of that name, and of that device model (`h200`, the default) where it is simulated.
///
/// # Errors
/// One message for a name that means nothing, with the names that do; why there is no GPU, if one is asked for.
pub fn open(device: Option<&str>, model: Option<&str>) -> Result<Box<dyn Device>, String> {
    match device.unwrap_or_else(|| default_name(model)) {
        "sim" => Ok(Box::new(simulator(model)?)),
        "gpu" => Ok(Box::new(gpu()?)),
        "both" => Ok(Box::new(BothDevices::new(simulator(model)?, gpu()?.without_replay()))),
        other => Err(format!(
            "there is no device `{other}`{}: there are `sim`, the simulator, `gpu`, an NVIDIA GPU, and `both`",
            source::did_you_mean(other, NAMES)
        )),
    }
}

fn simulator(model: Option<&str>) -> Result<SimDevice, String> {
    let model = DeviceModel::named(model.unwrap_or(DEFAULT_MODEL)).map_err(|e| e.to_string())?;
    Ok(SimDevice::new(&model))
}

fn gpu() -> Result<GpuDevice, String> {
    let mut gpu = GpuDevice::new()?;
    if let Ok(text) = std::env::var(TIME_LIMIT) {
        let seconds = text.parse::<u32>().ok().filter(|s| *s > 0);
        let wrong = || format!("{TIME_LIMIT} is `{text}`: expected a whole number of seconds from 1");
        gpu.set_time_limit(std::time::Duration::from_secs(seconds.ok_or_else(wrong)?.into()));
    }
    Ok(gpu)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simulator_is_there_by_name_and_for_other_models() {
        assert!(open(Some("sim"), Some("gtx260")).is_ok_and(|d| d.info().name.contains("260")));
        assert_eq!(default_name(Some("gtx260")), "sim");
        assert!(open(None, Some("gtx260")).is_ok_and(|d| d.info().simulated));
    }

    #[test]
    fn without_a_gpu_the_default_is_the_simulator_and_asking_for_one_is_an_error() {
        if probe().is_ok() && device_gpu::has_compiler() {
            assert!(open(None, None).is_ok_and(|d| d.info().id == "both"));
            return;
        }
        assert!(open(None, None).is_ok_and(|d| d.info().simulated));
        for name in ["gpu", "both"].into_iter().filter(|_| probe().is_err()) {
            let error = open(Some(name), None).err().unwrap_or_default();
            assert!(error.contains("driver"), "{error}");
        }
    }

    #[test]
    fn a_name_that_means_nothing_is_an_error_that_names_it() {
        assert!(open(Some("tpu"), None).is_err_and(|e| e.contains("`tpu`") && e.contains("`both`")));
        assert!(open(Some("boht"), None).is_err_and(|e| e.contains("did you mean `both`?")));
        assert!(
            open(Some("sim"), Some("voodoo2")).is_err_and(|e| e.contains("voodoo2") && e.contains("h200"))
        );
    }
}
