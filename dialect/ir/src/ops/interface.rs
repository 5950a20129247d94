//! The dialect's answers to the hooks that C++ calls.

use crate::{
    border::{
        ffi::{self, RawValue},
        hooks::{Behaviour, Folded, Insert, Report},
    },
    data::{attributes::TermAttribute, held::Held, memref, reading, types::check_view},
    diagnostics::{codes::Code, violation::Violation},
    ops::{adaptor::Adaptor, blame, canonical, expand::expand, fold, infer, ranges, verify},
};
use layout_algebra::Term;
use melior::{
    Context,
    ir::{Attribute, OperationRef, Type, Value},
};
use mlir_sys::{MlirAffineMap, MlirStringRef};

/// The dialect `layout`.
pub(crate) struct Layouts;

impl Behaviour for Layouts {
    fn read(
        &self,
        kind: i32,
        text: &str,
        accept: &mut dyn FnMut(*const RawValue),
    ) -> Result<(), Vec<Report>> {
        let value = reading::read(kind, text)
            .map_err(|violation| reading::reported(kind, text, violation))?;
        accept(value.lend());
        Ok(())
    }

    unsafe fn value_text(&self, value: *const RawValue) -> MlirStringRef {
        // SAFETY: the caller's promise.
        ffi::lend(unsafe { Held::borrow(value) }.text())
    }

    unsafe fn value_hash(&self, value: *const RawValue) -> usize {
        // SAFETY: the caller's promise.
        unsafe { Held::borrow(value) }.hash()
    }

    unsafe fn value_equal(&self, a: *const RawValue, b: *const RawValue) -> bool {
        // SAFETY: the caller's promise.
        unsafe { Held::borrow(a) == Held::borrow(b) }
    }

    unsafe fn value_retain(&self, value: *const RawValue) {
        // SAFETY: the caller's promise.
        unsafe { Held::retain(value) }
    }

    unsafe fn value_release(&self, value: *const RawValue) {
        // SAFETY: the caller's promise.
        unsafe { Held::release(value) }
    }

    fn check_view(&self, element: Type<'_>, space: &str) -> Vec<Report> {
        let Err(refused) = check_view(element, space) else { return Vec::new() };
        let part = |violation: &Violation| match violation.code() {
            Code::ViewSpace => ffi::VIEW_SPACE,
            _ => ffi::VIEW_ELEMENT,
        };
        let parts: Vec<usize> = refused.each().into_iter().map(part).collect();
        let reported = refused.reports().into_iter().zip(parts);
        let mut reported: Vec<Report> =
            reported.map(|(report, offset)| Report { offset, ..report }).collect();
        reported.sort_by_key(|report| report.offset);
        reported
    }

    fn verify(&self, name: &str, operation: OperationRef<'_, '_>) -> Vec<Report> {
        reports(
            Violation::all(verify::verify(name, operation))
                .map_err(|violation| blame::settled(&Adaptor::of(operation), violation)),
        )
    }

    fn infer<'c>(
        &self,
        name: &str,
        context: &'c Context,
        operands: &[Value<'c, 'c>],
        attributes: Attribute<'c>,
    ) -> Result<Vec<Type<'c>>, Vec<Report>> {
        let adaptor = Adaptor::unmade(context, operands, attributes);
        infer::infer(name, &adaptor)
            .map_err(|violation| blame::settled(&adaptor, violation).reports())
    }

    fn fold<'c>(
        &self,
        name: &str,
        operation: OperationRef<'c, '_>,
        constants: &[Option<Attribute<'c>>],
    ) -> Option<Vec<Folded<'c>>> {
        fold::fold(name, operation, constants)
    }

    fn ranges(
        &self,
        name: &str,
        operation: OperationRef<'_, '_>,
        operands: &[(i64, i64)],
    ) -> Option<Vec<(i64, i64)>> {
        ranges::ranges(name, operation, operands)
    }

    fn expand<'c>(
        &self,
        operation: OperationRef<'c, 'c>,
        insert: &mut Insert<'_, 'c>,
    ) -> Option<OperationRef<'c, 'c>> {
        match expand(operation, insert).ok().flatten() {
            Some(last) => Some(last),
            None => canonical::simplify(operation, insert),
        }
    }

    fn memref_map(
        &self,
        context: &Context,
        term: Attribute<'_>,
    ) -> Result<MlirAffineMap, Vec<Report>> {
        let layout = term_of(term).and_then(|term| memref::layout_of(&term));
        match layout {
            Ok(layout) => Ok(memref::affine_map(context, &layout)),
            Err(violation) => Err(violation.reports()),
        }
    }

    fn memref_shape(&self, term: Attribute<'_>, shape: &[Option<i64>]) -> Vec<Report> {
        let layout = term_of(term).and_then(|term| memref::layout_of(&term));
        reports(layout.and_then(|layout| memref::check_shape(&layout, shape)))
    }

    fn nearest(&self, name: &str, names: &[String]) -> Option<usize> {
        let renamed = OLD_NAMES.iter().find(|(old, _)| *old == name).map(|&(_, new)| new);
        let nearest = || layout_algebra::nearest_name(name, names.iter().map(String::as_str));
        let like = renamed.or_else(nearest)?;
        names.iter().position(|name| name == like)
    }
}

/// Operations that had another name before 0.1, and the names that they have now.
const OLD_NAMES: [(&str, &str); 1] = [("layout.iota", "layout.identity_tensor")];

/// The reports of an error, if there is one.
fn reports(answer: Result<(), Violation>) -> Vec<Report> {
    answer.err().map(|violation| violation.reports()).unwrap_or_default()
}

fn term_of(attribute: Attribute<'_>) -> Result<Term, Violation> {
    Ok(TermAttribute::try_from(attribute)?.term()?)
}
