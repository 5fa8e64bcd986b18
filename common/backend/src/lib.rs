//! The one place that knows which devices there are. Labs and harness see a `Device` and no more; whoever starts them, a
//! test target or the command line, asks here for one by name.

use device::Device;
use device_sim::{DEFAULT_MODEL, DeviceModel, SimDevice};

/// The device of that name (`sim`, the default), of that device model (`h200`, the default).
///
/// # Errors
/// One message for a name that means nothing, with the names that do.
pub fn open(device: Option<&str>, model: Option<&str>) -> Result<Box<dyn Device>, String> {
    match device.unwrap_or("sim") {
        "sim" => {
            let model = DeviceModel::named(model.unwrap_or(DEFAULT_MODEL)).map_err(|e| e.to_string())?;
            Ok(Box::new(SimDevice::new(&model)))
        }
        other => Err(format!("there is no device `{other}`: this version has `sim`, the simulator")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simulator_is_the_default() {
        assert!(open(None, None).is_ok_and(|d| d.info().simulated));
        assert!(open(Some("sim"), Some("gtx260")).is_ok_and(|d| d.info().name.contains("260")));
    }

    #[test]
    fn a_name_that_means_nothing_is_an_error_that_names_it() {
        assert!(open(Some("tpu"), None).is_err_and(|e| e.contains("`tpu`") && e.contains("`sim`")));
        assert!(open(None, Some("voodoo2")).is_err_and(|e| e.contains("voodoo2") && e.contains("h200")));
    }
}
