//! Tests which results pass a comparison, and which guess explains wrong ones.

use harness::{Comparison, Mismatch};

const ROWS: usize = 12;
const COLUMNS: usize = 18;

/// Distinct values without structure.
fn reference(len: usize) -> Vec<f64> {
    harness::input(3, "reference", len).iter().map(|v| f64::from(*v)).collect()
}

fn as_f32(values: &[f64]) -> Vec<f32> {
    values.iter().map(|v| *v as f32).collect()
}

fn poison() -> f32 {
    f32::from_bits(device::POISON)
}

/// Compares a 2D result with the reference, with a tile of 6x6 and a halo of 1.
fn compare(got: &[f32]) -> Result<(), Mismatch> {
    let expected = reference(ROWS * COLUMNS);
    Comparison::new("out", got, &expected).shape(ROWS, COLUMNS).tile(6, 6).halo(1).terms(9, 9.0).check()
}

/// The guess for a single mismatch.
fn guess_at(mismatch: &Mismatch) -> Option<String> {
    Mismatch::guess(&[mismatch])?.pop()
}

/// The guess for a 2D result; `make` computes each element from its row, its column and the reference.
fn guess(make: impl Fn(usize, usize, &dyn Fn(usize, usize) -> f64) -> f64) -> String {
    let expected = reference(ROWS * COLUMNS);
    let at = |r: usize, c: usize| expected[r.min(ROWS - 1) * COLUMNS + c.min(COLUMNS - 1)];
    let got: Vec<f32> = (0..ROWS * COLUMNS).map(|i| make(i / COLUMNS, i % COLUMNS, &at) as f32).collect();
    guess_at(&compare(&got).unwrap_err()).unwrap_or_default()
}

#[test]
fn rounding_passes_and_a_lost_term_does_not() {
    let expected = reference(64);
    let mut got = as_f32(&expected);
    for value in &mut got {
        *value += 3.0 * f32::EPSILON;
    }
    let check = |got: &[f32]| Comparison::new("out", got, &expected).terms(16, 16.0).check();
    check(&got).unwrap();
    got[5] += 1e-3;
    let wrong = check(&got).unwrap_err();
    assert_eq!((wrong.wrong, wrong.total, wrong.first[0].index), (1, 64, 5));
}

#[test]
fn nan_never_passes_and_infinity_is_not_near_anything() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let error = Comparison::new("out", &[bad], &[1.0]).terms(1000, 1e30).check().unwrap_err();
        assert_eq!(error.wrong, 1);
    }
    assert!(Comparison::new("out", &[f32::NAN], &[f64::NAN]).check().is_err());
}

#[test]
fn without_terms_only_equality_passes() {
    let next = f32::from_bits(1.0f32.to_bits() + 1);
    assert!(Comparison::new("out", &[1.0], &[1.0]).check().is_ok());
    assert!(Comparison::new("out", &[next], &[1.0]).check().is_err());
}

#[test]
fn a_scale_for_each_element_is_its_own() {
    let check = |scales: &[f64]| {
        Comparison::new("out", &[1.000_01, 1.000_01], &[1.0, 1.0]).terms_each(1, scales).check()
    };
    assert!(check(&[100.0, 100.0]).is_ok());
    assert_eq!(check(&[100.0, 1.0]).unwrap_err().first[0].index, 1);
}

#[test]
fn never_written_elements_are_told_from_nan() {
    let mut got = as_f32(&reference(ROWS * COLUMNS));
    got[COLUMNS + 2] = poison();
    got[COLUMNS + 3] = f32::NAN;
    let error = compare(&got).unwrap_err();
    assert_eq!((error.wrong, error.unwritten, error.nans), (2, 1, 1));
    let text = error.to_string();
    assert!(text.contains("(row 1, column 2): never written"), "{text}");
    assert!(text.contains("(row 1, column 3): got NaN"), "{text}");
}

