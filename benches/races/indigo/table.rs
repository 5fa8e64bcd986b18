//! What the runs come to: a table by graph, one by kind of mistake, and the names of the kernels that did not end as they are named.

use crate::Run;
use crate::run::Outcome;
use benches::indigo::{KernelName, Mistake};
use std::collections::BTreeMap;
use std::fmt::Write;

/// All of it, in Markdown. `graphs` are in the order of the runs of each kernel.
pub(crate) fn page(runs: &[Run], graphs: &[&str]) -> String {
    let kernels = by_kernel(runs);
    let mut page = by_graph(&kernels, graphs);
    page += &by_mistake(&kernels);
    page += &list(&kernels, "Racy kernels of which no run is reported", |kernel, runs| {
        kernel.is_racy() && !runs.iter().any(|run| run.outcome.is_a_race())
    });
    page += &list(&kernels, "Racy kernels of which some runs are reported", |kernel, runs| {
        let reported = runs.iter().filter(|run| run.outcome.is_a_race()).count();
        kernel.is_racy() && reported > 0 && reported < runs.len()
    });
    page += &list(
        &kernels,
        "Kernels that are named after no race, of which a race is reported",
        |kernel, runs| !kernel.is_racy() && runs.iter().any(|run| run.outcome.is_a_race()),
    );
    page += &list(&kernels, "Kernels that are named after no mistake, and are stopped", |kernel, runs| {
        let stopped = |run: &&Run| matches!(run.outcome, Outcome::Fault(_) | Outcome::TooLong);
        kernel.is_clean() && runs.iter().any(stopped)
    });
    page += &list(&kernels, "Files that do not compile", |_, runs| {
        runs.iter().any(|run| matches!(run.outcome, Outcome::NotCompiled(_)))
    });
    let asked: Vec<&Run> = runs.iter().filter(|run| run.oracle.is_some()).collect();
    if !asked.is_empty() {
        page += &by_oracle(&asked);
        page += &list(&kernels, "Kernels where oracle and simulator differ", |_, runs| {
            runs.iter().any(|run| differs(run))
        });
    }
    page
}

/// Whether the oracle was asked, and says otherwise.
fn differs(run: &Run) -> bool {
    run.oracle.as_ref().is_some_and(|answer| answer.is_a_race() != run.outcome.is_a_race())
}

/// How many runs the oracle and the simulator call a race.
fn by_oracle(asked: &[&Run]) -> String {
    let mut text = String::from(
        "\n| oracle | simulator: race reported | simulator: nothing, or another fault |\n|---|---|---|\n",
    );
    for (title, expected) in [("race", true), ("no race", false)] {
        let runs = asked
            .iter()
            .filter(|run| run.oracle.as_ref().is_some_and(|answer| answer.is_a_race() == expected));
        let reported: Vec<bool> = runs.map(|run| run.outcome.is_a_race()).collect();
        let count = |wanted: bool| reported.iter().filter(|found| **found == wanted).count();
        let _ = writeln!(text, "| {title} | {} | {} |", count(true), count(false));
    }
    text
}

type Kernels<'r> = BTreeMap<&'r str, (&'r KernelName, Vec<&'r Run>)>;

fn by_kernel(runs: &[Run]) -> Kernels<'_> {
    let mut kernels = Kernels::new();
    for run in runs {
        kernels.entry(&run.kernel.text).or_insert_with(|| (&run.kernel, Vec::new())).1.push(run);
    }
    kernels
}

