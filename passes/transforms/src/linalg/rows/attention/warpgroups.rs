//! Attention on Hopper's warpgroups: the library's kernel for the head size, with this one's scale and views.
//!
//! ```text
//! q, k, v, result of (positions, channels, heads, batches)  ->  gpu.module { @attention of attention_sm90.mlir }
//! score(x) = scale * x, and k <= q + keys - queries             gpu.launch_func … (%q, %k, %v, %o, %causal)
//! ```
//!
//! A score that is a rounded product, as front ends write those of f16, is computed step by step in front of the kernel's softmax.
//!
//! `lowering/kernels/attention_sm90*.mlir` are the only source: lengths, heads, batches, strides and whether a mask cuts are known at run
//! time there, so that nothing is written again but the factor in front of the exponentials. Loops of heads that share keys are the
//! fastest of all heads; neighbours are one where their strides say so.

use super::{
    super::{
        extent::Extent,
        graph::{Node, Step},
    },
    form::{Form, divisor, times},
    launch::Place,
    mask,
    structure::{Attention, Reader},
};
use crate::linalg::{contraction::element, views};
use layout_dialect::{
    LayoutType, ViewType,
    build::{Builder, Val, context_of, first_result},
    tree,
};
use melior::ir::{
    Attribute, Module, OperationRef, Type, ValueLike,
    attribute::{
        ArrayAttribute, DenseI32ArrayAttribute, DictionaryAttribute, FloatAttribute,
        IntegerAttribute, StringAttribute, TypeAttribute,
    },
    operation::OperationLike,
    r#type::FunctionType,
};

type Built<T> = Result<T, melior::Error>;

/// The chip whose kernels these are.
const CHIP: &str = "sm_90a";

/// The library's kernels, by head size.
const KERNELS: [(i64, &str); 2] = [
    (64, include_str!("../../../../kernels/attention_sm90_64.mlir")),
    (128, include_str!("../../../../kernels/attention_sm90.mlir")),
];

/// The alignment of a tensor map's strides, in elements of 16 bits.
const STRIDE_ALIGNMENT: i64 = 8;

/// Queries from which on these kernels take less time than those on `mma.sync`.
const QUERIES: i64 = 256;

/// The most positions, and the most heads or batches, as the kernels' types state them.
const MAX_EXTENTS: [i64; 2] = [1 << 20, 1 << 16];

/// Where an operand's elements are: strides of positions, heads and batches, and the first element.
struct Strided<'c> {
    strides: [Extent<'c>; 3],
    first: i64,
}