#[test]
fn unwritten_columns_are_named() {
    let mut got = as_f32(&reference(ROWS * COLUMNS));
    (0..ROWS).for_each(|r| got[r * COLUMNS + 16..(r + 1) * COLUMNS].fill(poison()));
    assert!(
        guess_at(&compare(&got).unwrap_err()).unwrap().starts_with("never written in columns from 16 on")
    );
    assert!(
        guess_at(&compare(&vec![poison(); ROWS * COLUMNS]).unwrap_err())
            .unwrap()
            .starts_with("nothing was written")
    );
}

#[test]
fn guesses_name_what_happened() {
    assert_eq!(guess(|_, _, _| 0.0), "everything is zero");
    let transposed = guess(|r, c, at| {
        let flat = r * COLUMNS + c;
        at(flat % ROWS, flat / ROWS)
    });
    assert_eq!(transposed, "row and column swapped (the result is transposed)");
    let next = guess(|r, c, at| at(r, c + 1));
    assert_eq!(next, "shifted by one (each element holds the value of the next column)");
    assert!(guess(|r, c, at| at(r + 1, c)).contains("the next row"));
    assert!(guess(|r, c, at| at(r, c.saturating_sub(1))).contains("the previous column"));
    assert_eq!(guess(|r, c, at| 0.5 * at(r, c)), "every wrong element is 0.5 times the expected value");
    assert_eq!(guess(|r, c, at| -at(r, c)), "the sign is flipped");
    assert_eq!(
        guess(|_, _, _| f64::NAN),
        "the wrong elements are NaN: is memory read that was never written?"
    );
}

#[test]
fn sums_in_a_narrow_type_are_recognised_by_their_precision() {
    // The lower bits of the `float` are cut off.
    let rounded = |bits: u32| {
        move |v: f64| f64::from(f32::from_bits((v as f32).to_bits() >> (24 - bits) << (24 - bits)))
    };
    let half = guess(|r, c, at| rounded(11)(at(r, c)));
    assert!(half.contains("the precision of a `half`"), "{half}");
    let short = guess(|r, c, at| rounded(8)(at(r, c)));
    assert!(short.contains("the precision of a `__nv_bfloat16`"), "{short}");
    let some = guess(|r, c, at| if r % 2 == 0 { rounded(11)(at(r, c)) } else { at(r, c) });
    assert!(!some.contains("precision"), "results that are right have more bits: {some}");
}

#[test]
fn a_shift_by_the_radius_is_recognised() {
    let expected = reference(100);
    let shifted = |by: isize, rows: usize, columns: usize| {
        let got: Vec<f32> = (0..100isize).map(|i| expected[(i + by).clamp(0, 99) as usize] as f32).collect();
        let comparison = Comparison::new("out", &got, &expected).shape(rows, columns).halo(3).terms(7, 7.0);
        guess_at(&comparison.check().unwrap_err()).unwrap_or_default()
    };
    let text = |from| format!("shifted by the radius (each element holds the value from {from} it)");
    assert_eq!(shifted(3, 1, 100), text("3 elements after"));
    assert_eq!(shifted(-3, 1, 100), text("3 elements before"));
    assert_eq!(shifted(30, 10, 10), text("3 rows after"));
    assert_eq!(shifted(2, 1, 100), "", "nobody would mean that");
}

#[test]
fn places_of_wrong_elements_are_recognised() {
    let noise = |r: usize, c: usize| 0.3 + 0.01 * ((r * 7 + c * 13) % 11) as f64;
    let border = guess(|r, c, at| match r == 0 || c == 0 || r == ROWS - 1 || c == COLUMNS - 1 {
        true => at(r, c) + noise(r, c),
        false => at(r, c),
    });
    assert!(border.starts_with("wrong only within 1 of the array's border"), "{border}");
    let edges = guess(|r, c, at| match r % 6 == 0 || c % 6 == 5 {
        true => at(r, c) + noise(r, c),
        false => at(r, c),
    });
    assert!(edges.starts_with("tile edges only"), "{edges}");
}

#[test]
fn noise_gets_no_guess() {
    assert_eq!(guess(|r, c, _| ((r * 31 + c * 17) % 13) as f64), "");
}

