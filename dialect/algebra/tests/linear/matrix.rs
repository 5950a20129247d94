//! Matrices over GF(2) against enumeration: every one of at most 3 rows and 4 columns.

use layout_algebra::{
    Result,
    linear::{Echelon, Matrix},
};

/// Every matrix of at most 3 rows and 4 columns.
fn small() -> impl Iterator<Item = Matrix> {
    (0..=3_usize).flat_map(|height| {
        (0..=4_u32).flat_map(move |width| {
            (0..1_u64 << (height * width as usize)).map(move |code| {
                let row = |r: usize| code >> (r * width as usize) & ((1 << width) - 1);
                Matrix::new((0..height).map(row).collect(), width).expect("small")
            })
        })
    })
}

/// The images of all vectors, from the definition: columns added where a bit is set.
fn images(matrix: &Matrix) -> Vec<u64> {
    let column = |c: u32| {
        (0..matrix.height()).fold(0, |column, r| column | (matrix.rows()[r as usize] >> c & 1) << r)
    };
    let image =
        |x: u64| (0..matrix.width()).filter(|&c| x >> c & 1 == 1).fold(0, |sum, c| sum ^ column(c));
    (0..1 << matrix.width()).map(image).collect()
}

#[test]
fn applies_solves_and_counts_as_enumeration_does() {
    for matrix in small() {
        let images = images(&matrix);
        for (x, &image) in (0_u64..).zip(&images) {
            assert_eq!(matrix.apply(x), image, "{matrix}");
        }
        for y in 0..1 << matrix.height() {
            let smallest = (0_u64..).zip(&images).find(|(_, image)| **image == y);
            assert_eq!(matrix.solve(y), smallest.map(|(x, _)| x), "{matrix}\n{y}");
        }
        let mut distinct = images.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(1 << matrix.rank(), distinct.len(), "{matrix}");
        let zeros = images.iter().filter(|image| **image == 0).count();
        let kernel = matrix.kernel();
        assert_eq!(1 << kernel.len(), zeros, "{matrix}");
        assert!(kernel.iter().all(|&vector| matrix.apply(vector) == 0), "{matrix}");
        let independent = Matrix::new(kernel.clone(), matrix.width()).expect("small").rank();
        assert_eq!(independent as usize, kernel.len(), "{matrix}");
    }
}

#[test]
fn reduced_forms_are_reduced_and_equal_up_to_an_invertible_matrix() {
    for matrix in small() {
        let Echelon { reduced, transform, pivots } = matrix.reduce();
        assert_eq!(transform.multiply(&matrix), Ok(reduced.clone()), "{matrix}");
        assert!(transform.inverse().is_some(), "{matrix}");
        assert_eq!(pivots.len(), matrix.rank() as usize, "{matrix}");
        for (i, &row) in reduced.rows().iter().enumerate() {
            match pivots.get(i) {
                None => assert_eq!(row, 0, "{matrix}"),
                Some(&pivot) => {
                    assert_eq!(row.trailing_zeros(), pivot, "{matrix}");
                    let column = reduced.columns()[pivot as usize];
                    assert_eq!(column, 1 << i, "{matrix}");
                }
            }
        }
    }
}

#[test]
fn inverses_exist_exactly_for_bijections() {
    for matrix in small() {
        let mut images = images(&matrix);
        images.sort_unstable();
        images.dedup();
        let bijective = matrix.height() == matrix.width() && images.len() == 1 << matrix.width();
        let inverse = matrix.inverse();
        assert_eq!(inverse.is_some(), bijective, "{matrix}");
        if let Some(inverse) = inverse {
            let identity = Matrix::identity(matrix.width());
            assert_eq!(matrix.multiply(&inverse), identity, "{matrix}");
            assert_eq!(inverse.multiply(&matrix), identity, "{matrix}");
        }
    }
}

#[test]
fn pseudo_inverses_are_reflexive() {
    for matrix in small() {
        let inverse = matrix.reduce().pseudo_inverse();
        let there = matrix.multiply(&inverse).and_then(|m| m.multiply(&matrix));
        assert_eq!(there, Ok(matrix.clone()));
        let back = inverse.multiply(&matrix).and_then(|m| m.multiply(&inverse));
        assert_eq!(back, Ok(inverse));
    }
}

#[test]
fn transposes_turn_products_around() {
    for a in small().filter(|a| a.width() == 2) {
        assert_eq!(a.transpose().transpose(), a);
        for b in small().filter(|b| b.height() == 2 && b.width() < 3) {
            let product = a.multiply(&b).expect("sizes agree");
            for x in 0..1 << b.width() {
                assert_eq!(product.apply(x), a.apply(b.apply(x)), "{a}\n{b}");
            }
            let turned = b.transpose().multiply(&a.transpose());
            assert_eq!(turned, Ok(product.transpose()));
        }
    }
}

#[test]
fn sixty_four_columns_are_no_edge() {
    let identity = Matrix::identity(64).expect("within the limit");
    assert_eq!(identity.apply(u64::MAX), u64::MAX);
    assert_eq!(identity.inverse().as_ref(), Some(&identity));
    assert_eq!(identity.solve(u64::MAX), Some(u64::MAX));
    assert_eq!((identity.rank(), identity.kernel()), (64, vec![]));
    assert_eq!(Matrix::new(vec![0; 64], 64).expect("within the limit").kernel().len(), 64);
}

#[test]
fn errors_say_what_was_expected() {
    let text = |result: Result<Matrix>| result.expect_err("refused").to_string();
    assert_eq!(
        text(Matrix::new(vec![0; 65], 1)),
        "rows of a matrix over GF(2): expected at most 64, found 65"
    );
    assert_eq!(
        text(Matrix::new(vec![], 65)),
        "columns of a matrix over GF(2): expected at most 64, found 65"
    );
    assert_eq!(
        text(Matrix::from_columns(&[0; 65], 1)),
        "columns of a matrix over GF(2): expected at most 64, found 65"
    );
    assert_eq!(
        text(Matrix::identity(65)),
        "rows of a matrix over GF(2): expected at most 64, found 65"
    );
    assert_eq!(
        text(Matrix::new(vec![0, 0b100], 2)),
        "matrix: expected rows of 2 columns, found 0b100 as row 1"
    );
    let (a, b) = (Matrix::new(vec![0], 2), Matrix::new(vec![0], 1));
    assert_eq!(
        text(a.and_then(|a| a.multiply(&b?))),
        "multiply: expected a matrix of 2 rows on the right, found one of 1"
    );
}