/// Attention that one of the library's kernels computes.
pub(super) struct Warpgroups<'c> {
    text: &'static str,
    /// The factor of the accumulators of Q K^T.
    scale: f64,
    /// The steps from accumulators to scores, if some of them round: then the factor is 1.
    steps: Vec<Rounded>,
    is_causal: bool,
    /// Heads of queries, heads of keys, and batches.
    heads: [Extent<'c>; 3],
    /// Q, K, V and the result.
    operands: [Strided<'c>; 4],
}

impl<'c> Warpgroups<'c> {
    /// The launch of the kernel of the head size, where there is one and it computes this.
    pub(super) fn of(attention: &Attention<'c>, chip: &str) -> Option<Self> {
        let (size, columns) = attention.sizes;
        let (_, text) = KERNELS.into_iter().find(|(own, _)| *own == size)?;
        let result = first_result(attention.root);
        let is_result = element(result).ok()?.to_string() == attention.element;
        let is_taken = chip == CHIP
            && columns == size
            && is_result
            && attention.others.is_empty()
            && attention.divides_by_total();
        is_taken.then_some(())?;
        let [queries, keys] =
            [attention.extent(attention.queries)?, attention.extent(attention.keys)?];
        queries.known().is_none_or(|own| own >= QUERIES).then_some(())?;
        let score = match attention.bound {
            None => attention.score,
            Some(bound) => {
                let ahead = match (&queries, &keys) {
                    (Extent::Known(queries), Extent::Known(keys)) => keys - queries,
                    (queries, keys) => (queries == keys).then_some(0)?,
                };
                (bound == ahead && bound >= 0).then_some(())?;
                mask::kept(attention)?
            }
        };
        let chain = Chain::of(attention, score)?;
        let scale = if chain.rounds { 1.0 } else { chain.factor };
        (scale > 0.0 && scale.is_finite()).then_some(())?;
        let steps = if chain.rounds { chain.steps } else { Vec::new() };
        let all = [&attention.q.form, &attention.k.form, &attention.v.form, &attention.result];
        let (shared, own): (Vec<usize>, Vec<usize>) = attention
            .batch
            .iter()
            .partition(|number| all[1..3].iter().all(|form| !form.strides.contains_key(number)));
        // Batches are outside of heads; as few loops are batches as may be.
        (0..=own.len()).find_map(|batches| {
            let (batches, key_heads) = own.split_at(batches);
            let heads = [key_heads, &shared].concat();
            let of = |form: &Form<'c>, positions: usize, columns: usize, heads: &[usize]| {
                (form.known(columns) == Some(1)).then_some(())?;
                let strides = [
                    attention.stride(form, &[positions])?,
                    attention.stride(form, heads)?,
                    attention.stride(form, batches)?,
                ];
                (form.constant % STRIDE_ALIGNMENT == 0)
                    .then_some(Strided { strides, first: form.constant })
            };
            let [q, k, v, o] = all;
            let (head, columns) = (attention.head, attention.columns);
            let operands = [
                of(q, attention.queries, head, &heads)?,
                of(k, attention.keys, head, key_heads)?,
                of(v, attention.keys, columns, key_heads)?,
                of(o, attention.queries, columns, &heads)?,
            ];
            let count = |loops: &[usize]| {
                let all = loops.iter().map(|&own| attention.extent(own)).collect::<Option<_>>()?;
                Extent::product(all).ok()
            };
            let heads = [count(&heads)?, count(key_heads)?, count(batches)?];
            let fits = |extent: &Extent<'c>, most| extent.known().is_none_or(|own| own <= most);
            let fit = [&queries, &keys].into_iter().all(|own| fits(own, MAX_EXTENTS[0]))
                && heads.iter().all(|own| fits(own, MAX_EXTENTS[1]));
            fit.then_some(Self {
                text,
                scale,
                steps: steps.clone(),
                is_causal: attention.bound.is_some(),
                heads,
                operands,
            })
        })
    }

    /// Makes the kernel and launches it.
    pub(super) fn emit(&self, root: OperationRef<'c, '_>, attention: &Attention<'c>) -> Built<()> {
        let missing = || melior::Error::OperationBuild;
        let place = Place::of(root, attention)?;
        let b = place.b;
        let context = context_of(attention.root);
        let text = match attention.element.as_str() {
            "bf16" => self.text.to_owned(),
            other => self.text.replace("bf16", other),
        };
        let text = self.with_steps(&text).ok_or_else(missing)?;
        let library = Module::parse(context, &text).ok_or_else(missing)?;
        let own = tree::inside(library.as_operation(), "gpu.module");
        let [own] = own[..] else { return Err(missing()) };
        let kernels = Builder::before(place.function).with_location(attention.root.location());
        let module = tree::clone_with(&kernels, own, &[]);
        let [kernel] = tree::inside(module, "gpu.func")[..] else { return Err(missing()) };
        for named in [module, kernel] {
            tree::set_attribute(named, "sym_name", b.string(&place.kernel));
        }
        tree::remove_attribute(kernel, "layout.reference");
        self.set_scale(module)?;
        let prefixes = ["q", "k", "v", "o"];
        let extents = [["queries", "heads"], ["keys", "key_heads"]];
        let names = prefixes.iter().enumerate().flat_map(|(i, prefix)| {
            let [positions, heads] = extents[usize::from(i == 1 || i == 2)];
            let strides = ["position", "head", "batch"].map(|of| format!("{prefix}_{of}"));
            [positions, heads, "batches"].map(str::to_owned).into_iter().chain(strides)
        });
        let names: Vec<String> = names.collect();
        let grid = name_sizes(kernel, &names)?;
        let signature = TypeAttribute::try_from(kernel.attribute("function_type")?)?;
        let signature = FunctionType::try_from(signature.value())?;
        let tensor = first_result(attention.root);
        let [q, k, v] = [&attention.q, &attention.k, &attention.v].map(|own| own.tensor);
        let memref = place.allocate(tensor)?;
        let mut operands = Vec::with_capacity(5);
        for (i, own) in self.operands.iter().enumerate() {
            let memref = match [q, k, v].get(i) {
                Some(tensor) => views::read_only(&b, *tensor)?,
                None => memref,
            };
            let positions = [attention.queries, attention.keys][usize::from(i == 1 || i == 2)];
            let [heads, key_heads, batches] = &self.heads;
            let heads = if i == 1 || i == 2 { key_heads } else { heads };
            let positions = attention.extent(positions).ok_or_else(missing)?;
            let integers = [&positions, heads, batches].into_iter().chain(&own.strides);
            let integers = integers.map(|own| own.emit(&b)).collect::<Built<Vec<_>>>()?;
            operands.push(view(&b, memref, own.first, signature.input(i)?, &integers)?);
        }
        operands.push(b.constant(b.integer(32), i64::from(self.is_causal))?);
        let index = Type::index(context);
        let mut blocks = [b.constant(index, 1)?; 6];
        blocks[0] = b.constant(index, grid)?;
        blocks[3] = b.constant(index, threads(kernel).ok_or_else(missing)?)?;
        place.launch(blocks, &operands)?;
        place.replace(tensor, memref)
    }

    /// The kernel with the steps of scores in front of its softmax.
    fn with_steps(&self, text: &str) -> Option<String> {
        if self.steps.is_empty() {
            return Some(text.to_owned());
        }
        const BEFORE: &str = "    layout.reduce max %s into %x_s";
        let mut body = String::new();
        for (i, Rounded { name, by, from, to }) in self.steps.iter().enumerate() {
            body += &match by {
                None => format!("      %score{} = {name} %score{i} : {from} to {to}\n", i + 1),
                Some(by) => format!(
                    "      %by{i} = arith.constant {} : {to}\n      %score{} = {name} %score{i}, %by{i} : {to}\n",
                    decimal(*by),
                    i + 1
                ),
            };
        }
        let map = format!(
            "    layout.map outs(%s : !s) {{\n    ^bb0(%score0: f32):\n{body}      layout.yield %score{} : f32\n    }}\n",
            self.steps.len()
        );
        let at = text.find(BEFORE)?;
        Some(format!("{}{map}{}", &text[..at], &text[at..]))
    }

    /// Writes the factor of what is exponentiated, to the base of 2, in the kernel's function of softmax.
    fn set_scale(&self, module: OperationRef<'c, 'c>) -> Built<()> {
        let functions = tree::inside(module, "func.func").into_iter();
        let mut softmax =
            functions.filter(|own| tree::symbol(*own).is_some_and(|name| name == "softmax"));
        let softmax = softmax.next().ok_or(melior::Error::OperationBuild)?;
        // It is first; steps of scores have others.
        let constants = tree::inside(softmax, "arith.constant");
        let &scale = constants.first().ok_or(melior::Error::OperationBuild)?;
        let context = context_of(module);
        let factor = self.scale * std::f64::consts::LOG2_E;
        let factor = FloatAttribute::new(context, Type::float32(context), factor);
        tree::set_attribute(scale, "value", factor.into());
        Ok(())
    }
}

