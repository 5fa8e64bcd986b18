//! `goto` in every direction, each kernel against the same on the host.

use crate::classics_support::{Run, integers_of, numbers};
use device::Argument;

const ONE: [u32; 3] = [1, 1, 1];

#[test]
fn lanes_retry_as_often_as_they_need() {
    let need: Vec<i32> = integers_of(90, 1);
    let mut run = Run::new("jumps.cu");
    let (data, tries) = (run.ints(&need), run.ints(&[0; 90]));
    run.launch("retries", [3, 1, 1], [32, 1, 1], 0, &[data, tries, Argument::I32(90)]);
    let count = |left: &i32| {
        (1..)
            .scan(*left, |left, k| {
                *left -= k;
                Some((k, *left))
            })
            .find(|(_, left)| *left <= 0)
            .map_or(0, |(k, _)| k)
    };
    assert_eq!(run.read_ints(tries, 90), need.iter().map(count).collect::<Vec<_>>());
}

#[test]
fn a_machine_of_states() {
    let text: Vec<u8> = numbers(900, 2).iter().map(|v| b"ab 019z  -"[*v as usize % 10]).collect();
    let begin: Vec<i32> = (0..=48).map(|i: i32| (i * i * 900) / (48 * 48)).collect();
    let mut run = Run::new("jumps.cu");
    let (data, bounds) = (run.bytes(&text), run.ints(&begin));
    let (digits, names) = (run.ints(&[0; 48]), run.ints(&[0; 48]));
    run.launch("words", ONE, [48, 1, 1], 0, &[data, bounds, digits, names]);
    let (mut expected_digits, mut expected_names) = (vec![0; 48], vec![0; 48]);
    for (lane, pair) in begin.windows(2).enumerate() {
        let mut state = b' ';
        for c in text[pair[0] as usize..pair[1] as usize].iter().chain(b" ") {
            let (digit, letter) = (c.is_ascii_digit(), c.is_ascii_lowercase());
            let next = match state {
                b'a' if digit || letter => b'a',
                b'0' if digit => b'0',
                _ if letter => b'a',
                _ if digit => b'0',
                _ => b' ',
            };
            expected_digits[lane] += i32::from(state == b'0' && next != b'0');
            expected_names[lane] += i32::from(state == b'a' && next != b'a');
            state = next;
        }
    }
    assert_eq!(run.read_ints(digits, 48), expected_digits);
    assert_eq!(run.read_ints(names, 48), expected_names);
}

#[test]
fn a_loop_with_two_entries() {
    let mut run = Run::new("jumps.cu");
    let out = run.ints(&[0; 64]);
    run.launch("two_entries", ONE, [64, 1, 1], 0, &[out]);
    let expected = (0..64).map(|i| {
        let (mut a, mut steps, mut enter) = (i, 0, i % 3 == 0);
        loop {
            if !enter {
                a += 5;
                steps += 1;
            }
            enter = false;
            a = a * 3 % 101;
            steps += 1;
            if steps >= 12 || a <= 20 {
                return a * 100 + steps;
            }
        }
    });
    assert_eq!(run.read_ints(out, 64), expected.collect::<Vec<_>>());
}

#[test]
fn out_of_loops_and_back() {
    let n = 7usize;
    let grid: Vec<i32> = numbers(n * n, 3).iter().map(|v| (v % 100) as i32).collect();
    let mut run = Run::new("jumps.cu");
    let (data, out) = (run.ints(&grid), run.ints(&[0; 64]));
    run.launch("searches", ONE, [64, 1, 1], 0, &[data, Argument::I32(n as i32), out]);
    let search = |start: i32| {
        let mut key = start;
        for rounds in 0..4 {
            for (row, cells) in grid.chunks(n).enumerate() {
                let seen = cells.iter().position(|v| *v > 90).map_or(n, |end| end + 1);
                if let Some(column) = cells[..seen].iter().position(|v| *v == key) {
                    return row as i32 * 1000 + column as i32 * 10 + rounds;
                }
            }
            if rounds < 3 {
                key += 7;
            }
        }
        -key
    };
    assert_eq!(run.read_ints(out, 64), (0..64).map(search).collect::<Vec<_>>());
}

#[test]
fn labels_in_blocks_in_one_another() {
    let mut run = Run::new("jumps.cu");
    let out = run.ints(&[0; 32]);
    run.launch("nested", ONE, [32, 1, 1], 0, &[out, Argument::I32(9)]);
    let expected = (0..32).map(|lane| {
        let mut sum = 0;
        for _ in 0..9 {
            let tries = lane % 3 + 1;
            sum += 6 * tries;
            if sum % 5 == 0 {
                continue;
            }
            if sum > 150 {
                break;
            }
            sum += 100 * tries;
        }
        sum
    });
    assert_eq!(run.read_ints(out, 32), expected.collect::<Vec<_>>());
}

#[test]
fn barriers_among_jumps_and_jumps_without_end() {
    let mut run = Run::new("jumps.cu");
    let out = run.ints(&[0; 64]);
    run.launch("rotate", ONE, [64, 1, 1], 0, &[out, Argument::I32(5)]);
    assert_eq!(run.read_ints(out, 64), (0..64).map(|i| (i + 5) % 64).collect::<Vec<_>>());
    run.options().instruction_budget = 2_000_000;
    assert_eq!(run.fault("forever", 32, &[out]).0, "instruction-budget");
}
