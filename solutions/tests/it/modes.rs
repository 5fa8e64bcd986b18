//! The reference kernels, and typical mistakes in them, in every mode of the simulator: what they write, count and are
//! diagnosed for depends neither on the host's threads and instruction set nor on what is found out before a launch.

use device_sim::{DeviceModel, SimDevice};
use harness::{Case, Context, Exercise, Failure, KernelFile, Lab, Options};
use solutions::{labs, paths};

/// A simulator that runs each launch in every mode, and fails if they differ.
fn simulator() -> SimDevice {
    let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
    device.options_mut().every_mode = true;
    // To look for further mistakes does not depend on the mode, and takes long.
    device.options_mut().further = 0;
    device
}

fn solution(lab: &Lab, exercise: &dyn Exercise) -> KernelFile {
    harness::read_kernel_file(&paths().solution(lab, exercise.name()), exercise.name()).unwrap()
}

fn small(exercise: &dyn Exercise) -> Vec<Case> {
    exercise.cases().into_iter().filter(|case| !case.is_gated).collect()
}

fn exercises(lab: &Lab) -> Vec<&dyn Exercise> {
    let best = lab.best.iter().map(|best| &*best.exercise);
    lab.exercises.iter().map(|exercise| &**exercise).chain(best).collect()
}

each_exercise! { [is_right_in_every_mode] [is_right_in_every_mode] }

fn is_right_in_every_mode(lab: Lab, name: &str) {
    let exercise = exercises(&lab).into_iter().find(|exercise| exercise.name() == name).unwrap();
    let mut device = simulator();
    let file = solution(&lab, exercise);
    let mut context = Context::new(&mut device, file, exercise, &Options::default()).unwrap();
    let mut cases = small(exercise);
    assert!(cases.len() > 2);
    if lab.best.as_ref().is_some_and(|best| best.exercise.name() == name) {
        // The longest kernels, and each case is launched some 15 times.
        cases.truncate(3);
    }
    for case in cases {
        if let Err(failure) = exercise.run(&mut context, &case) {
            panic!("{}: {failure:?}", case.label);
        }
        context.reset().unwrap();
    }
}

#[test]
fn missing_barriers_are_the_same_race_in_every_mode() {
    let mut races = 0;
    for lab in labs() {
        for exercise in exercises(&lab) {
            let file = solution(&lab, exercise);
            let text = file.text.replace("__syncthreads();", ";");
            if text == file.text {
                continue;
            }
            let mut device = simulator();
            let mut context =
                Context::new(&mut device, KernelFile { text, ..file }, exercise, &Options::default())
                    .unwrap();
            for case in small(exercise) {
                if let Err(Failure::Device(harness::DeviceError::Launch { messages, .. })) =
                    exercise.run(&mut context, &case)
                {
                    let code = messages.diagnostics[0].code.as_str();
                    assert_ne!(code, "internal-error", "{} {}: {messages:?}", lab.package, exercise.name());
                    races += usize::from(code.contains("race"));
                }
                context.reset().unwrap();
            }
        }
    }
    assert!(races > 10, "{races}");
}
