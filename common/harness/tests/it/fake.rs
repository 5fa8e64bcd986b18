//! A device that understands two words of "kernel", and a lab of one exercise, to test the harness without a back-end.

use device::{
    Argument, ArgumentLayout, BufferId, CompileOptions, ConstantValue, Counters, Device, DeviceError,
    DeviceInfo, Element, KernelFile, KernelInfo, KernelResources, LaunchOptions, LaunchReport, LaunchRequest,
    LineCounters, MeasuredTime, Messages, ModelledTime, NamedConstant, Occupancy, POISON, ParameterInfo,
    ParameterKind, ProgramId, ProgramInfo, Recording, TextureDescription, TextureId, TimeLimit, Transfers,
    WarpAccess, WarpAccessKind, WarpAccesses, WarpBranch,
};
use harness::{
    Case, Comparison, Context, Exercise, Expected, Extra, Failure, Gate, Lab, Parameter, Quantity, Run,
};
use source::{Code, Diagnostic, SourceMap, Span};
use std::collections::HashMap;
use std::sync::Arc;

/// Compiles a file that starts with the word `kernel`. The second word says what its launches do (`twice`, `nothing`,
/// `last-missing`, `crash`, `endless`, `slow`, `even`, which is correct for an even `TILE`).
pub(crate) struct FakeDevice {
    /// Whether its counters follow other rules, like an old device's.
    pub(crate) old: bool,
    /// Measured seconds of a launch as a function of `TILE`; `None` if the device does not measure.
    pub(crate) clock: Option<fn(i64) -> f64>,
    /// Whether it supports other orders of warps.
    pub(crate) schedules: bool,
    /// The argument `n` of each launch.
    pub(crate) launched: Vec<i32>,
    /// The argument `n` of each launch that records accesses.
    pub(crate) recorded: Vec<i32>,
    info: DeviceInfo,
    /// Compiled files, each with its value of `TILE`.
    programs: Vec<(KernelFile, i64)>,
    buffers: HashMap<u32, Vec<u8>>,
    next: u32,
}

impl FakeDevice {
    pub(crate) fn new() -> FakeDevice {
        let info = DeviceInfo {
            id: "fake".into(),
            name: "simulator (model: fake)".into(),
            simulated: true,
            memory_bandwidth: 1e9,
            f32_rate: 1e10,
            host_link_bandwidth: 1e8,
            source: "made up".into(),
        };
        FakeDevice {
            old: false,
            clock: None,
            schedules: false,
            launched: Vec::new(),
            recorded: Vec::new(),
            info,
            programs: Vec::new(),
            buffers: HashMap::new(),
            next: 0,
        }
    }

    fn buffer(&mut self, id: BufferId) -> Result<&mut Vec<u8>, DeviceError> {
        self.buffers.get_mut(&id.0).ok_or_else(|| DeviceError::Use("unknown buffer".into()))
    }
}

fn messages(file: &KernelFile, diagnostic: impl FnOnce(Span) -> Diagnostic) -> Messages {
    let mut sources = SourceMap::new();
    let id = sources.add(&file.name, &file.text);
    Messages { sources: Arc::new(sources), diagnostics: vec![diagnostic(Span::new(id, 0, 6))] }
}

fn parameter(name: &str, spelling: &str, kind: ParameterKind) -> ParameterInfo {
    ParameterInfo { name: name.into(), spelling: spelling.into(), kind }
}

/// A load that wastes sectors, one that does not, one in another file, and a branch.
fn recording(file: &str) -> Recording {
    let access = |file: &str, line, taken| WarpAccess {
        file: file.into(),
        line,
        column: 1,
        text: "twice".into(),
        kind: WarpAccessKind::GlobalLoad,
        name: Some("in".into()),
        block: [0; 3],
        warp: 0,
        mask: u32::MAX,
        bytes: 4,
        start: 0,
        offsets: (0..32).map(|lane| 8 * lane).collect(),
        taken,
        fewest: 4,
        all: WarpAccesses { requests: 1, wasteful: 1, taken: 8, fewest: 4 },
    };
    let branch = WarpBranch {
        file: file.into(),
        line: 1,
        column: 1,
        text: "kernel".into(),
        block: [0; 3],
        warp: 0,
        taken: 1,
        other: !1,
        is_loop: false,
        times: 1,
    };
    let accesses = vec![access(file, 1, 4), access(file, 2, 8), access("other.h", 2, 8)];
    Recording { accesses, branches: vec![branch] }
}

