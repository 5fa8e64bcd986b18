//! Whole numbers in a manifest, such as `(n + 255) / 256`: sizes by name, `+ - * /` and parentheses.

use anyhow::{Context, bail, ensure};
use std::collections::BTreeMap;

/// Sizes by name.
pub(crate) type Sizes = BTreeMap<String, i64>;

/// The value of an expression.
///
/// # Errors
/// What cannot be read or computed, with the expression.
pub(crate) fn evaluate(text: &str, sizes: &Sizes) -> anyhow::Result<i64> {
    let mut parser = Parser { rest: text, sizes };
    let value = parser.sum().and_then(|value| {
        ensure!(parser.rest.trim().is_empty(), "`{}` is not expected here", parser.rest.trim());
        Ok(value)
    });
    value.with_context(|| format!("`{text}` is not a number"))
}

/// What is left of an expression. Divisions round towards zero.
struct Parser<'t> {
    rest: &'t str,
    sizes: &'t Sizes,
}

impl Parser<'_> {
    fn opt(&mut self, operator: char) -> bool {
        let rest = self.rest.trim_start().strip_prefix(operator);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn sum(&mut self) -> anyhow::Result<i64> {
        let mut value = self.product()?;
        loop {
            let next = if self.opt('+') {
                value.checked_add(self.product()?)
            } else if self.opt('-') {
                value.checked_sub(self.product()?)
            } else {
                return Ok(value);
            };
            value = next.context("a sum is too large")?;
        }
    }

    fn product(&mut self) -> anyhow::Result<i64> {
        let mut value = self.factor()?;
        loop {
            let next = if self.opt('*') {
                value.checked_mul(self.factor()?).context("a product is too large")
            } else if self.opt('/') {
                value.checked_div(self.factor()?).context("a divisor is 0")
            } else {
                return Ok(value);
            };
            value = next?;
        }
    }

    fn factor(&mut self) -> anyhow::Result<i64> {
        if self.opt('(') {
            let value = self.sum()?;
            ensure!(self.opt(')'), "a `)` is missing");
            return Ok(value);
        }
        if self.opt('-') {
            return self.factor()?.checked_neg().context("a number is too large");
        }
        let text = self.rest.trim_start();
        let length = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        let (word, rest) = text.split_at(length);
        self.rest = rest;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return word.parse().with_context(|| format!("`{word}`"));
        }
        match self.sizes.get(word) {
            Some(size) => Ok(*size),
            None if word.is_empty() => bail!("a number or a name is missing"),
            None => bail!("there is no size `{word}`, only {:?}", self.sizes.keys().collect::<Vec<_>>()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> anyhow::Result<i64> {
        evaluate(text, &Sizes::from([("n".into(), 1000), ("tile_2".into(), 16)]))
    }

    #[test]
    fn operators_bind_as_in_c() {
        for (text, expected) in [
            ("7", 7),
            ("(n + 255) / 256", 4),
            ("n - 1 - 2 * 3", 993),
            ("n/tile_2*tile_2", 992),
            (" -n + (n) ", 0),
        ] {
            assert_eq!(value(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_said() {
        for (text, message) in [
            ("m", "there is no size `m`"),
            ("n n", "`n` is not expected here"),
            ("(n", "a `)` is missing"),
            ("n +", "a number or a name is missing"),
            ("n / (n - n)", "a divisor is 0"),
            ("9223372036854775807 + n", "a sum is too large"),
            ("12ab", "`12ab`"),
        ] {
            let error = format!("{:#}", value(text).unwrap_err());
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
