//! The numbered equations of the paper, each by its number, and the examples of its text that are no
//! rows of tables. `table1.rs` and `table2.rs` have the tables and the other examples.

use crate::algorithms;
use crate::support;

use algorithms::{complement, compose, inverse, layout_from_strides, left_inverse, right_inverse};
use layout_algebra::{Layout, Swizzle, linear::LinearLayout};
use layout_relation::{
    Context, Formula, IntegerSet, LinearMappings, Relation, binary_coordinate_mapping,
    binary_swizzle_mapping, coordinate_mapping, coordinates, index_mapping, layout_mapping,
    linear_layout_mapping, swizzle_mapping,
};
use support::{context, layout};

const SWIZZLED: &str = "LinearLayout(crd=(4,4), idx=(4,4), vals=[(1,1),(2,2),(0,1),(0,2)])";

fn swizzled() -> LinearLayout {
    SWIZZLED.parse().unwrap()
}

fn set(context: &Context, text: &str) -> IntegerSet {
    IntegerSet::parse(context, text).unwrap()
}

fn relation(context: &Context, text: &str) -> Relation {
    Relation::parse(context, text).unwrap()
}

/// All swizzles whose bits, base and shift, of either sign, are at most these together.
fn swizzles(most: u32) -> Vec<Swizzle> {
    let mut all = Vec::new();
    for bits in 0..=most {
        for base in 0..=most - bits {
            for shift in 0..=i32::try_from(most - bits - base).unwrap() {
                all.push(Swizzle::new(bits, base, shift).unwrap());
                all.extend((shift > 0).then(|| Swizzle::new(bits, base, -shift).unwrap()));
            }
        }
    }
    all
}

fn image(layout: &LinearLayout, coordinate: (i64, i64)) -> Vec<i64> {
    let at = [("crd0", coordinate.0), ("crd1", coordinate.1)];
    layout.apply(&at).unwrap().into_iter().map(|(_, index)| index).collect()
}

#[test]
fn equation_1_a_swizzle_is_an_exclusive_or_with_masked_bits() {
    for swizzle in swizzles(6) {
        let (bits, base, shift) = (swizzle.bits, swizzle.base, swizzle.shift);
        let mask = ((1_i64 << bits) - 1) << (base + shift.max(0).unsigned_abs());
        for c in 0..1_i64 << (bits + base + shift.unsigned_abs()) {
            let moved = if shift >= 0 { (c & mask) >> shift } else { (c & mask) << -shift };
            assert_eq!(swizzle.apply(c), c ^ moved, "{swizzle} at {c}");
        }
    }
}

#[test]
fn equation_2_linear_layouts_are_linear() {
    let layout = swizzled();
    for code in 0..256 {
        let [t, w, u, v] = [0, 2, 4, 6].map(|from| code >> from & 3);
        let both: Vec<i64> =
            image(&layout, (t, w)).iter().zip(image(&layout, (u, v))).map(|(a, b)| a ^ b).collect();
        assert_eq!(image(&layout, (t ^ u, w ^ v)), both, "({t},{w}) and ({u},{v})");
    }
}

#[test]
fn equations_3_and_4_bits_of_coordinates_and_indices() {
    let context = context();
    for (text, coordinate, index) in [
        (SWIZZLED, 4, 4),
        ("LinearLayout(crd=(2,8), idx=(4,4), vals=[(1,0),(2,0),(0,1),(0,2)])", 4, 4),
        ("LinearLayout(crd=(4,4), idx=4, vals=[1,2,0,0])", 4, 2),
        ("LinearLayout(crd=8, idx=8, vals=[1,2,4])", 3, 3),
    ] {
        let mappings = LinearMappings::of(&context, &text.parse().unwrap()).unwrap();
        assert_eq!(mappings.bits.dimensions().unwrap(), (1, coordinate), "{text}");
        assert_eq!(mappings.vectors.dimensions().unwrap(), (coordinate, index), "{text}");
        assert_eq!(mappings.index.dimensions().unwrap(), (index, 1), "{text}");
    }
}

