//! The C++ language of device code, executed: each program under `tests/language` has a kernel `k` that fills an array of
//! `int`, and a line `// EXPECT: …` with its first values, which are those of g++ 13 for the same text (as C++17), where
//! g++ knows what it uses.

use crate::fixtures::Fixture;
use crate::reference::{buffer, run};
use cuda_front::{Options, compile};

/// Values that a kernel may write.
const LENGTH: usize = 64;

fixtures! { crate::language::program, "tests/language";
    access adl alignment_attributes assignop atomics basecall bitf bracearg capthis captured_arrays_and_pack_lists character_literals class_deduction
    computed_alignment conditional_lives conditional_lives_in_statements conv conversion_functions
    conversion_to_base conversions_in_place copyctor crtp decltypeauto dtor_default dtor_ret dtor_scope
    enumerators_inside enumops enums_references_copies explicit_conversions fnptr friend function_references function_specialization function_types fwdcls inlinev
    localcls member_defaults member_tpl members_ahead members_first more_specialized multi_inh mutable_ nestedbracector
    operator_overloads opnew outside outside_partial overload_ranks placement_new rangefor refqual sb specialisation_patterns swinit
    template_addresses temporaries_keep_their_class traits_joined ttp unions using_members vartpl virt_static
    void_t
}

fn program(file: &Fixture) {
    let line = file.text.lines().find_map(|l| l.strip_prefix("// EXPECT: ")).expect("a line `// EXPECT: …`");
    let want: Vec<i32> = line.split_whitespace().map(|w| w.parse().expect("a number")).collect();
    let result = compile(&file.name, &file.text, &Options::default());
    let Some(module) = &result.module else {
        let shown = result.diagnostics.iter().map(|d| source::render::full(&result.sources, d, false));
        panic!("{}", shown.collect::<Vec<_>>().join("\n"));
    };
    let kernel = module.kernels.iter().find(|k| k.name == "k").expect("a kernel `k`");
    let mut params = vec![buffer(0)];
    // A second parameter is 1, which the front-end cannot know.
    params.resize(kernel.params.len(), 1);
    let out = run(module, "k", [1, 1, 1], &params, vec![vec![0; LENGTH * 4]]);
    let got: Vec<i32> = out[0]
        .chunks_exact(4)
        .map(|c| i32::from_le_bytes([c[0], c[1], c[2], c[3]]))
        .take(want.len())
        .collect();
    assert_eq!(got, want);
}
