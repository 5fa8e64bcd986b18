//! Colours of the light and the dark theme, and the style sheets.
//!
//! Drawings use a [`Role`], never a colour, so both themes and print share one table. Series are blue, orange, green
//! and purple of different lightness, after Okabe and Ito ("Color Universal Design", 2008), but darker on white, so
//! that lines and markers keep a contrast of 3 (WCAG 2.2, success criterion 1.4.11). Text keeps a contrast of 4.5 on
//! every background (1.4.3). Tests compute both.

use crate::markup::Element;
use std::fmt::Write;

/// A colour as sRGB: red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub u8, pub u8, pub u8);

/// Purpose of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Background of text.
    Background,
    /// Colour of text.
    Text,
    /// Colour of lines and markers.
    Mark,
    /// Colour of grid lines and borders, which carry no information.
    Decoration,
}

/// A colour with its role, in both themes. Style sheets refer to it as `var(--name)`.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // The fields are the table's columns.
pub struct Role {
    pub name: &'static str,
    pub used: Use,
    pub light: Color,
    pub dark: Color,
}

const fn role(name: &'static str, used: Use, light: u32, dark: u32) -> Role {
    Role { name, used, light: color(light), dark: color(dark) }
}

const fn color(rgb: u32) -> Color {
    let [_, red, green, blue] = rgb.to_be_bytes();
    Color(red, green, blue)
}

/// Every role.
pub const ROLES: [Role; 27] = [
    role("page", Use::Background, 0xff_ff_ff, 0x12_16_1b),
    role("raised", Use::Background, 0xf3_f5_f8, 0x1c_22_2a),
    role("error-back", Use::Background, 0xfd_ee_ec, 0x3b_1d_1b),
    role("warning-back", Use::Background, 0xfc_f3_dc, 0x32_29_0f),
    role("note-back", Use::Background, 0xea_f2_fb, 0x15_28_3c),
    role("text", Use::Text, 0x1b_1f_24, 0xe8_eb_ef),
    role("muted", Use::Text, 0x52_5c_66, 0xb0_ba_c5),
    role("link", Use::Text, 0x0b_55_9f, 0x86_be_ff),
    role("good", Use::Text, 0x14_60_2f, 0x74_d7_9d),
    role("bad", Use::Text, 0xa8_20_1a, 0xff_a1_96),
    role("caution", Use::Text, 0x74_4d_00, 0xf0_c2_5f),
    role("comment", Use::Text, 0x4d_5f_6e, 0xa6_b4_c1),
    role("string", Use::Text, 0x0a_65_35, 0x92_dc_a2),
    role("number", Use::Text, 0x84_38_0a, 0xf5_b5_81),
    role("keyword", Use::Text, 0x75_2a_86, 0xdb_ac_f2),
    role("qualifier", Use::Text, 0x97_19_5a, 0xff_a3_c7),
    role("builtin", Use::Text, 0x0b_55_9f, 0x8e_c6_ff),
    role("directive", Use::Text, 0x65_50_00, 0xe2_c7_70),
    role("series-1", Use::Mark, 0x00_67_a3, 0x56_b4_e9),
    role("series-2", Use::Mark, 0xb8_4a_00, 0xf2_a3_3a),
    role("series-3", Use::Mark, 0x00_74_5a, 0x3f_cf_9f),
    role("series-4", Use::Mark, 0x9c_3f_7d, 0xe7_95_c9),
    role("roof", Use::Mark, 0x1b_1f_24, 0xe8_eb_ef),
    role("axis", Use::Mark, 0x52_5c_66, 0xb0_ba_c5),
    role("heat", Use::Mark, 0xb8_4a_00, 0xf2_a3_3a),
    role("grid", Use::Decoration, 0xd9_de_e4, 0x2e_37_42),
    role("border", Use::Decoration, 0xc9_d0_d8, 0x3a_45_52),
];

/// CSS custom properties for all roles: light by default, dark if the reader prefers it, and light on paper.
pub fn properties() -> String {
    let (light, dark) = (set(|r| r.light), set(|r| r.dark));
    format!(
        ":root{{color-scheme:light dark;{light}}}\n\
         @media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
    )
}

/// A style sheet for figures inside of the elements that the selector `place` names, in a page that names its dark themes as classes of its root.
/// On paper the theme is the light one.
pub fn embedded(place: &str, dark_themes: &[&str]) -> String {
    let dark: Vec<String> = dark_themes.iter().map(|theme| format!(":root.{theme} {place}")).collect();
    format!(
        "{place}{{{}}}\n@media screen{{{}{{{}}}}}\n{FIGURE}",
        set(|r| r.light),
        dark.join(","),
        set(|r| r.dark)
    )
}

/// CSS custom properties for all roles, with the colours that `pick` returns.
fn set(pick: fn(&Role) -> Color) -> String {
    ROLES.iter().fold(String::new(), |mut css, role| {
        let Color(red, green, blue) = pick(role);
        let _ = write!(css, "--{}:#{red:02x}{green:02x}{blue:02x};", role.name);
        css
    })
}

/// The style sheet of figures, for pages and for standalone pictures.
pub const FIGURE: &str = include_str!("figure.css");

/// The fonts of a picture that stands alone; in a page it has those of the page.
const FONTS: &str = "system-ui,\"Segoe UI\",Roboto,\"Helvetica Neue\",\"Liberation Sans\",Arial,sans-serif";

/// The style sheet of a picture that stands alone.
pub(crate) fn figure_sheet() -> Element {
    Element::sheet(format!("{}.figure{{font-family:{FONTS}}}\n{FIGURE}", properties()))
}
