//! The text of an `asm` statement as PTX statements: declarations of registers, and instructions with their operands.

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    /// `{`: what is declared from here on ends with [`Item::End`].
    Begin,
    End,
    /// `.reg .type names`, without the dots.
    Registers {
        ty: String,
        names: Vec<String>,
    },
    Instruction(Instruction),
    /// A label or directive, which is not supported.
    Other(String),
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Instruction {
    /// `@p` or `@!p`: whether it is negated, and the predicate.
    pub(super) guard: Option<(bool, Operand)>,
    /// The opcode and its modifiers, as they were separated by dots.
    pub(super) opcode: Vec<String>,
    pub(super) operands: Vec<Operand>,
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    /// `%0`: an operand of the statement.
    Given(usize),
    /// A register that the text declares, or one of the device (`%laneid`, with its sign).
    Name(String),
    /// An integer constant.
    Integer(i64),
    /// A constant `float` or `double`, as bits.
    Single(u32),
    Double(u64),
    /// `{a, b}`.
    Vector(Vec<Operand>),
    /// `[a + 4]`.
    Memory(Box<Operand>, i64),
    /// `[a, {x, y}]`: an element of a tensor, which no instruction here takes.
    Element,
    /// `!p`.
    Not(Box<Operand>),
    /// `p|q`: both results.
    Both(Box<Operand>, Box<Operand>),
}

impl Operand {
    /// The operands of a list in braces, or the operand itself.
    pub(super) fn parts(&self) -> &[Operand] {
        match self {
            Operand::Vector(parts) => parts,
            one => std::slice::from_ref(one),
        }
    }
}

impl Instruction {
    /// The opcode as it was written.
    pub(super) fn name(&self) -> String {
        self.opcode.join(".")
    }

    /// Whether one of the modifiers is this.
    pub(super) fn has(&self, modifier: &str) -> bool {
        self.opcode[1..].iter().any(|m| m == modifier)
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Mark(char),
}

fn tokens(text: &str) -> Vec<Token> {
    let mut list = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').map_or("", |end| &comment[end..]);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.find("*/").map_or("", |end| &comment[end + 2..]);
        } else if c.is_whitespace() {
            rest = &rest[c.len_utf8()..];
        } else if c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.') {
            let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.' | ':');
            let end = rest.find(|c| !inside(c)).unwrap_or(rest.len());
            list.push(Token::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        } else {
            list.push(Token::Mark(c));
            rest = &rest[c.len_utf8()..];
        }
    }
    list
}

/// The statements of a text; or what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Vec<Item>, String> {
    let mut p = Parser { tokens: tokens(text), at: 0 };
    let mut items = Vec::new();
    let mut depth = 0;
    while let Some(token) = p.next() {
        match token {
            Token::Mark(';') => {}
            Token::Mark('{') => {
                depth += 1;
                items.push(Item::Begin);
            }
            Token::Mark('}') if depth > 0 => {
                depth -= 1;
                items.push(Item::End);
            }
            Token::Word(word) if word == ".reg" => items.push(p.registers()?),
            Token::Word(word) if word.starts_with('.') || word.ends_with(':') => {
                items.push(Item::Other(word));
                // Nothing after it is read.
                return Ok(items);
            }
            Token::Word(word) => items.push(p.instruction(None, &word)?),
            Token::Mark('@') => {
                let negated = p.eat('!');
                let guard = p.operand()?;
                match p.next() {
                    Some(Token::Word(word)) => items.push(p.instruction(Some((negated, guard)), &word)?),
                    _ => return Err("a predicate without an instruction".to_owned()),
                }
            }
            Token::Mark(c) => return Err(format!("a `{c}` where an instruction begins")),
        }
    }
    if depth > 0 { Err("a `{` without its `}`".to_owned()) } else { Ok(items) }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    fn eat(&mut self, mark: char) -> bool {
        let found = self.tokens.get(self.at) == Some(&Token::Mark(mark));
        self.at += usize::from(found);
        found
    }

    /// The end of a statement.
    fn end(&mut self) -> Result<(), String> {
        let closes = self.tokens.get(self.at).is_none_or(|t| *t == Token::Mark('}'));
        if closes || self.eat(';') { Ok(()) } else { Err("a `;` is missing after an instruction".to_owned()) }
    }

    fn registers(&mut self) -> Result<Item, String> {
        let Some(Token::Word(ty)) = self.next() else { return Err("`.reg` without a type".to_owned()) };
        let mut names = Vec::new();
        loop {
            let Some(Token::Word(name)) = self.next() else { return Err("`.reg` without a name".to_owned()) };
            if self.eat('<') {
                let Some(Token::Word(count)) = self.next() else {
                    return Err("`<` without a count".to_owned());
                };
                let count: u32 = count.parse().map_err(|_| "`<` without a count".to_owned())?;
                names.extend((0..count.min(1024)).map(|i| format!("{name}{i}")));
                self.eat('>');
            } else {
                names.push(name);
            }
            if !self.eat(',') {
                break;
            }
        }
        self.end()?;
        Ok(Item::Registers { ty: ty.trim_start_matches('.').to_owned(), names })
    }

    fn instruction(&mut self, guard: Option<(bool, Operand)>, word: &str) -> Result<Item, String> {
        let opcode = word.split('.').map(str::to_owned).collect();
        let mut operands = Vec::new();
        if !matches!(self.tokens.get(self.at), None | Some(Token::Mark(';' | '}'))) {
            loop {
                operands.push(self.operand()?);
                if !self.eat(',') {
                    break;
                }
            }
        }
        self.end()?;
        Ok(Item::Instruction(Instruction { guard, opcode, operands }))
    }

    fn operand(&mut self) -> Result<Operand, String> {
        let first = match self.next() {
            Some(Token::Mark('{')) => {
                let mut parts = vec![self.operand()?];
                while self.eat(',') {
                    parts.push(self.operand()?);
                }
                if !self.eat('}') {
                    return Err("a `{` without its `}`".to_owned());
                }
                Operand::Vector(parts)
            }
            Some(Token::Mark('[')) => {
                let base = self.operand()?;
                let mut offset = 0i64;
                while let Some(sign) =
                    [('+', 1), ('-', -1)].iter().find(|(m, _)| self.eat(*m)).map(|(_, s)| *s)
                {
                    match self.operand()? {
                        Operand::Integer(n) => offset = offset.wrapping_add(n.wrapping_mul(sign)),
                        _ => return Err("an address of more than a register and a constant".to_owned()),
                    }
                }
                if self.eat(',') {
                    // The coordinates of a tensor.
                    self.operand()?;
                    if self.eat(']') {
                        return Ok(Operand::Element);
                    }
                }
                if !self.eat(']') {
                    return Err("a `[` without its `]`".to_owned());
                }
                Operand::Memory(Box::new(base), offset)
            }
            Some(Token::Mark('!')) => Operand::Not(Box::new(self.operand()?)),
            Some(Token::Mark('-')) => match self.operand()? {
                Operand::Integer(n) => Operand::Integer(n.wrapping_neg()),
                Operand::Double(bits) => Operand::Double(bits ^ 1 << 63),
                _ => return Err("a `-` before something that is not a number".to_owned()),
            },
            Some(Token::Word(word)) => word_operand(&word)?,
            _ => return Err("an operand is missing".to_owned()),
        };
        if self.eat('|') {
            let second = self.operand()?;
            return Ok(Operand::Both(Box::new(first), Box::new(second)));
        }
        Ok(first)
    }
}

