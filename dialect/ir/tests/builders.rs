//! The Rust builders and readers make and read what the textual form says.

use layout_algebra::Term;
use layout_dialect::{
    AtomAttribute, LayoutType, Schedule, ScheduleAttribute, SliceCoord, Space, TermAttribute,
    ViewType, atoms, coordinate::Pattern, evaluate::any_layout, ops, tools,
};
use melior::{
    Context,
    dialect::DialectRegistry,
    ir::{
        Attribute, Block, BlockLike, Location, Module, OperationRef, RegionLike, Type, Value,
        ValueLike, attribute::DenseI64ArrayAttribute, operation::OperationLike,
    },
};
use std::sync::{Arc, Mutex};

fn context() -> Context {
    let registry = DialectRegistry::new();
    layout_dialect::register(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}

fn term(text: &str) -> Term {
    Term::parse(text).expect("a term")
}

fn view<'c>(context: &'c Context, space: Space, layout: &str) -> ViewType<'c> {
    ViewType::new(Type::float16(context), space, &any_layout(layout).expect("a layout"))
}

#[test]
fn attributes_round_trip() {
    let context = context();
    let parsed = |text: &str| Attribute::parse(&context, text).expect("it parses");

    let call = term("composition((6,2):(8,2), (4,3):(3,1))");
    let attribute = TermAttribute::new(&context, &call);
    assert_eq!(
        Attribute::from(attribute),
        parsed("#layout<composition((6,2):(8,2), (4,3):(3,1))>")
    );
    assert_eq!(attribute.term().expect("a term"), call);

    let atom = atoms::lookup("cp_async_16").expect("an atom");
    let attribute = AtomAttribute::new(&context, atom);
    assert_eq!(Attribute::from(attribute), parsed("#layout.atom<cp_async_16>"));
    assert!(std::ptr::eq(attribute.atom().expect("an atom"), atom));

    let schedule: Schedule =
        "tile = (64,64,32), warps = (2,2), stages = 2, chip = \"sm_90a\"".parse().expect("one");
    let attribute = ScheduleAttribute::new(&context, &schedule);
    assert_eq!(attribute.schedule().expect("a schedule"), schedule);
    assert!(TermAttribute::try_from(Attribute::from(attribute)).is_err());
}

#[test]
fn types_round_trip() {
    let context = context();
    let swizzled = any_layout("S<3,3,3> o 0 o (8,64):(64,1)").expect("a layout");
    let layout = LayoutType::new(&context, &swizzled);
    assert_eq!(Type::parse(&context, "!layout<S<3,3,3> o 0 o (8,64):(64,1)>"), Some(layout.into()));
    assert_eq!(layout.layout().expect("a layout"), swizzled);
    assert!(ViewType::try_from(Type::from(layout)).is_err());

    let view = ViewType::new(Type::float16(&context), Space::Shared, &swizzled);
    assert_eq!(view.to_string(), "!layout.view<f16, shared, S<3,3,3> o 0 o (8,64):(64,1)>");
    assert_eq!(view.space(), Space::Shared);
    assert_eq!(view.element_type(), Type::float16(&context));
    assert_eq!(view.layout().expect("a layout"), swizzled);
}

