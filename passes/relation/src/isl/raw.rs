//! The functions of libisl that are used, as its headers declare them.

use std::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void};

/// Names a type of libisl that is only ever used through a pointer.
macro_rules! opaque {
    ($($name:ident)*) => {
        $(
            #[allow(non_camel_case_types, reason = "libisl's own name")]
            #[repr(C)]
            pub(in crate::isl) struct $name {
                _opaque: [u8; 0],
            }
        )*
    };
}
opaque! {
    isl_ctx isl_map isl_set isl_val isl_point isl_pw_multi_aff isl_multi_aff isl_aff
    isl_basic_set isl_basic_set_list isl_constraint isl_constraint_list
}

/// libisl's `enum isl_dim_type`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) enum Dim {
    Param = 1,
    In = 2,
    Out = 3,
    Div = 4,
}

pub(super) const ERROR_ABORT: c_int = 1;
pub(super) const ERROR_QUOTA: c_int = 6;
pub(super) const ON_ERROR_CONTINUE: c_int = 1;

pub(super) type PieceFn =
    extern "C" fn(set: *mut isl_set, value: *mut isl_multi_aff, user: *mut c_void) -> c_int;

// Signatures as in the headers of libisl 0.25; `isl_bool`, `isl_size` and `isl_stat` are `int`.
unsafe extern "C" {
    pub(super) fn isl_ctx_alloc() -> *mut isl_ctx;
    pub(super) fn isl_ctx_free(ctx: *mut isl_ctx);
    pub(super) fn isl_ctx_abort(ctx: *mut isl_ctx);
    pub(super) fn isl_ctx_resume(ctx: *mut isl_ctx);
    pub(super) fn isl_ctx_aborted(ctx: *mut isl_ctx) -> c_int;
    pub(super) fn isl_ctx_set_max_operations(ctx: *mut isl_ctx, most: c_ulong);
    pub(super) fn isl_ctx_reset_operations(ctx: *mut isl_ctx);
    pub(super) fn isl_ctx_last_error(ctx: *mut isl_ctx) -> c_int;
    pub(super) fn isl_ctx_last_error_msg(ctx: *mut isl_ctx) -> *const c_char;
    pub(super) fn isl_ctx_reset_error(ctx: *mut isl_ctx);
    pub(super) fn isl_options_set_on_error(ctx: *mut isl_ctx, value: c_int) -> c_int;

    pub(super) fn isl_map_read_from_str(ctx: *mut isl_ctx, text: *const c_char) -> *mut isl_map;
    pub(super) fn isl_set_read_from_str(ctx: *mut isl_ctx, text: *const c_char) -> *mut isl_set;
    pub(super) fn isl_map_copy(map: *mut isl_map) -> *mut isl_map;
    pub(super) fn isl_map_free(map: *mut isl_map) -> *mut isl_map;
    pub(super) fn isl_map_to_str(map: *mut isl_map) -> *mut c_char;
    pub(super) fn isl_set_copy(set: *mut isl_set) -> *mut isl_set;
    pub(super) fn isl_set_free(set: *mut isl_set) -> *mut isl_set;
    pub(super) fn isl_set_to_str(set: *mut isl_set) -> *mut c_char;
    pub(super) fn isl_val_free(val: *mut isl_val) -> *mut isl_val;
    pub(super) fn isl_val_copy(val: *mut isl_val) -> *mut isl_val;
    pub(super) fn isl_val_to_str(val: *mut isl_val) -> *mut c_char;
    pub(super) fn isl_val_int_from_si(ctx: *mut isl_ctx, value: c_long) -> *mut isl_val;
    pub(super) fn isl_point_free(point: *mut isl_point) -> *mut isl_point;
    pub(super) fn isl_point_copy(point: *mut isl_point) -> *mut isl_point;
    pub(super) fn isl_point_is_void(point: *mut isl_point) -> c_int;
    pub(super) fn isl_point_get_coordinate_val(
        point: *mut isl_point,
        kind: Dim,
        position: c_int,
    ) -> *mut isl_val;
    pub(super) fn isl_pw_multi_aff_free(value: *mut isl_pw_multi_aff) -> *mut isl_pw_multi_aff;
    pub(super) fn isl_pw_multi_aff_copy(value: *mut isl_pw_multi_aff) -> *mut isl_pw_multi_aff;
    pub(super) fn isl_pw_multi_aff_to_str(value: *mut isl_pw_multi_aff) -> *mut c_char;
    pub(super) fn isl_multi_aff_free(value: *mut isl_multi_aff) -> *mut isl_multi_aff;
    pub(super) fn isl_multi_aff_copy(value: *mut isl_multi_aff) -> *mut isl_multi_aff;
    pub(super) fn isl_multi_aff_dim(value: *mut isl_multi_aff, kind: Dim) -> c_int;
    pub(super) fn isl_multi_aff_get_aff(value: *mut isl_multi_aff, position: c_int)
    -> *mut isl_aff;
    pub(super) fn isl_aff_free(value: *mut isl_aff) -> *mut isl_aff;
    pub(super) fn isl_aff_copy(value: *mut isl_aff) -> *mut isl_aff;
    pub(super) fn isl_aff_dim(value: *mut isl_aff, kind: Dim) -> c_int;
    pub(super) fn isl_aff_get_constant_val(value: *mut isl_aff) -> *mut isl_val;
    pub(super) fn isl_aff_get_denominator_val(value: *mut isl_aff) -> *mut isl_val;
    pub(super) fn isl_aff_get_coefficient_val(
        value: *mut isl_aff,
        kind: Dim,
        position: c_int,
    ) -> *mut isl_val;
    pub(super) fn isl_aff_get_div(value: *mut isl_aff, position: c_int) -> *mut isl_aff;

    pub(super) fn isl_set_compute_divs(set: *mut isl_set) -> *mut isl_set;
    pub(super) fn isl_set_get_basic_set_list(set: *mut isl_set) -> *mut isl_basic_set_list;
    pub(super) fn isl_basic_set_list_free(list: *mut isl_basic_set_list)
    -> *mut isl_basic_set_list;
    pub(super) fn isl_basic_set_list_copy(list: *mut isl_basic_set_list)
    -> *mut isl_basic_set_list;
    pub(super) fn isl_basic_set_list_size(list: *mut isl_basic_set_list) -> c_int;
    pub(super) fn isl_basic_set_list_get_at(
        list: *mut isl_basic_set_list,
        at: c_int,
    ) -> *mut isl_basic_set;
    pub(super) fn isl_basic_set_free(set: *mut isl_basic_set) -> *mut isl_basic_set;
    pub(super) fn isl_basic_set_copy(set: *mut isl_basic_set) -> *mut isl_basic_set;
    pub(super) fn isl_basic_set_get_constraint_list(
        set: *mut isl_basic_set,
    ) -> *mut isl_constraint_list;
    pub(super) fn isl_constraint_list_free(
        list: *mut isl_constraint_list,
    ) -> *mut isl_constraint_list;
    pub(super) fn isl_constraint_list_copy(
        list: *mut isl_constraint_list,
    ) -> *mut isl_constraint_list;
    pub(super) fn isl_constraint_list_size(list: *mut isl_constraint_list) -> c_int;
    pub(super) fn isl_constraint_list_get_at(
        list: *mut isl_constraint_list,
        at: c_int,
    ) -> *mut isl_constraint;
    pub(super) fn isl_constraint_free(constraint: *mut isl_constraint) -> *mut isl_constraint;
    pub(super) fn isl_constraint_copy(constraint: *mut isl_constraint) -> *mut isl_constraint;
    pub(super) fn isl_constraint_is_equality(constraint: *mut isl_constraint) -> c_int;
    pub(super) fn isl_constraint_get_aff(constraint: *mut isl_constraint) -> *mut isl_aff;

    pub(super) fn isl_map_has_dim_name(map: *mut isl_map, kind: Dim, position: c_uint) -> c_int;
    pub(super) fn isl_map_get_dim_name(
        map: *mut isl_map,
        kind: Dim,
        position: c_uint,
    ) -> *const c_char;
    pub(super) fn isl_set_get_dim_name(
        set: *mut isl_set,
        kind: Dim,
        position: c_uint,
    ) -> *const c_char;
    pub(super) fn isl_map_dim(map: *mut isl_map, kind: Dim) -> c_int;
    pub(super) fn isl_set_dim(set: *mut isl_set, kind: Dim) -> c_int;
    pub(super) fn isl_map_apply_range(a: *mut isl_map, b: *mut isl_map) -> *mut isl_map;
    pub(super) fn isl_map_flat_range_product(a: *mut isl_map, b: *mut isl_map) -> *mut isl_map;
    pub(super) fn isl_map_lexmax(map: *mut isl_map) -> *mut isl_map;
    pub(super) fn isl_map_move_dims(
        map: *mut isl_map,
        to: Dim,
        to_position: c_uint,
        from: Dim,
        from_position: c_uint,
        count: c_uint,
    ) -> *mut isl_map;
    pub(super) fn isl_set_move_dims(
        set: *mut isl_set,
        to: Dim,
        to_position: c_uint,
        from: Dim,
        from_position: c_uint,
        count: c_uint,
    ) -> *mut isl_set;
    pub(super) fn isl_map_reverse(map: *mut isl_map) -> *mut isl_map;
    pub(super) fn isl_map_domain(map: *mut isl_map) -> *mut isl_set;
    pub(super) fn isl_map_range(map: *mut isl_map) -> *mut isl_set;
    pub(super) fn isl_map_intersect_domain(map: *mut isl_map, set: *mut isl_set) -> *mut isl_map;
    pub(super) fn isl_map_intersect_range(map: *mut isl_map, set: *mut isl_set) -> *mut isl_map;
    pub(super) fn isl_map_intersect(a: *mut isl_map, b: *mut isl_map) -> *mut isl_map;
    pub(super) fn isl_map_union(a: *mut isl_map, b: *mut isl_map) -> *mut isl_map;
    pub(super) fn isl_map_subtract(a: *mut isl_map, b: *mut isl_map) -> *mut isl_map;
    pub(super) fn isl_map_is_equal(a: *mut isl_map, b: *mut isl_map) -> c_int;
    pub(super) fn isl_map_is_subset(a: *mut isl_map, b: *mut isl_map) -> c_int;
    pub(super) fn isl_map_is_empty(map: *mut isl_map) -> c_int;
    pub(super) fn isl_map_is_single_valued(map: *mut isl_map) -> c_int;
    pub(super) fn isl_map_is_injective(map: *mut isl_map) -> c_int;
    pub(super) fn isl_map_fix_val(
        map: *mut isl_map,
        kind: Dim,
        position: c_uint,
        value: *mut isl_val,
    ) -> *mut isl_map;
    pub(super) fn isl_set_apply(set: *mut isl_set, map: *mut isl_map) -> *mut isl_set;
    pub(super) fn isl_set_intersect(a: *mut isl_set, b: *mut isl_set) -> *mut isl_set;
    pub(super) fn isl_set_union(a: *mut isl_set, b: *mut isl_set) -> *mut isl_set;
    pub(super) fn isl_set_subtract(a: *mut isl_set, b: *mut isl_set) -> *mut isl_set;
    pub(super) fn isl_set_coalesce(set: *mut isl_set) -> *mut isl_set;
    pub(super) fn isl_set_gist(set: *mut isl_set, context: *mut isl_set) -> *mut isl_set;
    pub(super) fn isl_set_lexmin(set: *mut isl_set) -> *mut isl_set;
    pub(super) fn isl_set_lexmax(set: *mut isl_set) -> *mut isl_set;
    pub(super) fn isl_set_sample_point(set: *mut isl_set) -> *mut isl_point;
    pub(super) fn isl_set_is_equal(a: *mut isl_set, b: *mut isl_set) -> c_int;
    pub(super) fn isl_set_is_subset(a: *mut isl_set, b: *mut isl_set) -> c_int;
    pub(super) fn isl_set_is_empty(set: *mut isl_set) -> c_int;
    pub(super) fn isl_set_is_bounded(set: *mut isl_set) -> c_int;
    pub(super) fn isl_set_project_out(
        set: *mut isl_set,
        kind: Dim,
        first: c_uint,
        count: c_uint,
    ) -> *mut isl_set;
    pub(super) fn isl_set_count_val(set: *mut isl_set) -> *mut isl_val;
    pub(super) fn isl_pw_multi_aff_read_from_str(
        ctx: *mut isl_ctx,
        text: *const c_char,
    ) -> *mut isl_pw_multi_aff;
    pub(super) fn isl_pw_multi_aff_pullback_pw_multi_aff(
        value: *mut isl_pw_multi_aff,
        inner: *mut isl_pw_multi_aff,
    ) -> *mut isl_pw_multi_aff;
    pub(super) fn isl_pw_multi_aff_intersect_domain(
        value: *mut isl_pw_multi_aff,
        set: *mut isl_set,
    ) -> *mut isl_pw_multi_aff;
    pub(super) fn isl_pw_multi_aff_domain(value: *mut isl_pw_multi_aff) -> *mut isl_set;
    pub(super) fn isl_pw_multi_aff_from_map(map: *mut isl_map) -> *mut isl_pw_multi_aff;
    pub(super) fn isl_pw_multi_aff_foreach_piece(
        value: *mut isl_pw_multi_aff,
        visit: PieceFn,
        user: *mut c_void,
    ) -> c_int;

    // From the C library: libisl's strings are its `malloc`'s.
    pub(super) fn free(memory: *mut c_void);
}
