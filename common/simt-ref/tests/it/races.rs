//! The race oracle on the kernels of `tests/races`, a test each.
//!
//! A kernel's first lines say how it is launched and what is expected, for whatever looks for races:
//!
//! ```text
//! // What it shows.
//! // launch: <<<2, 64>>>                  one or more, each with the values of its integer parameters behind it
//! // launch: cooperative <<<2, 1>>>
//! // schedules: ascending                 if it waits for ever in descending order
//! // expect: race (P1, P7), note (P2)     all that is said of any word; or: clean
//! // expect descending: race (P1)         if that depends on the order
//! ```
//!
//! The kernel is `k`; each of its pointers points to a buffer of its own of 4096 zeros.

use simt_ir::{Constant, ParamKind, ValidModule};
use simt_ref::races::{Outcome, Races};
use simt_ref::{End, Event, Host, Launch, Memory, Schedule, run};
use std::collections::BTreeSet;
use std::path::Path;

const ASCENDING: [Schedule; 2] = [Schedule::Lockstep, Schedule::Threads { descending: false }];
const DESCENDING: Schedule = Schedule::Threads { descending: true };

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/races");

/// A kernel file.
struct Case {
    module: ValidModule,
    launches: Vec<Launch>,
    expected: String,
    /// `None` if it would not end.
    expected_descending: Option<String>,
}

/// The values of a header line's key.
fn header<'t>(text: &'t str, key: &str) -> Vec<&'t str> {
    text.lines()
        .map_while(|line| line.strip_prefix("// "))
        .filter_map(|line| line.strip_prefix(key))
        .collect()
}

fn module(name: &str, text: &str) -> ValidModule {
    let result = cuda_front::compile(name, text, &cuda_front::Options::default());
    let shown = |d| source::render::full(&result.sources, d, false);
    let told: Vec<String> = result.diagnostics.iter().map(shown).collect();
    result.module.unwrap_or_else(|| panic!("{}", told.join("\n")))
}

/// `cooperative <<<2, 64>>> 0 1`
fn launch(module: &ValidModule, text: &str) -> Launch {
    let (cooperative, text) = match text.strip_prefix("cooperative ") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (shape, values) = text.strip_prefix("<<<").and_then(|rest| rest.split_once(">>>")).expect("a shape");
    let (grid, block) = shape.split_once(", ").expect("two sizes");
    let number = |text: &str| text.parse().expect("a number");
    let mut values = values.split_whitespace().map(number);
    let mut buffers = 0;
    let params = module.kernels[0].params.iter().map(|param| match param.kind {
        ParamKind::Pointer { .. } => {
            buffers += 1;
            crate::buffer(buffers - 1)
        }
        ParamKind::Scalar(_) => Constant::I32(values.next().expect("a value for each integer")),
        ParamKind::Texture => panic!("there are no textures here"),
    });
    let args: Vec<Constant> = params.collect();
    Launch { cooperative, ..Launch::new(number(grid), number(block), &args) }
}

impl Case {
    fn read(name: &str) -> Case {
        let path = Path::new(FOLDER).join(name).with_extension("cu");
        let text = std::fs::read_to_string(path).expect("the file can be read");
        let module = module(name, &text);
        let launches = header(&text, "launch: ").into_iter().map(|line| launch(&module, line)).collect();
        let [expected] = header(&text, "expect: ")[..] else { panic!("one line says what to expect") };
        let descending = header(&text, "expect descending: ").first().copied().unwrap_or(expected);
        let ends = header(&text, "schedules: ") != ["ascending"];
        Case {
            module,
            launches,
            expected: expected.to_owned(),
            expected_descending: ends.then(|| descending.to_owned()),
        }
    }

    /// What the oracle says of all launches, as the header has it.
    fn verdicts(&self, schedule: Schedule) -> String {
        let pointers = self.module.kernels[0].params.iter();
        let pointers = pointers.filter(|param| matches!(param.kind, ParamKind::Pointer { .. })).count();
        let mut memory = Memory::new(&self.module, vec![vec![0; 4096].into(); pointers]);
        let mut told = BTreeSet::new();
        for launch in &self.launches {
            let launch = Launch { schedule, ..launch.clone() };
            let mut races = Races::new(&launch, &self.module.kernels[0]);
            observe(&self.module, &launch, &mut memory, &mut races);
            told.extend(races.finish().into_iter().map(|verdict| (verdict.outcome, verdict.rule)));
        }
        let of = |wanted: Outcome, name: &str| {
            let rules = told.iter().filter(|(outcome, _)| *outcome == wanted);
            let rules: Vec<String> = rules.map(|(_, rule)| format!("{rule:?}")).collect();
            (!rules.is_empty()).then(|| format!("{name} ({})", rules.join(", ")))
        };
        let all: Vec<String> =
            [of(Outcome::Race, "race"), of(Outcome::Note, "note")].into_iter().flatten().collect();
        if all.is_empty() { "clean".to_owned() } else { all.join(", ") }
    }
}

/// Runs the kernel under the oracle's eyes.
fn observe<'m>(module: &'m ValidModule, launch: &Launch, memory: &mut Memory, races: &mut Races<'m>) {
    let mut observer = |event: &Event<'m>| races.observe(event);
    let host = Host { observer: Some(&mut observer), ..Host::default() };
    let report = run(module, 0, launch, memory, host).expect("the launch fits");
    assert_eq!(report.end, End::Done);
}