#[test]
fn builders_infer_types() {
    let context = context();
    let location = Location::unknown(&context);
    let module = Module::new(location);
    let index = Type::index(&context);
    let argument = view(&context, Space::Global, "(128,64):(64,1)").into();
    let block = Block::new(&[(argument, location), (index, location)]);
    let source = block.argument(0).expect("an argument").into();
    let i: Value<'_, '_> = block.argument(1).expect("an argument").into();

    let append = |operation: Result<_, melior::Error>| {
        block.append_operation(operation.expect("types are inferred"))
    };
    let divided = append(
        ops::new("zipped_divide", location)
            .operands(&[source])
            .term("term", &term("(32,8)"))
            .build(),
    );
    let divided: Value<'_, '_> = divided.result(0).expect("a result").into();
    assert_eq!(
        divided.r#type().to_string(),
        "!layout.view<f16, global, ((32,8),(4,8)):((64,1),(2048,8))>"
    );
    let coordinate =
        [SliceCoord::Any, SliceCoord::Tuple(vec![SliceCoord::Value(i), SliceCoord::At(3)])];
    let sliced =
        append(ops::new("slice", location).operands(&[divided]).coordinate(&coordinate).build());
    assert_eq!(
        ops::coordinate(sliced).expect("a coordinate"),
        Pattern::Tuple(vec![Pattern::Any, Pattern::Tuple(vec![Pattern::Dynamic, Pattern::At(3)])])
    );
    let sliced: Value<'_, '_> = sliced.result(0).expect("a result").into();
    assert_eq!(sliced.r#type().to_string(), "!layout.view<f16, global, ((32,8)):((64,1))>");

    let digits = append(
        ops::new("idx2crd", location).operands(&[i]).term("shape", &term("(32,2,2)")).build(),
    );
    assert_eq!(digits.result_count(), 3);
    assert_eq!(ops::idx2crd_extents(digits).expect("extents"), [32, 2, 2]);
    let size = append(ops::new("size", location).operands(&[sliced]).build());
    assert_eq!(ops::static_index(size), Ok(Some(256)));
    assert_eq!(ops::static_index(digits), Ok(None));

    let atom = atoms::lookup("simt_8").expect("an atom");
    let rows =
        ViewType::new(index, Space::Coordinate, &any_layout("((32,8)):((1,0))").expect("one"));
    let rows = append(ops::new("identity_tensor", location).results(&[rows.into()]).build());
    let shared = view(&context, Space::Shared, "((32,8)):((8,1))");
    let buffer = append(ops::new("alloc", location).results(&[shared.into()]).build());
    let (rows, buffer): (Value<'_, '_>, Value<'_, '_>) =
        (rows.result(0).expect("one").into(), buffer.result(0).expect("one").into());
    let copy = ops::new("copy", location)
        .operands(&[sliced, buffer, rows])
        .attribute("atom", AtomAttribute::new(&context, atom))
        .attribute("limits", DenseI64ArrayAttribute::new(&context, &[127]))
        .results(&[]);
    let copy = append(copy.build());
    assert!(std::ptr::eq(ops::atom(copy).expect("an atom"), atom));
    let predicates = ops::predicates(copy).expect("predicates");
    assert_eq!(predicates, [ops::Predicate { view: rows, limit: ops::Limit::Known(127) }]);
    // The first mode runs down the rows, whose elements are not contiguous.
    assert!(!copy.verify());
    drop(module);
}

#[test]
fn inference_that_fails_is_a_diagnostic() {
    let context = context();
    let messages = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&messages);
    let handler = context.attach_diagnostic_handler(move |diagnostic| {
        sink.lock().expect("no panic").push(diagnostic.to_string());
        true
    });
    let location = Location::unknown(&context);
    let argument = view(&context, Space::Global, "(4,2):(1,5)").into();
    let block = Block::new(&[(argument, location)]);
    let source = block.argument(0).expect("an argument").into();
    let refused =
        ops::new("composition", location).operands(&[source]).term("term", &term("8:3")).build();
    let refused = refused.map(|_| ()).map_err(|error| error.to_string());
    context.detach_diagnostic_handler(handler);
    let message = "'layout.composition' op [no-composition] composition((4,2):(1,5), 8:3): no layout has \
                these values: expected 11 at coordinate 3, found 10 in the only candidate";
    assert_eq!(*messages.lock().expect("no panic"), [message]);
    assert_eq!(refused, Err(format!("expected operation that can be built, got {message}")));
}

/// A matmul's groups of operands, its epilogue and its results need no knowledge of how MLIR stores them.
#[test]
fn a_matmul_has_groups_of_operands_and_an_epilogue() {
    let context = context();
    let here = Location::unknown(&context);
    let matrix = view(&context, Space::Global, "(64,64):(64,1)").into();
    let bias = view(&context, Space::Global, "(64,64):(0,1)").into();
    let block = Block::new(&[(matrix, here), (matrix, here), (matrix, here), (bias, here)]);
    let values: Vec<Value<'_, '_>> =
        (0..4).map(|number| block.argument(number).expect("an argument").into()).collect();
    let schedule = ScheduleAttribute::parse(&context, "auto, chip = \"sm_90a\"").expect("one");
    let wide = Type::float32(&context);
    let matmul = ops::new("matmul", here)
        .groups(&[&values[..1], &values[1..2], &values[2..3], &values[3..], &[]])
        .attribute("schedule", schedule)
        .block(&[wide, wide], |epilogue| {
            let bias = epilogue.argument(1)?.into();
            ops::new("yield", here).operands(&[bias]).append(epilogue).map(|_| ())
        });
    let matmul = matmul.and_then(|matmul| matmul.append(&block)).expect("a matmul");
    assert!(matmul.verify());
    assert_eq!(ops::others(matmul), 3..4);
    let yields = ops::new("yield", here).operands(&values[..1]).value(&block);
    let error = yields.map(|_| ()).expect_err("no result").to_string();
    assert!(error.starts_with("operation result position 0 out of bounds"), "{error}");
}

