//! Splits a line into words, as a POSIX shell does.

/// Splits a line into words at blanks. Single quotes keep everything literally. Double quotes keep everything except
/// `\` before `"`, `\`, `$`, a back quote or a line end. Outside quotes, `\` keeps the next character, and `\` at a
/// line's end continues the line. Nothing is expanded.
///
/// # Errors
/// Says that a quote is not closed, or that the line ends in `\`.
pub fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            c if c.is_ascii_whitespace() => words.extend(word.take()),
            '\'' => {
                let (inside, after) = rest.as_str().split_once('\'').ok_or("a `'` is not closed")?;
                word.get_or_insert_default().push_str(inside);
                rest = after.chars();
            }
            '"' => double_quoted(&mut rest, word.get_or_insert_default())?,
            '\\' => match rest.next().ok_or("nothing after `\\`")? {
                '\n' => {}
                kept => word.get_or_insert_default().push(kept),
            },
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Appends the text before the closing quote.
fn double_quoted(rest: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), String> {
    while let Some(c) = rest.next() {
        match c {
            '"' => return Ok(()),
            '\\' => match rest.next() {
                Some('\n') => {}
                Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                Some(other) => word.extend(['\\', other]),
                None => break,
            },
            other => word.push(other),
        }
    }
    Err("a `\"` is not closed".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_taken_apart_as_a_shell_does() {
        for (line, expected) in [
            ("", &[][..]),
            (" --grid 4\t--block\n256 ", &["--grid", "4", "--block", "256"]),
            ("--kernel 'tile<16, 32>' \"a b\"'c d'e", &["--kernel", "tile<16, 32>", "a bc de"]),
            (r#"'' "" a'\'b \  "\"\\\$\`\n""#, &["", "", r"a\b", " ", r#""\$`\n"#]),
            ("--arg \\\n  {1,2.5} x\\\ny \"p\\\nq\"", &["--arg", "{1,2.5}", "xy", "pq"]),
        ] {
            assert_eq!(
                words(line).as_deref(),
                Ok(&expected.iter().map(|w| w.to_string()).collect::<Vec<_>>()[..]),
                "{line}"
            );
        }
    }

    #[test]
    fn quotes_must_be_closed() {
        for line in ["'", "a 'b c", "\"", "a\"\\", "a\\"] {
            assert!(words(line).is_err(), "{line}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_gives_the_same_words() {
        // Every line of up to four of these pieces, except those that a shell would expand.
        let pieces = ["a", " ", "'", "\"", "\\", "\n", "b c", "x=y"];
        let mut lines = vec![String::new()];
        for _ in 0..4 {
            let longer = lines.iter().flat_map(|line| pieces.map(|piece| format!("{line}{piece}")));
            lines = lines.iter().cloned().chain(longer).collect();
            lines.sort();
            lines.dedup();
        }
        // A line end outside quotes would end the command, and a final line end or `\` belongs to the next command.
        let lines: Vec<String> =
            lines.into_iter().filter(|line| words(line).is_ok() && !line.contains('\n')).collect();
        let script: String = lines.iter().map(|line| format!("printf '%s\\0' _ {line}\n")).collect();
        let output = std::process::Command::new("sh").arg("-c").arg(script).output().unwrap();
        let expected: String = lines
            .iter()
            .map(|line| {
                let words = words(line).unwrap();
                std::iter::once("_".to_owned()).chain(words).map(|word| word + "\0").collect::<String>()
            })
            .collect();
        assert!(lines.len() > 500, "{}", lines.len());
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
}
