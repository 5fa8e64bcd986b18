//! Compiles any kernel file, and converts the diagnostics.

use crate::request::Text;
use device::{CompileOptions, Device, DeviceError, Messages};
use device_sim::{DeviceModel, SimDevice};
use serde_json::{Value, json};
use source::render;
use source::text::{DEFAULT_WIDTH, printable};

/// Device memory in bytes. The simulator needs about four times as much host memory, and a page has 4 GiB in total.
const MEMORY: u64 = 256 << 20;

/// A simulated device with this model.
///
/// # Errors
/// Says that there is no model with this name.
pub(crate) fn device(model: &str) -> Result<SimDevice, String> {
    let model = DeviceModel::named(model).map_err(|unknown| unknown.to_string())?;
    let mut device = SimDevice::new(&model);
    device.limit_memory(Some(MEMORY));
    Ok(device)
}

/// The compiler's diagnostics for a kernel file.
pub(crate) fn check(Text { text, file }: Text) -> Result<Value, String> {
    let file = harness::kernel_file(text.into_bytes(), &file)?;
    let messages = match device(device_sim::DEFAULT_MODEL)?.compile(&file, &CompileOptions::default()) {
        Ok(program) => program.warnings,
        Err(DeviceError::Compile(messages)) => messages,
        Err(other) => return Err(format!("{}: {other}", file.name)),
    };
    Ok(json!({ "diagnostics": diagnostics(&messages) }))
}

/// Diagnostics as JSON objects, each with its rendered text.
pub(crate) fn diagnostics(messages: &Messages) -> Value {
    let object = |diagnostic| {
        let mut object = json!(report::Diagnostic::of(&messages.sources, diagnostic));
        let text = render::full_within(&messages.sources, diagnostic, false, DEFAULT_WIDTH);
        object["rendered"] = printable(&text).into();
        object
    };
    messages.diagnostics.iter().map(object).collect()
}
