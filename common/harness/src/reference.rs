//! Stored reference data, which replace the solutions in a students' edition.
//!
//! A folder of references usually contains the solutions, `LAB/EXERCISE.cu`. In a students' edition it contains none
//! of them, but
//!
//! - the starters, `starters/LAB/EXERCISE.cu`, which are otherwise derived from the solutions, and
//! - a [`Table`] of measured values of the solutions, [`TABLE`], which are otherwise measured when needed.
//!
//! The table holds the values of gates at every gated size, and the counters and modelled times of solutions that are
//! baselines of speed-ups. It holds no more, because all counters of a run could reveal a solution. It applies to one
//! seed and one device model; for others, reports show no reference values. No score depends on the table, because
//! gates compare with limits that follow from the exercise.

use crate::grade::{self, Ran, run_case};
use crate::{Case, Exercise, Gate, Lab, Paths, Run, Tally, read_kernel_file};
use device::{Counters, Device, KernelFile, Occupancy};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

/// File name of the table in a folder of references.
pub const TABLE: &str = "measured.json";

/// Name of the starters' folder in a folder of references.
pub const STARTERS: &str = "starters";

/// Source of reference solutions: files ([`Paths`]), or data contained in the program ([`Carried`]).
pub trait References {
    /// The solution of an exercise, if available.
    fn solution_text(&self, lab: &Lab, exercise: &str) -> Option<KernelFile>;

    /// The starter of an exercise, if available.
    fn starter_text(&self, lab: &Lab, exercise: &str) -> Option<String>;

    /// The stored measured values of the solutions, for editions without solutions; empty if there are none.
    fn measured(&self) -> Arc<Table>;
}

impl References for Paths {
    fn solution_text(&self, lab: &Lab, exercise: &str) -> Option<KernelFile> {
        read_kernel_file(&self.solution(lab, exercise), "solution").ok()
    }

    fn starter_text(&self, lab: &Lab, exercise: &str) -> Option<String> {
        self.starter(lab, exercise).ok()
    }

    fn measured(&self) -> Arc<Table> {
        Table::of(&self.solutions)
    }
}

/// References contained in a program without solutions.
pub struct Carried {
    /// Starters by `LAB/EXERCISE.cu`.
    starters: HashMap<&'static str, &'static str>,
    table: Arc<Table>,
}

impl Carried {
    /// Creates references from starters by `LAB/EXERCISE.cu` and the text of a [`Table`]; an unreadable table counts
    /// as empty.
    pub fn new(starters: &[(&'static str, &'static str)], table: &str) -> Carried {
        let table = Arc::new(Table::parse(table));
        Carried { starters: starters.iter().copied().collect(), table }
    }
}

impl References for Carried {
    fn solution_text(&self, _: &Lab, _: &str) -> Option<KernelFile> {
        None
    }

    fn starter_text(&self, lab: &Lab, exercise: &str) -> Option<String> {
        let name = format!("{}/{exercise}.cu", lab.folder);
        self.starters.get(name.as_str()).map(|text| source::normalized((*text).to_owned()))
    }

    fn measured(&self) -> Arc<Table> {
        self.table.clone()
    }
}

/// A reference's gate values at one size.
pub(crate) enum Reference {
    /// The solution was run.
    Measured(Arc<Ran>),
    /// Values by gate, from a table.
    Kept(BTreeMap<String, f64>),
}

impl Reference {
    /// The reference's value for a gate.
    pub(crate) fn value(&self, gate: &Gate) -> Option<f64> {
        match self {
            Reference::Measured(ran) => gate.value(&ran.measured()?),
            Reference::Kept(values) => values.get(gate.id).copied(),
        }
    }

    /// Whether the reference itself passes a gate. It always does at gated sizes; at any other size, the gate is
    /// judged only if the reference passes it. Kept values are of gated sizes only, so they give `false`.
    pub(crate) fn holds(&self, gate: &Gate) -> bool {
        match self {
            Reference::Measured(ran) => ran.measured().is_some_and(|measured| gate.holds(&measured)),
            Reference::Kept(_) => false,
        }
    }
}

