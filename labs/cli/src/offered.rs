//! Values that shell completion offers. Other values are accepted, too, because names can be written in several ways,
//! and the commands report wrong names better than a list would.

use crate::registry::{self, Target};
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::Error;
use clap::{Arg, Command};
use std::ffi::OsStr;
use std::sync::LazyLock;

/// Accepts any text, and offers the values that the function returns.
#[derive(Clone, Copy)]
pub(crate) struct Offered(pub(crate) fn() -> Vec<PossibleValue>);

impl TypedValueParser for Offered {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter()))
    }
}

/// Every lab and every exercise, each written as one word.
pub(crate) fn targets() -> Vec<PossibleValue> {
    let mut values = labs();
    values.extend(exercises());
    values
}

/// Every lab, and `all`.
pub(crate) fn labs() -> Vec<PossibleValue> {
    let labs = registry::labs();
    let of_labs = labs.iter().map(|lab| PossibleValue::new(lab.package).help(lab.title));
    of_labs.chain([PossibleValue::new("all").help("every lab")]).collect()
}

/// Every exercise, in the form `lab-1/naive`.
pub(crate) fn exercises() -> Vec<PossibleValue> {
    /// Names and titles.
    static ALL: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
        let labs = registry::labs();
        let shown = |target: Target<'_>| (target.name(), target.exercise.title().to_owned());
        registry::every(&labs).map(shown).collect()
    });
    ALL.iter().map(|(name, title)| PossibleValue::new(name.as_str()).help(title.as_str())).collect()
}

/// Every device model.
pub(crate) fn models() -> Vec<PossibleValue> {
    device_sim::DeviceModel::names().into_iter().map(PossibleValue::new).collect()
}

/// Every format of results of `grade`.
pub(crate) fn grade_formats() -> Vec<PossibleValue> {
    let value = |format: gradebook::Format| PossibleValue::new(format.name()).help(format.description());
    gradebook::Format::ALL.map(value).into()
}
