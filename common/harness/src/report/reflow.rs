//! Text for a terminal: paragraphs and items in lines of a given width.

use source::text::wrap;

/// Wraps Markdown paragraphs and items (`- `) to lines of at most `width` columns, indented by `indent` blanks. Line ends inside a
/// paragraph become blanks, `cargo lab` becomes the program's name ([`source::spelled`]), and words are kept together as in [`wrap`].
pub fn reflow(text: &str, indent: usize, width: usize) -> String {
    let mut out = String::new();
    for (i, block) in blocks(&source::spelled(text)).iter().enumerate() {
        match block {
            Block::Gap if i > 0 => out.push('\n'),
            Block::Gap => {}
            Block::Paragraph(text) => out.push_str(&wrap(&" ".repeat(indent), text, width)),
            Block::Item(text) => out.push_str(&wrap(&format!("{}- ", " ".repeat(indent)), text, width)),
        }
    }
    out
}

enum Block {
    Paragraph(String),
    Item(String),
    Gap,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        match (blocks.last_mut(), line.strip_prefix("- ")) {
            (_, Some(item)) => blocks.push(Block::Item(item.to_owned())),
            (_, None) if line.is_empty() => blocks.push(Block::Gap),
            (Some(Block::Paragraph(open) | Block::Item(open)), None) => {
                open.push(' ');
                open.push_str(line);
            }
            (Some(Block::Gap) | None, None) => blocks.push(Block::Paragraph(line.to_owned())),
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_and_items_are_filled() {
        let text = "one two\nthree four\n\n- five six seven\n  eight\n- nine\n";
        let wide = "  one two three four\n\n  - five six seven eight\n  - nine\n";
        assert_eq!(reflow(text, 2, 80), wide);
        let narrow = "  one two\n  three\n  four\n\n  - five\n    six\n    seven\n    eight\n  - nine\n";
        assert_eq!(reflow(text, 2, 10), narrow);
    }

    #[test]
    fn a_command_stays_together() {
        let text = "then `cargo lab run 1` again";
        assert_eq!(reflow(text, 0, 20), "then\n`cargo lab run 1`\nagain\n");
    }

    #[test]
    fn any_width_loses_no_word_and_is_kept() {
        let text = "a `quite_long_identifier` b\n\n- c dd eee";
        for width in 26..60 {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let out = reflow(text, 2, width);
            assert_eq!(words(&out), words(text), "{width}");
            assert_eq!(out.lines().find(|line| line.chars().count() > width), None, "{width}");
        }
        assert_eq!(reflow("", 2, 80), "");
    }
}