impl Device for FakeDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn counts_by_todays_rules(&self) -> bool {
        !self.old
    }

    fn compile(&mut self, file: &KernelFile, options: &CompileOptions) -> Result<ProgramInfo, DeviceError> {
        if !file.text.starts_with("kernel") {
            let refuse =
                |span| Diagnostic::new(Code::UndeclaredName, "`kernal` is not declared").label(span, "here");
            return Err(DeviceError::Compile(messages(file, refuse)));
        }
        let tile = options.defines.iter().find(|(n, _)| n == "TILE");
        let tile = tile.map_or(16, |(_, v)| v.parse().unwrap_or(0));
        self.programs.push((file.clone(), tile));
        let pointer = |read_only| ParameterKind::Pointer { element: Some(Element::F32), read_only };
        let kernel = KernelInfo {
            name: if file.text.contains("misnamed") { "twize".into() } else { "twice".into() },
            parameters: vec![
                parameter("in", "const float *", pointer(true)),
                parameter("out", "float *", pointer(false)),
                parameter("n", "int", ParameterKind::Scalar(Element::I32)),
            ],
            arguments: [8, 8, 4]
                .map(|bytes| ArgumentLayout { bytes, places: std::iter::once(0..bytes).collect() })
                .to_vec(),
            static_shared_bytes: 0,
            dynamic_shared: false,
            max_threads: None,
            source_lines: 5,
            line: 1,
        };
        Ok(ProgramInfo {
            id: ProgramId(self.programs.len() as u32 - 1),
            kernels: vec![kernel],
            constants: vec![NamedConstant { name: "TILE".into(), value: ConstantValue::Integer(tile) }],
            symbols: Vec::new(),
            host_functions: Vec::new(),
            launches: Vec::new(),
            warnings: Messages::default(),
        })
    }

    fn resources(&mut self, _: ProgramId, _: &str) -> Result<KernelResources, DeviceError> {
        Ok(KernelResources { registers: 16, ..KernelResources::default() })
    }

    fn unload(&mut self, _: ProgramId) {}

    fn alloc(&mut self, bytes: u64) -> Result<BufferId, DeviceError> {
        self.next += 1;
        self.buffers.insert(self.next, vec![0; bytes as usize]);
        Ok(BufferId(self.next))
    }

    fn free(&mut self, buffer: BufferId) -> Result<(), DeviceError> {
        self.buffers.remove(&buffer.0).map(|_| ()).ok_or_else(|| DeviceError::Use("freed twice".into()))
    }

    fn write(&mut self, buffer: BufferId, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.buffer(buffer)?[offset as usize..][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&mut self, buffer: BufferId, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        bytes.copy_from_slice(&self.buffer(buffer)?[offset as usize..][..bytes.len()]);
        Ok(())
    }

    fn poison(&mut self, buffer: BufferId) -> Result<(), DeviceError> {
        self.buffer(buffer)?.chunks_exact_mut(4).for_each(|c| c.copy_from_slice(&POISON.to_le_bytes()));
        Ok(())
    }

    fn set_symbol(&mut self, _: ProgramId, name: &str, _: &[u8]) -> Result<(), DeviceError> {
        Err(DeviceError::Use(format!("no symbol `{name}`")))
    }

    fn create_texture(&mut self, _: BufferId, _: &TextureDescription) -> Result<TextureId, DeviceError> {
        Err(DeviceError::Use("no textures".into()))
    }

    fn supports(&self, options: &LaunchOptions) -> Result<(), DeviceError> {
        match options.schedule == 0 || self.schedules {
            true => Ok(()),
            false => Err(DeviceError::Use("no other order".into())),
        }
    }

    fn launch(&mut self, request: &LaunchRequest) -> Result<LaunchReport, DeviceError> {
        let (file, tile) = self.programs[request.program.0 as usize].clone();
        let [Argument::Buffer(from), Argument::Buffer(to), Argument::I32(n)] = request.arguments[..] else {
            return Err(DeviceError::Use("arguments do not match".into()));
        };
        self.launched.push(n);
        self.recorded.extend(request.options.recorded.then_some(n));
        let word = file.text.split_whitespace().nth(1).unwrap_or_default().to_owned();
        if word == "crash" && n > 3 {
            let fault =
                |span| Diagnostic::new(Code::OutOfBounds, "`out[4]` is outside `out`").label(span, "this");
            return Err(DeviceError::launch(messages(&file, fault)));
        }
        if word == "endless" && n > 3 {
            let limit =
                |span| Diagnostic::new(Code::InstructionBudget, "the kernel did not end").label(span, "here");
            return Err(DeviceError::launch(messages(&file, limit)));
        }
        let count = match word.as_str() {
            "nothing" => 0,
            "even" if tile % 2 == 1 => 0,
            "last-missing" => n - 1,
            _ => n,
        };
        let input = self.buffer(from)?.clone();
        let output = self.buffer(to)?;
        for at in (0..count as usize * 4).step_by(4) {
            let value = f32::from_le_bytes(input[at..at + 4].try_into().unwrap());
            output[at..at + 4].copy_from_slice(&(2.0 * value).to_le_bytes());
        }
        let requests = (n as u64).div_ceil(32);
        let sectors = if word == "slow" { 32 } else { 4 } * requests;
        let counters = Counters {
            global_load_requests: requests,
            global_load_sectors: sectors,
            global_store_requests: requests,
            global_store_sectors: 4 * requests,
            ..Counters::default()
        };
        let seconds = sectors as f64 * 1e-8;
        Ok(LaunchReport {
            counters: Some(counters),
            lines: vec![LineCounters { file: file.name.clone(), line: 2, counters }],
            modelled: Some(ModelledTime {
                seconds,
                model: "fake".into(),
                limit: TimeLimit::DeviceMemory,
                share_of_full: seconds / 2.0,
                waves: 8.0,
            }),
            measured: self.clock.map(|clock| MeasuredTime {
                seconds: clock(tile),
                spread: clock(tile) / 50.0,
                confidence: clock(tile) / 100.0,
                launches: 100,
                cold_cache: true,
            }),
            occupancy: Some(Occupancy { fraction: 0.5, blocks: 4, limit: "threads".into() }),
            proved: None,
            warnings: Messages::default(),
            printed: String::new(),
            handed_over: None,
            recording: if request.options.recorded { recording(&file.name) } else { Recording::default() },
            work: 0,
        })
    }

    fn limit_memory(&mut self, _: Option<u64>) {}

    fn transfers(&self) -> Transfers {
        Transfers::default()
    }

    fn reset_transfers(&mut self) {}
}

