//! Labs, exercises, problems, comparison, gates, reports and grading.
