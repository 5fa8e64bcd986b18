//! The corpus against CUDA's own compiler: is what is recorded as the truth true, and do we agree with the compiler?
//!
//! Without NVRTC the test says that it was skipped, and how to get it.

use crate::program::{self, Outcome, Program, Truth};
use crate::support::{on_all_cores, show};
use nvrtc::{Answer, Nvrtc, Request};

/// How the compiler's answer compares with the recorded one.
enum Check {
    Same,
    /// A header of CUDA that the program includes is not installed.
    NoHeader,
    Differs(String),
}

/// The line of the first error, 1-based: `name.cu(LINE): error: …`; the last line where the file ends too early.
fn error_line(log: &str, text: &str) -> Option<u32> {
    log.lines().find_map(|line| {
        if line.starts_with("At end of source: error") {
            return u32::try_from(text.lines().count()).ok();
        }
        let (place, _) = line.split_once("): error").or_else(|| line.split_once("): catastrophic error"))?;
        place.rsplit_once('(')?.1.parse().ok()
    })
}

fn check(program: &Program, answer: &Answer) -> Check {
    let line = error_line(&answer.log, &program.text);
    let found = match (answer.accepted, line) {
        (true, _) => Truth::Accept,
        (false, line) => Truth::Reject(line),
    };
    let same = match program.nvrtc {
        Truth::Reject(None) => line.is_none(),
        expected => found == expected,
    };
    if same {
        Check::Same
    } else if program.truth == Truth::Accept && answer.log.contains("cannot open source file") {
        Check::NoHeader
    } else {
        let first = answer.log.lines().next().unwrap_or_default();
        Check::Differs(format!(
            "{}: recorded {:?}, NVRTC says {found:?}: {first}",
            program.name, program.nvrtc
        ))
    }
}

#[test]
fn the_recorded_truth_is_what_nvrtc_says() {
    let Some(nvrtc) = Nvrtc::find() else {
        let asked = std::env::var_os("NVRTC_LIBRARY");
        assert!(asked.is_none(), "NVRTC_LIBRARY is {asked:?}, which cannot be loaded: give an absolute path");
        show(
            "skipped: NVRTC not found. It needs no GPU: pip install nvidia-cuda-nvrtc nvidia-cuda-runtime \
             nvidia-cuda-cccl nvidia-cuda-nvcc nvidia-cuda-crt, then set NVRTC_LIBRARY to its libnvrtc.so",
        );
        return;
    };
    let programs = program::all();
    let file = |p: &Program| format!("{}.cu", p.name.rsplit('/').next().unwrap_or_default());
    let compile = |p: &Program| {
        // As nvcc has it by default, where the program needs nothing else.
        let standard =
            p.nvrtc_options.iter().all(|o| !o.starts_with("--std")).then(|| "--std=c++17".to_owned());
        let request = Request {
            name: file(p),
            text: p.text.clone(),
            architecture: "sm_90".into(),
            options: standard.into_iter().chain(p.nvrtc_options.iter().cloned()).collect(),
            ..Request::default()
        };
        nvrtc.compile(&request).expect("NVRTC can be used")
    };
    let checks = on_all_cores(programs.len(), |n| check(&programs[n], &compile(&programs[n])));
    let ours = on_all_cores(programs.len(), |n| programs[n].outcome(&programs[n].compile()));
    let same = checks.iter().filter(|c| matches!(c, Check::Same)).count();
    let skipped = checks.iter().filter(|c| matches!(c, Check::NoHeader)).count();
    let agree =
        checks.iter().zip(&ours).filter(|(c, o)| matches!((c, o), (Check::Same, Outcome::Agree))).count();
    let (major, minor) = nvrtc.version();
    show(&format!(
        "oracle, NVRTC {major}.{minor}: {same} of {} programs are as recorded ({skipped} skipped for want of headers); \
         the front-end agrees on {agree} of them",
        programs.len()
    ));
    for (program, outcome) in programs.iter().zip(&ours).filter(|(_, o)| o.word() == "disagree") {
        show(&format!("the front-end disagrees on {}: {}", program.name, outcome.detail()));
    }
    let differs: Vec<&str> = checks
        .iter()
        .filter_map(|c| if let Check::Differs(why) = c { Some(why.as_str()) } else { None })
        .collect();
    assert!(differs.is_empty(), "the recorded truth is not what NVRTC says:\n{}", differs.join("\n"));
}

#[test]
fn the_line_of_an_error_is_read_from_the_log() {
    assert_eq!(error_line("a.cu(7): warning #1: x\na.cu(12): error: y\n", ""), Some(12));
    assert_eq!(error_line("a.cu(3): catastrophic error: cannot open\n", ""), Some(3));
    assert_eq!(error_line("At end of source: error: expected a \"}\"\n", "a\nb\nc\n"), Some(3));
    assert_eq!(error_line("a.cu(7): warning #1: x\n", ""), None);
}