/// The measured values of all solutions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Table {
    rows: Vec<Row>,
}

/// A solution at one size. Fractions are stored as decimal text that converts back to the same bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Row {
    lab: String,
    exercise: String,
    /// The device's full name, which includes the model.
    device: String,
    seed: u64,
    case: String,
    gates: BTreeMap<String, String>,
    baseline: Option<Baseline>,
}

/// The values of a baseline that reports compare with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Baseline {
    /// Counters that are not 0.
    counters: Map<String, Value>,
    modelled: Option<String>,
    share_of_full: Option<String>,
    occupancy: Option<(String, u32, String)>,
}

impl Table {
    /// Runs the solution of an exercise at its gated sizes, and adds its values. `is_baseline`: whether speed-ups are
    /// relative to this exercise.
    ///
    /// # Errors
    /// Says that the solution cannot be read or is not correct.
    pub fn measure(
        &mut self,
        (lab, exercise): (&Lab, &dyn Exercise),
        solution: &Path,
        device: &mut dyn Device,
        seed: u64,
        is_baseline: bool,
    ) -> Result<(), String> {
        let name = solution.display().to_string();
        let file = read_kernel_file(solution, &name)?;
        for case in grade::cases(exercise, seed).into_iter().filter(|case| case.is_gated) {
            let (run, tally) = run_case(exercise, &case, file.clone(), device, seed, case.is_report)
                .map_err(|e| format!("{name} at {}: {e}", case.label))?;
            let ran = Ran { case, run, tally };
            let gates = exercise.gates().into_iter().filter_map(|gate| {
                let value = gate.value(&ran.measured()?)?;
                Some((gate.id.to_owned(), value.to_string()))
            });
            self.rows.push(Row {
                lab: lab.package.to_owned(),
                exercise: exercise.name().to_owned(),
                device: device.info().name.clone(),
                seed,
                case: ran.case.label.clone(),
                gates: gates.collect(),
                baseline: Baseline::of(&ran.tally).filter(|_| is_baseline && ran.case.is_report),
            });
        }
        Ok(())
    }

    /// The table as text, one row per line.
    pub fn text(&self) -> String {
        let lines: Vec<String> = self.rows.iter().filter_map(|row| serde_json::to_string(row).ok()).collect();
        format!("[\n{}\n]\n", lines.join(",\n"))
    }

    /// Parses a table; an invalid text gives an empty table.
    fn parse(text: &str) -> Table {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// The table of a folder of references, read once; empty if there is none.
    pub(crate) fn of(references: &Path) -> Arc<Table> {
        static READ: LazyLock<Mutex<HashMap<PathBuf, Arc<Table>>>> = LazyLock::new(Mutex::default);
        let read = || {
            let text = std::fs::read_to_string(references.join(TABLE)).unwrap_or_default();
            Arc::new(Table::parse(&text))
        };
        match READ.lock() {
            Ok(mut known) => known.entry(references.to_owned()).or_insert_with(read).clone(),
            Err(_) => read(),
        }
    }

    /// The values of an exercise's gates at a case.
    pub(crate) fn reference(
        &self,
        (lab, exercise): (&Lab, &dyn Exercise),
        device: &str,
        seed: u64,
        case: &Case,
    ) -> Option<Reference> {
        let row = self.row(lab, exercise, device, seed, case)?;
        let values = row.gates.iter().map(|(gate, value)| Some((gate.clone(), value.parse().ok()?)));
        Some(Reference::Kept(values.collect::<Option<_>>()?))
    }

    /// The stored baseline of an exercise at its report case.
    pub(crate) fn baseline(
        &self,
        (lab, exercise): (&Lab, &dyn Exercise),
        device: &str,
        seed: u64,
        case: Case,
    ) -> Option<Ran> {
        let tally = self.row(lab, exercise, device, seed, &case)?.baseline.as_ref()?.tally()?;
        Some(Ran { case, run: Run::new(), tally })
    }

    fn row(&self, lab: &Lab, exercise: &dyn Exercise, device: &str, seed: u64, case: &Case) -> Option<&Row> {
        self.rows.iter().find(|row| {
            (row.lab.as_str(), row.exercise.as_str(), row.seed) == (lab.package, exercise.name(), seed)
                && (row.device.as_str(), row.case.as_str()) == (device, case.label.as_str())
        })
    }
}

/// Whether any exercise of any lab uses this one as its baseline.
pub fn is_baseline(labs: &[Lab], lab: &Lab, exercise: &str) -> bool {
    labs.iter().flat_map(|of| of.exercises.iter().map(move |other| (of, other))).any(|(of, other)| {
        let package = other.baseline_lab().map_or(of.package, |lab| lab.package);
        (package, other.baseline()) == (lab.package, Some(exercise))
    })
}

impl FromIterator<Table> for Table {
    fn from_iter<T: IntoIterator<Item = Table>>(tables: T) -> Table {
        Table { rows: tables.into_iter().flat_map(|table| table.rows).collect() }
    }
}

impl Baseline {
    /// `None` for a run without counters.
    fn of(tally: &Tally) -> Option<Baseline> {
        let Ok(Value::Object(mut counters)) = serde_json::to_value(tally.counters?) else { return None };
        counters.retain(|_, value| value.as_u64() != Some(0));
        Some(Baseline {
            counters,
            modelled: tally.modelled.map(|s| s.to_string()),
            share_of_full: tally.share_of_full.map(|s| s.to_string()),
            occupancy: tally.occupancy.as_ref().map(|o| (o.fraction.to_string(), o.blocks, o.limit.clone())),
        })
    }

