//! Measures the cost of a divergent constant index with two kernels of the lab's own.

use harness::{Argument, Context, Extra, Failure, KernelFile, LaunchRequest, LaunchShape, Table};

/// Launches both kernels and tabulates requests and passes; empty on a device without counters.
pub(crate) fn divergent_index(cx: &mut Context<'_>) -> Result<Vec<Extra>, Failure> {
    const THREADS: u32 = 256;
    let file = KernelFile { name: "probe.cu".into(), text: include_str!("probe.cu").into() };
    let out = cx.alloc_output(THREADS as usize)?;
    let device = cx.device();
    let program = device.compile(&file, &Default::default())?;
    let table: Vec<u8> = (0..32u16).flat_map(|i| f32::from(i).to_le_bytes()).collect();
    device.set_symbol(program.id, "TABLE", &table)?;
    let shape = LaunchShape { grid: [1, 1, 1], block: [THREADS, 1, 1], dynamic_shared: 0 };
    let mut rows = Vec::new();
    for (kernel, index) in
        [("read_uniform", "the same for all lanes"), ("read_divergent", "each lane its own")]
    {
        let arguments = [Argument::Buffer(out), Argument::I32(3)];
        let report = device.launch(&LaunchRequest::new(program.id, kernel, shape, &arguments))?;
        let Some(counters) = report.counters else { return Ok(Vec::new()) };
        let per_request = counters.constant_passes as f64 / counters.constant_requests.max(1) as f64;
        rows.push(vec![
            index.to_owned(),
            counters.constant_requests.to_string(),
            counters.constant_passes.to_string(),
            format!("{per_request:.0}"),
        ]);
    }
    Ok(vec![Extra::Table(Table {
        title: "Constant memory serves one address at a time (8 warps, one read per thread)".into(),
        header: vec!["index".into(), "requests".into(), "passes".into(), "passes per request".into()],
        rows,
        notes: vec!["an index that differs in every lane takes 32 passes: use shared memory for that".into()],
    })])
}
