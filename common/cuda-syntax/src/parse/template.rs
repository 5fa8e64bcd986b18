//! `template <…>`: its parameters.

use super::declarator::Mode;
use super::scope::Meaning;
use super::{Parse, Parser};
use crate::ast::TemplateParameter;

impl Parser<'_> {
    /// `<typename T, int N = 16>`; the names are entered into the innermost scope.
    pub(crate) fn template_parameters(&mut self) -> Parse<Vec<TemplateParameter>> {
        let open = self.expect("<")?;
        let mut parameters = Vec::new();
        while !self.at(">") && !self.at(">>") {
            parameters.push(self.template_parameter()?);
            if !self.eat(",") {
                break;
            }
        }
        self.close_angle(open)?;
        if self.split {
            // `template <typename T = A<B>>`: the second `>` was this one.
            self.bump();
        }
        Ok(parameters)
    }

    /// `template <typename> class Op`.
    fn template_template_parameter(&mut self) -> Parse<TemplateParameter> {
        self.bump();
        self.scopes.push();
        let inner = self.template_parameters();
        self.scopes.pop();
        inner?;
        if !self.at_word("class") && !self.at_word("typename") {
            return self.unexpected("`class` or `typename`");
        }
        self.bump();
        let pack = self.eat("...");
        let name = if self.name_at(0) { Some(self.name("a template's parameter")?) } else { None };
        if let Some(name) = &name {
            self.scopes.declare_dependent(&name.text, Meaning::TypeTemplate);
        }
        let default = if self.eat("=") { Some(self.type_name()?) } else { None };
        Ok(TemplateParameter::Template { name, default, pack })
    }

    fn template_parameter(&mut self) -> Parse<TemplateParameter> {
        if self.at_word("template") {
            return self.template_template_parameter();
        }
        let after_dots = 1 + usize::from(self.punct_at(1, "..."));
        let after_name = after_dots + usize::from(self.name_at(after_dots));
        let ends = [">", ",", "=", ">>"].iter().any(|p| self.punct_at(after_name, p));
        // `typename A<T>::type N` is a value of that type.
        let type_parameter = self.at_word("class") || self.at_word("typename") && ends;
        if type_parameter {
            self.bump();
            let pack = self.eat("...");
            let name = if self.name_at(0) { Some(self.name("a template's parameter")?) } else { None };
            if let Some(name) = &name {
                self.scopes.declare_dependent(&name.text, Meaning::Type);
            }
            let default = if self.eat("=") { Some(self.type_name()?) } else { None };
            return Ok(TemplateParameter::Type { name, default, pack });
        }
        let mut items = Vec::new();
        let specifiers = self.decl_specifiers(&mut items)?;
        let Some(ty) = specifiers.ty else {
            return self.unexpected("`typename` or the type of a template's parameter");
        };
        let pack = self.eat("...");
        let declared = self.declarator(ty, Mode::Optional)?;
        let name = declared.name.map(|path| path.last.name);
        if let Some(name) = &name {
            self.scopes.declare_dependent(&name.text, Meaning::Value);
        }
        let default = if self.eat("=") {
            let outer = std::mem::replace(&mut self.angle_ends, true);
            let value = self.conditional();
            self.angle_ends = outer;
            Some(value?)
        } else {
            None
        };
        Ok(TemplateParameter::Value { ty: declared.ty, name, default, pack })
    }
}
