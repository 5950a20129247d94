//! The graph of an element of a result, read as attention: `o(q,d) = sum over k of p(q,k) * v(k,d)`, where the weights `p` are a
//! softmax along the keys of a function of `s(q,k) = sum over d of q(q,d) * k(k,d)`.
//!
//! The three places in which scores are read (for the greatest, for the sum, and for the weights) have loops of their own over the keys;
//! that they are one function of its key is compared step by step.

use super::{
    super::{
        coordinate::{CoordId, Coordinate},
        extent::Extent,
        graph::{Graph, Node, Stage, Step},
        pull::{self, Stop},
    },
    comparison::Comparison,
    form::{Form, NoForm},
    mask,
    surroundings::Surroundings,
};
use crate::linalg::{Reason, contraction::element, reshape::groups_of};
use layout_dialect::{
    build::{Val, first_result},
    tree,
};
use melior::ir::{
    Attribute, OperationRef, ValueLike,
    attribute::{FloatAttribute, IntegerAttribute},
    operation::OperationLike,
};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The most times that loops of the result are split until all coordinates are sums of their multiples.
const MAX_SPLITS: usize = 4;

/// Queries from which on tiles of them pay.
const QUERIES: i64 = 16;

/// The greatest head size whose tiles a block's registers hold.
const HEAD: i64 = 128;

/// The types of elements that kernels have.
const ELEMENTS: [&str; 2] = ["f16", "bf16"];

/// A tensor and where its elements are.
#[derive(Clone, Debug)]
pub(super) struct Operand<'c> {
    pub(super) tensor: Val<'c>,
    pub(super) form: Form<'c>,
}

/// The operands that are none of the matmuls': masks and biases.
#[derive(Clone, Debug)]
pub(super) struct ExtraOperand<'c> {
    pub(super) node: Node,
    pub(super) operand: Operand<'c>,
}

/// Attention, as a kernel computes it.
pub(super) struct Attention<'c> {
    pub(super) root: OperationRef<'c, 'c>,
    pub(super) graph: Graph<'c>,
    pub(super) q: Operand<'c>,
    pub(super) k: Operand<'c>,
    pub(super) v: Operand<'c>,
    pub(super) result: Form<'c>,
    /// The type of Q, K, V and the weights: `f16` or `bf16`.
    pub(super) element: String,
    /// The loops of queries and keys, of the head size, and of V's columns.
    pub(super) queries: usize,
    pub(super) keys: usize,
    pub(super) head: usize,
    pub(super) columns: usize,
    /// The sizes of heads of Q and K, and of V.
    pub(super) sizes: (i64, i64),
    /// All other loops of the result.
    pub(super) batch: Vec<usize>,
    /// A score as a function of an accumulator of Q K^T.
    pub(super) score: Node,
    /// The stages of products, and of sums of exponentials.
    pub(super) scores_stage: usize,
    pub(super) total: usize,
    /// The divisor or factor of the exponentials.
    pub(super) scale: Node,
    pub(super) divides: bool,
    /// Whether a query without keys has a result of 0; it is not a number otherwise.
    pub(super) is_zero_without_keys: bool,
    /// The number that products of Q and K are multiplied by first.
    pub(super) factor: f64,
    /// Types that products, and the result's sums, are rounded to.
    pub(super) rounded: [String; 2],
    pub(super) others: Vec<ExtraOperand<'c>>,
    /// Keys above a query's number plus this one add nothing.
    pub(super) bound: Option<i64>,
}

impl<'c> Attention<'c> {
    /// Reads what surrounds a contraction; returns `None` if it is not nearly attention.
    pub(super) fn read(around: &Surroundings<'c>) -> Option<Result<Self, Reason>> {
        match Self::found(around) {
            Ok(attention) => Some(Ok(attention)),
            Err(NoForm::Refused(reason)) => Some(Err(reason)),
            Err(NoForm::Unlike | NoForm::Split(..)) => None,
        }
    }