/// Equations 5 and 20 with AND and XOR, 21 with products and sums modulo 2: one mapping, equation 22.
#[test]
fn equations_5_20_21_and_22_bits_of_an_index() {
    let context = context();
    let mappings = LinearMappings::of(&context, &swizzled()).unwrap();
    // The index values of the basis vectors: section 5.1.
    const VALUES: [[i64; 4]; 4] = [[1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1]];
    for code in 0..16_i64 {
        let c = [0, 1, 2, 3].map(|bit| code >> bit & 1);
        let by_bits: Vec<i64> =
            (0..4).map(|j| (0..4).fold(0, |all, k| all ^ (VALUES[k][j] & c[k]))).collect();
        let by_sums: Vec<i64> =
            (0..4).map(|j| (0..4).map(|k| VALUES[k][j] * c[k]).sum::<i64>() % 2).collect();
        assert_eq!(by_bits, by_sums);
        assert_eq!(mappings.vectors.at(&c).unwrap(), Some(by_bits), "{c:?}");
    }
    let equation = relation(
        &context,
        "{ [c0, c1, c2, c3] -> [i0, i1, i2, i3] : 0 <= c0, c1, c2, c3 < 2 and i0 = c0 mod 2 and \
         i1 = c1 mod 2 and i2 = (c0 + c2) mod 2 and i3 = (c1 + c3) mod 2 }",
    );
    assert!(equation.is_equal(&mappings.vectors).unwrap());
}

#[test]
fn equation_6_a_set_is_a_conjunction_of_constraints() {
    let context = context();
    let region = set(&context, "[N, M] -> { [i, j] : 0 <= i < N and 0 <= j < M }");
    let fixed = set(&context, "[N, M] -> { [i, j] : N = 3 and M = 4 }");
    let points =
        set(&context, "[N, M] -> { [i, j] : N = 3 and M = 4 and 0 <= i <= 2 and 0 <= j <= 3 }");
    assert!(region.intersect(&fixed).unwrap().is_equal(&points).unwrap());
    assert_eq!(set(&context, "{ [i, j] : 0 <= i < 3 and 0 <= j < 4 }").count().unwrap(), 12);
}

#[test]
fn equation_7_a_relation_is_a_conjunction_of_constraints() {
    let context = context();
    let both =
        relation(&context, "{ [x, y] -> [a, b] : a = x + y and b = x - y and 0 <= x, y < 4 }");
    assert_eq!(both.at(&[3, 1]).unwrap(), Some(vec![4, 2]));
    assert_eq!(both.at(&[4, 1]).unwrap(), None);
    assert_eq!(both.domain().unwrap().count().unwrap(), 16);
}

#[test]
fn equation_8_quasi_affine_constraints_have_floors() {
    let context = context();
    let text =
        "{ [x, y] -> [2x + 3*floor((x + 2y + 1)/4) - floor((5 - x)/3) + 7] : 0 <= x, y < 9 }";
    let quasi = relation(&context, text);
    let formula = Formula::of(&quasi).unwrap();
    for (x, y) in (0..81).map(|at| (at % 9, at / 9)) {
        let value = 2 * x + 3 * (x + 2 * y + 1_i64).div_euclid(4) - (5 - x).div_euclid(3) + 7;
        assert_eq!(quasi.at(&[x, y]).unwrap(), Some(vec![value]));
        assert_eq!(formula.at(&[x, y]).unwrap(), Some(vec![value]));
    }
    let constraint = set(&context, "{ [x] : 2x - 3*floor((x + 1)/2) - 1 >= 0 and 0 <= x < 10 }");
    let slow = (0..10_i64).filter(|x| 2 * x - 3 * (x + 1).div_euclid(2) > 0).count();
    assert_eq!(usize::try_from(constraint.count().unwrap()).unwrap(), slow);
}

#[test]
fn equation_9_integral_coordinates() {
    let context = context();
    let shape = "(4,(2,2))".parse().unwrap();
    let domain = coordinate_mapping(&context, &shape).unwrap().domain().unwrap();
    assert_eq!(domain.text().unwrap(), "{ [c] : 0 <= c <= 15 }");
}

#[test]
fn equation_10_natural_coordinates() {
    let context = context();
    let shape = "(4,2,2)".parse().unwrap();
    let text = "{ [c0, c1, c2] : 0 <= c0 <= 3 and 0 <= c1 <= 1 and 0 <= c2 <= 1 }";
    assert_eq!(coordinates(&context, &shape).unwrap().text().unwrap(), text);
    let reached = coordinate_mapping(&context, &shape).unwrap().range().unwrap();
    assert!(reached.is_equal(&set(&context, text)).unwrap());
}

