//! The `best` kernels: right and clean on every case, with the constants as they are and with every candidate that compiles.
//! On the simulator; times are made up here.

use device::{
    BufferId, CompileOptions, Device, DeviceError, DeviceInfo, KernelFile, KernelResources, LaunchOptions,
    LaunchReport, LaunchRequest, MeasuredTime, ProgramId, ProgramInfo, TextureDescription, TextureId,
    Transfers,
};
use harness::{Best, Case, Lab, Options, Outcome, Status, Tuning, grade, large_runs, tune};
use solutions::{labs, paths};
use std::collections::BTreeSet;

/// The simulator as a card: a launch takes as many seconds as it has threads in a block.
struct Timed(Box<dyn Device>);

impl Timed {
    fn new() -> Timed {
        Timed(simulator())
    }
}

impl Device for Timed {
    fn info(&self) -> &DeviceInfo {
        self.0.info()
    }

    fn compile(&mut self, file: &KernelFile, options: &CompileOptions) -> Result<ProgramInfo, DeviceError> {
        self.0.compile(file, options)
    }

    fn resources(&mut self, program: ProgramId, kernel: &str) -> Result<KernelResources, DeviceError> {
        self.0.resources(program, kernel)
    }

    fn unload(&mut self, program: ProgramId) {
        self.0.unload(program);
    }

    fn alloc(&mut self, bytes: u64) -> Result<BufferId, DeviceError> {
        self.0.alloc(bytes)
    }

    fn free(&mut self, buffer: BufferId) -> Result<(), DeviceError> {
        self.0.free(buffer)
    }

    fn write(&mut self, buffer: BufferId, offset: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.0.write(buffer, offset, bytes)
    }

    fn read(&mut self, buffer: BufferId, offset: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.0.read(buffer, offset, bytes)
    }

    fn poison(&mut self, buffer: BufferId) -> Result<(), DeviceError> {
        self.0.poison(buffer)
    }

    fn set_symbol(&mut self, program: ProgramId, name: &str, bytes: &[u8]) -> Result<(), DeviceError> {
        self.0.set_symbol(program, name, bytes)
    }

    fn create_texture(
        &mut self,
        buffer: BufferId,
        what: &TextureDescription,
    ) -> Result<TextureId, DeviceError> {
        self.0.create_texture(buffer, what)
    }

    fn launch(&mut self, request: &LaunchRequest) -> Result<LaunchReport, DeviceError> {
        // In another order of warps, because that is also without the definition of races, which takes most of the time and has been asked
        // about the kernel with its own constants.
        let options = LaunchOptions { schedule: 2, ..request.options };
        let report = self.0.launch(&request.clone().with(options))?;
        let seconds = f64::from(request.shape.block.iter().product::<u32>());
        let measured = MeasuredTime { seconds, spread: 0.0, confidence: 0.1, launches: 1, cold_cache: true };
        Ok(LaunchReport { measured: Some(measured), ..report })
    }

    fn limit_memory(&mut self, bytes: Option<u64>) {
        self.0.limit_memory(bytes);
    }

    fn transfers(&self) -> Transfers {
        self.0.transfers()
    }

    fn reset_transfers(&mut self) {
        self.0.reset_transfers();
    }
}

fn simulator() -> Box<dyn Device> {
    backend::open(Some("sim"), None).unwrap()
}

fn file(lab: &Lab, best: &Best) -> KernelFile {
    let path = paths().solution(lab, best.exercise.name());
    harness::read_kernel_file(&path, &paths().display(&path)).unwrap()
}

/// The lab's kernel, timed at a problem that the simulator does in no time.
fn small(lab: &mut Lab) -> Best {
    let mut best = lab.best.take().unwrap();
    let cases = best.exercise.cases();
    for tuning in &mut best.tunings {
        let radius = tuning.case.sizes.iter().find(|(name, _)| name == "radius").cloned();
        let fits = |case: &&Case| !case.is_report && radius.as_ref().is_none_or(|r| case.sizes.contains(r));
        tuning.case = cases.iter().find(fits).unwrap().clone();
    }
    best
}

fn is_right(lab: Lab, _: &str) {
    let best = lab.best.as_ref().unwrap();
    let path = paths().solution(&lab, best.exercise.name());
    let options = Options { extras: false, instructions: Best::INSTRUCTIONS, ..Options::default() };
    let report = grade(&lab, &*best.exercise, &path, &paths(), simulator().as_mut(), &options);
    let failed: Vec<_> = report.checks.iter().filter(|c| c.status != Status::Passed).collect();
    assert!(report.passed() && failed.is_empty(), "{}: {failed:?}", lab.package);
    assert!(report.check("clean").is_some(), "{}: accesses were checked", lab.package);
    assert!(report.metrics.speedup.is_some_and(|s| s > 0.0), "{}: no baseline", lab.package);
}