/// An exercise that computes `out[i] = 2 * in[i]`.
pub(crate) struct Twice;

impl Exercise for Twice {
    fn name(&self) -> &str {
        "twice"
    }

    fn title(&self) -> &str {
        "Double every element"
    }

    fn summary(&self) -> &str {
        "Write out[i] = 2 in[i]."
    }

    fn expects(&self) -> Expected {
        let parameters = [Parameter::input("in"), Parameter::output("out"), Parameter::int("n")];
        Expected::kernel("twice", parameters).constant("TILE", 1..=32, "threads of a block")
    }

    fn cases(&self) -> Vec<Case> {
        vec![
            Case::new("3", &[("n", 3)]),
            Case::new("100", &[("n", 100)]),
            Case::report("4096", &[("n", 4096)]),
        ]
    }

    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure> {
        let n = case.size("n");
        let host = cx.input("in", n);
        let input = cx.upload(&host)?;
        let output = cx.alloc_output(n)?;
        let block = cx.constant("TILE")?;
        let arguments = [Argument::Buffer(input), Argument::Buffer(output), Argument::I32(n as i32)];
        cx.launch("twice", [(n as u32).div_ceil(block), 1, 1], [block, 1, 1], 0, &arguments)?;
        let got = cx.download(output, n)?;
        let expected: Vec<f64> = host.iter().map(|v| 2.0 * f64::from(*v)).collect();
        Comparison::new("out", &got, &expected).check()?;
        Ok(Run::new().with("transfers", 1.0))
    }

    fn flops(&self, case: &Case) -> f64 {
        case.size("n") as f64
    }

    fn bytes(&self, case: &Case) -> f64 {
        case.size("n") as f64 * 8.0
    }

    fn baseline(&self) -> Option<&str> {
        Some("twice")
    }

    fn gates(&self) -> Vec<Gate> {
        let warps = |m: &harness::Measured<'_>| 4.0 * harness::gates::warps(m.case.size("n"));
        let gate = Gate::at_most("coalesced", Quantity::LOAD_SECTORS, 1.125, "load each element once", warps);
        vec![gate.hint("neighbouring threads should read neighbouring elements")]
    }

    fn extra_report(&self, cx: &mut Context<'_>, case: &Case, run: &Run) -> Result<Vec<Extra>, Failure> {
        let mut rows = Vec::new();
        for tile in [8, 16] {
            let (_, tally) = cx.measure(&[("TILE", tile)], |cx| self.run(cx, case))?;
            let time = tally.seconds().unwrap_or(0.0);
            rows.push(vec![
                tile.to_string(),
                format!("{:.2} µs", time * 1e6),
                harness::bar(tile as f64, 16.0, 20),
            ]);
        }
        let header = vec!["tile".into(), "time modelled (fake)".into(), String::new()];
        let table = harness::Table { title: "Tile sizes".into(), header, rows, notes: Vec::new() };
        let values = format!("{}", run.values["transfers"]);
        Ok(vec![Extra::fact("transfers", values), Extra::Table(table)])
    }
}

/// A lab of the one exercise.
pub(crate) fn lab() -> Lab {
    Lab {
        number: 9,
        package: "lab-9",
        folder: "lab-9-twice",
        title: "Doubling",
        summary: "Doubles.",
        exercises: vec![Box::new(Twice)],
        best: None,
        published: vec![harness::Published {
            title: "4096 elements, ms",
            device: "GeForce GTX 260",
            model: Some("gtx260"),
            unit: "ms",
            rows: vec![("copy", 1.0), ("twice", 2.5)],
            note: "Made up.",
        }],
    }
}
