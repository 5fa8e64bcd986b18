//! `lab man`: prints manual pages generated from the help texts.

use crate::args::Cli;
use crate::program;
use crate::screen::Screen;
use crate::workspace::unwritten;
use clap::{Args, CommandFactory};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Help text after the options.
pub(crate) const HELP: &str = "\
Examples:
  lab man                              the page of the program; its source, if not on a terminal
  lab man --out ~/.local/share/man/man1
                                       lab.1, lab-run.1 and so on, as `man lab-run` finds them";

/// Arguments of `man`.
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// Write a page for each command to this folder, which is made if it is not there
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub(crate) out: Option<PathBuf>,
}

/// Shows a page with the system's `man`. Returns false if there is none that reads its input.
fn formatted(page: &[u8]) -> bool {
    let man = Command::new("man").args(["-l", "-"]).stdin(Stdio::piped()).stderr(Stdio::null()).spawn();
    man.and_then(|mut man| {
        // The reader may quit the pager before it has read the whole page.
        let _ = man.stdin.take().map(|mut input| input.write_all(page));
        man.wait()
    })
    .is_ok_and(|status| status.success())
}

/// Prints the program's page, formatted on a terminal, or writes the pages of all commands.
pub(crate) fn man(screen: &Screen, args: &ManArgs) -> anyhow::Result<bool> {
    let command = program::named(Cli::command(), program::INSTALLED);
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        if std::io::stdout().is_terminal() && formatted(&page) {
            return Ok(true);
        }
        screen.line(String::from_utf8(page)?.trim_end())?;
        return Ok(true);
    };
    let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    written.map_err(unwritten(folder, "give a folder that can be written"))?;
    screen.line(format!("manual pages written to {}", folder.display()))?;
    Ok(true)
}
