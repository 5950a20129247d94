//! The meaning of arithmetic on fragments, element by element.

use super::{
    trace::{Known, Reader, Root},
    view::{View, fixed, offset},
};
use layout_algebra::{Layout, Tuple};
use layout_dialect::{
    build::{Val, operand, result},
    coordinate::Pattern,
    epilogue::YIELD,
    fragments::{Accesses, Elements, Map, accesses},
    tree,
};
use melior::ir::{BlockRef, OperationRef, operation::OperationLike};
use std::collections::BTreeSet;

impl Reader {
    /// A map: for each index, the elements that its region uses are loaded, and the outputs' are stored.
    pub(super) fn map(&mut self, operation: OperationRef<'_, '_>) {
        let Ok(map) = Map::of(operation) else {
            return self.unmodelled("a layout.map of views that are not known");
        };
        for index in 0..map.size {
            forget(self, map.body);
            for (at, (view, elements)) in map.inputs.iter().enumerate() {
                self.argument(operation, (*view, elements, index), tree::argument(map.body, at));
            }
            for (at, view) in map.outputs.iter().enumerate() {
                let old = tree::argument(map.body, map.inputs.len() + at);
                self.argument(operation, (*view, &Elements::All, index), old);
            }
            for inner in tree::operations(map.body) {
                if tree::name(inner) != YIELD {
                    self.operation(inner);
                    continue;
                }
                for (at, view) in map.outputs.iter().enumerate() {
                    let point = self.element(*view, &Elements::All, index);
                    let value = self.form(inner, at);
                    self.elements(operation, None, point, value);
                    self.stored_data(operand(inner, at));
                }
            }
        }
        forget(self, map.body);
    }

    /// A reduction: elements are read, and then results are written. Values that warps exchange through shared memory are not
    /// followed until the exchange is written out.
    pub(super) fn reduce(&mut self, operation: OperationRef<'_, '_>) {
        let Ok(Accesses { reads, writes, lanes, width, shares }) = accesses(operation) else {
            return self.unmodelled("a layout.reduce that is not written out");
        };
        if shares && self.follow.is_none() {
            return self.unmodelled("the exchange through shared memory of layout.reduce");
        }
        let sources = writes.len();
        self.used(operation, 0..sources);
        for index in reads {
            for at in 0..sources {
                let point = self.element(operand(operation, at), &Elements::All, index);
                self.elements(operation, point, None, None);
            }
        }
        if lanes {
            self.collective(operation, width);
        }
        if shares {
            // At least once, all threads of the block meet between slots that are written and read.
            self.meets(operation);
        }
        for (at, writes) in (sources..).zip(writes) {
            for (index, _) in writes {
                let point = self.element(operand(operation, at), &Elements::All, index);
                self.elements(operation, None, point, None);
            }
        }
    }

    /// An element that a region's argument is, where something uses it.
    fn argument(
        &mut self,
        operation: OperationRef<'_, '_>,
        (view, elements, index): (Val<'_>, &Elements, i64),
        argument: Val<'_>,
    ) {
        if !tree::is_used(argument) {
            return;
        }
        let point = self.element(view, elements, index);
        match point.as_ref().filter(|point| point.root == Root::Nothing) {
            Some(number) => {
                if let Some(form) = number.element(0) {
                    self.know(argument, Known::Form(form));
                }
            }
            None => {
                self.elements(operation, point, None, None);
                self.loaded(argument);
                self.loaded_data(argument);
            }
        }
    }

    /// The element of a view that an index meets.
    fn element(&self, view: Val<'_>, elements: &Elements, index: i64) -> Option<View> {
        let Known::View(view) = self.known_of(view)? else { return None };
        let pattern = Pattern::At(elements.at(index));
        let base = view.base.plus(&offset(&pattern, &view.layout, &mut std::iter::empty())?)?;
        let mut coordinates = view.coordinates.clone();
        let none = BTreeSet::new();
        fixed(&pattern, &view.layout, &mut std::iter::empty(), &none, &mut coordinates);
        let domain = self.domain(view, &coordinates);
        let layout = Layout::from_shape(Tuple::Leaf(1)).ok()?;
        Some(View { base, coordinates, domain, layout, ..view.clone() })
    }
}

/// Forgets the facts about the values in a block, which has others for each index.
pub(super) fn forget(reader: &mut Reader, block: BlockRef<'_, '_>) {
    let operations = tree::operations(block);
    let results = operations
        .iter()
        .flat_map(|inner| (0..inner.result_count()).map(|at| tree::key(result(*inner, at))));
    let operands = operations.iter().flat_map(|inner| {
        let operands = (0..inner.operand_count()).map(|at| operand(*inner, at));
        let own = |value: &Val<'_>| {
            tree::owner(*value).is_some_and(|owner| owner.to_raw().ptr == block.to_raw().ptr)
        };
        operands.filter(own).map(tree::key).collect::<Vec<_>>()
    });
    for key in results.chain(operands) {
        reader.values.remove(&key);
    }
}