    fn found(around: &Surroundings<'c>) -> Result<Self, NoForm> {
        let mut digits = written_digits(around.root)?;
        for _ in 0..MAX_SPLITS {
            let graph = pull::nested(around.root, &digits, &around.inlined).map_err(stopped)?;
            let (number, size) = match Self::of(around.root, graph) {
                Err(NoForm::Split(number, size)) => (number, size),
                found => return found,
            };
            split(&mut digits, number, size)
                .ok_or("expected coordinates that are digits of the result's")?;
        }
        Err(format!("expected coordinates that are linear after at most {MAX_SPLITS} splits of loops, found others")
            .into())
    }

    fn of(root: OperationRef<'c, 'c>, graph: Graph<'c>) -> Result<Self, NoForm> {
        let reader = Reader { graph: &graph };
        let output = graph.outputs.first().ok_or("expected a result".to_owned())?;
        let stored = reader.copy(output.value, "arith.truncf").map_or(output.value, |own| own[0]);
        // A structure without weights of this form is not attention, nor nearly so.
        let (second, sum) = reader.sum(stored).map_err(|_| NoForm::Unlike)?;
        let [keys] = second.loops[..] else { return Err(NoForm::Unlike) };
        let (weights, v) = reader.product(sum).map_err(|_| NoForm::Unlike)?;
        let (weights, v) = match (reader.load(weights), reader.load(v)) {
            (None, Some(_)) => (weights, v),
            (Some(_), None) => (v, weights),
            _ => return Err(NoForm::Unlike),
        };
        // As they are multiplied.
        let rounded = reader.copy(weights, "arith.truncf");
        let softmax = rounded.map_or(weights, |own| own[0]);
        let (softmax, is_empty) = match reader.copy(softmax, "arith.select") {
            Some(&[is_empty, yes, no]) if reader.number(yes) == Some(0.0) => (no, Some(is_empty)),
            _ => (softmax, None),
        };
        let (powers, scale, divides) = reader.normalised(softmax).ok_or(NoForm::Unlike)?;
        let (v_tensor, _) = reader.load(v).ok_or(NoForm::Unlike)?;
        let found = element(v_tensor)?.to_string();
        if !ELEMENTS.contains(&found.as_str()) {
            return Err(format!("expected Q, K and V of f16 or of bf16, found V of {found}").into());
        }
        let tensor = first_result(root);
        // PyTorch's own kernels round the weights where the result is rounded.
        if rounded.is_none() && element(tensor)? != element(v_tensor)? {
            return Err(
                "expected weights or a result that are rounded to the type of V, found ones that are not"
                    .into(),
            );
        }
        let total = reader.only_reduction(scale)?;
        let (stage, summed) = reader.total(total)?;
        if !reader.same(summed, powers, stage, keys) {
            return Err(
                "expected the sum of a query's weights as their divisor (a softmax), found another"
                    .to_owned()
                    .into(),
            );
        }
        let (score, greatest) = reader.exponent(powers)?;
        let (stage, compared) = reader.greatest(greatest)?;
        if !reader.same(compared, score, stage, keys) {
            return Err(
                "expected scores less the greatest one of a query, found another difference".into(),
            );
        }
        let scores_stage = reader.scores_stage(score)?;
        let (first, product) = reader.sum(scores_stage)?;
        let Step::Reduced { stage: scores_stage, .. } = graph.steps[scores_stage] else {
            return Err("expected scores of a matmul, found other operations".into());
        };
        let [size] = first.loops[..] else {
            return Err("expected one loop over the head size, found none or several".into());
        };
        if is_empty.is_some_and(|is_empty| !reader.is_empty(is_empty, score, keys)) {
            return Err("expected weights of 0 only where all scores of a query are minus infinity, found another condition".into());
        }
        let (a, b, factor) = reader.scaled_product(product)?;
        let operands = [a, b, v].map(|node| reader.operand(node));
        let [a, b, v] = operands;
        let (a, b, v) = (a?, b?, v?);
        let (q, k) =
            match (a.form.strides.contains_key(&keys), b.form.strides.contains_key(&keys)) {
                (false, true) => (a, b),
                (true, false) => (b, a),
                _ => return Err(
                    "expected the key loop in exactly one operand of the score matmul, found it in both or in none"
                        .into(),
                ),
            };
        let result = Form::of(&graph, tensor, &output.at)?;
        let mut others = Vec::new();
        if reader.has_branches(score) && !reader.loads(score).is_empty() {
            return Err("expected masks that are read for each score".into());
        }
        for node in reader.loads(score) {
            others.push(ExtraOperand { node, operand: reader.operand(node)? });
        }
        let mut types = Vec::with_capacity(3);
        for one in [&q, &k, &v] {
            types.push(element(one.tensor)?.to_string());
        }
        let element = types.swap_remove(0);
        if types.iter().any(|own| *own != element) || !ELEMENTS.contains(&element.as_str()) {
            let found = types.join(" and ");
            return Err(
                format!("expected Q, K and V of f16 or of bf16, found {element}, {found}").into()
            );
        }
        let rounded = [first, second].map(|stage| stage.results[0].of.to_string());
        if rounded.iter().any(|of| *of != "f32" && *of != element) {
            return Err(
                format!("expected f32 accumulators, found {}", rounded.join(" and ")).into()
            );
        }
        let mut attention = Self {
            root,
            q,
            k,
            v,
            result,
            element,
            queries: 0,
            keys,
            head: size,
            columns: 0,
            sizes: (0, 0),
            batch: Vec::new(),
            score,
            scores_stage,
            total: total.0,
            scale,
            divides,
            is_zero_without_keys: is_empty.is_some(),
            factor,
            rounded,
            others,
            bound: None,
            graph: graph.clone(),
        };
        attention.loops(size)?;
        attention.is_laid_out(size)?;
        attention.bound =
            mask::bound(&reader, score, attention.queries, attention.keys, attention.scores_stage);
        Ok(attention)
    }

