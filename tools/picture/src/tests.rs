//! The content of pictures, in each way of writing them.

use expect_test::{Expect, expect, expect_file};
use layout_algebra::Term;

use super::{Labels, Picture, draw, html, latex, svg, table};
use crate::Paint;

fn picture(text: &str, labels: &Labels) -> layout_algebra::Result<Picture> {
    draw(&Term::parse(text)?.eval()?, labels, 64)
}

fn over(tile: &str) -> Labels {
    Labels::ThreadValues(tile.parse().unwrap())
}

fn banks(bits: i64) -> Labels {
    Labels::Banks { bits, access: None }
}

fn check(text: &str, labels: &Labels, expected: Expect) {
    expected.assert_eq(&table::write(&picture(text, labels).unwrap(), Paint::Plain));
}

fn refusal(text: &str, labels: &Labels) -> String {
    picture(text, labels).unwrap_err().to_string()
}

/// One of each kind that documents are made of.
fn album() -> Vec<Picture> {
    vec![
        picture("(3,(2,2)):(4,(2,1))", &Labels::Offsets).unwrap(),
        picture("S<1,0,1> o 0 o (2,2,2):(1,2,4)", &banks(16)).unwrap(),
        picture("((2,2),2):((2,1),4)", &over("(2,4)")).unwrap(),
    ]
}

