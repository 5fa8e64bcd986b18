//! Tests valid and invalid requests of all kinds.

use crate::{ask, error, grade, ok};
use serde_json::json;

#[test]
fn the_list_has_every_exercise_with_its_starter() {
    let list = ok(&json!({ "do": "list" }));
    let labs = labs::all();
    assert_eq!(list.as_array().unwrap().len(), labs.len());
    for (listed, lab) in list.as_array().unwrap().iter().zip(&labs) {
        assert_eq!((&listed["number"], &listed["package"]), (&lab.number.into(), &lab.package.into()));
        assert_eq!(listed["exercises"].as_array().unwrap().len(), lab.exercises.len());
        for (listed, exercise) in listed["exercises"].as_array().unwrap().iter().zip(&lab.exercises) {
            assert_eq!(listed["name"], exercise.name());
            assert_eq!(listed["file"], format!("{}.cu", exercise.name()));
            let starter = listed["starter"].as_str().unwrap();
            assert!(starter.contains("// TODO") && !starter.contains("SOLUTION"), "{starter}");
            assert!(starter.contains(listed["kernel"].as_str().unwrap()), "{starter}");
            assert_eq!(listed["hints"], harness::Hints::of(exercise.hints()).steps.len());
        }
    }
}

#[test]
fn what_the_compiler_says_has_its_place() {
    let text = "__global__ void k(float *x) {\n    /* é */ x[0] = y;\n}\n";
    let answer = ok(&json!({ "do": "check", "text": text, "file": "my.cu" }));
    let [only] = answer["diagnostics"].as_array().unwrap().as_slice() else { panic!("{answer:#}") };
    assert_eq!((&only["code"], &only["severity"]), (&"undeclared-name".into(), &"error".into()));
    // Columns count characters.
    assert_eq!((&only["line"], &only["column"], &only["end_column"]), (&2.into(), &20.into(), &21.into()));
    assert!(only["rendered"].as_str().unwrap().contains("--> my.cu:2:20"), "{only:#}");
    let clean = ok(&json!({ "do": "check", "text": text.replace("= y", "= 1") }));
    assert_eq!(clean, json!({ "diagnostics": [] }));
}

#[test]
fn grading_takes_a_model_a_seed_and_how_much_is_wanted() {
    let text = ok(&json!({ "do": "list" }))[6]["exercises"][0]["starter"].clone();
    let name = ok(&json!({ "do": "list" }))[6]["exercises"][0]["name"].clone();
    let mut request = grade(7, name.as_str().unwrap(), text.as_str().unwrap());
    let plain = ok(&request);
    assert_eq!((&plain["device"]["source"], &plain["seed"]), (&"device model `h200`".into(), &1.into()));
    request["model"] = "t4".into();
    request["seed"] = 3.into();
    request["verbose"] = true.into();
    let other = ok(&request);
    assert_eq!((&other["device"]["source"], &other["seed"]), (&"device model `t4`".into(), &3.into()));
    let lines = |answer: &serde_json::Value| answer["rendered"].as_str().unwrap().lines().count();
    assert!(lines(&other) > lines(&plain), "{}", other["rendered"]);
    request["model"] = "t5".into();
    assert!(error(&request).contains("t5"), "{}", error(&request));
}

/// Without the solution at hand: what is kept passes every check and gate of the exercise.
#[test]
fn corrections_of_an_exercise_pass_all_of_it() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../solutions/lab-7-transpose/padded.cu");
    let solution = std::fs::read_to_string(folder).unwrap();
    let text = solution.replace("__syncthreads();", "");
    let mut request = grade(7, "padded", &text);
    let plain = ok(&request);
    assert_eq!(plain["diagnostics"][0]["json"]["suggestions"], json!([]), "{plain:#}");
    request["do"] = "suggest".into();
    let answer = ok(&request);
    let found: Vec<_> = answer["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|d| d["suggestions"].as_array().unwrap())
        .collect();
    assert_eq!(found.len(), 1, "{answer:#}");
    assert_eq!(found[0]["tried"]["result"], "right", "{answer:#}");
    request["text"] = solution.into();
    assert_eq!(ok(&request)["diagnostics"], json!([]));
}

