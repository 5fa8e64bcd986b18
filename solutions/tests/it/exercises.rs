//! Tests with a name of their own for each exercise and each `best`.

use solutions::labs;

/// `each_exercise! { [RUN …] [RUN …] }` makes tests `LAB::EXERCISE::RUN` of the first list's functions for each exercise, and of the
/// second list's for the `best` of each lab that has one. A function is called with the lab and the exercise's name.
macro_rules! each_exercise {
    ($exercises:tt $best:tt) => {
        each_exercise! { @all [each_exercise @labs $exercises $best] }
    };
    // The one list of labs and exercises.
    (@all [$to:ident $($how:tt)*]) => {
        $to! { $($how)*
            lab_1_stencil [best] { naive shared adjacent_difference relaxation streaming }
            lab_2_convolution [best] { naive boundary }
            lab_3_constant_memory [best] {
                conv2d_constant fir_global fir_constant fir_readonly fir_texture fir_shared
            }
            lab_4_tiled_convolution [best] { input_tile output_tile }
            lab_5_cached_halo [] { cached_halo }
            lab_6_tiled_matmul [best] { naive tiled register_tiled }
            lab_7_transpose [best] { copy naive_read_rows naive_read_columns shared padded unrolled }
        }
    };
    (@labs $exercises:tt $best:tt $($lab:ident [$($best_name:ident)?] { $($name:ident)* })*) => {
        $(mod $lab {
            $(each_exercise! { @tests $lab $name $exercises })*
            $(each_exercise! { @tests $lab $best_name $best })?
        })*
    };
    (@tests $lab:ident $name:ident []) => {};
    (@tests $lab:ident $name:ident [$($run:ident)+]) => {
        mod $name {
            $(#[test]
            fn $run() {
                super::super::$run(solutions::lab(stringify!($lab)), stringify!($name));
            })+
        }
    };
}

macro_rules! names {
    ($($lab:ident [$($best_name:ident)?] { $($name:ident)* })*) => {
        vec![$((stringify!($lab), vec![$(stringify!($best_name))?], vec![$(stringify!($name)),*])),*]
    };
}

#[test]
fn every_exercise_has_tests() {
    let labs = labs();
    let folders: Vec<String> = labs.iter().map(|lab| lab.folder.replace('-', "_")).collect();
    let all: Vec<_> = labs
        .iter()
        .zip(&folders)
        .map(|(lab, folder)| {
            let best: Vec<&str> = lab.best.iter().map(|best| best.exercise.name()).collect();
            (folder.as_str(), best, lab.exercises.iter().map(|e| e.name()).collect::<Vec<_>>())
        })
        .collect();
    let listed: Vec<(&str, Vec<&str>, Vec<&str>)> = each_exercise! { @all [names] };
    for (lab, listed) in all.iter().zip(&listed) {
        let (folder, best, names) = lab;
        let line = format!("{folder} [{}] {{ {} }}", best.join(""), names.join(" "));
        assert_eq!(listed, lab, "the list in {} needs this line: {line}", file!());
    }
    assert_eq!(listed.len(), all.len(), "the list in {} has a lab too few or too many", file!());
}
