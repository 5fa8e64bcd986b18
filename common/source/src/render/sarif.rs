//! SARIF 2.1.0, the format of code scanning (OASIS, "Static Analysis Results Interchange Format", 2020).
//!
//! Writes one log with one run. Columns count characters, as everywhere in this crate, which `columnKind` states.
//! Relative paths become relative URIs, so that a viewer resolves them against its checkout; absolute paths become
//! `file:` URIs.

use crate::text::printable;
use crate::{Finding, Place};
use serde_json::{Value, json};
use std::fmt::Write;

/// The program that writes the log.
#[derive(Clone, Debug)]
pub struct Tool<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its version.
    pub version: &'a str,
}

/// Description of a diagnostic code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The description, in one line.
    pub description: String,
    /// Absolute URI with more details, if there is one.
    pub help_uri: Option<String>,
}

/// Creates a log of the findings; `describe` returns the rule of each code.
pub fn log(tool: &Tool<'_>, findings: &[Finding], describe: impl Fn(&str) -> Rule) -> Value {
    let mut codes: Vec<&str> = findings.iter().map(|f| f.code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules = codes.iter().map(|code| {
        let Rule { description, help_uri } = describe(code);
        let mut rule = json!({ "id": code, "shortDescription": { "text": description } });
        if let Some(uri) = help_uri {
            rule["helpUri"] = uri.into();
        }
        rule
    });
    let results = findings.iter().map(|f| result(f, codes.binary_search(&f.code.as_str()).unwrap_or(0)));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": tool.name, "version": tool.version, "rules": rules.collect::<Value>() } },
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Value>(),
        }],
    })
}

fn result(finding: &Finding, rule: usize) -> Value {
    let paragraphs = std::iter::once(&finding.title).chain(&finding.notes);
    let message: Vec<_> = paragraphs.map(|text| printable(text)).collect();
    let mut result = json!({
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": finding.severity.word(),
        "message": { "text": message.join("\n") },
        "locations": finding.place.iter().map(|place| json!({ "physicalLocation": location(place) })).collect::<Value>(),
    });
    let related = finding.related.iter().enumerate().map(|(id, (place, message))| {
        json!({
            "id": id,
            "physicalLocation": location(place),
            "message": { "text": printable(message) },
        })
    });
    if !finding.related.is_empty() {
        result["relatedLocations"] = related.collect();
    }
    result
}

fn location(place: &Place) -> Value {
    json!({
        "artifactLocation": { "uri": uri(&place.file) },
        "region": {
            "startLine": place.line,
            "startColumn": place.column,
            "endLine": place.end_line,
            "endColumn": place.end_column,
        },
    })
}

/// Converts a path to a URI: relative if the path is relative, otherwise with `file:`.
pub fn uri(path: &str) -> String {
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    let has_drive = cfg!(windows) && path.as_bytes().get(1) == Some(&b':');
    let mut uri = match (path.starts_with('/'), has_drive) {
        (true, _) => "file://".to_owned(),
        (_, true) => "file:///".to_owned(),
        _ => String::new(),
    };
    for byte in path.bytes() {
        // Keep the unreserved characters of RFC 3986 and the separator of segments.
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte as char)
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::tests::sample;

    #[test]
    fn a_log_has_what_the_schema_requires() {
        let (map, d) = sample();
        let finding = Finding::of(&map, &d);
        let rule = |code: &str| Rule {
            description: format!("about {code}"),
            help_uri: Some("https://example.org".into()),
        };
        let log = log(&Tool { name: "warplab", version: "1.0.0" }, &[finding.clone(), finding], rule);
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        let driver = &run["tool"]["driver"];
        assert_eq!((&driver["name"], &driver["version"]), (&json!("warplab"), &json!("1.0.0")));
        let expected = json!([{
            "id": "undeclared-name",
            "shortDescription": { "text": "about undeclared-name" },
            "helpUri": "https://example.org",
        }]);
        assert_eq!(driver["rules"], expected, "a rule is listed once");
        let location = |column: u32, line: u32, end: u32| {
            json!({
                "artifactLocation": { "uri": "a.cu" },
                "region": { "startLine": line, "startColumn": column, "endLine": line, "endColumn": end },
            })
        };
        let expected = json!({
            "ruleId": "undeclared-name",
            "ruleIndex": 0,
            "level": "error",
            "message": { "text": "`yy` is not declared\ndeclare it" },
            "locations": [{ "physicalLocation": location(9, 1, 11) }],
            "relatedLocations": [{ "id": 0, "physicalLocation": location(5, 2, 6), "message": { "text": "a near name" } }],
        });
        assert_eq!(run["results"], json!([expected, expected]));
    }

    #[test]
    fn paths_are_encoded() {
        assert_eq!(uri("my kernels/50% µ#1.cu"), "my%20kernels/50%25%20%C2%B5%231.cu");
        assert_eq!(uri("../a.cu"), "../a.cu");
        assert_eq!(uri("a:b.cu"), "a%3Ab.cu");
        #[cfg(unix)]
        assert_eq!(uri("/tmp/a.cu"), "file:///tmp/a.cu");
    }
}
