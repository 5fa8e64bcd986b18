//! One beginner's mistake a file: `beginner/*.cu`. Each gets its own message, at the line that is marked with
//! `// EXPECT code`, with a help that says what to do; the whole text is kept in a snapshot.

use crate::fixtures::{self, Fixture};
use cuda_front::{Compilation, Options};
use source::{Severity, render};

fixtures! { crate::beginner::mistake, "tests/beginner";
    address_of_local array_assigned arrow_on_value assigned_sign assignment_in_condition atomic_on_const
    atomic_without_address barrier_in_branch barrier_without_parentheses bitwise_and_of_conditions
    break_outside_loop capital_component case_without_break_outside chained_comparison comma_index const_input
    constant_compared_with_one_sign constant_memory_written curly_quotes dead_store_index device_lambda_missing_semicolon
    device_on_host_variable division_by_zero dot_on_pointer double_literal duplicate_case else_without_if
    extra_paren flat_matrix float_suffix for_with_commas for_with_semicolon global_index_undeclared
    goto_past_initialization half_without_header host_copy host_function_called host_malloc host_output host_std_vector host_string_function
    if_with_semicolon include_without_quotes index_is_float index_outside index_without_axis integer_division integer_division_multiplied
    integer_accumulator integer_with_f
    kernel_called kernel_reference_parameter kernel_returns_a_value kernel_with_result launch_without_global
    local_run_time_size loop_variable_after_semicolon macro_with_equals macro_with_semicolon mask_precedence missing_brace missing_bracket
    missing_parameter_type missing_paren missing_paren_of_if missing_return missing_semicolon
    missing_template_arguments missing_type missing_void misspelled_attribute misspelled_barrier
    misspelled_math misspelled_type misspelled_variable negative_array_size null_dereferenced number_assigned number_for_pointer
    or_with_constant out_of_scope pointer_for_value pointer_stored polling_loop power_of_float power_of_ten
    printf_too_few
    printf_wrong_format redeclared remainder_of_floats reserved_word return_without_semicolon
    shared_run_time_size shared_with_initializer shared_without_extern shift_too_far shuffle_without_mask
    sizeof_parameter string_for_number struct_without_semicolon template_value_not_constant then
    thread_index_assigned thread_index_capitals thread_index_lower_case thread_number_undeclared
    too_few_arguments too_many_initializers two_points uninitialized_array_of_sums uninitialized_by_itself
    uninitialized_in_branch uninitialized_sum uninitialized_sum_spelled_out unknown_attribute unknown_field
    unsigned_below_zero unused_comparison used_before value_for_pointer vector_sum while_with_semicolon
    wrong_argument_type parameter_named_as_macro
    atomic_of_float comment_without_end comparison_reversed constants_of_other_languages device_variable_in_function
    else_with_condition groups_without_header host_wait_in_kernel length_of_pointer loop_without_braces
    minimum_of_two_types missing_comma_of_parameters parentheses_for_brackets pointer_of_other_type printf_of_vector
    run_time_value_as_constant suffix_after_space swapped_arguments two_colons_on_variable types_of_other_languages
    void_function_returns void_pointer
}

/// The lines (1-based) and the codes that a file expects.
fn expected(file: &Fixture) -> Vec<(u32, &str)> {
    let marks =
        (1..).zip(file.text.lines()).filter_map(|(n, line)| Some((n, line.split_once("// EXPECT ")?.1)));
    let marks: Vec<_> = marks.collect();
    assert!(!marks.is_empty(), "no line has `// EXPECT code`");
    marks
}

fn mistake(file: &Fixture) {
    let compiled = cuda_front::compile(&file.name, &file.text, &Options::default());
    let full: String =
        compiled.diagnostics.iter().map(|d| render::full(&compiled.sources, d, false) + "\n").collect();
    let found: Vec<(u32, &str)> = compiled
        .diagnostics
        .iter()
        .map(|d| (d.span().map_or(0, |s| compiled.sources.position(s).line), d.code.as_str()))
        .collect();
    assert_eq!(found, expected(file), "{full}");
    assert!(!compiled.diagnostics[0].help.is_empty(), "no help\n{full}");
    insta::with_settings!({ snapshot_path => "../beginner", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(file.stem.as_str(), full);
    });
}

/// Warnings that right programs get: file, and code.
const LISTED: &[(&str, &str)] = &[
    // They are about just this.
    ("accept/arithmetic/float_and_double.cu", "double-literal"),
    ("accept/arithmetic/float_and_double.cu", "integer-division"),
    ("accept/casts/narrowing_by_assignment.cu", "fraction-lost"),
    ("accept/functions/missing_return_value.cu", "missing-return"),
    ("accept/classics/layer_norm.cu", "shared-initializer"),
];

/// Fails if a right program, with its path, gets a warning that is not listed.
pub(crate) fn assert_no_warning(name: &str, compiled: &Compilation) {
    // A feature that is not supported yet stops the look at the rest.
    if compiled.has_errors() {
        return;
    }
    let warnings = compiled.diagnostics.iter().filter(|d| d.severity == Severity::Warning);
    let found: String = warnings
        .filter(|d| !LISTED.contains(&(name, d.code.as_str())))
        .map(|d| render::full(&compiled.sources, d, false))
        .collect();
    assert!(found.is_empty(), "a warning on a right program\n{found}");
}

#[test]
fn right_programs_get_no_warning() {
    for folder in [
        "../../solutions",
        "../../kernels",
        "tests/check/pass",
        "tests/kernels",
        "../device-sim/tests/classics",
    ] {
        for file in fixtures::below(folder) {
            assert_no_warning(&file.name, &cuda_front::compile(&file.name, &file.text, &Options::default()));
        }
    }
}
