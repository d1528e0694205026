//! Outcomes as providers really send them, and what they mean, as rows in `tests/vectors`.

#[path = "support/outcomes.rs"]
mod outcomes;

use keyrota::Value;
use outcomes::Case;

/// What came with the task: observed or documented by others.
#[test]
fn every_outcome_means_what_its_row_says() {
    check(include_str!("vectors/outcomes.jsonl"), 257);
}

/// What providers document beyond that.
#[test]
fn every_documented_outcome_means_what_its_row_says() {
    check(include_str!("vectors/outcomes-documented.jsonl"), 1_000);
}

/// Checks all rows, so that one run shows everything that is wrong.
fn check(rows: &str, at_least: usize) {
    let read = |row| Case::read(&serde_json::from_str::<Value>(row).expect("a row of JSON"));
    let cases: Vec<Case> = rows.lines().map(read).collect();
    assert!(cases.len() >= at_least, "the rows are there");
    let wrong: Vec<String> = cases.iter().filter_map(|case| case.check().err()).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
