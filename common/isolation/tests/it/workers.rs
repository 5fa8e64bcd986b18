//! The tests; each forks this process, which has one thread.

use isolation::{Limits, Stopped, Work, protections, run};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

type Results = BTreeMap<usize, Result<Vec<u8>, Stopped>>;

type Test = fn() -> Result<(), String>;

pub(crate) fn tests() -> Vec<Trial> {
    let tests: [(&str, Test); 13] = [
        ("each_hands_over_its_result", each_hands_over_its_result),
        ("results_come_as_soon_as_they_are_known", results_come_as_soon_as_they_are_known),
        ("large_results_arrive_whole", large_results_arrive_whole),
        ("too_much_memory_stops_it", too_much_memory_stops_it),
        ("too_much_processor_time_stops_it", too_much_processor_time_stops_it),
        ("waiting_too_long_stops_it", waiting_too_long_stops_it),
        ("too_large_a_result_stops_it", too_large_a_result_stops_it),
        ("a_panic_says_where", a_panic_says_where),
        ("a_deep_recursion_stops_it_alone", a_deep_recursion_stops_it_alone),
        ("what_was_stopped_is_tried_again_alone", what_was_stopped_is_tried_again_alone),
        ("files_and_network_are_out_of_reach", files_and_network_are_out_of_reach),
        ("each_reads_its_own_files_alone", each_reads_its_own_files_alone),
        ("a_break_ends_the_run", a_break_ends_the_run),
    ];
    let trial = |(name, test): (&str, Test)| {
        Trial::test(format!("workers::{name}"), move || test().map_err(Failed::from))
    };
    tests.into_iter().map(trial).collect()
}

fn limits() -> Limits {
    Limits {
        memory: 64 << 20,
        cpu: Duration::from_secs(20),
        wall: Duration::from_secs(60),
        output: 8 << 20,
        readable: Vec::new(),
    }
}

/// What work of that number may read and no other: a file that is not there, or this program.
fn own(number: usize) -> Vec<PathBuf> {
    let program = std::env::current_exe().unwrap_or_default();
    vec![if number == OWNER { program } else { PathBuf::from("/missing") }]
}

/// The number of the work that may read this program.
const OWNER: usize = 3;

/// Runs `count` pieces of work, three at a time.
fn all(count: usize, limits: &Limits, work: &dyn Fn(usize) -> Vec<u8>) -> Results {
    let mut results = Results::new();
    run(3, limits, &mut (0..count), Work { run: work, reads: &own }, &mut |number, result| {
        assert!(results.insert(number, result).is_none(), "{number} ended twice");
        ControlFlow::Continue(())
    });
    results
}

/// That all results but one are their numbers, and what the other is.
fn others_are_right(results: &Results, odd: usize) -> Result<&Result<Vec<u8>, Stopped>, String> {
    for (number, result) in results.iter().filter(|(number, _)| **number != odd) {
        expect(result.as_deref() == Ok(&[*number as u8][..]), || format!("{number}: {result:?}"))?;
    }
    results.get(&odd).ok_or_else(|| "no result".to_owned())
}