/// Names what the kernel's types leave open, and gives the blocks of a launch.
fn name_sizes<'c>(kernel: OperationRef<'c, 'c>, names: &[String]) -> Built<i64> {
    const FACTS: &str = "layout.kernel";
    let context = context_of(kernel);
    let facts = DictionaryAttribute::try_from(kernel.attribute(FACTS)?)?;
    let sizes: Vec<_> = names.iter().map(|own| StringAttribute::new(context, own).into()).collect();
    let sizes: Attribute<'c> = ArrayAttribute::new(context, &sizes).into();
    let mut entries = (0..facts.len()).map(|i| facts.element(i)).collect::<Built<Vec<_>>>()?;
    for (name, value) in &mut entries {
        if name.as_string_ref().as_str() == Ok("sizes") {
            *value = sizes;
        }
    }
    let blocks = facts.element_by_name("grid").and_then(tree::elements);
    let blocks = blocks.and_then(|all| IntegerAttribute::try_from(*all.first()?).ok());
    tree::set_attribute(kernel, FACTS, DictionaryAttribute::new(context, &entries).into());
    blocks.map(|own| own.value()).ok_or(melior::Error::OperationBuild)
}

impl<'c> Attention<'c> {
    /// Whether weights are the exponentials over their sum, and nothing else.
    fn divides_by_total(&self) -> bool {
        let is_total = |node: Node| matches!(self.graph.steps[node], Step::Reduced { stage, .. } if stage == self.total);
        let reader = Reader { graph: &self.graph };
        match reader.copy(self.scale, "arith.divf") {
            _ if self.divides => is_total(self.scale),
            Some(&[one, total]) => reader.number(one) == Some(1.0) && is_total(total),
            _ => false,
        }
    }