    /// The size of a loop.
    pub(super) fn extent(&self, number: usize) -> Option<Extent<'c>> {
        let size = self.graph.loops[number];
        match self.graph.coordinates.get(size) {
            Coordinate::Known(known) => Some(Extent::Known(*known)),
            Coordinate::Size(number) => self.graph.sizes.get(*number).cloned(),
            _ => None,
        }
    }

    fn known(&self, number: usize) -> Option<i64> {
        self.extent(number)?.known()
    }

    /// Which loops of the result are queries and columns of V, and which are others.
    fn loops(&mut self, size: usize) -> Result<(), Reason> {
        let of = |operand: &Operand<'c>| -> BTreeSet<usize> {
            operand.form.strides.keys().copied().collect()
        };
        let (q, k, v) = (of(&self.q), of(&self.k), of(&self.v));
        let outer: BTreeSet<usize> = self.graph.outer.iter().copied().collect();
        let columns: Vec<usize> = v
            .iter()
            .copied()
            .filter(|own| *own != self.keys && !q.contains(own) && !k.contains(own))
            .collect();
        let [columns] = columns[..] else {
            return Err("expected one loop over the columns of V".to_owned());
        };
        if !v.contains(&self.keys) || !q.contains(&size) || !k.contains(&size) {
            return Err("expected V by keys, and Q and K by the head size".to_owned());
        }
        // Where several loops are of Q alone, as heads that share keys are, masks decide.
        let masks = Reader { graph: &self.graph }.loops(self.score);
        let rows = q
            .iter()
            .copied()
            .filter(|own| outer.contains(own) && !k.contains(own) && !v.contains(own));
        let queries =
            rows.max_by_key(|own| (masks.contains(own), self.known(*own).unwrap_or(i64::MAX)));
        let queries = queries.ok_or("expected a loop over queries that keys do not have")?;
        if let Some(found) = self.known(queries).filter(|found| *found < QUERIES) {
            return Err(format!(
                "expected at least {QUERIES} queries for each head, found {found}"
            ));
        }
        let inner = BTreeSet::from([self.keys, size]);
        if !outer.contains(&columns)
            || [q, k, v].iter().flatten().any(|own| !outer.contains(own) && !inner.contains(own))
        {
            return Err(
                "expected operands by loops of the result, keys and the head size".to_owned()
            );
        }
        for other in &self.others {
            let own = other.operand.form.strides.keys();
            if own.copied().any(|own| own != self.keys && (!outer.contains(&own) || own == columns))
            {
                return Err("expected masks by queries, keys and heads".to_owned());
            }
        }
        self.batch = self
            .graph
            .outer
            .iter()
            .copied()
            .filter(|own| ![queries, columns].contains(own))
            .collect();
        (self.queries, self.columns) = (queries, columns);
        let sizes =
            [size, columns].map(|own| self.known(own).filter(|own| *own % 16 == 0 && *own <= HEAD));
        let [Some(head), Some(width)] = sizes else {
            let found = [size, columns].map(|own| {
                self.known(own).map_or("one known at run time".to_owned(), |own| own.to_string())
            });
            return Err(format!(
                "expected head sizes that are multiples of 16 up to {HEAD}, found {}",
                found.join(" and ")
            ));
        };
        self.sizes = (head, width);
        if self.known(self.keys) == Some(0) {
            return Err("expected at least one key, found none".to_owned());
        }
        Ok(())
    }

    /// Whether rows of Q, K and V are what copies of 16 bytes bring.
    fn is_laid_out(&self, size: usize) -> Result<(), Reason> {
        for (name, operand, own) in
            [("Q", &self.q, size), ("K", &self.k, size), ("V", &self.v, self.columns)]
        {
            if operand.form.known(own) != Some(1) || operand.form.divisor_without(own) % 8 != 0 {
                return Err(format!(
                    "expected the head size of {name} in a row of memory, and rows at multiples of 16 bytes"
                ));
            }
        }
        Ok(())
    }
}