    fn tally(&self) -> Option<Tally> {
        let counters: Counters = serde_json::from_value(Value::Object(self.counters.clone())).ok()?;
        let number = |text: &Option<String>| text.as_ref().and_then(|text| text.parse().ok());
        let occupancy = self.occupancy.as_ref().and_then(|(fraction, blocks, limit)| {
            Some(Occupancy { fraction: fraction.parse().ok()?, blocks: *blocks, limit: limit.clone() })
        });
        Some(Tally {
            counters: Some(counters),
            modelled: number(&self.modelled),
            share_of_full: number(&self.share_of_full),
            occupancy,
            ..Tally::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Paths;

    #[test]
    fn a_baseline_comes_back_to_the_bit() {
        let counters =
            Counters { warp_instructions: u64::MAX, shared_load_max_degree: 3, ..Counters::default() };
        let tally = Tally {
            counters: Some(counters),
            modelled: Some(0.1 + 0.2),
            share_of_full: Some(f64::MIN_POSITIVE / 3.0),
            occupancy: Some(Occupancy { fraction: 1.0 / 3.0, blocks: 5, limit: "threads".into() }),
            ..Tally::default()
        };
        let text = serde_json::to_string(&Baseline::of(&tally).unwrap()).unwrap();
        let back = serde_json::from_str::<Baseline>(&text).unwrap().tally().unwrap();
        assert_eq!((back.counters, &back.occupancy), (tally.counters, &tally.occupancy));
        assert_eq!((back.modelled, back.share_of_full), (tally.modelled, tally.share_of_full));
        assert!(!text.contains("branches"), "only what was counted: {text}");
        assert_eq!(Baseline::of(&Tally::default()), None);
    }

    #[test]
    fn a_table_that_cannot_be_read_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(*Table::of(folder.path()), Table::default());
        let other = tempfile::tempdir().unwrap();
        std::fs::write(other.path().join(TABLE), "[{]").unwrap();
        assert_eq!(*Table::of(other.path()), Table::default());
    }

    #[test]
    fn an_edition_for_students_is_told_by_its_table() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("kernels")).unwrap();
        std::fs::create_dir_all(root.join("references")).unwrap();
        assert!(!Paths::is_root(root), "a folder may be called so");
        std::fs::write(root.join("references").join(TABLE), Table::default().text()).unwrap();
        assert!(Paths::is_root(root));
        let paths = Paths::new(root);
        assert_eq!((paths.has_solutions(), &paths.solutions), (false, &root.join("references")));
        std::fs::create_dir_all(root.join("solutions")).unwrap();
        assert!(Paths::new(root).has_solutions());
    }
}
