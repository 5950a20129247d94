//! Views that are made of memrefs: at every coordinate, the element is that of the memref there.

use crate::engine::{Engine, context};
use layout_algebra::Layout;

/// A memref, and a view of it.
struct Case {
    memref: &'static str,
    /// A layout beside it; empty where the view has the memref's own.
    layout: &'static str,
    /// The type of the view.
    view: &'static str,
    /// Elements from the memref's pointer to its first one, its sizes and its strides.
    facts: (i64, &'static [i64], &'static [i64]),
    /// Values for the integers of the layout beside it.
    values: &'static [i64],
    /// The view's layout with all of its values.
    known: &'static str,
}

const CASES: &[Case] = &[
    Case {
        memref: "memref<4x8xi64>",
        layout: "",
        view: "(4,8):(8,1)",
        facts: (0, &[4, 8], &[8, 1]),
        values: &[],
        known: "(4,8):(8,1)",
    },
    Case {
        memref: "memref<?x8xi64, 1>",
        layout: "",
        view: "(?{i64},8):(8,1)",
        facts: (0, &[5, 8], &[8, 1]),
        values: &[],
        known: "(5,8):(8,1)",
    },
    Case {
        memref: "memref<3x?x2x?xi64>",
        layout: "",
        view: "(3,?0{i64},2,?1{i64}):(2*?0*?1,2*?1,?1,1)",
        facts: (0, &[3, 4, 2, 5], &[40, 10, 5, 1]),
        values: &[],
        known: "(3,4,2,5):(40,10,5,1)",
    },
    Case {
        memref: "memref<?x?xi64, strided<[?, 1], offset: ?>>",
        layout: "",
        view: "(?{i64},?{i64}):(?{i64},1)",
        facts: (7, &[3, 5], &[16, 1]),
        values: &[],
        known: "(3,5):(16,1)",
    },
    Case {
        memref: "memref<4x6xi64, strided<[-8, 2], offset: 40>>",
        layout: "",
        view: "(4,6):(-8,2)",
        facts: (40, &[4, 6], &[-8, 2]),
        values: &[],
        known: "(4,6):(-8,2)",
    },
    Case {
        memref: "memref<?xi64>",
        layout: "",
        view: "?{i64}:1",
        facts: (0, &[9], &[1]),
        values: &[],
        known: "9:1",
    },
    Case {
        memref: "memref<i64, strided<[], offset: ?>>",
        layout: "",
        view: "1:0",
        facts: (3, &[], &[]),
        values: &[],
        known: "1:0",
    },
    Case {
        memref: "memref<4x8xi64, #layout<((2,2),8):((1,2),4)>>",
        layout: "",
        view: "((2,2),8):((1,2),4)",
        facts: (0, &[4, 8], &[1, 4]),
        values: &[],
        known: "((2,2),8):((1,2),4)",
    },
    Case {
        memref: "memref<?xi64, strided<[1], offset: ?>>",
        layout: "(?,4):(1,?)",
        view: "(?,4):(1,?)",
        facts: (11, &[40], &[1]),
        values: &[3, 9],
        known: "(3,4):(1,9)",
    },
];

impl Case {
    fn function(&self, number: usize) -> String {
        let Self { memref, layout, view, .. } = self;
        let view = format!("!layout.view<i64, host, {view}>")
            .replace("host", if memref.ends_with("1>") { "global" } else { "host" });
        let (argument, operand, r#type) = match *layout {
            "" => (String::new(), "", String::new()),
            layout => (format!(", %l: !layout<{layout}>"), ", %l", format!(", !layout<{layout}>")),
        };
        format!(
            "func.func @f{number}(%m: {memref}{argument}, %i: index) -> i64 {{
               %v = layout.make_view %m{operand} : {memref}{type}
               %x = layout.load %v(%i) : {view}
               return %x : i64
             }}\n"
        )
    }
}

#[test]
fn views_of_memrefs_read_what_the_memref_has() {
    let context = context();
    let text: String = CASES.iter().enumerate().map(|(i, case)| case.function(i)).collect();
    let engine = Engine::lowered(&context, &text);
    let memory: Vec<i64> = (0..256).collect();
    for (number, case) in CASES.iter().enumerate() {
        let (offset, sizes, strides) = case.facts;
        let layout: Layout = case.known.parse().expect("a layout");
        for index in 0..layout.size() {
            let pointer = memory.as_ptr() as i64;
            let mut arguments = vec![pointer, pointer, offset];
            arguments.extend(sizes.iter().chain(strides).chain(case.values));
            arguments.push(index);
            let found = engine.call(&format!("f{number}"), &arguments, 1, false);
            let expected = offset + layout.at(index).expect("an offset");
            assert_eq!(found, [expected], "{} at {index}", case.memref);
        }
    }
}