#[test]
fn tables_show_offsets_under_coordinates() {
    check(
        "(3,(2,2)):(4,(2,1))",
        &Labels::Offsets,
        expect![[r#"
        (3,(2,2)):(4,(2,1))
            (0,0)   (1,0)   (0,1)   (1,1)
          +-------+-------+-------+-------+
        0 |     0 |     2 |     1 |     3 |
          +-------+-------+-------+-------+
        1 |     4 |     6 |     5 |     7 |
          +-------+-------+-------+-------+
        2 |     8 |    10 |     9 |    11 |
          +-------+-------+-------+-------+
    "#]],
    );
    check(
        "6:-2",
        &Labels::Offsets,
        expect![[r#"
        6:-2
            0     1     2     3     4     5
        +-----+-----+-----+-----+-----+-----+
        |   0 |  -2 |  -4 |  -6 |  -8 | -10 |
        +-----+-----+-----+-----+-----+-----+
    "#]],
    );
    check(
        "((2,3)):((1,2))",
        &Labels::Offsets,
        expect![[r#"
        ((2,3)):((1,2))
          (0,0)   (1,0)   (0,1)   (1,1)   (0,2)   (1,2)
        +-------+-------+-------+-------+-------+-------+
        |     0 |     1 |     2 |     3 |     4 |     5 |
        +-------+-------+-------+-------+-------+-------+
    "#]],
    );
    check(
        "S<1,0,2> o 0 o (4,2):(1,4)",
        &Labels::Offsets,
        expect![[r#"
        S<1,0,2> o 0 o (4,2):(1,4)
            0   1
          +---+---+
        0 | 0 | 5 |
          +---+---+
        1 | 1 | 4 |
          +---+---+
        2 | 2 | 7 |
          +---+---+
        3 | 3 | 6 |
          +---+---+
    "#]],
    );
    check(
        "1:0",
        &Labels::Offsets,
        expect![[r#"
        1:0
          0
        +---+
        | 0 |
        +---+
    "#]],
    );
}

#[test]
fn tables_of_more_modes_are_slices() {
    check(
        "(2,2,(2,1),2):(1,2,(4,8),16)",
        &Labels::Offsets,
        expect![[r#"
        (2,2,(2,1),2):(1,2,(4,8),16)
        (_,_,(0,0),0)
            0   1
          +---+---+
        0 | 0 | 2 |
          +---+---+
        1 | 1 | 3 |
          +---+---+
        (_,_,(1,0),0)
            0   1
          +---+---+
        0 | 4 | 6 |
          +---+---+
        1 | 5 | 7 |
          +---+---+
        (_,_,(0,0),1)
             0    1
          +----+----+
        0 | 16 | 18 |
          +----+----+
        1 | 17 | 19 |
          +----+----+
        (_,_,(1,0),1)
             0    1
          +----+----+
        0 | 20 | 22 |
          +----+----+
        1 | 21 | 23 |
          +----+----+
    "#]],
    );
}

#[test]
fn tables_show_who_holds_an_element() {
    check(
        "((2,2),2):((2,1),4)",
        &over("(2,4)"),
        expect![[r#"
        ((2,2),2):((2,1),4) over (2,4)
                0       1       2       3
          +-------+-------+-------+-------+
        0 | T0 V0 | T1 V0 | T0 V1 | T1 V1 |
          +-------+-------+-------+-------+
        1 | T2 V0 | T3 V0 | T2 V1 | T3 V1 |
          +-------+-------+-------+-------+
    "#]],
    );
    // Threads 0 and 1 hold the same, and the second column is held by none.
    check(
        "(2,2):(0,1)",
        &over("(2,2)"),
        expect![[r#"
        (2,2):(0,1) over (2,2)
                0       1
          +-------+-------+
        0 | T0 V0 |       |
          +-------+-------+
        1 | T0 V1 |       |
          +-------+-------+
        (2 of 4 elements are held by no thread)
        (2 of 4 elements are held more than once: the first thread and value is shown)
    "#]],
    );
}

#[test]
fn tables_show_banks() {
    check(
        "(2,4):(64,1)",
        &banks(32),
        expect![[r#"
        (2,4):(64,1)
                0       1       2       3
          +-------+-------+-------+-------+
        0 |  0 b0 |  1 b1 |  2 b2 |  3 b3 |
          +-------+-------+-------+-------+
        1 | 64 b0 | 65 b1 | 66 b2 | 67 b3 |
          +-------+-------+-------+-------+
        (b: the bank of the first byte, of 32 banks of 4 bytes, for elements of 32 bits)
    "#]],
    );
    check(
        "(2,2):(8,-1)",
        &banks(4),
        expect![[r#"
        (2,2):(8,-1)
                 0        1
          +--------+--------+
        0 |   0 b0 | -1 b31 |
          +--------+--------+
        1 |   8 b1 |   7 b0 |
          +--------+--------+
        (b: the bank of the first byte, of 32 banks of 4 bytes, for elements of 4 bits)
    "#]],
    );
}

#[test]
fn conflicts_of_an_access_are_counted() {
    let access = |tv: &str| Labels::Banks { bits: 16, access: Some(tv.parse().unwrap()) };
    let notes = |text: &str, tv: &str| picture(text, &access(tv)).unwrap().notes.pop().unwrap();
    // Thread t moves 8 values of row t.
    assert_eq!(
        notes("(8,64):(64,1)", "(8,8):(1,8)"),
        "access (8,8):(1,8): 8 wavefronts in 1 phase of 16-byte accesses, 7 extra"
    );
    assert_eq!(
        notes("S<3,3,3> o 0 o (8,64):(64,1)", "(8,8):(1,8)"),
        "access (8,8):(1,8): 1 wavefront in 1 phase of 16-byte accesses, 0 extra"
    );
}

#[test]
fn tables_show_coordinates() {
    check(
        "(2,(2,2)):(1@1,(2@0,-1@1))",
        &Labels::Offsets,
        expect![[r#"
        (2,(2,2)):(1@1,(2@0,-1@1))
             (0,0)    (1,0)    (0,1)    (1,1)
          +--------+--------+--------+--------+
        0 |  (0,0) |  (2,0) | (0,-1) | (2,-1) |
          +--------+--------+--------+--------+
        1 |  (0,1) |  (2,1) |  (0,0) |  (2,0) |
          +--------+--------+--------+--------+
    "#]],
    );
    assert_eq!(
        refusal("make_identity_layout((2,2))", &banks(8)),
        "picture: expected a layout to draw, found the basis layout (2,2):(1@0,1@1)"
    );
}

#[test]
fn tables_show_linear_layouts() {
    let held = "linear<{register = [(0,1)], lane = [(1,0),(0,2)], warp = [(0,0)]} -> {row = 2, col = \
                4}>";
    check(
        held,
        &Labels::Offsets,
        expect![[r#"
        linear<{register = [(0,1)], lane = [(1,0),(0,2)], warp = [(0,0)]} -> {row = 2, col = 4}>
        (_,_,0)
                0       1       2       3
          +-------+-------+-------+-------+
        0 | (0,0) | (1,0) | (0,2) | (1,2) |
          +-------+-------+-------+-------+
        1 | (0,1) | (1,1) | (0,3) | (1,3) |
          +-------+-------+-------+-------+
        (_,_,1)
                0       1       2       3
          +-------+-------+-------+-------+
        0 | (0,0) | (1,0) | (0,2) | (1,2) |
          +-------+-------+-------+-------+
        1 | (0,1) | (1,1) | (0,3) | (1,3) |
          +-------+-------+-------+-------+
        (from (register,lane,warp) to (row,col))
    "#]],
    );
    check(
        held,
        &over("(2,4)"),
        expect![[r#"
        linear<{register = [(0,1)], lane = [(1,0),(0,2)], warp = [(0,0)]} -> {row = 2, col = 4}> over (2,4)
                   0          1          2          3
          +----------+----------+----------+----------+
        0 | R0 L0 W0 | R1 L0 W0 | R0 L2 W0 | R1 L2 W0 |
          +----------+----------+----------+----------+
        1 | R0 L1 W0 | R1 L1 W0 | R0 L3 W0 | R1 L3 W0 |
          +----------+----------+----------+----------+
        (elements are held more than once: the first input is shown)
        (R: register, L: lane, W: warp)
    "#]],
    );
    check(
        "linear<{a = [1], ab = [2]} -> {i = 8}>",
        &over("8"),
        expect![[r#"
            linear<{a = [1], ab = [2]} -> {i = 8}> over 8
                     0          1          2          3          4          5          6          7
            +----------+----------+----------+----------+----------+----------+----------+----------+
            | a=0 ab=0 | a=1 ab=0 | a=0 ab=1 | a=1 ab=1 |          |          |          |          |
            +----------+----------+----------+----------+----------+----------+----------+----------+
            (4 of 8 elements are held by no input)
        "#]],
    );
    check(
        "linear<{lane = [1,3]} -> {offset = 4}>",
        &Labels::Offsets,
        expect![[r#"
        linear<{lane = [1,3]} -> {offset = 4}>
          0   1   2   3
        +---+---+---+---+
        | 0 | 1 | 3 | 2 |
        +---+---+---+---+
        (from (lane) to (offset))
    "#]],
    );
    assert_eq!(
        refusal("linear<{lane = [1,3]} -> {offset = 4}>", &over("(2,4)")),
        "thread-values: expected a tile of the 4 outputs of linear<{lane = [1,3]} -> {offset = \
         4}>, found (2,4) of 8"
    );
    assert_eq!(
        refusal("linear<{lane = [1,3]} -> {offset = 4}>", &banks(8)),
        "picture: expected a layout to draw, found the linear layout linear<{lane = [1,3]} -> \
         {offset = 4}>"
    );
}

#[test]
fn layouts_of_very_many_modes_are_drawn_at_once() {
    let ones = "1,".repeat(200_000);
    let zeros = "0,".repeat(200_000);
    for text in
        [format!("(({ones}64),64):(({zeros}1),64)"), format!("(64,64,{ones}2):(1,64,{zeros}5000)")]
    {
        let picture = picture(&text, &Labels::Offsets).unwrap();
        assert_eq!(picture.panels[0].cells[63][63].words, ["4095"]);
        assert!(picture.panels.len() == 1 || picture.panels[1].label.as_deref() == Some("(_,_,1)"));
    }
}

#[test]
fn cells_have_a_background() {
    let picture = picture("2:1", &Labels::Offsets).unwrap();
    expect![[r#"
        ESC[1m2:1ESC[0m
          0   1
        +---+---+
        |ESC[30;48;2;166;191;242m 0 ESC[0m|ESC[30;48;2;242;166;166m 1 ESC[0m|
        +---+---+
    "#]]
    .assert_eq(&table::write(&picture, Paint::Ansi).replace('\x1b', "ESC"));
}

#[test]
fn what_is_no_layout_is_refused() {
    assert_eq!(
        refusal("size(4:1)", &Labels::Offsets),
        "picture: expected a layout to draw, found the integer 4"
    );
    assert_eq!(
        refusal("S<2,0,2>", &Labels::Offsets),
        "picture: expected a layout to draw, found the swizzle S<2,0,2>"
    );
}

#[test]
fn threads_and_values_have_to_fit_the_tile() {
    assert_eq!(
        refusal("8:1", &over("(2,4)")),
        "thread-values: expected a layout of two modes, threads and values, found the shape 8"
    );
    assert_eq!(
        refusal("(4,4):(1,4)", &over("(2,4)")),
        "thread-values: expected indices into the 8 elements of the tile (2,4), found 8 for thread \
         0, value 2"
    );
    assert_eq!(
        refusal("(2048,2048):(0,0)", &over("(2,4)")),
        "thread-value pairs in a picture: expected at most 1048576, found 4194304"
    );
    assert_eq!(
        refusal("(2,2):(1,2)", &over("(2,0)")),
        "expected extents of at least 1, found 0 in (2,0)"
    );
}

#[test]
fn large_layouts_are_cut() {
    let cases = [
        ("(1048576,1048576):(1,1048576)", 64 * 64, 2),
        ("4611686018427387904:1", 64, 1),
        ("(2,2,1152921504606846976):(0,0,0)", 4 * 16, 1),
        ("((2,2),1152921504606846976):((0,1),0)", 4 * 64, 1),
    ];
    for (text, cells, notes) in cases {
        let picture = picture(text, &Labels::Offsets).unwrap();
        let found: usize = picture.panels.iter().flat_map(|panel| &panel.cells).map(Vec::len).sum();
        assert_eq!((found, picture.notes.len()), (cells, notes), "{text}");
    }
    let picture = picture("(1048576,1048576):(1,1048576)", &Labels::Offsets).unwrap();
    assert_eq!(picture.notes, ["64 of 1048576 rows are shown", "64 of 1048576 columns are shown"]);
    assert_eq!(
        refusal("(4,4):(4611686018427387904,0)", &Labels::Offsets),
        "at: expected results within 64 bits, found an overflow for \
         (4,4):(4611686018427387904,0) at 2"
    );
}

#[test]
fn svg_is_well_formed() {
    let text = svg::document(&album());
    let document = roxmltree::Document::parse(&text).unwrap();
    assert_eq!(document.root_element().tag_name().name(), "svg");
    let texts: Vec<_> = document.descendants().filter_map(|node| node.text()).collect();
    assert!(texts.contains(&"S<1,0,1> o 0 o (2,2,2):(1,2,4)"), "{texts:?}");
    // The background, and a rectangle for each of the 12 + 8 + 8 cells.
    let count = |name| document.descendants().filter(|node| node.has_tag_name(name)).count();
    assert_eq!(count(("http://www.w3.org/2000/svg", "rect")), 1 + 28);
    expect_file!["goldens/album.svg"].assert_eq(&text);
}

#[test]
fn svg_has_room_for_all_it_draws() {
    let text = svg::document(&album());
    let document = roxmltree::Document::parse(&text).unwrap();
    let number = |node: &roxmltree::Node<'_, '_>, name| -> usize {
        node.attribute(name).unwrap_or("0").parse().unwrap()
    };
    let root = document.root_element();
    for node in document.descendants().filter(|node| node.has_tag_name("rect")) {
        assert!(number(&node, "x") + number(&node, "width") <= number(&root, "width"));
        assert!(number(&node, "y") + number(&node, "height") <= number(&root, "height"));
    }
}

#[test]
fn html_is_well_formed() {
    let text = html::document(&album());
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(&text, options).unwrap();
    let count =
        |name: &str| document.descendants().filter(|node| node.tag_name().name() == name).count();
    assert_eq!((count("table"), count("td")), (4, 28));
    expect_file!["goldens/album.html"].assert_eq(&text);
}

#[test]
fn latex_is_balanced() {
    let text = latex::document(&album());
    let count = |words: &str| text.matches(words).count();
    assert_eq!(count("\\begin{tikzpicture}"), 3);
    for environment in ["document", "tikzpicture"] {
        assert_eq!(
            count(&format!("\\begin{{{environment}}}")),
            count(&format!("\\end{{{environment}}}"))
        );
    }
    let mut open = 0;
    for c in text.replace("\\{", "").replace("\\}", "").chars() {
        open += i32::from(c == '{') - i32::from(c == '}');
        assert!(open >= 0);
    }
    assert_eq!(open, 0);
    assert!(text.contains("S\\textless{}1,0,1\\textgreater{}"));
    expect_file!["goldens/album.tex"].assert_eq(&text);
}

#[test]
fn styles_of_a_picture_do_not_leak_into_its_page() {
    let text = html::fragment(&album());
    roxmltree::Document::parse(&text).unwrap();
    let style = text.split("<style>").nth(1).and_then(|rest| rest.split("</style>").next());
    for line in style.unwrap().trim().lines() {
        let (selectors, _) = line.split_once('{').unwrap();
        assert!(
            selectors.split(',').all(|each| each.trim().starts_with(".layout-picture ")),
            "{line}"
        );
    }
}