#[test]
fn hints_and_words_are_explained() {
    let hint = |lab: u32, exercise: &str, step: usize| json!({ "do": "hint", "lab": lab, "exercise": exercise, "step": step });
    let first = ok(&hint(1, "naive", 1));
    assert!(first["text"].as_str().unwrap().starts_with("hint 1 of "), "{first}");
    let steps = first["steps"].as_u64().unwrap() as usize;
    assert!(ask(&hint(1, "naive", steps))["error"].is_null());
    for step in [0, steps + 1] {
        assert!(error(&hint(1, "naive", step)).contains(&format!("{steps} hints")));
    }
    let explain = |term: &str| json!({ "do": "explain", "term": term });
    for term in ["shared-memory-race", "sectors per request", "coalesced_loads"] {
        assert!(ok(&explain(term))["text"].as_str().unwrap().len() > 80);
    }
    let wavefront = ok(&explain("wavefront"));
    assert_eq!(wavefront["related"], json!(["bank", "bank conflict", "shared_wavefronts"]));
    assert_eq!(wavefront["pages"], json!([{ "title": "Glossary", "page": "glossary.html#wavefront" }]));
    assert!(!wavefront["text"].as_str().unwrap().contains("In the book"), "{wavefront}");
    assert!(error(&explain("wavefornt")).contains("`wavefront`"));
}

#[test]
fn wrong_requests_are_refused_in_words() {
    for (request, message) in [
        (json!({}), "missing field `do`"),
        (json!([]), "the request is not one"),
        (json!({ "do": "dance" }), "unknown variant `dance`"),
        (json!({ "do": "check" }), "missing field `text`"),
        (json!({ "do": "check", "text": 1 }), "expected a string"),
        (json!({ "do": "check", "text": "", "colour": true }), "unknown field `colour`"),
        (json!({ "do": "check", "text": "" }), "is empty"),
        (json!({ "do": "check", "text": "a\0b" }), "zero bytes"),
        (grade(8, "naive", "x"), "there is no lab 8"),
        (grade(1, "nave", "x"), "did you mean `naive`?"),
        (json!({ "do": "hint", "lab": 1, "exercise": "naive", "step": -1 }), "invalid value"),
    ] {
        let found = error(&request);
        assert!(found.contains(message), "{request}: {found}");
    }
    for bytes in [&b""[..], b"\xff\xfe", b"{", b"\"do\"", b"null", b"{\"do\":\"list\"}x"] {
        assert!(playground::answer(bytes).starts_with("{\"error\":"), "{bytes:?}");
    }
    for nested in ["[", "{\"do\":"].map(|open| open.repeat(100_000)) {
        assert!(playground::answer(nested.as_bytes()).starts_with("{\"error\":"));
    }
}

/// Texts that could exhaust a compiler's stack or memory, or take very long.
fn texts() -> Vec<(&'static str, String)> {
    let kernel = |body: &str| format!("__global__ void k(int *x, int n) {{ {body} }}\n");
    vec![
        ("nothing but blanks", " \n".repeat(1000)),
        ("no C++", "\u{202e}\u{1b}[31m\u{fffd} %%% ``` \\\n".repeat(1000)),
        ("parentheses", kernel(&format!("x[0] = {}1{};", "(".repeat(99_999), ")".repeat(99_999)))),
        ("blocks", kernel(&format!("{}{}", "{".repeat(50_000), "}".repeat(50_000)))),
        ("operators", kernel(&format!("x[0] = 1{};", " + 1".repeat(50_000)))),
        ("unary operators", kernel(&format!("x[0] = {}1;", "- ".repeat(50_000)))),
        (
            "macros",
            format!(
                "#define A0 1\n{}",
                (1..200).map(|i| format!("#define A{i} A{0} A{0}\n", i - 1)).collect::<String>()
                    + &kernel("x[0] = A199;")
            ),
        ),
        ("an include of itself", format!("#include \"kernel.cu\"\n{}", kernel("x[0] = 1;"))),
        ("an include of a file", format!("#include \"/etc/passwd\"\n{}", kernel("x[0] = 1;"))),
        (
            "templates",
            "template <int N> struct A { static constexpr int v = A<N + 1>::v; };\n".to_owned()
                + &kernel("x[0] = A<0>::v;"),
        ),
        ("1 MiB", kernel(&format!("x[0] = 1; /*{}*/", "x".repeat((1 << 20) - 100)))),
        (
            "1 MiB of kernels",
            (0..20_000).map(|i| format!("__global__ void k{i}(int *x) {{ x[0] = {i}; }}\n")).collect(),
        ),
        ("more than 1 MiB", "x".repeat((1 << 20) + 1)),
    ]
}

#[test]
fn every_text_has_an_answer() {
    for (what, text) in texts() {
        let requests = [
            json!({ "do": "check", "text": text, "file": "kernel.cu" }),
            json!({ "do": "launch", "text": text, "file": "kernel.cu", "line": "--kernel k --grid 1 --block 1 --arg i32[4]=zeros --arg 1" }),
            grade(7, "copy", &text),
        ];
        for request in requests {
            let answer = ask(&request);
            let is_one = answer["ok"].is_object() || answer["error"].as_str().is_some_and(|e| !e.is_empty());
            assert!(is_one, "{what}: {answer:#}");
        }
    }
}