fn check(name: &str) {
    let case = Case::read(name);
    for schedule in ASCENDING {
        assert_eq!(case.verdicts(schedule), case.expected, "{schedule:?}");
    }
    if let Some(expected) = &case.expected_descending {
        assert_eq!(case.verdicts(DESCENDING), *expected, "{DESCENDING:?}");
    }
}

macro_rules! cases {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            check(stringify!($name));
        })*

        #[test]
        fn each_file_has_a_test() {
            let entries = std::fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path());
            let files: BTreeSet<String> =
                entries.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
            let listed = [$(stringify!($name)),*].map(str::to_owned);
            assert_eq!(files, BTreeSet::from(listed));
        }
    };
}

cases! {
    case_01_neighbours_clean
    case_01_neighbours_race
    case_02_one_word_clean
    case_02_one_word_race
    case_03_branches_race
    case_04_ballot_race
    case_04_shuffle_race
    case_05_masked_syncwarp_clean
    case_05_masked_syncwarp_race
    case_06_coalesced_race
    case_06_tile_clean
    case_06_tile_race
    case_07_warps_clean
    case_07_warps_race
    case_08_tree_clean
    case_08_tree_race
    case_09_blocks_race
    case_10_grid_clean
    case_10_grid_race
    case_11_launches_clean
    case_12_found_note
    case_12_found_race
    case_13_two_writers_race
    case_14_bytes_clean
    case_14_bytes_race
    case_15_vector_clean
    case_15_vector_race
    case_16_fields_clean
    case_16_fields_race
    case_17_atomics_clean
    case_17_atomics_of_blocks_race
    case_17_one_of_each_race
    case_18_scopes_in_a_block_clean
    case_19_store_and_atomic_race
    case_20_read_and_atomic_clean
    case_20_read_and_atomic_race
    case_21_guard_race
    case_21_guess_note
    case_22_mixed_size_note
    case_23_last_warp_clean
    case_23_last_warp_race
    case_24_plain_and_volatile_race
    case_24_volatile_race
    case_25_consumer_first_volatile_flag_clean
    case_25_consumer_first_volatile_flag_in_a_block_clean
    case_25_grid_barrier_clean
    case_25_lanes_of_a_warp_clean
    case_25_volatile_flag_clean
    case_25_volatile_flag_in_a_block_clean
    case_26_atomic_flag_clean
    case_26_consumer_first_atomic_flag_clean
    case_26_consumer_first_release_acquire_clean
    case_26_consumer_first_volatile_poll_clean
    case_26_release_acquire_clean
    case_26_volatile_poll_clean
    case_27_consumer_first_no_release_race
    case_27_grid_barrier_race
    case_27_lanes_of_a_warp_race
    case_27_no_release_race
    case_28_consumer_first_no_acquire_note
    case_28_no_acquire_note
    case_29_consumer_first_narrow_fence_clean
    case_29_consumer_first_narrow_fence_race
    case_29_consumer_first_narrow_release_race
    case_29_narrow_fence_clean
    case_29_narrow_fence_race
    case_29_narrow_release_race
    case_30_consumer_first_narrow_atomic_clean
    case_30_consumer_first_narrow_atomic_race
    case_30_narrow_atomic_clean
    case_30_narrow_atomic_race
    case_31_clock_race
    case_32_chain_clean
    case_32_chain_race
    case_33_cumulative_clean
    case_34_last_block_clean
    case_34_last_warp_clean
    case_34_last_warp_race
    case_34_lucky_counter_race
    case_35_last_block_clean
    case_35_last_block_race
    case_35_no_acquire_note
    case_35_readers_fence_clean
    case_36_lock_clean
    case_36_lock_race
    case_36_two_locks_race
    case_37_unused_result_race
    case_38_copy_other_clean
    case_38_copy_other_race
    case_38_copy_own_clean
    case_38_copy_source_race
    case_38_copy_unwaited_race
    case_39_barrier_clean
    case_39_barrier_race
    case_40_pipeline_clean
    case_40_read_only_clean
    case_40_read_only_own_race
    case_40_read_only_race
    rule_lanes_of_one_atomic_race
    rule_o10_store_ends_chain_race
    rule_o12_weaker_fences_race
    rule_o13_any_sets_back_race
    rule_o13_handed_on_clean
    rule_o13_last_sets_back_clean
    rule_o13_unused_count_race
    rule_o3_reader_outside_race
    rule_o3_writer_inside_race
    rule_o9_lock_by_exchange_note
    rule_p2_ordered_before_note
    rule_p3_atomic_of_a_block_race
    rule_p3_barrier_and_no_guess_race
    rule_p3_no_guess_of_an_earlier_block_race
    rule_p3_no_guess_in_a_loop_race
    rule_p3_other_comparand_in_shared_race
    rule_p3_other_comparand_race
    rule_p3n_barrier_between_blocks_note
    rule_p3n_barrier_between_note
    rule_p3n_block_barrier_between_note
    rule_p5_fence_before_a_barrier_clean
    rule_p5_fence_before_the_grid_clean
    rule_p5_narrow_atomic_race
    rule_p5_no_fence_of_the_reader_race
    rule_p5_store_before_a_barrier_clean
    rule_p5_store_between_race
    rule_p5_nobody_looks_race
    rule_p5_two_looks_race
    rule_p5_two_writers_clean
    rule_p6_narrow_atomic_race
    rule_p7_narrow_load_race
    rule_p8_byte_of_a_word_clean
    rule_p8_byte_of_a_word_race
    rule_p9_words_clean
    rule_second_acquire_clean
    rule_second_release_clean
    rule_second_release_race
}
