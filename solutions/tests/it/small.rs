//! Exercises without their largest case, for tests that grade many kernels.

use harness::{Case, Context, Exercise, Expected, Failure, Gate, Run, SeededSizes};

/// An exercise whose report is of the case that the seed chooses.
pub(crate) struct Small<'a> {
    pub(crate) exercise: &'a dyn Exercise,
    pub(crate) seed: u64,
}

impl Exercise for Small<'_> {
    fn name(&self) -> &str {
        self.exercise.name()
    }

    fn title(&self) -> &str {
        self.exercise.title()
    }

    fn summary(&self) -> &str {
        self.exercise.summary()
    }

    fn expects(&self) -> Expected {
        self.exercise.expects()
    }

    fn instances(&self) -> Vec<String> {
        self.exercise.instances()
    }

    fn cases(&self) -> Vec<Case> {
        let mut cases = self.exercise.cases();
        cases.retain(|case| !case.is_report);
        let seeded = self.exercise.case_of_seed(&mut SeededSizes::of(self.seed, self.name()));
        cases.extend(seeded.map(Case::reported));
        cases
    }

    fn run(&self, cx: &mut Context<'_>, case: &Case) -> Result<Run, Failure> {
        self.exercise.run(cx, case)
    }

    fn flops(&self, case: &Case) -> f64 {
        self.exercise.flops(case)
    }

    fn bytes(&self, case: &Case) -> f64 {
        self.exercise.bytes(case)
    }

    fn gates(&self) -> Vec<Gate> {
        self.exercise.gates()
    }
}