fn expect(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

/// Runs `odd` as number 2 among five that give their numbers.
fn among_others(limits: &Limits, odd: &dyn Fn() -> Vec<u8>) -> Result<Result<Vec<u8>, Stopped>, String> {
    let results = all(5, limits, &|number| if number == 2 { odd() } else { vec![number as u8] });
    others_are_right(&results, 2).cloned()
}

fn each_hands_over_its_result() -> Result<(), String> {
    let shared = vec![7u8; 1000];
    for count in [0, 1, 2, 20] {
        let results = all(count, &limits(), &|number| [&shared[..3], &[number as u8]].concat());
        let expected: Results = (0..count).map(|n| (n, Ok(vec![7, 7, 7, n as u8]))).collect();
        expect(results == expected, || format!("{results:?}"))?;
    }
    Ok(())
}

fn results_come_as_soon_as_they_are_known() -> Result<(), String> {
    let begin = Instant::now();
    let mut order = Vec::new();
    let slow = |number: usize| {
        while number == 0 && begin.elapsed() < Duration::from_millis(700) {
            std::hint::spin_loop();
        }
        Vec::new()
    };
    run(2, &limits(), &mut (0..6), Work { run: &slow, reads: &own }, &mut |number, _| {
        order.push(number);
        ControlFlow::Continue(())
    });
    expect(order == [1, 2, 3, 4, 5, 0], || format!("{order:?}"))
}

fn large_results_arrive_whole() -> Result<(), String> {
    let results = all(4, &limits(), &|number| vec![number as u8; 3 << 20]);
    expect(results.iter().all(|(n, r)| *r == Ok(vec![*n as u8; 3 << 20])), || "a result was cut".to_owned())
}

fn too_much_memory_stops_it() -> Result<(), String> {
    for piece in [1 << 16, 1 << 28] {
        let result = among_others(&limits(), &|| {
            let mut taken = Vec::new();
            loop {
                taken.push(vec![1u8; piece]);
            }
        })?;
        // Where the system does not count memory, it ends in another way, if at all: Linux does.
        expect(result == Err(Stopped::Memory { limit: 64 << 20 }), || format!("{result:?}"))?;
    }
    Ok(())
}

fn too_much_processor_time_stops_it() -> Result<(), String> {
    let cpu = Duration::from_secs(1);
    let result = among_others(&Limits { cpu, ..limits() }, &|| {
        loop {
            std::hint::spin_loop();
        }
    })?;
    expect(result == Err(Stopped::Cpu { limit: cpu }), || format!("{result:?}"))
}

fn waiting_too_long_stops_it() -> Result<(), String> {
    let wall = Duration::from_millis(300);
    let result = among_others(&Limits { wall, ..limits() }, &|| {
        loop {
            std::thread::yield_now();
        }
    })?;
    expect(result == Err(Stopped::Wall { limit: wall }), || format!("{result:?}"))
}

fn too_large_a_result_stops_it() -> Result<(), String> {
    for bytes in [1001, 1 << 20] {
        let result = among_others(&Limits { output: 1000, ..limits() }, &|| vec![0; bytes])?;
        expect(result == Err(Stopped::Output { limit: 1000 }), || format!("{result:?}"))?;
    }
    let result = among_others(&Limits { output: 1000, ..limits() }, &|| vec![0; 1000])?;
    expect(result == Ok(vec![0; 1000]), || format!("{result:?}"))
}

fn a_panic_says_where() -> Result<(), String> {
    let result = among_others(&limits(), &|| panic!("it was {}", 17))?;
    let told = |message: &str| message.contains("it was 17") && message.contains("workers.rs");
    expect(matches!(&result, Err(Stopped::Panicked { message }) if told(message)), || format!("{result:?}"))
}

fn a_deep_recursion_stops_it_alone() -> Result<(), String> {
    fn deep(n: u64) -> u64 {
        if n == 0 { 0 } else { std::hint::black_box(deep(n - 1)) + 1 }
    }
    let result = among_others(&limits(), &|| deep(u64::MAX).to_le_bytes().to_vec())?;
    expect(matches!(result, Err(Stopped::Ended { .. })), || format!("{result:?}"))
}

fn what_was_stopped_is_tried_again_alone() -> Result<(), String> {
    // It takes too much only while another is beside it, as the clock of the process tells.
    let begin = Instant::now();
    let wall = Duration::from_millis(400);
    let results = all(4, &Limits { wall, ..limits() }, &|number| {
        while number == 1 && begin.elapsed() < Duration::from_millis(300) * 2 {
            std::thread::yield_now();
        }
        vec![number as u8]
    });
    let result = others_are_right(&results, 1)?;
    expect(*result == Ok(vec![1]), || format!("{result:?}"))
}

fn files_and_network_are_out_of_reach() -> Result<(), String> {
    let named = std::env::current_exe().map_err(|e| e.to_string())?;
    let written = std::env::temp_dir().join(format!("isolation-{}", std::process::id()));
    let reaches = || {
        let all = [
            std::fs::File::open(&named).is_ok(),
            std::fs::File::open("/etc/passwd").is_ok(),
            std::fs::write(&written, "x").is_ok(),
            std::net::UdpSocket::bind("127.0.0.1:0").is_ok(),
            std::process::Command::new("/bin/true").status().is_ok(),
        ];
        all.map(u8::from).to_vec()
    };
    let limits = Limits { readable: vec![named.clone()], ..limits() };
    let Ok(reached) = among_others(&limits, &reaches)? else { return Err("it was stopped".to_owned()) };
    let _ = std::fs::remove_file(&written);
    let has = |purpose: &str| protections().iter().any(|p| p.purpose == purpose && p.by.is_some());
    expect(reached[0] == 1, || "it cannot read what it may".to_owned())?;
    expect(!has("files") || reached[1] + reached[2] == 0, || format!("files: {reached:?}"))?;
    expect(!has("network") || reached[3] + reached[4] == 0, || format!("network: {reached:?}"))
}

fn each_reads_its_own_files_alone() -> Result<(), String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let results = all(5, &limits(), &|_| vec![u8::from(std::fs::File::open(&program).is_ok())]);
    let holds = protections().iter().any(|p| p.purpose == "files" && p.by.is_some());
    let right = |number: usize| if number == OWNER || !holds { 1 } else { 0 };
    let is_right =
        |(number, result): (&usize, &Result<Vec<u8>, Stopped>)| *result == Ok(vec![right(*number)]);
    expect(results.len() == 5 && results.iter().all(is_right), || format!("{results:?}"))
}

fn a_break_ends_the_run() -> Result<(), String> {
    let mut ended = 0;
    run(2, &limits(), &mut (0..), Work { run: &|_| Vec::new(), reads: &own }, &mut |_, _| {
        ended += 1;
        if ended < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    expect(ended == 5, || format!("{ended}"))
}
