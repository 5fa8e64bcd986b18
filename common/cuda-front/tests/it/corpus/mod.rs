//! Every program of the corpus against the recorded truth about it, without CUDA.
//!
//! `tests/corpus/expected.txt` has a line for each program: `agree`, `unsupported`, or `disagree` and why. Any change in
//! either direction fails the program's test, so that an improvement is recorded as surely as a loss;
//! `UPDATE_CORPUS=1 cargo test -p cuda-front --test it corpus::recorded` writes the file anew.

mod lazily;
pub(crate) mod program;

use crate::beginner::assert_no_warning;
use crate::fixtures::Fixture;
use crate::support::{on_all_cores, show};
use program::{Outcome, Program, Truth};
use std::collections::BTreeMap;
use std::fs;

mod accept {
    fixtures! { crate::corpus::program, "tests/corpus/accept";
        arithmetic {
            bool_conversions char_types comma_and_compound conditional_as_object conditional_operator
            constant_expressions division_and_remainder float_and_double increments index_maths int128
            integer_promotions literal_kinds logic_short_circuit precedence shifts_and_bits sizeof_expressions
            unsigned_wraparound wide_characters wide_integers
        }
        atomics {
            all_kinds cas_loop_double_add cas_loop_float_max shared_and_members spin_lock
        }
        auto {
            auto_and_decltype generic_lambda generic_lambda_packs lambda_in_method lambda_patterns lambdas
            lambdas_and_constants nested_lambdas recursive_and_immediate_lambda reference_result
        }
        casts {
            bit_reinterpretation conversion_intrinsics cpp_casts float4_access narrowing_by_assignment
        }
        classes {
            access_and_friends aggregates aligned_alias arrays_of_objects bit_fields complex_numbers constructors crtp
            defaults_of_members destructor explicit_conversions friend_and_access
            increment_and_conversion_operators inheritance inherited_constructors iterator_and_span
            lambda_captures_array matrix_multiply_class member_pointers methods_and_this nested_types
            objects_chosen_by_a_condition operators out_of_class_definitions packed_attribute
            packed_behind_body packed_by_pragma packed_member packed_standard_attribute static_and_free_helpers
            static_members struct_by_value_kernel_argument virtual_functions virtual_on_the_host
        }
        classics {
            arg_max bfs bilateral_filter bitonic_sort black_scholes c_style convolution_constant
            convolution_separable dot_product fft_stage flash_attention floyd_warshall game_of_life gemv
            grid_sync_by_atomics hash_table histogram_global histogram_privatised jacobi_with_residual kmeans
            layer_norm levenshtein_wavefront lu_column mandelbrot matrix_classes merge_path modern_cpp
            monte_carlo_paths nbody pool_and_relu radix_sort_pass ray_tracer reduce_generic reduce_interleaved
            reduce_unrolled saxpy_float4 scan_blelloch scan_hillis_steele scan_warp_shuffle
            sgemm_double_buffered sgemm_naive sgemm_register_tiles sgemm_tiled sgemm_warp_tiles sobel softmax
            spmv_csr spmv_ell_coo stencil_1d stencil_3d string_search swizzle_functor_gemm transpose_naive
            transpose_swizzled transpose_tiled unified_reduction_tree vector_add
        }
        constant {
            device_globals float4_table last_block_counter pointer_to_constant symbols
        }
        constexpr {
            arrays_and_structs functions static_asserts
        }
        control {
            dangling_else divergent_return do_while early_exit_patterns for_forms goto goto_forward
            goto_state_machine grid_stride if_constexpr_and_init jump_past_initialisation
            labels_in_switch_on_template nested_break_continue range_for range_for_class switch_enum_and_loops
            switch_fall_through
        }
        cooperative {
            async_copy barrier_copy cluster_group grid_barrier grid_in_functions group_copy groups
            partitions_and_scans pipeline_copy pipeline_roles reduce wmma wmma_shapes
        }
        declarations {
            array_of_unknown_size attributes attributes_anywhere const_everywhere default_arguments
            designated_values extern_c extern_then_defined forward_declarations initialisers literal_operators
            managed narrowing_warned restrict_and_inline scopes_and_shadowing several_declarators
            static_locals_and_inline_variables structured_bindings typedef_and_using typeof_and_offsetof
            unnamed_parameters unusual_spellings
        }
        enums {
            plain_and_class unions unnamed_union
        }
        functions {
            built_in_function_as_value clock_and_trap cuda_runtime_api_in_host_code declared_in_a_body
            device_runtime error_codes_of_the_run_time host_and_device host_launcher launch_bounds
            ldg_and_cache_hints library_function missing_return_value name_of_a_function out_parameters
            pointers_and_null printf_and_assert printf_of_everything recursion volatile
        }
        half {
            cached_loads half2_and_bfloat16 half_arithmetic
        }
        math {
            complex directed_doubles directed_rounding dot_products_of_bytes double_and_overloaded
            fast_intrinsics float_and_double_mixed float_functions float_parts integer_intrinsics min_max_abs
            packed_integers random_numbers rarer_functions spaces_and_hints special_functions
        }
        namespaces {
            argument_dependent_lookup inline_namespace_and_kernel nested_and_using qualifier_behind_a_variable
            tag_beside_a_name
        }
        overloads {
            arithmetic const_and_references methods nearer_base
        }
        pointers {
            array_of_structs assumed_alignment function_pointers linked_list memory_functions
            pointer_arithmetic pointer_in_struct pointers_to_pointers reference_to_array references
            restrict_arrays_and_casts two_dimensional_arrays void_pointers
        }
        preprocessor {
            comments conditionals continued_lines cuda_arch function_macros line_numbers literals
            object_macros pragma_once_and_unroll pragma_operator self_reference standard_headers
            stringize_and_paste variadic_macro xmacro
        }
        ptx {
            bits_and_predicates computed_immediate label_and_loose_operands lane_and_clock memory_and_volatile
            special_registers tensor_tile
        }
        random {
            curand
        }
        shared {
            aliased_tiles extern_carved extern_in_template extern_shared in_device_function
            loads_by_all_threads padded_tile passed_to_functions shared_struct_with_arrays static_shared
        }
        templates {
            addresses_as_arguments alias_template class_argument_deduction class_template
            class_template_uses_file_names deduction default_function_arguments default_parameters
            dependent_names detection_idiom enum_parameter friend_and_operators functor_argument
            if_constexpr_types integer_sequences kernel_with_functor_defaults launch_bounds_template
            local_struct_uses_file_names nested_templates_and_shift overload_set_of_lambdas
            overload_with_template packs_in_lists perfect_forwarding_and_references recursion
            recursion_over_packs specialisation specialisation_for_const_function specialisation_for_method
            specialisation_for_noexcept specialised_by_result static_members_of_templates template_template
            traits type_parameter value_parameter variadic vector_of_width
        }
        textures {
            every_shape levels_and_surfaces object_fetches stencil surfaces
        }
        vectors {
            array_of_components braces_and_copies operators_for_vectors vector_types
        }
        warp {
            aggregated_atomics block_votes match_and_reduce shuffles votes warp_reduce_and_scan
        }
    }
}