/// Attributes parse from texts; a wrong text gives the error.
#[test]
fn attributes_are_read_from_texts() {
    let context = context();
    let atom = AtomAttribute::parse(&context, "cp_async_16").expect("an atom");
    assert_eq!(atom.to_string(), "#layout.atom<cp_async_16>");
    let refused = AtomAttribute::parse(&context, "cp_async_15").expect_err("none");
    assert_eq!(
        refused.with_hint(),
        "expected the name of an atom, found 'cp_async_15'; did you mean 'cp_async_16'?"
    );
    let refused = ScheduleAttribute::parse(&context, "tile = (64,64)").expect_err("none");
    let warps = "expected 'warps' in a schedule, found none";
    assert!(refused.to_string().contains(warps), "{refused}");
}

/// Errors of texts and passes have the text of the diagnostics.
#[test]
fn texts_and_passes_that_fail_say_why() {
    let context = context();
    context.attach_diagnostic_handler(|_| true);
    let error = tools::parse(&context, "builtin.module {\n  layout.size\n}").map(|_| ());
    let error = error.expect_err("an operand is missing");
    assert!(error.contains(":2:14: expected SSA operand"), "{error}");
    let mut module = tools::parse(&context, "builtin.module {}").expect("a module");
    let error = tools::run_passes(&context, &mut module, "builtin.module(layout-spell)");
    let error = error.expect_err("no pass");
    assert!(error.contains("'layout-spell' does not refer to a registered pass"), "{error}");
    assert_eq!(tools::run_passes(&context, &mut module, "builtin.module()"), Ok(()));
}

/// The operations that passes build have the text of the diagnostics in their error too, each time one is refused.
#[test]
fn a_pass_learns_why_an_operation_is_not_built() {
    let context = context();
    let location = Location::unknown(&context);
    let module = Module::new(location);
    let builder = layout_dialect::build::Builder::at_end(&context, location, module.body());
    let refused = |text: &str| {
        let attribute = TermAttribute::new(&context, &term(text)).into();
        let built = builder.inferred("layout.constant", &[], &[("term", attribute)]);
        built.map(|_| ()).map_err(|error| error.to_string())
    };
    let error = |message: &str| {
        Err(format!("expected operation that can be built, got 'layout.constant' op {message}"))
    };
    assert_eq!(
        refused("equal(4:1, 4:1)"),
        error("[kind] expected a layout, a tuple or a swizzle, found true")
    );
    assert_eq!(
        refused("complement((4,4):(1,2), 64)"),
        error(
            "[complement] complement((4,4):(1,2)): expected sorted modes that each start where the \
             last ended, or later, found stride 2 after 4"
        )
    );
    assert_eq!(refused("(4,2):(1,4)"), Ok(()));
}

/// An operation's context can be kept: it is the context, not a temporary.
#[test]
fn contexts_of_operations_stay() {
    let context = context();
    let module = Module::new(Location::unknown(&context));
    let operation = module.as_operation();
    // SAFETY: the operation lives as long as the module.
    let operation = unsafe { OperationRef::from_raw(operation.to_raw()) };
    let kept = layout_dialect::build::context_of(operation);
    assert_eq!(kept, &context);
    assert!(operation.region(0).expect("a body").first_block().is_some());
}

/// A map that is built is the one that is written.
#[test]
fn maps_are_built() {
    let context = context();
    let registry = DialectRegistry::new();
    melior::utility::register_all_dialects(&registry);
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    let location = Location::unknown(&context);
    let module = Module::new(location);
    let b = layout_dialect::build::Builder::at_end(&context, location, module.body());
    let view = view(&context, Space::Register, "(8,2):(1,8)").into();
    let [x, y] = [(); 2].map(|()| b.value("layout.alloc", &[], view, &[]).expect("a buffer"));
    let map = layout_dialect::fragments::map::<melior::Error>(&b, &[x], &[y], |b, elements| {
        Ok(vec![b.binary("arith.addf", elements[0], elements[1])?])
    });
    map.expect("a map");
    assert!(module.as_operation().verify());
    let text = "layout.map ins(%0 : !layout.view<f16, register, (8,2):(1,8)>) \
                outs(%1 : !layout.view<f16, register, (8,2):(1,8)>) {";
    let all = module.as_operation().to_string();
    assert!(all.contains(text), "{all}");
    assert_eq!(layout_dialect::fragments::write_out(module.as_operation()).ok(), Some(1));
    assert!(module.as_operation().verify());
    assert_eq!(module.as_operation().to_string().matches("arith.addf").count(), 16);
}
