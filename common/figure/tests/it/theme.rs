//! Checks contrast and names of colours, and how colour-blind readers see the series.

use figure::theme::{Color, FIGURE, ROLES, Role, Use, embedded, properties};

type Pick = fn(&Role) -> Color;
const THEMES: [(&str, Pick); 2] = [("light", |r| r.light), ("dark", |r| r.dark)];

fn used(kind: Use) -> impl Iterator<Item = &'static Role> {
    ROLES.iter().filter(move |r| r.used == kind)
}

/// Relative luminance by WCAG 2.2, from 0 (black) to 1 (white).
fn luminance(Color(red, green, blue): Color) -> f64 {
    let linear = |channel: u8| match f64::from(channel) / 255.0 {
        c if c <= 0.04045 => c / 12.92,
        c => ((c + 0.055) / 1.055).powf(2.4),
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/// Contrast ratio of two colours by WCAG 2.2, from 1 (equal) to 21 (black on white).
fn contrast(a: Color, b: Color) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn text_and_marks_have_enough_contrast_on_every_background() {
    for (theme, pick) in THEMES {
        for (kind, enough) in [(Use::Text, 4.5), (Use::Mark, 3.0)] {
            for (role, back) in used(kind).flat_map(|r| used(Use::Background).map(move |b| (r, b))) {
                let ratio = contrast(pick(role), pick(back));
                assert!(
                    ratio >= enough,
                    "{} on {} has {ratio:.2} in the {theme} theme",
                    role.name,
                    back.name
                );
            }
        }
    }
}

#[test]
fn contrast_is_that_of_the_standard() {
    let (black, white) = (Color(0, 0, 0), Color(255, 255, 255));
    assert!((contrast(black, white) - 21.0).abs() < 1e-9);
    assert!((contrast(white, white) - 1.0).abs() < 1e-9);
    // 0x77 is the darkest grey that misses a contrast of 4.5 on white; 0x76 still reaches it.
    assert!(contrast(Color(0x76, 0x76, 0x76), white) > 4.5 && contrast(Color(0x77, 0x77, 0x77), white) < 4.5);
}

/// The colour as seen by a person without one kind of cone (Machado, Oliveira and Fernandes, "A physiologically-based
/// model for simulation of color vision deficiency", 2009, severity 1), in CIE L*a*b*.
fn seen(color: Color, matrix: [[f64; 3]; 3]) -> [f64; 3] {
    let linear = [color.0, color.1, color.2].map(|c| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    });
    let times = |m: [[f64; 3]; 3], v: [f64; 3]| m.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
    let xyz = times(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]],
        times(matrix, linear).map(|v| v.clamp(0.0, 1.0)),
    );
    let f = |t: f64| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
    let [x, y, z] = [f(xyz[0] / 0.9505), f(xyz[1]), f(xyz[2] / 1.089)];
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

const VISION: [(&str, [[f64; 3]; 3]); 4] = [
    ("usual", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protan",
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
    ),
    (
        "deutan",
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_82, 0.042_94, 0.968_881],
        ],
    ),
    (
        "tritan",
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_9],
        ],
    ),
];

/// Readers distinguish colours at a distance of 10 at a glance. Markers also differ in shape.
#[test]
fn neighbouring_series_differ_for_colour_blind_readers() {
    let series: Vec<&Role> = ROLES.iter().filter(|r| r.name.starts_with("series-")).collect();
    assert_eq!(series.len(), 4);
    for (theme, pick) in THEMES {
        for (vision, matrix) in VISION {
            for pair in series.windows(2) {
                let (a, b) = (seen(pick(pair[0]), matrix), seen(pick(pair[1]), matrix));
                let distance = (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt();
                let names = (pair[0].name, pair[1].name);
                assert!(distance > 10.0, "{names:?} are {distance:.1} apart, {theme} theme, {vision} vision");
            }
        }
    }
}

#[test]
fn style_sheets_use_only_colours_of_the_table_and_load_nothing() {
    let page = figure::html::Page { title: String::new(), body: Vec::new() }.document();
    let style = &page[page.find("<style>").unwrap()..page.find("</style>").unwrap()];
    let mut colours = 0;
    for name in style.split("var(--").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        colours += 1;
        assert!(ROLES.iter().any(|r| r.name == name), "--{name} is not in the table");
    }
    assert!(colours > 40, "only {colours} uses of colours found");
    for word in ["url(", "@import", "expression"] {
        assert!(!style.contains(word), "the style sheet has {word}");
    }
    let outside = style.replace(&properties(), "");
    assert!(!outside.contains('#'), "a colour beside the table");
    assert!(FIGURE.contains(&format!("font-size:{}px", figure::svg::TEXT)));
}

/// The style sheet for a page with its own themes sets the same colours.
#[test]
fn an_embedded_sheet_sets_every_colour_for_light_and_dark() {
    let sheet = embedded(".place", &["night", "ink"]);
    let (light, rest) = sheet.strip_prefix(".place{").unwrap().split_once('}').unwrap();
    let dark = rest.split_once(":root.night .place,:root.ink .place{").unwrap().1.split_once('}').unwrap().0;
    for (colours, pick) in [light, dark].into_iter().zip(THEMES.map(|(_, pick)| pick)) {
        assert_eq!(colours.matches("--").count(), ROLES.len());
        for role in &ROLES {
            let Color(red, green, blue) = pick(role);
            assert!(colours.contains(&format!("--{}:#{red:02x}{green:02x}{blue:02x};", role.name)));
        }
    }
    assert!(rest.trim_start().starts_with("@media screen{") && sheet.ends_with(FIGURE));
}

/// Text has at least 12 CSS pixels, in pages and in figures scaled to a screen of 320 pixels.
#[test]
fn text_is_legible_on_a_phone() {
    let page = figure::html::Page { title: String::new(), body: Vec::new() }.document();
    let mut sizes = 0;
    for rest in page.split("font-size:").skip(1) {
        let value = rest.split([';', '}']).next().unwrap();
        let unit = value.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let number: f64 = value.strip_suffix(unit).unwrap().parse().unwrap();
        let pixels = match unit {
            "rem" | "em" => 16.0 * number,
            "px" => number * 300.0 / figure::svg::WIDTH,
            "pt" => 96.0 / 72.0 * number,
            _ => panic!("a size in {unit}"),
        };
        assert!(pixels >= 12.0, "{value}");
        sizes += 1;
    }
    assert!(sizes > 5, "only {sizes} sizes found");
    assert!(page.contains("padding:1rem clamp(10px,"), "the margins, which leave 300 pixels of 320");
}