mod reject {
    fixtures! { crate::corpus::program, "tests/corpus/reject";
        arrays {
            missing_inner_size negative_computed_size negative_size no_size run_time_size shared_run_time_size
            shared_size_from_block size_of_float too_many_in_struct too_many_values value_for_array
        }
        atomics {
            const_address number_as_address old_shuffle shuffle_without_mask wrong_type
        }
        classes {
            explicit_bool_in_arithmetic explicit_conversion_in_assignment list_of_private_members member_of_outer_class
            member_without_object private_base
            private_base_field_in_derived private_constant private_constructor private_method private_type
            protected_member undeducible_template_arguments using_of_no_base
        }
        r#const {
            assign_in_condition assign_to_array assign_to_const assign_to_expression assign_to_literal
            captured_by_value conditional_of_constants const_method_writes const_pointer_moved
            increment_of_const managed_const managed_constant managed_local managed_shared not_captured
            uninitialised_const write_through_pointer_to_const write_to_thread_index
        }
        constants {
            bad_octal bad_suffix constexpr_not_constant division_by_zero empty_character float_suffix_on_int
            launch_bounds static_assert static_assert_not_constant too_many_characters
        }
        control {
            break_outside case_not_constant case_outside continue_outside declaration_as_body duplicate_case
            duplicate_default goto_label_of_another_function label_twice range_for_over_pointer
        }
        functions {
            ambiguous_call argument_pointer_type argument_type builtin_arguments calling_a_variable
            const_argument global_and_device host_call kernel_called_like_a_function kernel_returns_value
            lambda_changes_copy lambda_results method_on_const missing_default_argument missing_main_type
            no_matching_overload number_for_pointer operator_of_one operator_outside overloaded_by_result
            reference_to_temporary return_value_in_kernel syncthreads_argument syncthreads_misspelled
            too_few_arguments too_many_arguments undeclared_member void_value
        }
        host {
            iostream kernel_calls_cuda_malloc throw r#try vector
        }
        names {
            arrow_on_value dot_on_pointer function_used_before_declaration goto_unknown_label missing_type
            misspelled_builtin misspelled_variable needs_namespace out_of_scope private_member
            surface_reference texture_reference undeclared_variable unknown_function unknown_member
            unknown_namespace unknown_parameter_type unknown_struct_member unknown_type
            used_before_declaration
        }
        preprocessor {
            endif_alone equals_in_define error_directive macro_arguments missing_endif semicolon_in_define
            stray_directive unknown_header
        }
        ptx {
            constraint_of_another_size unknown_constraint
        }
        redefinition {
            default_argument enumerator function global kernel local_variable member parameter parameter_names
            result_type r#struct
        }
        shared {
            as_parameter constant_local extern_of_two_types host_variable in_struct initialised
            initialised_array misspelled too_large write_to_constant
        }
        syntax {
            case_without_colon do_while_without_semicolon else_without_if extra_brace for_with_commas
            function_without_body_braces keyword_as_name missing_brace_at_end missing_bracket missing_comma
            missing_comma_in_call missing_condition_parentheses missing_operand missing_parenthesis
            missing_semicolon missing_semicolon_after_struct missing_semicolon_same_line misspelled_return
            nested_function number_as_name python_style statement_outside_a_function two_operators
            unterminated_string
        }
        templates {
            cannot_deduce conflicting_deduction error_in_instance missing_typename_list no_arguments
            not_a_template sfinae_leaves_none static_assert_of_parameter too_few_arguments too_many_arguments
            type_for_value unknown_in_template value_for_type value_not_constant
        }
        types {
            address_of_temporary auto_without_value cast_struct_to_float compare_pointer_with_number
            condition_of_struct dereference_of_number drops_const explicit_constructor float4_added
            incomplete_type index_of_number index_with_float int_to_enum no_default_constructor
            number_from_pointer pointer_from_number pointer_from_other_pointer pointer_times_number
            reference_global remainder_of_float scoped_enum_to_int shift_of_float static_cast_of_pointer
            struct_added struct_from_number switch_on_float too_many_indices two_bases void_global
            void_variable word_twice
        }
    }
}

