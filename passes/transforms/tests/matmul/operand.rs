//! Vectors of operands.

use super::*;

fn operand(text: &str) -> (Major, i64) {
    let layout: Layout = text.parse().expect("a layout");
    let operand = Operand::new("A", Memory::workspace(&layout, 2)).expect("rank 2");
    (operand.major, operand.vector)
}

#[test]
fn vectors_run_along_the_contiguous_mode() {
    assert_eq!(operand("(4096,4096):(4096,1)"), (Major::Reduction, 8));
    assert_eq!(operand("(4096,4096):(1,4096)"), (Major::Outer, 8));
}

#[test]
fn odd_pitches_and_extents_narrow_the_vector() {
    assert_eq!(operand("(4097,4099):(4099,1)"), (Major::Reduction, 1));
    assert_eq!(operand("(128,1000):(1000,1)"), (Major::Reduction, 8));
    assert_eq!(operand("(128,1002):(1004,1)"), (Major::Reduction, 2));
    assert_eq!(operand("(1,1):(1,1)"), (Major::Reduction, 1));
    assert_eq!(operand("(8,1):(1,8)"), (Major::Outer, 8));
}

#[test]
fn matrices_of_a_batch_start_on_vectors() {
    assert_eq!(operand("(64,64,3):(64,1,4096)"), (Major::Reduction, 8));
    assert_eq!(operand("(64,64,3):(64,1,4100)"), (Major::Reduction, 4));
    assert_eq!(operand("(64,64,3):(64,1,0)"), (Major::Reduction, 8));
    assert_eq!(operand("(64,64,1):(64,1,7)"), (Major::Reduction, 8));
    assert_eq!(operand("(64,64,(2,3)):(1,64,(4096,4))"), (Major::Outer, 4));
}

#[test]
fn vectors_are_no_longer_than_where_the_memory_starts_allows() {
    let layout: Layout = "(4096,4096):(4096,1)".parse().expect("a layout");
    for (alignment, vector) in [(16, 8), (8, 4), (4, 2), (2, 1)] {
        let memory = Memory { alignment, ..Memory::workspace(&layout, 2) };
        let operand = Operand::new("A", memory).expect("rank 2");
        assert_eq!((operand.major, operand.vector), (Major::Reduction, vector));
    }
}

#[test]
fn strided_operands_copy_element_by_element() {
    assert_eq!(operand("(64,64):(128,2)"), (Major::Reduction, 1));
}

#[test]
fn vectors_hold_for_every_coordinate_of_a_tile() {
    let vector = |text: &str| {
        let layout: Layout = text.parse().expect("a layout");
        let operand = Operand::new("A", Memory::workspace(&layout, 2)).expect("rank 2");
        (operand.major == Major::Outer, operand.vector)
    };
    assert_eq!(vector("(64,32):(32,1)"), (false, 8));
    assert_eq!(vector("(64,32):(1,64)"), (true, 8));
    assert_eq!(vector("(64,30):(30,1)"), (false, 2));
    assert_eq!(vector("(64,32):(33,1)"), (false, 1));
    assert_eq!(vector("(1,64):(64,1)"), (false, 8));
    assert_eq!(vector("((1,64),32):((5,1),64)"), (true, 8));
    // A tile of more than one row continues with the row's stride.
    assert_eq!(vector("(1,64):(1,1)"), (false, 1));
    assert_eq!(vector("(1,64):(4,1)"), (false, 4));
    assert_eq!(vector("(1,1):(1,1)"), (false, 1));
}