#[test]
fn equation_11_bits_of_a_coordinate_highest_first() {
    let context = context();
    for bits in 0..6_u32 {
        let mapping = binary_coordinate_mapping(&context, bits).unwrap();
        for c in 0..1_i64 << bits {
            let expected = (0..bits).rev().map(|bit| c >> bit & 1).collect();
            assert_eq!(mapping.at(&[c]).unwrap(), Some(expected));
        }
        assert_eq!(mapping.at(&[1 << bits]).unwrap(), None);
    }
    let equation =
        "{ [c] -> [floor(c/8), floor(c/4) mod 2, floor(c/2) mod 2, c mod 2] : 0 <= c < 16 }";
    let mapping = binary_coordinate_mapping(&context, 4).unwrap();
    assert!(relation(&context, equation).is_equal(&mapping).unwrap());
}

#[test]
fn equation_12_the_swizzle_of_figure_2_on_bits() {
    let context = context();
    let mapping = binary_swizzle_mapping(&context, &Swizzle::new(1, 2, 1).unwrap()).unwrap();
    let text = "{ [c0, c1, c2, c3] -> [(c0), ((c0 + c1) mod 2), (c2), (c3)] : \
                0 <= c0 <= 1 and 0 <= c1 <= 1 and 0 <= c2 <= 1 and 0 <= c3 <= 1 }";
    assert_eq!(mapping.expressions().unwrap(), text);
}

/// Equations 13 and 14 for either sign of the shift: bits, the mapping between them, and back.
///
/// A swizzle is its own inverse only if its shift is at least its number of bits; the paper states it
/// for all.
#[test]
fn equations_13_and_14_swizzles_by_their_bits() {
    let context = context();
    for swizzle in swizzles(5) {
        let bits = swizzle.bits + swizzle.base + swizzle.shift.unsigned_abs();
        let split = binary_coordinate_mapping(&context, bits).unwrap();
        let moved = binary_swizzle_mapping(&context, &swizzle).unwrap();
        let whole = split.then(&moved).unwrap().then(&split.inverse().unwrap()).unwrap();
        assert!(
            whole.is_equal(&swizzle_mapping(&context, &swizzle).unwrap()).unwrap(),
            "{swizzle}"
        );
        let own = |c: i64| swizzle.apply(c);
        for c in 0..1_i64 << bits {
            assert_eq!(whole.at(&[c]).unwrap(), Some(vec![own(c)]), "{swizzle} at {c}");
        }
        let nothing = Swizzle::new(0, swizzle.bits + swizzle.base, swizzle.shift).unwrap();
        let identity = binary_swizzle_mapping(&context, &nothing).unwrap();
        let involution = moved.then(&moved).unwrap().is_equal(&identity).unwrap();
        let expected = swizzle.bits == 0 || swizzle.shift.unsigned_abs() >= swizzle.bits;
        assert_eq!(involution, expected, "{swizzle}");
    }
    // 4 becomes 6 and 7.
    let early = Swizzle::new(2, 0, 1).unwrap();
    assert_eq!((early.apply(4), early.apply(6)), (6, 5));
}

#[test]
fn equation_15_the_swizzle_of_figure_2() {
    let context = context();
    let swizzle = Swizzle::new(1, 2, 1).unwrap();
    let text = "{ [c] -> [(c - (c) mod 8 + (c + 4*floor((c)/8)) mod 8)] : 0 <= c <= 15 }";
    assert_eq!(swizzle_mapping(&context, &swizzle).unwrap().solved().unwrap(), text);
}

#[test]
fn equations_16_to_19_the_mappings_around_the_bits() {
    let context = context();
    // Two dimensions on the left, three on the right.
    let text =
        "LinearLayout(crd=(4,8), idx=(2,4,4), vals=[(1,0,0),(0,1,1),(0,2,0),(0,0,1),(0,0,2)])";
    let layout: LinearLayout = text.parse().unwrap();
    let mappings = LinearMappings::of(&context, &layout).unwrap();
    for (found, expected) in [
        (&mappings.integral, "{ [c0, c1] -> [c0 + 4c1] : 0 <= c0 < 4 and 0 <= c1 < 8 }"),
        (
            &mappings.bits,
            "{ [c] -> [a, b, d, e, f] : 0 <= a, b, d, e, f < 2 and c = a + 2b + 4d + 8e + 16f }",
        ),
        (
            &mappings.index,
            "{ [a, b, d, e, f] -> [i] : 0 <= a, b, d, e, f < 2 and i = a + 2b + 4d + 8e + 16f }",
        ),
        (
            &mappings.natural,
            "{ [i] -> [x, y, z] : 0 <= x < 2 and 0 <= y, z < 4 and i = x + 2y + 8z }",
        ),
    ] {
        assert!(relation(&context, expected).is_equal(found).unwrap(), "{expected}");
    }
}

