//! Workspaces and tiles of relayout copies.

use super::*;

fn of(text: &str) -> (String, &'static str) {
    let layout: Layout = text.parse().expect("a layout");
    let relayout = Relayout::new("A", Memory::workspace(&layout, 2), false).expect("a copy");
    assert_eq!(relayout.operand.name, relayout.workspace.name);
    (relayout.layout.to_string(), relayout.operand.name)
}

#[test]
fn tiles_fit_blocks() {
    // The last one has none.
    let of = |text: &str| {
        let layout: Layout = text.parse().expect("a layout");
        fitting(&layout.modes(), (8, 512))
    };
    assert_eq!(of("(200,(64,9)):(64,(1,12800))"), (8, 512));
    assert_eq!(of("(200,(24,9)):(24,(1,4800))"), (512, 8));
    assert_eq!(of("((24,9),(24,9)):((24,600),(1,5400))"), (8, 512));
    assert_eq!(of("(200,(7,9)):(7,(1,1400))"), (4096, 1));
}

#[test]
fn copies_along_k_transpose() {
    let layout: Layout = "(96,40):(1,96)".parse().expect("a layout");
    let relayout = Relayout::new("A", Memory::workspace(&layout, 1), true).expect("a copy");
    assert_eq!(relayout.layout.to_string(), "(96,40):(128,1)");
    assert_eq!((relayout.operand.name, relayout.workspace.name), ("simt_16", "simt_1"));
}

/// Blocks that no tile fits are the digits of a batch.
#[test]
fn blocks_of_any_size_are_copied() {
    let of = |text: &str| {
        let layout: Layout = text.parse().expect("a layout");
        let relayout = Relayout::new("A", Memory::workspace(&layout, 2), false).expect("a copy");
        let term = relayout.digits.unwrap_or_default();
        (relayout.layout.to_string(), term, relayout.operand.name, relayout.workspace.name)
    };
    assert_eq!(
        of("((7,5),(66,9)):((66,5000),(1,500))"),
        ("(35,594):(640,1)".into(), "(66,9,(7,5)):(35,2310,(1,7))".into(), "simt_2", "simt_2")
    );
    assert_eq!(of("((7,5),(9,3)):((1,500),(7,70))").2, "simt_1");
    // Nothing is left for a batch.
    assert_eq!(of("((7,9),1):((1,30),1)").1, "");
    // One matrix for all of a batch is copied once.
    let (workspace, term, ..) = of("((7,5),(66,9),3):((66,5000),(1,500),0)");
    assert_eq!(workspace, "(35,594,3):(640,1,0)");
    assert_eq!(term, "(66,9,(7,5)):(35,2310,(1,7))");
}

#[test]
fn a_batch_is_copied_matrix_by_matrix() {
    assert_eq!(of("(64,30,3):(30,1,1920)").0, "(64,30,3):(64,1,4096)");
    assert_eq!(of("(64,30,3):(1,64,2000)").0, "(64,30,3):(1,64,1920)");
    // One matrix for all.
    assert_eq!(of("(64,30,3):(30,1,0)").0, "(64,30,3):(64,1,0)");
    assert_eq!(of("(64,30,1):(30,1,7)").0, "(64,30,1):(64,1,0)");
}

#[test]
fn rows_are_padded_and_vectors_as_wide_as_the_alignment() {
    assert_eq!(of("(4097,4099):(4099,1)"), ("(4097,4099):(4160,1)".into(), "simt_1"));
    assert_eq!(of("(4097,4099):(1,4097)"), ("(4097,4099):(1,4160)".into(), "simt_1"));
    assert_eq!(of("(64,30):(30,1)"), ("(64,30):(64,1)".into(), "simt_2"));
    assert_eq!(of("(64,60):(60,1)"), ("(64,60):(64,1)".into(), "simt_4"));
    // Nothing contiguous: by rows, element by element.
    assert_eq!(of("(64,64):(128,2)"), ("(64,64):(64,1)".into(), "simt_1"));
    assert_eq!(of("(1,1):(1,1)"), ("(1,1):(64,1)".into(), "simt_1"));
}