/// How many kernels of each group ended how, on one graph or on any.
fn by_graph(kernels: &Kernels, graphs: &[&str]) -> String {
    let mut text = String::from(
        "Racy: the kernel's name says guardBug, atomicBug, syncBug or raceBug; clean: it says no mistake.\n\n\
         | graph | racy: race reported | racy: bounds mistake reported | racy: nothing reported | racy, no boundsBug: race reported \
         | clean: race reported | clean: stopped | only boundsBug: race reported |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    let columns = graphs.iter().map(|graph| (*graph, Some(*graph)));
    for (title, graph) in columns.chain([("any of them", None)]) {
        let seen = |run: &&&Run| graph.is_none_or(|graph| run.graph == graph);
        let is = |runs: &[&Run], wanted: fn(&Outcome) -> bool| {
            runs.iter().filter(seen).any(|run| wanted(&run.outcome))
        };
        let race = |runs: &[&Run]| is(runs, Outcome::is_a_race);
        let fault = |runs: &[&Run]| is(runs, |outcome| matches!(outcome, Outcome::Fault(_)));
        let stopped = |runs: &[&Run]| is(runs, |o| matches!(o, Outcome::Fault(_) | Outcome::TooLong));
        let count = |group: fn(&KernelName) -> bool, wanted: &dyn Fn(&[&Run]) -> bool| {
            let group: Vec<_> = kernels.values().filter(|(kernel, _)| group(kernel)).collect();
            format!("{} of {}", group.iter().filter(|(_, runs)| wanted(runs)).count(), group.len())
        };
        let cells = [
            count(KernelName::is_racy, &race),
            count(KernelName::is_racy, &|runs| !race(runs) && fault(runs)),
            count(KernelName::is_racy, &|runs| !race(runs) && !fault(runs)),
            count(|kernel| kernel.is_racy() && !kernel.has(Mistake::Bounds), &race),
            count(KernelName::is_clean, &race),
            count(KernelName::is_clean, &|runs| !race(runs) && stopped(runs)),
            count(|kernel| !kernel.is_racy() && kernel.has(Mistake::Bounds), &race),
        ];
        let _ = writeln!(text, "| {title} | {} |", cells.join(" | "));
    }
    text
}

/// Of kernels with each mistake, how many are reported on any graph. One with two mistakes is in both rows.
fn by_mistake(kernels: &Kernels) -> String {
    let mut text = String::from(
        "\nReported on any graph; a kernel with two mistakes counts in both rows.\n\n\
         | mistake | race reported | of those without boundsBug |\n|---|---|---|\n",
    );
    for mistake in Mistake::RACES {
        let cell = |bounds: bool| {
            let group = kernels
                .values()
                .filter(|(kernel, _)| kernel.has(mistake) && (bounds || !kernel.has(Mistake::Bounds)));
            let group: Vec<_> = group.collect();
            let reported =
                group.iter().filter(|(_, runs)| runs.iter().any(|run| run.outcome.is_a_race())).count();
            format!("{reported} of {}", group.len())
        };
        let _ = writeln!(text, "| {} | {} | {} |", mistake.name(), cell(true), cell(false));
    }
    text
}

/// The kernels that `wanted` takes, each with how its runs ended.
fn list(kernels: &Kernels, title: &str, wanted: fn(&KernelName, &[&Run]) -> bool) -> String {
    let chosen: Vec<_> = kernels.values().filter(|(kernel, runs)| wanted(kernel, runs)).collect();
    let mut text = format!("\n{title}: {}\n", chosen.len());
    for (kernel, runs) in chosen {
        let _ = writeln!(text, "- {}", kernel.text);
        let mut ends: Vec<(String, Vec<&str>)> = Vec::new();
        for run in runs {
            let end = ending(run);
            match ends.iter_mut().find(|(known, _)| *known == end) {
                Some((_, graphs)) => graphs.push(&run.graph),
                None => ends.push((end, vec![&run.graph])),
            }
        }
        for (end, graphs) in ends {
            let _ = writeln!(text, "    {}: {end}", graphs.join(", "));
        }
    }
    text
}

fn ending(run: &Run) -> String {
    let end = match &run.outcome {
        Outcome::Race(message) | Outcome::Fault(message) => message.clone(),
        Outcome::NotCompiled(message) => format!("not compiled: {message}"),
        Outcome::TooLong => "too long".to_owned(),
        Outcome::Ran => "nothing reported".to_owned(),
    };
    match &run.oracle {
        Some(answer) => format!("{end}; oracle: {}", answer.text()),
        None => end,
    }
}