/// The number that follows a constant's name where the file defines it.
fn own_value(text: &str, name: &str) -> i64 {
    let after = text.split(name).skip(1).map(|rest| rest.trim_start_matches([' ', '=']));
    let digits =
        |rest: &str| rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default().parse().ok();
    after.filter_map(digits).next().unwrap_or_else(|| panic!("{name} is defined"))
}

/// Each constant by itself, with the candidate that is furthest from the file's own value, in place of all combinations, which take minutes:
/// set `ALL_CANDIDATES` for these. The file's own values are what [`is_right`] runs; here they are compared with the first constant's.
fn furthest_one_at_a_time(best: Best, text: &str) -> Best {
    if std::env::var_os("ALL_CANDIDATES").is_some() {
        return best;
    }
    let alone = |tuning: Tuning| {
        let constants = tuning.constants.clone().into_iter();
        constants.map(move |(name, mut values)| {
            let own = own_value(text, name) as f64;
            // By which factor they differ.
            let factor = |value: &i64| (*value as f64 / own).max(own / *value as f64);
            let furthest = values.iter().copied().max_by(|a, b| factor(a).total_cmp(&factor(b)));
            values.retain(|value| Some(*value) == furthest);
            Tuning { constants: vec![(name, values)], ..tuning.clone() }
        })
    };
    let mut tunings: Vec<Tuning> = best.tunings.into_iter().flat_map(alone).collect();
    for (name, values) in &mut tunings[0].constants {
        values.push(own_value(text, name));
    }
    Best { tunings, ..best }
}

/// Every candidate is right, or refused before it is launched; the fastest is chosen.
fn candidates_are_right(mut lab: Lab, _: &str) {
    let best = small(&mut lab);
    let file = file(&lab, &best);
    for (name, values) in best.tunings.iter().flat_map(|tuning| &tuning.constants) {
        let own = own_value(&file.text, name);
        assert!(values.contains(&own), "{}: the file's own {name}, {own}, is no candidate", lab.package);
    }
    let best = furthest_one_at_a_time(best, &file.text);
    let mut heard = 0;
    let tuned = tune(&best, &file, &mut Timed::new(), 1, |_| heard += 1).unwrap();
    assert_eq!(heard, best.tunings.iter().map(|t| t.combinations().len()).sum::<usize>());
    assert_eq!(heard, tuned.trials.len());
    for trial in &tuned.trials {
        assert!(!matches!(trial.outcome, Outcome::Wrong(_)), "{}: {trial:?}", lab.package);
    }
    let usable = tuned.trials.iter().filter(|t| matches!(t.outcome, Outcome::Measured { .. })).count();
    assert!(
        2 * usable >= tuned.trials.len(),
        "{}: most candidates are refused: {:?}",
        lab.package,
        tuned.trials
    );
    assert!(tuned.trials[0].is_default, "{}: the file as it is comes first", lab.package);
    // What was chosen compiles, and takes no longer than what the file has.
    let options = Options { defines: tuned.setting.clone(), ..Options::default() };
    let after = large_runs(&best, &file, &mut Timed::new(), &options).unwrap();
    let before = large_runs(&best, &file, &mut Timed::new(), &Options::default()).unwrap();
    for (after, before) in after.iter().zip(&before) {
        assert!(after.seconds <= before.seconds, "{}: {after:?} {before:?}", lab.package);
    }
}

each_exercise! { [] [is_right candidates_are_right] }

#[test]
fn every_lab_but_the_fifth_has_one_and_names_no_constant_twice() {
    for lab in labs() {
        assert_eq!(lab.best.is_some(), lab.number != 5, "{}", lab.package);
        let Some(best) = lab.best else { continue };
        let names: Vec<&str> = best.tunings.iter().flat_map(|t| t.constants.iter().map(|c| c.0)).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{}", lab.package);
        assert!(best.exercise.gates().is_empty(), "{}: it is not graded", lab.package);
    }
}

#[test]
fn a_simulator_chooses_nothing() {
    let mut lab = solutions::lab("lab-7-transpose");
    let best = small(&mut lab);
    let file = file(&lab, &best);
    let refused = tune(&best, &file, simulator().as_mut(), 1, |_| ()).unwrap_err().to_string();
    assert!(refused.contains("does not measure"), "{refused}");
}
