//! A validator of JSON Schema 2020-12, for the published schema of results.
//!
//! It knows the keywords that this schema uses and panics on any other, so none is ignored. The validators on crates.io would
//! change the features of packages that `cargo lab` has built already (`features` in the tests of the command line).

use serde_json::Value;

/// The published schema, with further fields allowed.
pub(crate) fn published() -> Value {
    serde_json::from_str(include_str!("../../../docs/src/grade.schema.json")).unwrap()
}

/// The same, in which every object has only the fields that are described.
pub(crate) fn strict() -> Value {
    let mut schema = published();
    for definition in schema["$defs"].as_object_mut().unwrap().values_mut() {
        close(definition);
    }
    schema
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.values_mut().for_each(close);
            if object.get("type").is_some_and(|kind| kind == "object") {
                object.insert("additionalProperties".to_owned(), false.into());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

/// What is wrong with a value, and where.
pub(crate) fn errors(root: &Value, value: &Value) -> Vec<String> {
    let mut errors = Vec::new();
    Validator { root }.validate(root, value, "", &mut errors);
    errors
}

struct Validator<'a> {
    root: &'a Value,
}

impl Validator<'_> {
    fn accepts(&self, schema: &Value, value: &Value) -> bool {
        let mut errors = Vec::new();
        self.validate(schema, value, "", &mut errors);
        errors.is_empty()
    }

    fn validate(&self, schema: &Value, value: &Value, at: &str, errors: &mut Vec<String>) {
        let schema = schema.as_object().unwrap_or_else(|| panic!("{schema} is no schema"));
        for (keyword, rule) in schema {
            let holds = match keyword.as_str() {
                "$schema" | "title" | "description" | "$defs" | "then" | "else" => true,
                "$ref" => {
                    let path = rule.as_str().and_then(|path| path.strip_prefix('#')).unwrap();
                    let target = self.root.pointer(path).unwrap_or_else(|| panic!("{rule} leads nowhere"));
                    self.validate(target, value, at, errors);
                    true
                }
                "if" => {
                    let branch = if self.accepts(rule, value) { "then" } else { "else" };
                    schema.get(branch).into_iter().for_each(|s| self.validate(s, value, at, errors));
                    true
                }
                "anyOf" => list(rule).iter().any(|schema| self.accepts(schema, value)),
                "oneOf" => list(rule).iter().filter(|schema| self.accepts(schema, value)).count() == 1,
                "type" => match rule {
                    Value::Array(kinds) => kinds.iter().any(|kind| is(kind, value)),
                    kind => is(kind, value),
                },
                "const" => rule == value,
                "enum" => list(rule).contains(value),
                "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
                "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
                "minItems" => {
                    value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap())
                }
                "maxItems" => {
                    value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap())
                }
                "items" => {
                    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.validate(rule, item, &format!("{at}/{i}"), errors);
                    }
                    true
                }
                "prefixItems" => {
                    let items = value.as_array().into_iter().flatten().zip(list(rule));
                    items.enumerate().for_each(|(i, (item, rule))| {
                        self.validate(rule, item, &format!("{at}/{i}"), errors)
                    });
                    true
                }
                "required" => {
                    let missing =
                        |name: &&Value| value.is_object() && value.get(name.as_str().unwrap()).is_none();
                    errors.extend(
                        list(rule).iter().filter(missing).map(|name| format!("{at}: {name} is missing")),
                    );
                    true
                }
                "properties" => {
                    for (name, rule) in rule.as_object().unwrap() {
                        let field = value.get(name);
                        field
                            .into_iter()
                            .for_each(|v| self.validate(rule, v, &format!("{at}/{name}"), errors));
                    }
                    true
                }
                "additionalProperties" => {
                    assert_eq!(*rule, false);
                    let known = schema["properties"].as_object().unwrap();
                    let mut names = value.as_object().into_iter().flatten().map(|(name, _)| name);
                    names.all(|name| {
                        known.contains_key(name) || {
                            errors.push(format!("{at}: `{name}` is not described"));
                            true
                        }
                    })
                }
                other => panic!("the keyword `{other}` is not known here"),
            };
            if !holds {
                let shown: String = value.to_string().chars().take(200).collect();
                errors.push(format!("{at}: {keyword} {rule} does not hold of {shown}"));
            }
        }
    }
}

fn list(rule: &Value) -> &Vec<Value> {
    rule.as_array().unwrap_or_else(|| panic!("{rule} is not a list"))
}

fn is(kind: &Value, value: &Value) -> bool {
    match kind.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        other => panic!("there is no type `{other}`"),
    }
}