fn program(file: &Fixture) {
    let program = Program::read(file);
    let compiled = program.compile();
    let outcome = program.outcome(&compiled);
    let expected = read_expected();
    let word = expected.get(&program.name).map_or("nothing", |(word, _)| word.as_str());
    assert_eq!(
        word,
        outcome.word(),
        "{}: recorded, and found; if that is right, run UPDATE_CORPUS=1 cargo test -p cuda-front --test it corpus::recorded",
        outcome.detail()
    );
    if program.truth == Truth::Accept {
        assert_no_warning(&program.file(), &compiled);
    }
    lazily::assert_same(&program, &compiled);
}

/// What `expected.txt` says of a program: the word, and the reason after it.
type Expected = BTreeMap<String, (String, String)>;

fn read_expected() -> Expected {
    let text = fs::read_to_string(program::folder().join("expected.txt")).unwrap_or_default();
    let mut expected = Expected::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut parts = line.splitn(3, ' ');
        let mut next = || parts.next().unwrap_or_default().to_owned();
        let (name, word, reason) = (next(), next(), next());
        assert!(expected.insert(name.clone(), (word, reason)).is_none(), "{name} is listed twice");
    }
    expected
}

fn write_expected(outcomes: &BTreeMap<String, Outcome>, before: &Expected) {
    let mut text = "# What the front-end says of each program of the corpus, compared with the truth.\n\
        # PROGRAM agree | unsupported FEATURE | disagree WHAT IS SAID INSTEAD\n\
        # Written by: UPDATE_CORPUS=1 cargo test -p cuda-front --test it corpus::recorded\n"
        .to_owned();
    for (name, outcome) in outcomes {
        let kept = before.get(name).filter(|(word, reason)| word == outcome.word() && !reason.is_empty());
        let reason = kept.map_or(outcome.detail(), |(_, reason)| reason);
        text.push_str(format!("{name} {} {reason}", outcome.word()).trim_end());
        text.push('\n');
    }
    fs::write(program::folder().join("expected.txt"), text).expect("expected.txt can be written");
}

#[test]
fn recorded_is_every_program() {
    let programs = program::all();
    let mut expected = read_expected();
    if std::env::var_os("UPDATE_CORPUS").is_some() {
        let outcomes = on_all_cores(programs.len(), |n| programs[n].outcome(&programs[n].compile()));
        let outcomes = programs.iter().map(|p| p.name.clone()).zip(outcomes).collect();
        write_expected(&outcomes, &expected);
        expected = read_expected();
    }
    for (title, folder) in [("right programs", "accept/"), ("wrong programs", "reject/")] {
        let words: Vec<&str> =
            expected.iter().filter(|(n, _)| n.starts_with(folder)).map(|(_, (w, _))| w.as_str()).collect();
        let [agree, unsupported, disagree] =
            ["agree", "unsupported", "disagree"].map(|word| words.iter().filter(|w| **w == word).count());
        show(&format!(
            "corpus, {title}: {} in all, {agree} agree, {unsupported} unsupported, {disagree} disagree",
            words.len()
        ));
    }
    let names: Vec<&String> = programs.iter().map(|p| &p.name).collect();
    assert_eq!(expected.keys().collect::<Vec<_>>(), names);
}

#[test]
fn a_disagreement_has_its_reason() {
    for (name, (word, reason)) in read_expected() {
        assert!(["agree", "unsupported", "disagree"].contains(&word.as_str()), "{name}: `{word}`");
        assert_eq!(reason.is_empty(), word == "agree", "{name}: a reason belongs to what does not agree");
    }
}