/// The digits of each dimension of a result: those that a reshape after it makes of one whose size is known at run time only, as of
/// batches times heads.
fn written_digits<'c>(root: OperationRef<'c, 'c>) -> Result<Vec<Vec<Extent<'c>>>, Reason> {
    let whole = Extent::all(first_result(root))?;
    let mut digits: Vec<Vec<Extent<'c>>> = whole.into_iter().map(|own| vec![own]).collect();
    let expand = tree::users(root).find(|user| tree::name(*user) == "tensor.expand_shape");
    let Some(expand) = expand else { return Ok(digits) };
    let sizes = Extent::all(first_result(expand))?;
    for (own, group) in digits.iter_mut().zip(groups_of(expand)?) {
        let sizes: Vec<_> = group.into_iter().map(|i| sizes[i].clone()).collect();
        if own[0].known().is_none() && sizes.iter().all(|size| size.is_before(root)) {
            *own = sizes;
        }
    }
    Ok(digits)
}

/// Splits the loop of a result with this number, where its size is known and the other one divides it.
fn split(digits: &mut [Vec<Extent<'_>>], number: usize, size: i64) -> Option<()> {
    // Those of one step are no loops.
    let mut left = number;
    for own in digits {
        for place in 0..own.len() {
            let known = own[place].known();
            if known == Some(1) {
                continue;
            }
            if left == 0 {
                let whole = known.filter(|whole| size > 1 && size < *whole && whole % size == 0)?;
                drop(own.splice(place..=place, [Extent::Known(whole / size), Extent::Known(size)]));
                return Some(());
            }
            left -= 1;
        }
    }
    None
}

/// Why a graph is none.
fn stopped(stop: Stop<'_>) -> Reason {
    match stop {
        Stop::Left(_, reason) => reason,
        Stop::Memory(operation) => {
            format!(
                "expected fewer operations in a row, found {} too far back",
                tree::name(operation)
            )
        }
    }
}

/// Reads steps of a graph.
pub(super) struct Reader<'g, 'c> {
    pub(super) graph: &'g Graph<'c>,
}

impl<'c> Reader<'_, 'c> {
    /// The operands of an operation of this name.
    pub(super) fn copy(&self, node: Node, name: &str) -> Option<&[Node]> {
        match &self.graph.steps[node] {
            Step::Copy { operation, operands } if tree::name(*operation) == name => Some(operands),
            _ => None,
        }
    }

    /// The float that a node is.
    pub(super) fn number(&self, node: Node) -> Option<f64> {
        if let Step::Copy { operation, operands } = &self.graph.steps[node] {
            match tree::name(*operation).as_str() {
                "arith.extf" => return self.number(operands[0]),
                "arith.truncf" if first_result(*operation).r#type().to_string() == "f32" => {
                    return Some(f64::from(self.number(operands[0])? as f32));
                }
                _ => {}
            }
        }
        Some(FloatAttribute::try_from(self.attribute(node)?).ok()?.value())
    }

    fn reduced(&self, node: Node) -> Option<(usize, &Stage<'c>)> {
        match self.graph.steps[node] {
            Step::Reduced { stage, number: 0 } => {
                let own = self.graph.stages[stage].as_ref()?;
                (own.results.len() == 1).then_some((stage, own))
            }
            _ => None,
        }
    }

    /// The operand that a stage combines, in one of these ways.
    fn combined(&self, stage: &Stage<'c>, kinds: &[&str]) -> Option<Node> {
        let combined = stage.results[0].combined?;
        kinds.contains(&combined.kind).then_some(combined.with)
    }

    /// A sum of products from 0 on: its stage, and what it adds.
    fn sum(&self, node: Node) -> Result<(&Stage<'c>, Node), Reason> {
        let refused = || "expected a matmul whose accumulators start at 0".to_owned();
        let (_, stage) = self.reduced(node).ok_or_else(refused)?;
        let sum = self.combined(stage, &["add"]).ok_or_else(refused)?;
        let is_zero = self.number(stage.results[0].initial) == Some(0.0);
        is_zero.then_some((stage, sum)).ok_or_else(refused)
    }

    /// The factors of a product, as they are before they are widened.
    fn product(&self, node: Node) -> Result<(Node, Node), Reason> {
        let factors =
            self.copy(node, "arith.mulf").ok_or("expected a multiplication of two operands")?;
        let narrow = |node| self.copy(node, "arith.extf").map_or(node, |own| own[0]);
        Ok((narrow(factors[0]), narrow(factors[1])))
    }

    /// The factors of a product, as they are before they are widened and multiplied by numbers, and the product of these numbers.
    fn scaled_product(&self, node: Node) -> Result<(Node, Node, f64), Reason> {
        let (mut a, mut b) = self.product(node)?;
        let unscaled = |own: &mut Node| {
            let mut factor = 1.0;
            while let Some(&[x, y]) = self.copy(*own, "arith.mulf") {
                let Some((rest, number)) = [(x, y), (y, x)]
                    .into_iter()
                    .find_map(|(rest, by)| Some((rest, self.number(by)?)))
                else {
                    break;
                };
                factor *= number;
                *own = self.copy(rest, "arith.extf").map_or(rest, |own| own[0]);
            }
            factor
        };
        let factor = unscaled(&mut a) * unscaled(&mut b);
        Ok((a, b, factor))
    }

    /// Whether a condition is that a score is minus infinity for each key.
    fn is_empty(&self, condition: Node, score: Node, keys: usize) -> bool {
        const ORDERED_EQUAL: i64 = 1;
        let Step::Reduced { stage, number } = self.graph.steps[self.unpacked(condition)] else {
            return false;
        };
        let Some((along, compared, initial)) = self.along((stage, number), &["arith.andi"]) else {
            return false;
        };
        let compared = self.unpacked(compared);
        let Step::Copy { operation, operands } = &self.graph.steps[compared] else { return false };
        let predicate = operation.attribute("predicate").and_then(IntegerAttribute::try_from);
        let is_comparison = tree::name(*operation) == "arith.cmpf"
            && predicate.is_ok_and(|own| own.value() == ORDERED_EQUAL);
        let &[own, low] = operands.as_slice() else { return false };
        let own = self.copy(own, "arith.extf").map_or(own, |own| own[0]);
        is_comparison
            && self.number(low) == Some(f64::NEG_INFINITY)
            && self.is_true(self.unpacked(initial))
            && self.same(own, score, along, keys)
    }

    /// A boolean that may be stored as a byte.
    fn unpacked(&self, node: Node) -> Node {
        match self.graph.steps[node] {
            Step::Boolean(own) | Step::Byte(own) => self.unpacked(own),
            _ => node,
        }
    }

    /// Whether a node is the constant `true`.
    pub(super) fn is_true(&self, node: Node) -> bool {
        self.attribute(node).is_some_and(|value| value.to_string() == "true")
    }

    /// The attribute of a constant.
    pub(super) fn attribute(&self, node: Node) -> Option<Attribute<'c>> {
        match &self.graph.steps[node] {
            Step::Constant { value, .. } => Some(*value),
            Step::Copy { operation, .. } if tree::name(*operation) == "arith.constant" => {
                operation.attribute("value").ok()
            }
            _ => None,
        }
    }

    fn load(&self, node: Node) -> Option<(Val<'c>, &[CoordId])> {
        match &self.graph.steps[node] {
            Step::Load { tensor, at } => Some((self.graph.tensors[*tensor], at)),
            _ => None,
        }
    }

    /// A tensor that is read at coordinates of loops.
    fn operand(&self, node: Node) -> Result<Operand<'c>, NoForm> {
        let (tensor, at) = self
            .load(node)
            .ok_or("expected operands that are read, found one that is computed".to_owned())?;
        Ok(Operand { tensor, form: Form::of(self.graph, tensor, at)? })
    }

    /// Exponentials that are divided by, or multiplied with, what is the same for all keys.
    fn normalised(&self, node: Node) -> Option<(Node, Node, bool)> {
        let is_power = |node: &Node| self.copy(*node, "math.exp").is_some();
        if let Some(&[powers, scale]) = self.copy(node, "arith.divf") {
            return is_power(&powers).then_some((powers, scale, true));
        }
        let &[a, b] = self.copy(node, "arith.mulf")? else { return None };
        match (is_power(&a), is_power(&b)) {
            (true, _) => Some((a, b, false)),
            (_, true) => Some((b, a, false)),
            _ => None,
        }
    }

    /// The one reduction that a node is computed from, with numbers next to it: its stage, and which result.
    fn only_reduction(&self, node: Node) -> Result<(usize, usize), Reason> {
        let refused = "expected a function of one reduction along the keys".to_owned();
        let (mut found, mut open) = (BTreeSet::new(), vec![node]);
        while let Some(node) = open.pop() {
            match &self.graph.steps[node] {
                Step::Reduced { stage, number } => {
                    found.insert((*stage, *number));
                }
                Step::Copy { operands, .. } => open.extend(operands),
                Step::Constant { .. } => {}
                _ => return Err(refused),
            }
        }
        match found.into_iter().collect::<Vec<_>>()[..] {
            [one] => Ok(one),
            _ => Err(refused),
        }
    }

    /// The loop of a reduction along keys, what it combines, and what it starts from. It may have other results, as the place of the
    /// greatest, which nothing reads.
    fn along(
        &self,
        (stage, number): (usize, usize),
        names: &[&str],
    ) -> Option<(usize, Node, Node)> {
        let own = self.graph.stages[stage].as_ref()?;
        let ([along], result) = (&own.loops[..], own.results.get(number)?) else { return None };
        let is_held = |node: Node| matches!(self.graph.steps[self.unpacked(node)], Step::Held { stage: of, number: own } if (of, own) == (stage, number));
        let operands = names.iter().find_map(|name| self.copy(self.unpacked(result.next), name))?;
        let &[a, b] = operands else { return None };
        let with = match (is_held(a), is_held(b)) {
            (true, false) => b,
            (false, true) => a,
            _ => return None,
        };
        let mut is_free = true;
        self.visit(with, &mut |node| {
            is_free &= !matches!(self.graph.steps[node], Step::Held { .. });
        });
        is_free.then_some((*along, with, result.initial))
    }

    /// The sum of exponentials along the keys.
    fn total(&self, reduction: (usize, usize)) -> Result<(usize, Node), Reason> {
        let found = self.along(reduction, &["arith.addf"]);
        let found = found.filter(|(_, _, initial)| self.number(*initial) == Some(0.0));
        let found = found.ok_or("expected a sum of exponentials along the keys")?;
        Ok((found.0, found.1))
    }

    /// The score of an exponential, and the reduction to the greatest one.
    fn exponent(&self, node: Node) -> Result<(Node, (usize, usize)), Reason> {
        let refused = || "expected exponentials of scores less the greatest one".to_owned();
        let power = self.copy(node, "math.exp").ok_or_else(refused)?;
        let difference = self.copy(power[0], "arith.subf").ok_or_else(refused)?;
        let greatest = self.only_reduction(difference[1]).map_err(|_| refused())?;
        Ok((difference[0], greatest))
    }

    /// The greatest score along the keys.
    fn greatest(&self, reduction: (usize, usize)) -> Result<(usize, Node), Reason> {
        let found = self.along(reduction, &["arith.maximumf", "arith.maxnumf"]);
        let found = found.filter(|(_, _, initial)| {
            self.number(*initial).is_some_and(|initial| initial <= mask::LOW)
        });
        let found = found.ok_or("expected the greatest score along the keys")?;
        Ok((found.0, found.1))
    }

    /// The one sum of products that a score is a function of.
    fn scores_stage(&self, score: Node) -> Result<Node, Reason> {
        let mut found = BTreeMap::new();
        self.visit(score, &mut |node| {
            if let Step::Reduced { stage, .. } = &self.graph.steps[node] {
                found.insert(*stage, node);
            }
        });
        match found.into_values().collect::<Vec<_>>()[..] {
            [node] => Ok(node),
            _ => Err("expected scores of one contraction".to_owned()),
        }
    }

    /// The elements that a score reads next to products.
    fn loads(&self, score: Node) -> Vec<Node> {
        let mut found = BTreeSet::new();
        self.visit(score, &mut |node| {
            if self.load(node).is_some() {
                found.insert(node);
            }
        });
        found.into_iter().collect()
    }

    /// Whether a score is computed in branches, in which not all is read.
    fn has_branches(&self, score: Node) -> bool {
        let mut found = false;
        self.visit(score, &mut |node| {
            found |= matches!(self.graph.steps[node], Step::Branch { .. });
        });
        found
    }

    /// The loops whose variables a score is a function of.
    fn loops(&self, score: Node) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        self.visit(score, &mut |node| {
            if let Step::Coordinate(at) = &self.graph.steps[node] {
                // Nothing is known of computed values.
                let _ = self.graph.coordinates.loops(*at, &mut found);
            }
        });
        found
    }

    /// Visits all that a node is computed from, but for what reductions combine.
    fn visit(&self, node: Node, visitor: &mut dyn FnMut(Node)) {
        let (mut seen, mut open) = (HashSet::new(), vec![node]);
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            visitor(node);
            if matches!(self.graph.steps[node], Step::Reduced { .. }) {
                continue;
            }
            if let Step::Branch { regions, .. } = &self.graph.steps[node] {
                open.extend(regions.iter().flatten());
            }
            self.graph.operands(node, &mut open);
        }
    }

    /// Whether two nodes are one function of a loop each.
    fn same(&self, a: Node, b: Node, of_a: usize, of_b: usize) -> bool {
        let [x, y] = [of_a, of_b].map(|number| self.graph.declared.get(&number));
        let is_stated = x.zip(y).is_some_and(|(x, y)| x.iter().any(|size| y.contains(size)));
        (is_stated || self.graph.loops[of_a] == self.graph.loops[of_b])
            && Comparison::of(self, (of_a, of_b)).nodes(a, b)
    }
}
