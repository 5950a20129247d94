//! CuTe IR's operations: `dialect/CUTE.md` says for each what says the same here.

use std::fs;

/// All of them, as CUTLASS publishes them.
const CUTE_IR: [&str; 63] = [
    "static",
    "make_int_tuple",
    "make_shape",
    "make_stride",
    "make_coord",
    "make_tile",
    "make_layout",
    "make_composed_layout",
    "make_layout_like",
    "make_ordered_layout",
    "make_identity_layout",
    "print",
    "get",
    "select",
    "get_shape",
    "get_stride",
    "composed_get_inner",
    "composed_get_offset",
    "composed_get_outer",
    "get_layouts_from_tile",
    "get_leaves",
    "get_scalars",
    "to_int_tuple",
    "to_shape",
    "to_stride",
    "to_coord",
    "composition",
    "coalesce",
    "complement",
    "flatten",
    "group_modes",
    "recast_layout",
    "slice",
    "dice",
    "right_inverse",
    "left_inverse",
    "size",
    "cosize",
    "tuple_product",
    "tuple_product_each",
    "crd2idx",
    "layout_eval",
    "idx2crd",
    "increment_coord",
    "append_to_rank",
    "prepend_to_rank",
    "tuple_add",
    "tuple_sub",
    "shape_div",
    "ceil_div",
    "elem_less",
    "equal",
    "logical_product",
    "zipped_product",
    "tiled_product",
    "flat_product",
    "raked_product",
    "blocked_product",
    "logical_divide",
    "zipped_divide",
    "tiled_divide",
    "flat_divide",
    "tile_to_shape",
];

#[test]
fn each_operation_of_cute_ir_has_one_here() {
    let page = format!("{}/../CUTE.md", env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(page).expect("the page");
    let defined = crate::defined();
    let is_defined = |name: &str| defined.iter().any(|known| known == name);
    // The table's rows: an operation of CuTe IR, one here, and a note.
    let rows: Vec<(&str, &str)> = page
        .lines()
        .filter_map(|line| {
            let (cute, rest) = line.strip_prefix("| `cute.")?.split_once("` | `layout.")?;
            Some((cute, rest.split_once('`')?.0))
        })
        .collect();
    let named: Vec<&str> = rows.iter().map(|(cute, _)| *cute).collect();
    assert_eq!(named, CUTE_IR);
    // CuTe's outer layout is applied first.
    for pair in [("composed_get_inner", "outer"), ("composed_get_outer", "inner")] {
        assert!(rows.contains(&pair), "{pair:?}");
    }
    for (cute, ours) in rows {
        assert!(is_defined(ours), "cute.{cute}: there is no layout.{ours}");
    }
    // Nothing is named that is not there, of either.
    for name in page.split("`layout.").skip(1) {
        let name: String = name
            .chars()
            .take_while(|c| c.is_ascii_lowercase() || *c == '_' || c.is_ascii_digit())
            .collect();
        assert!(is_defined(&name), "there is no layout.{name}");
    }
    for name in page.split("`cute.").skip(1) {
        let name: String = name
            .chars()
            .take_while(|c| c.is_ascii_lowercase() || *c == '_' || c.is_ascii_digit())
            .collect();
        assert!(CUTE_IR.contains(&name.as_str()), "CuTe IR has no cute.{name}");
    }
}
