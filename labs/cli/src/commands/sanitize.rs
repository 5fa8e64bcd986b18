//! `cargo lab sanitize`: runs kernels on the GPU under compute-sanitizer, one run per tool.
//!
//! A tool that did not attach finds nothing. So a run passes only if the tool reports that it was active, and the run
//! reports launches.

use super::once;
use crate::args::TargetArgs;
use crate::registry;
use crate::screen::Screen;
use crate::workspace::Workspace;
use std::process::Output;

const TOOLS: [&str; 4] = ["memcheck", "racecheck", "initcheck", "synccheck"];

/// Maximum lines shown of a finding.
const SHOWN: usize = 30;

/// Runs every tool on every exercise. Returns false if a tool finds something or was not active.
pub(crate) fn sanitize(screen: &Screen, workspace: &Workspace, args: &TargetArgs) -> anyhow::Result<bool> {
    let labs = registry::labs();
    let mut clean = true;
    for (target, file) in once::targets(&labs, workspace, args)? {
        for tool in TOOLS {
            let options = ["--tool", tool, "--error-exitcode", "3"];
            let output = once::watched("compute-sanitizer", &options, target, &file, args.seed)?;
            let verdict = judge(&output);
            let name = format!("{:<28} {tool:<10}", target.name());
            match &verdict {
                Ok(launches) => {
                    screen.line(format!(
                        "{}  {name} nothing found in {launches} launches",
                        screen.good("ok    ")
                    ))?;
                }
                Err(text) => {
                    clean = false;
                    screen.line(format!("{}  {name}\n{text}", screen.bad("FAILED")))?;
                }
            }
        }
    }
    Ok(clean)
}

/// The number of launches that the tool checked without a finding, or otherwise its output.
fn judge(output: &Output) -> Result<u64, String> {
    let text = [&output.stdout, &output.stderr].map(|s| String::from_utf8_lossy(s).into_owned()).concat();
    let shown = || text.lines().take(SHOWN).map(|line| format!("    {line}\n")).collect::<String>();
    let attached = text.contains("COMPUTE-SANITIZER") && text.contains("SUMMARY");
    let silent = text.contains("SUMMARY: 0 errors") || text.contains("SUMMARY: 0 hazards");
    match once::launches(output).filter(|n| *n > 0) {
        _ if !attached => Err(format!("    the tool did not watch the run\n{}", shown())),
        None => Err(format!("    the run made no launches\n{}", shown())),
        Some(launches) if silent && output.status.success() => Ok(launches),
        Some(_) => Err(shown()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    fn output(code: i32, text: &str) -> Output {
        Output { status: ExitStatus::from_raw(code << 8), stdout: text.into(), stderr: Vec::new() }
    }

    #[test]
    fn only_a_run_that_was_watched_and_launched_is_clean() {
        let clean = "========= COMPUTE-SANITIZER\nlaunches: 3\n========= ERROR SUMMARY: 0 errors\n";
        assert_eq!(judge(&output(0, clean)), Ok(3));
        assert!(judge(&output(0, "launches: 3\n")).is_err_and(|e| e.contains("did not watch")));
        let idle = clean.replace("launches: 3", "launches: 0");
        assert!(judge(&output(0, &idle)).is_err_and(|e| e.contains("no launches")));
        let found = clean.replace("0 errors", "2 errors");
        assert!(judge(&output(3, &found)).is_err_and(|e| e.contains("2 errors")));
        let race = "========= COMPUTE-SANITIZER\nlaunches: 1\n========= RACECHECK SUMMARY: 0 hazards displayed (0 errors)\n";
        assert_eq!(judge(&output(0, race)), Ok(1));
    }
}