    /// The stride of an operand's elements along loops, the outermost first, that are one: a number of granules. Along none
    /// anything goes.
    fn stride(&self, form: &Form<'c>, loops: &[usize]) -> Option<Extent<'c>> {
        let Some((last, before)) = loops.split_last() else {
            return Some(Extent::Known(self.sizes.0));
        };
        let first = form.strides.get(last)?.clone();
        let mut next = times(first.clone(), self.extent(*last)?).ok()?;
        for own in before.iter().rev() {
            (*form.strides.get(own)? == next).then_some(())?;
            next = times(next, self.extent(*own)?).ok()?;
        }
        let is_positive = first.known().is_none_or(|own| own > 0);
        (is_positive && divisor(&first) % STRIDE_ALIGNMENT == 0).then_some(first)
    }
}

/// A step from an accumulator to a score: an operation on the previous number and on a constant.
#[derive(Clone, Debug)]
struct Rounded {
    name: String,
    by: Option<f64>,
    from: String,
    to: String,
}

/// How a score comes of a product: by positive factors and roundings, none of which puts one score before another.
#[derive(Default)]
struct Chain {
    /// The product of all factors.
    factor: f64,
    /// Whether a step is computed in fewer bits than the product.
    rounds: bool,
    steps: Vec<Rounded>,
}

impl Chain {
    fn of(attention: &Attention<'_>, score: Node) -> Option<Self> {
        let mut all = Self { factor: attention.factor, ..Self::default() };
        if attention.factor != 1.0 {
            (attention.factor > 0.0 && attention.factor.is_finite()).then_some(())?;
            all.push("arith.mulf", Some(attention.factor), ["f32"; 2]);
        }
        let own = match attention.rounded[0].as_str() {
            "f32" => "f32".to_owned(),
            narrow => all.push("arith.truncf", None, ["f32", narrow]),
        };
        let last = all.read(attention, score, own)?;
        // The softmax is of f32.
        if last != "f32" {
            all.push("arith.extf", None, [&last, "f32"]);
        }
        Some(all)
    }

    /// Adds a step; gives the type of its result.
    fn push(&mut self, name: &str, by: Option<f64>, [from, to]: [&str; 2]) -> String {
        let [name, from, to] = [name, from, to].map(str::to_owned);
        self.rounds |= to != "f32";
        self.steps.push(Rounded { name, by, from, to: to.clone() });
        to
    }

