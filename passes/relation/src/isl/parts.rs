//! The parts of libisl's objects: pieces of functions, constraints of sets, terms of expressions.

use super::*;

impl PwMultiAff {
    /// Each piece: where it holds, and the expressions that it has there.
    pub(crate) fn pieces(&self) -> Result<Vec<(Set, MultiAff)>> {
        struct Pieces {
            ctx: Context,
            found: Vec<(Set, MultiAff)>,
        }
        extern "C" fn visit(
            set: *mut isl_set,
            value: *mut isl_multi_aff,
            user: *mut c_void,
        ) -> c_int {
            // SAFETY: `user` is the `Pieces` below, which nothing else uses during the call.
            let pieces = unsafe { &mut *user.cast::<Pieces>() };
            // Both are ours now, whatever happens.
            let set = NonNull::new(set).map(|raw| Set::wrap(pieces.ctx.clone(), raw));
            let value = NonNull::new(value).map(|raw| MultiAff::wrap(pieces.ctx.clone(), raw));
            match (set, value) {
                (Some(set), Some(value)) => {
                    pieces.found.push((set, value));
                    0
                }
                _ => -1,
            }
        }
        let mut pieces = Pieces { ctx: self.ctx.clone(), found: Vec::new() };
        let user = (&raw mut pieces).cast();
        // SAFETY: the object is live; `visit` does not unwind (it can only run out of memory,
        // which aborts), and `user` outlives the call.
        self.ctx.number("pieces", || unsafe {
            isl_pw_multi_aff_foreach_piece(self.raw(), visit, user)
        })?;
        Ok(pieces.found)
    }
}

impl Map {
    /// The same with its parameters as dimensions on the left, before the others.
    pub(crate) fn parameters_first(&self) -> Result<Map> {
        let count = position(self.dim(Dim::Param)?)?.unsigned_abs();
        // SAFETY: the object is live, and the call takes a reference of its own; libisl checks the
        // positions.
        self.ctx.object("move_dims", || unsafe {
            isl_map_move_dims(self.copy(), Dim::In, 0, Dim::Param, 0, count)
        })
    }
}

impl Set {
    /// The same with its parameters as dimensions, before the others.
    pub(crate) fn parameters_first(&self) -> Result<Set> {
        // SAFETY: the object is live.
        let count =
            self.ctx.number("dimension", || unsafe { isl_set_dim(self.raw(), Dim::Param) })?;
        let count = position(count)?.unsigned_abs();
        // SAFETY: the object is live, and the call takes a reference of its own; libisl checks the
        // positions.
        self.ctx.object("move_dims", || unsafe {
            isl_set_move_dims(self.copy(), Dim::Out, 0, Dim::Param, 0, count)
        })
    }

    /// The names of its parameters.
    pub(crate) fn parameters(&self) -> Result<Vec<String>> {
        // SAFETY: the object is live, in this call and in those below; libisl checks positions.
        let count =
            self.ctx.number("dimension", || unsafe { isl_set_dim(self.raw(), Dim::Param) })?;
        (0..count)
            .map(|at| {
                let at = position(at)?.unsigned_abs();
                // SAFETY: as above.
                let name = unsafe { isl_set_get_dim_name(self.raw(), Dim::Param, at) };
                // SAFETY: a name that is not null is NUL-terminated, and lives as long as the object.
                let name = (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) });
                Ok(name.map_or_else(String::new, |name| name.to_string_lossy().into_owned()))
            })
            .collect()
    }

    /// The constraints of each disjunct: whether it is an equality, and what is 0 or at least 0.
    pub(crate) fn constraints(&self) -> Result<Vec<Vec<(bool, Aff)>>> {
        let set = self.compute_divs()?;
        // SAFETY: the object is live, in this call and in those below; libisl checks positions.
        let sets: BasicSets =
            self.ctx.object("disjuncts", || unsafe { isl_set_get_basic_set_list(set.raw()) })?;
        // SAFETY: as above.
        let count = self.ctx.number("size", || unsafe { isl_basic_set_list_size(sets.raw()) })?;
        (0..count)
            .map(|at| {
                let at = position(at)?;
                // SAFETY: as above.
                let set: BasicSet = self
                    .ctx
                    .object("disjunct", || unsafe { isl_basic_set_list_get_at(sets.raw(), at) })?;
                set.constraints()
            })
            .collect()
    }
}

impl BasicSet {
    fn constraints(&self) -> Result<Vec<(bool, Aff)>> {
        // SAFETY: the object is live, in this call and in those below; libisl checks positions.
        let list: Constraints = self
            .ctx
            .object("constraints", || unsafe { isl_basic_set_get_constraint_list(self.raw()) })?;
        // SAFETY: as above.
        let count = self.ctx.number("size", || unsafe { isl_constraint_list_size(list.raw()) })?;
        (0..count)
            .map(|at| {
                let at = position(at)?;
                // SAFETY: as above.
                let constraint: Constraint = self.ctx.object("constraint", || unsafe {
                    isl_constraint_list_get_at(list.raw(), at)
                })?;
                // SAFETY: as above.
                let aff = self
                    .ctx
                    .object("expression", || unsafe { isl_constraint_get_aff(constraint.raw()) })?;
                Ok((constraint.is_equality()?, aff))
            })
            .collect()
    }
}

impl MultiAff {
    /// How many expressions there are.
    pub(crate) fn dim(&self) -> Result<usize> {
        // SAFETY: the object is live.
        self.ctx.number("dimension", || unsafe { isl_multi_aff_dim(self.raw(), Dim::Out) })
    }

    pub(crate) fn at(&self, at: usize) -> Result<Aff> {
        let at = position(at)?;
        // SAFETY: the object is live; libisl checks the position.
        self.ctx.object("expression", || unsafe { isl_multi_aff_get_aff(self.raw(), at) })
    }
}

impl Aff {
    pub(crate) fn dim(&self, kind: Dim) -> Result<usize> {
        // SAFETY: the object is live.
        self.ctx.number("dimension", || unsafe { isl_aff_dim(self.raw(), kind) })
    }

    /// The constant, as a fraction's text.
    pub(crate) fn constant(&self) -> Result<Val> {
        // SAFETY: the object is live.
        self.ctx.object("constant", || unsafe { isl_aff_get_constant_val(self.raw()) })
    }

    /// The common denominator of the coefficients.
    pub(crate) fn denominator(&self) -> Result<Val> {
        // SAFETY: the object is live.
        self.ctx.object("denominator", || unsafe { isl_aff_get_denominator_val(self.raw()) })
    }

    pub(crate) fn coefficient(&self, kind: Dim, at: usize) -> Result<Val> {
        let at = position(at)?;
        // SAFETY: the object is live; libisl checks the position.
        self.ctx
            .object("coefficient", || unsafe { isl_aff_get_coefficient_val(self.raw(), kind, at) })
    }

    /// The expression inside the floor of an integer division.
    pub(crate) fn division(&self, at: usize) -> Result<Aff> {
        let at = position(at)?;
        // SAFETY: the object is live; libisl checks the position.
        self.ctx.object("division", || unsafe { isl_aff_get_div(self.raw(), at) })
    }
}
