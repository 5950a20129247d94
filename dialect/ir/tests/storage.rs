//! The storage of contexts, which is given back when they end.

use layout_algebra::Term;
use layout_dialect::{LayoutType, TermAttribute};
use melior::{
    Context,
    dialect::DialectRegistry,
    ir::{Attribute, Module, Type, TypeLike, operation::OperationLike},
    utility::register_all_dialects,
};

const PROGRAM: &str = r#"
    func.func @f(%l: !layout<(?,8):(1,?{div=8})>, %v: !layout.view<f16, shared, S<3,3,3> o 0 o (8,64):(64,1)>)
        -> (!layout<4:2>, !layout.tuple<(4,(2,?))>, index) {
      %0 = layout.constant #layout<composition((6,2):(8,2), (4,3):(3,1))> : !layout<((2,2),3):((24,2),8)>
      %1 = layout.constant #layout<4:2> : !layout<4:2>
      %i = arith.constant 3 : i32
      %2 = layout.make %i : (i32) -> !layout.tuple<(4,(2,?))>
      %3 = layout.size %0 : !layout<((2,2),3):((24,2),8)>
      %c, %inside = layout.relate #layout.relation<"{ [c] -> [(-3c) mod 16] : 0 <= c < 16 }">(%3)
      return %1, %2, %c : !layout<4:2>, !layout.tuple<(4,(2,?))>, index
    }
"#;

fn context() -> Context {
    let registry = DialectRegistry::new();
    register_all_dialects(&registry);
    layout_dialect::register(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    context
}

/// A term, the type of its value, and the two parsed again.
fn use_context(context: &Context, number: i64) -> String {
    let text = format!("composition(({number},8):(8,1), ({number},4):(1,{number}))");
    let term = TermAttribute::new(context, &Term::parse(&text).expect("a term"));
    let again = Attribute::parse(context, &format!("#layout<{text}>")).expect("a term");
    assert_eq!(Attribute::from(term), again);
    let value = term.term().and_then(|term| term.eval_layout()).expect("a layout");
    let built = LayoutType::new(context, &value);
    let parsed = Type::parse(context, &format!("!layout<{text}>")).expect("a type");
    assert_eq!(Type::from(built), parsed);
    assert!(!parsed.to_raw().ptr.is_null());
    format!("{term} : {parsed}")
}

#[test]
fn contexts_end_in_any_order() {
    let mut contexts: Vec<Context> = (0..6).map(|_| context()).collect();
    let first: Vec<String> = contexts.iter().map(|context| use_context(context, 6)).collect();
    for place in [3, 0, 2, 0] {
        drop(contexts.remove(place));
        let rest: Vec<String> = contexts.iter().map(|context| use_context(context, 6)).collect();
        assert!(rest.iter().all(|text| *text == first[0]));
    }
}

#[test]
fn threads_have_contexts_of_their_own() {
    let threads: Vec<_> = (1..=8)
        .map(|thread| {
            std::thread::spawn(move || {
                for round in 1..=20 {
                    let context = context();
                    for number in 1..=10 {
                        use_context(&context, number * round);
                    }
                    assert!(use_context(&context, thread).contains("!layout<"));
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("no thread panics");
    }
}

#[test]
fn threads_share_a_context() {
    let context = context();
    let raw = context.to_raw().ptr as usize;
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                // SAFETY: the context outlives the scope, and MLIR's contexts may be used from threads.
                let context = unsafe {
                    layout_dialect::context::context_from_raw(mlir_sys::MlirContext {
                        ptr: raw as *mut std::ffi::c_void,
                    })
                };
                for number in 1..=200 {
                    use_context(context, number + thread % 2);
                }
            });
        }
    });
    assert_eq!(use_context(&context, 6), use_context(&context, 6));
}

#[test]
fn a_module_is_printed_and_read_again() {
    for _ in 0..3 {
        let context = context();
        let module = Module::parse(&context, PROGRAM).expect("it parses");
        assert!(module.as_operation().verify());
        let printed = module.as_operation().to_string();
        drop(module);
        let again = Module::parse(&context, &printed).expect("it parses again");
        assert_eq!(again.as_operation().to_string(), printed);
    }
}