#[test]
fn equation_23_a_linear_layout_is_five_mappings_in_turn() {
    let context = context();
    for text in [
        SWIZZLED,
        "LinearLayout(crd=(4,8), idx=(2,4,4), vals=[(1,0,0),(0,1,1),(0,2,0),(0,0,1),(0,0,2)])",
        "LinearLayout(crd=(2,2,4), idx=16, vals=[8,4,3,1])",
    ] {
        let layout: LinearLayout = text.parse().unwrap();
        let m = LinearMappings::of(&context, &layout).unwrap();
        let whole = m.integral.then(&m.bits).unwrap().then(&m.vectors).unwrap();
        let whole = whole.then(&m.index).unwrap().then(&m.natural).unwrap();
        let mapping = linear_layout_mapping(&context, &layout).unwrap();
        assert!(whole.is_equal(&mapping).unwrap(), "{text}");
        let ins: Vec<_> = layout.in_dims().map(|(name, size)| (name.to_owned(), size)).collect();
        for code in 0..layout.size() {
            let mut rest = code;
            let mut digit = |size: i64| {
                let digit = rest % size;
                rest /= size;
                digit
            };
            let at: Vec<_> = ins.iter().map(|(name, size)| (name.as_str(), digit(*size))).collect();
            let natural: Vec<i64> = at.iter().map(|&(_, digit)| digit).collect();
            let expected = layout.apply(&at).unwrap().into_iter().map(|(_, index)| index).collect();
            assert_eq!(mapping.at(&natural).unwrap(), Some(expected), "{text} at {natural:?}");
        }
    }
}

#[test]
fn equation_24_the_swizzled_layout_on_bits() {
    let context = context();
    let mappings = LinearMappings::of(&context, &swizzled()).unwrap();
    let equation = "{ [c0, c1, c2, c3] -> [c0, c1, (c0 + c2) mod 2, (c1 + c3) mod 2] : \
                    0 <= c0, c1, c2, c3 <= 1 }";
    assert!(relation(&context, equation).is_equal(&mappings.vectors).unwrap());
}

#[test]
fn equation_25_the_swizzled_layout() {
    let context = context();
    let equation = "{ [c0, c1] -> [(c0), (3 + (c0) mod 2 - (1 + c0 + c1) mod 2 - \
                    (3 + c0 + 3c1 - (1 + c1) mod 2) mod 4)] : 0 <= c0 <= 3 and 0 <= c1 <= 3 }";
    let mapping = linear_layout_mapping(&context, &swizzled()).unwrap();
    assert!(relation(&context, equation).is_equal(&mapping).unwrap());
}

/// Section 2.1.2: a layout and its complement map to all of `[0, 32)`.
#[test]
fn example_complement_fills_the_gaps() {
    let context = context();
    let gaps = complement(&context, &layout("(4,2):(1,16)"), 32).unwrap();
    assert_eq!(gaps, layout("4:4"));
    let both = layout_mapping(&context, &layout("(4,2,4):(1,16,4)")).unwrap();
    assert!(both.range().unwrap().is_equal(&set(&context, "{ [i] : 0 <= i < 32 }")).unwrap());
}

/// Section 3.4: size and cosize are the greatest coordinate and the greatest index, and one.
#[test]
fn example_size_and_cosize() {
    let context = context();
    for (text, size, cosize) in
        [("(4,2,2):(2,1,8)", 16, 16), ("(2,2):(1,8)", 4, 10), ("(4,(2,3)):(0,(1,5))", 24, 12)]
    {
        let mapping = layout_mapping(&context, &layout(text)).unwrap();
        let end = |set: IntegerSet| set.greatest().unwrap().map(|point| point[0] + 1);
        assert_eq!(end(mapping.domain().unwrap()), Some(size), "{text}");
        assert_eq!(end(mapping.range().unwrap()), Some(cosize), "{text}");
        assert_eq!((mapping.size().unwrap(), mapping.cosize().unwrap()), (size, cosize), "{text}");
    }
}

/// Section 3.4: strides that are colexicographic make the identity.
#[test]
fn example_colexicographic_strides_are_the_identity() {
    let context = context();
    let mapping = layout_mapping(&context, &layout("(4,2,3):(1,4,8)")).unwrap();
    assert!(relation(&context, "{ [c] -> [c] : 0 <= c < 24 }").is_equal(&mapping).unwrap());
}