fn word_operand(word: &str) -> Result<Operand, String> {
    if let Some(rest) = word.strip_prefix('%')
        && let Ok(number) = rest.parse()
    {
        return Ok(Operand::Given(number));
    }
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(Operand::Name(word.to_owned()));
    }
    let bad = || format!("`{word}`, which is not a number");
    let digits = word.trim_end_matches('U');
    let hexadecimal = |prefixes: [&str; 2]| prefixes.iter().find_map(|p| digits.strip_prefix(p));
    if let Some(bits) = hexadecimal(["0f", "0F"]).filter(|b| b.len() == 8) {
        return u32::from_str_radix(bits, 16).map(Operand::Single).map_err(|_| bad());
    }
    if let Some(bits) = hexadecimal(["0d", "0D"]).filter(|b| b.len() == 16) {
        return u64::from_str_radix(bits, 16).map(Operand::Double).map_err(|_| bad());
    }
    if let Some(bits) = hexadecimal(["0x", "0X"]) {
        return u64::from_str_radix(bits, 16).map(|v| Operand::Integer(v as i64)).map_err(|_| bad());
    }
    if digits.contains('.') {
        return digits.parse::<f64>().map(|v| Operand::Double(v.to_bits())).map_err(|_| bad());
    }
    digits.parse::<u64>().map(|v| Operand::Integer(v as i64)).map_err(|_| bad())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_vectors_and_guards_are_told_apart() {
        let items = parse("{ .reg .pred p; @!p ld.v2.f32 {%0, %1}, [%2+8]; // end\n}").unwrap();
        assert_eq!(items.len(), 4);
        let Item::Instruction(i) = &items[2] else { panic!("{items:?}") };
        assert_eq!(i.guard, Some((true, Operand::Name("p".into()))));
        assert_eq!(i.opcode, ["ld", "v2", "f32"]);
        assert_eq!(i.operands[0], Operand::Vector(vec![Operand::Given(0), Operand::Given(1)]));
        assert_eq!(i.operands[1], Operand::Memory(Box::new(Operand::Given(2)), 8));
    }

    #[test]
    fn numbers_of_ptx_have_their_bits() {
        for (text, want) in [
            ("0f3F800000", Operand::Single(0x3f80_0000)),
            ("0xffffffff", Operand::Integer(0xffff_ffff)),
            ("1.5", Operand::Double(1.5f64.to_bits())),
        ] {
            assert_eq!(word_operand(text).unwrap(), want);
        }
        assert!(parse("mov.u32 %0, 12z;").is_err());
        assert!(parse("mov.u32 %0 %1;").is_err());
    }
}