    /// The steps up to a node, whose type it gives; products are of type `of`.
    fn read(&mut self, attention: &Attention<'_>, node: Node, of: String) -> Option<String> {
        let reader = Reader { graph: &attention.graph };
        let positive = |node| reader.number(node).filter(|own| *own > 0.0 && own.is_finite());
        if let Step::Reduced { stage, .. } = &attention.graph.steps[node] {
            return (*stage == attention.scores_stage).then_some(of);
        }
        let Step::Copy { operation, operands } = &attention.graph.steps[node] else { return None };
        let to = first_result(*operation).r#type().to_string();
        match (tree::name(*operation).as_str(), operands.as_slice()) {
            ("arith.mulf", &[a, b]) => {
                let (factor, rest) = match (positive(a), positive(b)) {
                    (Some(factor), None) => (factor, b),
                    (None, Some(factor)) => (factor, a),
                    _ => return None,
                };
                let of = self.read(attention, rest, of)?;
                self.factor *= factor;
                Some(self.push("arith.mulf", Some(factor), [&of, &of]))
            }
            ("arith.divf", &[rest, by]) => {
                let by = positive(by)?;
                let of = self.read(attention, rest, of)?;
                self.factor /= by;
                Some(self.push("arith.divf", Some(by), [&of, &of]))
            }
            (name @ ("arith.extf" | "arith.truncf"), &[rest]) => {
                let is_plain = operation.attribute("roundingmode").is_err();
                let of = self.read(attention, rest, of).filter(|_| is_plain)?;
                Some(self.push(name, None, [&of, &to]))
            }
            _ => None,
        }
    }
}

/// A number as MLIR reads it, with a point.
fn decimal(number: f64) -> String {
    let text = format!("{number:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => text,
    }
}

/// Threads of a block.
fn threads(kernel: OperationRef<'_, '_>) -> Option<i64> {
    let block =
        DenseI32ArrayAttribute::try_from(kernel.attribute("known_block_size").ok()?).ok()?;
    Some(i64::from(block.element(0).ok()?))
}

/// The view of memory that a kernel takes, with the integers that its type leaves open.
fn view<'c>(
    b: &Builder<'c>,
    memref: Val<'c>,
    first: i64,
    of: Type<'c>,
    integers: &[Val<'c>],
) -> Built<Val<'c>> {
    let memref = match first {
        0 => memref,
        _ => from(b, memref, first)?,
    };
    let memref = views::on_device(b, memref)?;
    let layout = ViewType::try_from(of)?.term_value();
    let layout = layout.and_then(|own| LayoutType::of(b.context(), &own));
    let layout: Type<'c> = layout.map_err(|_| melior::Error::OperationBuild)?.into();
    let wide = integers.iter().enumerate().map(|(i, integer)| {
        let bits = if i < 3 { 32 } else { 64 };
        b.value("arith.index_cast", &[*integer], b.integer(bits), &[])
    });
    let wide = wide.collect::<Built<Vec<_>>>()?;
    let layout = b.value("layout.make", &wide, layout, &[])?;
    Ok(first_result(b.inferred("layout.make_view", &[memref, layout], &[])?))
}

/// Memory from one of its elements on.
fn from<'c>(b: &Builder<'c>, memref: Val<'c>, first: i64) -> Built<Val<'c>> {
    let of = element(memref).map_err(|_| melior::Error::OperationBuild)?;
    let parse = |text: &str| {
        Attribute::parse(b.context(), text)
            .ok_or_else(|| melior::Error::AttributeParse(text.to_owned()))
    };
    let text = format!("memref<1x{of}, strided<[1], offset: {first}>>");
    let part = Type::parse(b.context(), &text).ok_or(melior::Error::OperationBuild)?;
    let attributes = [
        ("static_offsets", parse(&format!("array<i64: {first}>"))?),
        ("static_sizes", parse("array<i64: 1>")?),
        ("static_strides", parse("array<i64: 1>")?),
        ("operandSegmentSizes", parse("array<i32: 1, 0, 0, 0>")?),
    ];
    b.value("memref.reinterpret_cast", &[memref], part, &attributes)
}