/// Section 3.7: strides that no shape goes with.
#[test]
fn example_strides_of_no_layout() {
    let context = context();
    let mapping = layout_mapping(&context, &layout("(4,2,2):(2,1,8)")).unwrap();
    assert_eq!(layout_from_strides(&mapping, &"(2,8)".parse().unwrap()).unwrap(), None);
    assert_eq!(layout_from_strides(&mapping, &"(3,4)".parse().unwrap()).unwrap(), None);
}

/// Section 3.8.1: CuTe's composition continues where the outer layout ends; those coordinates are a set.
#[test]
fn example_what_a_promotion_adds() {
    let context = context();
    let (outer, inner) = (layout("(2,1):(1,80)"), layout("(2,2):(2,1)"));
    let mapping = layout_mapping(&context, &inner).unwrap();
    let pairs: Vec<_> = (0..4).map(|c| mapping.at(&[c]).unwrap().unwrap()[0]).collect();
    assert_eq!(pairs, [0, 2, 1, 3]);
    let outside = layout_relation::outside_of_composition(&context, &outer, &inner).unwrap();
    let text = outside.text().unwrap();
    assert!(outside.is_equal(&set(&context, "{ [1, c1] : 0 <= c1 <= 1 }")).unwrap(), "{text}");
    let composed = compose(&context, &outer, &inner).unwrap().layout;
    let values: Vec<_> = (0..4).map(|c| composed.at(c).unwrap()).collect();
    assert_eq!(values, [0, 80, 1, 81]);
}

/// Section 3.8.4: the sets of the complement of `(2,2):(1,5)`, up to the step that is wrong there.
#[test]
fn example_gaps_of_a_complement() {
    let context = context();
    let range = layout_mapping(&context, &layout("(2,2):(1,5)")).unwrap().range().unwrap();
    let paper = set(
        &context,
        "{ [c] : -3 <= c <= 6 and 5*floor((-2 + c)/5) <= -5 + c and \
         5*floor((-1 - 2c)/5) >= -6 - 3c }",
    );
    assert!(range.is_equal(&paper).unwrap());
    let gaps = set(&context, "{ [c] : 0 <= c < 20 }").subtract(&range).unwrap();
    let paper = set(
        &context,
        "{ [c] : 0 < c <= 19 and (c >= 7 or (c <= 6 and 5*floor((-2 + c)/5) >= -4 + c)) }",
    );
    // The paper's set has 1 too, which is an index: its own lexmin is 2.
    let one = set(&context, "{ [c] : c = 1 }");
    let extra = paper.subtract(&gaps).unwrap();
    assert!(extra.is_subset(&one).unwrap(), "{}", extra.text().unwrap());
    assert_eq!(gaps.least().unwrap(), Some(vec![2]));
    let rest = range.subtract(&set(&context, "{ [c] : 0 <= c < 2 }")).unwrap();
    assert_eq!(rest.least().unwrap(), Some(vec![5]));
    // The gap [2, 5) is filled from 2 on, twice: then the least that is missing is 4, and not 9.
    let filled = layout_mapping(&context, &layout("(2,2,2):(1,5,2)")).unwrap().range().unwrap();
    let left = gaps.subtract(&filled).unwrap();
    assert_eq!(left.least().unwrap(), Some(vec![4]));
}

/// Section 3.8.5: the index mapping of an inverse.
#[test]
fn example_index_mapping_of_an_inverse() {
    let context = context();
    let found = inverse(&context, &layout("(4,2,2):(2,1,8)")).unwrap();
    assert_eq!(
        index_mapping(&context, &found).unwrap().text().unwrap(),
        "{ [c0, c1, c2] -> [4c0 + c1 + 8c2] : 0 <= c0 <= 1 and 0 <= c1 <= 3 and 0 <= c2 <= 1 }"
    );
}

/// Section 3.8.5: the left inverse is the right inverse of a layout beside its complement.
#[test]
fn example_left_inverse_by_the_complement() {
    let context = context();
    let operand = layout("(2,2):(1,8)");
    let gaps = complement(&context, &operand, operand.cosize().unwrap()).unwrap();
    let both = Layout::make_layout(&[operand.clone(), gaps]).unwrap();
    let by_complement = right_inverse(&context, &both).unwrap();
    let left = left_inverse(&context, &operand).unwrap();
    for c in 0..operand.size() {
        let index = operand.at(c).unwrap();
        assert_eq!((by_complement.at(index).unwrap(), left.at(index).unwrap()), (c, c));
    }
    // Where the least index that is missing is 1, only the trivial right inverse is left.
    assert_eq!(right_inverse(&context, &layout("4:2")).unwrap(), layout("1:0"));
}