#[test]
fn only_the_last_partial_tile_is_recognised() {
    let expected = reference(20);
    let mut got = as_f32(&expected);
    got[17] += 0.5;
    got[19] += 0.25;
    let error = Comparison::new("out", &got, &expected).tile(1, 8).check().unwrap_err();
    assert!(guess_at(&error).unwrap().starts_with("wrong only in the last, partial tiles"));
}

#[test]
fn a_candidate_of_the_lab_is_tried() {
    let expected = reference(20);
    let flipped: Vec<f64> = expected.iter().map(|v| v * v).collect();
    let got = as_f32(&flipped);
    let check = |c: Comparison<'_>| guess_at(&c.check().unwrap_err());
    let base = || Comparison::new("out", &got, &expected).terms(3, 3.0);
    let told = check(base().candidate("the filter is flipped", || flipped.clone()));
    assert_eq!(told.unwrap(), "the filter is flipped (this explains the wrong elements)");
    assert_eq!(check(base().candidate("something else", || vec![9.0; 20])), None);
}

/// What is said of an array at two sizes, the second of which has other wrong elements.
fn guess_at_two(second: impl Fn(&mut [f32])) -> Option<Vec<String>> {
    let expected = [reference(64), reference(200)];
    let mut got = [as_f32(&expected[0]), as_f32(&expected[1])];
    got[0][40..].fill(0.0);
    second(&mut got[1]);
    let check = |i: usize| Comparison::new("out", &got[i], &expected[i]).terms(3, 3.0).check().unwrap_err();
    Mismatch::guess(&[&check(0), &check(1)])
}

#[test]
fn a_guess_explains_every_size_or_is_not_made() {
    let zeros = guess_at_two(|got| got[100..].fill(0.0)).unwrap();
    assert_eq!(zeros, ["the wrong elements are all zero"; 2]);
    // The second size has zeros and something else.
    assert_eq!(guess_at_two(|got| got[90..].fill(9.0)), None);
    // One size is explained by zeros, both by a count.
    let count = guess_at_two(|got| got[40..].fill(9.0)).unwrap();
    assert!(count[0].starts_with("only the first 40 elements are correct"), "{count:?}");
}

#[test]
fn a_single_element_row_or_column_is_no_evidence() {
    let expected = reference(ROWS * COLUMNS);
    let check = |wrong: &[usize], value: &dyn Fn(usize) -> f64| {
        let mut got = as_f32(&expected);
        wrong.iter().for_each(|i| got[*i] = value(*i) as f32);
        let comparison = Comparison::new("out", &got, &expected).shape(ROWS, COLUMNS).terms(9, 9.0);
        guess_at(&comparison.check().unwrap_err())
    };
    let row: Vec<usize> = (3 * COLUMNS..4 * COLUMNS).collect();
    let column: Vec<usize> = (0..ROWS).map(|r| r * COLUMNS + 5).collect();
    let both: Vec<usize> = row.iter().chain(&column).copied().collect();
    for few in [&row[2..3], &row, &column] {
        assert_eq!(check(few, &|_| 0.0), None);
        assert_eq!(check(few, &|i| 2.0 * expected[i]), None);
    }
    assert_eq!(check(&both, &|_| 0.0).unwrap(), "the wrong elements are all zero");
    assert_eq!(check(&both, &|i| -expected[i]).unwrap(), "the sign is flipped");
}

#[test]
fn a_typical_mistake_is_recognised_where_its_result_is_stored_transposed() {
    let expected = reference(ROWS * COLUMNS);
    let halved: Vec<f64> = expected.iter().enumerate().map(|(i, v)| v * (1.0 + (i % 5) as f64)).collect();
    // Row-major with rows and columns swapped.
    let stored = |i: usize| halved[i % ROWS * COLUMNS + i / ROWS] as f32;
    let got: Vec<f32> = (0..ROWS * COLUMNS).map(stored).collect();
    let comparison = Comparison::new("out", &got, &expected).shape(ROWS, COLUMNS).terms(9, 9.0);
    let mismatch = comparison.candidate("weighted twice", || halved.clone()).check().unwrap_err();
    let guess = guess_at(&mismatch).unwrap();
    assert!(
        guess.starts_with("weighted twice, and the result stored with rows and columns swapped"),
        "{guess}"
    );
}
