//! Views whose layouts are partly static: loads and stores through them, at every coordinate, touch
//! the elements that the algebra says.

use crate::{
    engine::{Engine, context},
    support::at_values,
};
use layout_algebra::{AnyLayout, Term, Value};
use layout_dialect::{TermValue, evaluate::any_layout};

/// A program that makes a view of another and reads it.
struct Case {
    /// The layout of the view `%v` that the function takes; `L` below.
    layout: &'static str,
    /// Values for its integers.
    points: &'static [&'static [i64]],
    /// The reads, a line each, from `%v` of the type `$V` by the indices `%a`, `%b` and `%c`; the last
    /// line makes `%x`. `$(term)` is a view through that term.
    body: &'static str,
    /// The offset of what is read, as a term of `L`, `a`, `b` and `c`.
    offset: &'static str,
    /// How many values each index has, as terms of `L`.
    counts: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        layout: "(?,8):(1,?)",
        points: &[&[1, 1], &[5, 7], &[16, -3]],
        body: "%x = layout.load %v(%a) : $V",
        offset: "crd2idx(a, L)",
        counts: &["size(L)"],
    },
    Case {
        layout: "(?0{range=1..64},(2,?1{range=1..16})):(?{range=-4..100},(1,2))",
        points: &[&[3, 5, 10], &[64, 1, -2]],
        body: "%x = layout.load %v(%a, (%b, %c)) : $V",
        offset: "crd2idx((a,(b,c)), L)",
        counts: &["size(get(L, 0))", "2", "size(get(L, 1, 1))"],
    },
    // A row that is left is known, and so is a column but for its pitch.
    Case {
        layout: "(?,8):(8,1)",
        points: &[&[1], &[5]],
        body: "%s = layout.slice %v(%a, _) : $V
               %x = layout.load %s(%b) : $((8):(1))",
        offset: "crd2idx((a,b), L)",
        counts: &["size(get(L, 0))", "8"],
    },
    Case {
        layout: "((?,4),?1):((?1,1),4)",
        points: &[&[3, 4], &[2, 9]],
        body: "%s = layout.slice %v((_, %b), %c) : $V
               %x = layout.load %s(%a) : $(slice(((_,0),0), L))",
        offset: "crd2idx(((a,b),c), L)",
        counts: &["size(get(L, 0, 0))", "4", "size(get(L, 1))"],
    },
    // The rows need not come out even; the padded ones are not read.
    Case {
        layout: "(?,?1{div=4}):(?1,1)",
        points: &[&[6, 8], &[3, 4]],
        body: "%t = layout.zipped_divide %v, #layout<(3,4)> : $V
               %s = layout.slice %t((_, _), (%b, %c)) : $(zipped_divide(L, (3,4)))
               %x = layout.load %s(%a) : $(slice(((_,_),(0,0)), zipped_divide(L, (3,4))))",
        offset: "crd2idx((a,(b,c)), zipped_divide(L, (3,4)))",
        counts: &[
            "12",
            "size(get(zipped_divide(L, (3,4)), 1, 0))",
            "size(get(zipped_divide(L, (3,4)), 1, 1))",
        ],
    },
    Case {
        layout: "(?{div=4},?1{div=8}):(?1,1)",
        points: &[&[8, 16], &[4, 8]],
        body: "%t = layout.local_tile %v(%b, _), #layout<(4,8)> : $V
               %x = layout.load %t(%a, 0, %c) : $(slice(((_,_),(0,_)), zipped_divide(L, (4,8))))",
        offset: "crd2idx(((a,0),(b,c)), zipped_divide(L, (4,8)))",
        counts: &[
            "4",
            "size(get(zipped_divide(L, (4,8)), 1, 0))",
            "size(get(zipped_divide(L, (4,8)), 1, 1))",
        ],
    },
    // A tuple is the coordinate of a tile.
    Case {
        layout: "(?{div=4},?1{div=8}):(?1,1)",
        points: &[&[8, 16]],
        body: "%m = arith.index_cast %b : index to i32
               %n = arith.index_cast %c : index to i32
               %u = layout.make %m, %n : (i32, i32) -> !layout.tuple<(?,?)>
               %t = layout.local_tile %v(%u), #layout<(4,8)> : $V, !layout.tuple<(?,?)>
               %x = layout.load %t(%a, 5) : $(slice(((_,_),(0,0)), zipped_divide(L, (4,8))))",
        offset: "crd2idx(((a,5),(b,c)), zipped_divide(L, (4,8)))",
        counts: &[
            "4",
            "size(get(zipped_divide(L, (4,8)), 1, 0))",
            "size(get(zipped_divide(L, (4,8)), 1, 1))",
        ],
    },
    // Threads 0, 1, 2 … go along the rows first.
    Case {
        layout: "(?{div=4},?1{div=2}):(?1,1)",
        points: &[&[8, 6], &[4, 2]],
        body: "%t = layout.partition %v(%a), #layout<(4,2):(2,1)> : $V
               %x = layout.load %t(%b, %c) : $(slice((0,(_,_)), zipped_divide(L, (4,2))))",
        offset: "crd2idx((a,(b,c)), composition(zipped_divide(L, (4,2)), <right_inverse((4,2):(2,1)), _>))",
        counts: &[
            "8",
            "size(get(zipped_divide(L, (4,2)), 1, 0))",
            "size(get(zipped_divide(L, (4,2)), 1, 1))",
        ],
    },
    Case {
        layout: "(?,?1{div=8}):(?1,1)",
        points: &[&[3, 8], &[2, 16]],
        body: "%s = layout.select %v, [1, 0] : $V
               %f = layout.flatten %s : $(select(L, 1, 0))
               %x = layout.load %f(%b, %a) : $(select(L, 1, 0))",
        offset: "crd2idx((a,b), L)",
        counts: &["size(get(L, 0))", "size(get(L, 1))"],
    },
    // Another layout from where a row starts.
    Case {
        layout: "(?,?1):(?1,1)",
        points: &[&[4, 5], &[2, 7]],
        body: "%r = layout.slice %v(%a, _) : $V
               %n = layout.shape %l : !layout<(?,?1):(?1,1)>
               %k = layout.get %n, [1] : !layout.tuple<(?{range=1..},?{range=1..})>
               %m = layout.make_layout %k : !layout.tuple<?{range=1..}>
               %w = layout.make_view %r, %m : $(slice((0,_), L)), !layout<?:1>
               %x = layout.load %w(%b) : $(?:1)",
        offset: "crd2idx((a,b), L)",
        counts: &["size(get(L, 0))", "size(get(L, 1))"],
    },
    // Two elements for one, and one for two.
    Case {
        layout: "(?,?1{range=2..}):(?1,1)",
        points: &[&[4, 3], &[1, 5]],
        body: "%n = layout.recast %v to i32 : $V
               %w = layout.recast %n to i64 : !layout.view<i32, host, recast(L, 64, 32)>
               %x = layout.load %w(%a, %b) : $V",
        offset: "crd2idx((a,b), L)",
        counts: &["size(get(L, 0))", "size(get(L, 1))"],
    },
    // Under a swizzle: elements, rows, columns, tiles, and what threads have of tiles.
    Case {
        layout: "S<2,0,3> o 0 o (?,8):(8,1)",
        points: &[&[1], &[5]],
        body: "%x = layout.load %v(%a, %b) : $V",
        offset: "crd2idx((a,b), L)",
        counts: &["size(get(L, 0))", "8"],
    },
    Case {
        layout: "S<2,0,3> o 0 o (?,8):(8,1)",
        points: &[&[6]],
        body: "%s = layout.slice %v(%a, _) : $V
               %x = layout.load %s(%b) : $(S<2,0,3> o 0 o (8):(1))",
        offset: "crd2idx((a,b), L)",
        counts: &["size(get(L, 0))", "8"],
    },
    Case {
        layout: "S<2,0,3> o 0 o (?,?1):(?1,1)",
        points: &[&[6, 8], &[3, 11]],
        body: "%s = layout.slice %v(_, %b) : $V
               %x = layout.load %s(%a) : $(S<2,0,3> o 0 o (?):(?{range=1..}))",
        offset: "crd2idx((a,b), L)",
        counts: &["size(get(L, 0))", "size(get(L, 1))"],
    },
    Case {
        layout: "S<2,1,3> o 5 o (?{div=4},8):(8,1)",
        points: &[&[8], &[4]],
        body: "%t = layout.zipped_divide %v, #layout<(4,4)> : $V
               %s = layout.slice %t((_, _), (%b, %c)) : $(zipped_divide(L, (4,4)))
               %x = layout.load %s(%a) : $(S<2,1,3> o 5 o (4,4):(8,1))",
        offset: "crd2idx((a,(b,c)), zipped_divide(L, (4,4)))",
        counts: &["16", "size(get(zipped_divide(L, (4,4)), 1, 0))", "2"],
    },
    Case {
        layout: "S<2,0,3> o 0 o (?{div=4},?1{div=8}):(?1,1)",
        points: &[&[8, 16]],
        body: "%t = layout.local_tile %v(%b, %c), #layout<(4,8)> : $V
               %x = layout.load %t(%a, 3) : $(S<2,0,3> o 0 o (4,8):(?{div=8 range=1..},1))",
        offset: "crd2idx(((a,3),(b,c)), zipped_divide(L, (4,8)))",
        counts: &["4", "size(get(zipped_divide(L, (4,8)), 1, 0))", "2"],
    },
    Case {
        layout: "S<2,0,3> o 0 o (?{div=4},8):(8,1)",
        points: &[&[8], &[4]],
        body: "%t = layout.partition %v(%a), #layout<(4,2):(2,1)> : $V
               %x = layout.load %t(%b, %c) : $(S<2,0,3> o 0 o (?{div=4}/4,4):(32,2))",
        offset: "crd2idx((a,(b,c)), composition(zipped_divide(L, (4,2)), <right_inverse((4,2):(2,1)), _>))",
        counts: &["8", "size(get(zipped_divide(L, (4,2)), 1, 0))", "4"],
    },
    // The offset before a swizzle is known at run time, or the outer part is a layout.
    Case {
        layout: "S<2,0,3> o ? o (?,8):(8,1)",
        points: &[&[3, 4], &[64, 2], &[0, 3]],
        body: "%s = layout.slice %v(%a, _) : $V
               %x = layout.load %s(%b) : $(S<2,0,3> o ? o (8):(1))",
        offset: "crd2idx((a,b), L)",
        counts: &["size(get(L, 0))", "8"],
    },
    Case {
        layout: "(8,16):(16,1) o 3 o (?,8):(9,1)",
        points: &[&[3], &[9]],
        body: "%s = layout.slice %v(%a, _) : $V
               %x = layout.load %s(%b) : $((8,16):(16,1) o 3 o (8):(1))",
        offset: "crd2idx((a,b), L)",
        counts: &["size(get(L, 0))", "8"],
    },
    // So it is where the layout outside is known at run time: its integers are among the view's.
    Case {
        layout: "(?,4):(4,1) o ? o (?,4):(4,1)",
        points: &[&[3, 2, 2], &[1, 0, 4], &[8, 5, 1]],
        body: "%s = layout.slice %v(%a, _) : $V
               %x = layout.load %s(%b) : $((?,4):(4,1) o ? o (4):(1))",
        offset: "crd2idx((a,b), L)",
        counts: &["size(get(L, 0))", "4"],
    },
    Case {
        layout: "(?0,?1):(?1,1) o 0 o (?1,?0):(?0,1)",
        points: &[&[3, 5], &[1, 7], &[4, 1]],
        body: "%x = layout.load %v(%a, %b) : $V",
        offset: "crd2idx((a,b), L)",
        counts: &["size(get(L, 0))", "size(get(L, 1))"],
    },
    Case {
        layout: "(?{div=2},(2,?)):(1,(?,2)) o 1 o (?{div=4},8):(8,1)",
        points: &[&[4, 3, 9, 8], &[2, 1, -7, 4]],
        body: "%t = layout.local_tile %v(%b, %c), #layout<(4,4)> : $V
               %x = layout.load %t(%a, 3) : $((?{div=2},(2,?)):(1,(?,2)) o 1 o (4,4):(8,1))",
        offset: "crd2idx(((a,3),(b,c)), zipped_divide(L, (4,4)))",
        counts: &["4", "size(get(zipped_divide(L, (4,4)), 1, 0))", "2"],
    },
    Case {
        layout: "(4,?):(?,1) o 0 o (?{div=4},8):(8,1)",
        points: &[&[5, 7, 8]],
        body: "%t = layout.partition %v(%a), #layout<(4,2):(2,1)> : $V
               %x = layout.load %t(%b, %c) : $((4,?):(?,1) o 0 o (?{div=4}/4,4):(32,2))",
        offset: "crd2idx((a,(b,c)), composition(zipped_divide(L, (4,2)), <right_inverse((4,2):(2,1)), _>))",
        counts: &["8", "size(get(zipped_divide(L, (4,2)), 1, 0))", "4"],
    },
    // Where strides are below 0 an index of the layout outside may be: it is divided as the algebra does.
    Case {
        layout: "(4,?):(?,1) o 5 o (?,2):(?{range=-9..},-1)",
        points: &[&[3, 10, 4, -3], &[2, -6, 6, 1]],
        body: "%x = layout.load %v(%a, %b) : $V",
        offset: "crd2idx((a,b), L)",
        counts: &["size(get(L, 0))", "2"],
    },
    Case {
        layout: "(4,3):(10,1) o 5 o (?,2):(-3,1)",
        points: &[&[4]],
        body: "%x = layout.load %v(%a, %b) : $V",
        offset: "crd2idx((a,b), L)",
        counts: &["4", "2"],
    },
    Case {
        layout: "S<2,0,2> o 21 o (?,(2,2)):(-5,(-2,1))",
        points: &[&[4]],
        body: "%s = layout.slice %v(_, %b) : $V
               %x = layout.load %s(%a) : $(S<2,0,2> o 21 o (?):(-5))",
        offset: "crd2idx((a,b), L)",
        counts: &["4", "4"],
    },
    // Two halves of each element and back, of a whole and of a part.
    Case {
        layout: "S<2,1,3> o 0 o (?,16):(16,1)",
        points: &[&[3]],
        body: "%r = layout.recast %v to i32 : $V
               %s = layout.slice %r(%a, _) : !layout.view<i32, host, recast(L, 64, 32)>
               %w = layout.recast %s to i64 : !layout.view<i32, host, S<2,2,3> o 0 o (32):(1)>
               %x = layout.load %w(%b) : $(S<2,1,3> o 0 o (16):(1))",
        offset: "crd2idx((a,b), L)",
        counts: &["size(get(L, 0))", "16"],
    },
];

/// Elements before the one that views start at, for strides below 0.
const BEFORE: i64 = 4096;

fn number(text: &str) -> i64 {
    match Term::parse(text).and_then(|term| term.eval()) {
        Ok(Value::Int(value)) => value,
        other => panic!("{text}: expected an integer, found {other:?}"),
    }
}

impl Case {
    /// The function, whose arguments are the view, its layout again, and three indices.
    fn function(&self, number: usize) -> String {
        let view = format!("!layout.view<i64, host, {}>", self.layout);
        let mut body = self.body.replace("$V", &view).replace('L', self.layout);
        body = body.replace("$(", "!layout.view<i64, host, $(");
        // The parenthesis that ends a term in `$(…)` ends its line, or is before a comma.
        let lines = body.lines().map(|line| match line.split_once("$(") {
            None => line.to_owned(),
            Some((head, term)) => {
                let mut depth = 1;
                let end = term.find(|c| {
                    depth += i32::from(c == '(') - i32::from(c == ')');
                    depth == 0
                });
                let (term, rest) = term.split_at(end.expect("a closing parenthesis"));
                format!("{head}{term}>{}", &rest[1..])
            }
        });
        format!(
            "func.func @f{number}(%v: {view}, %l: !layout<{}>, %a: index, %b: index, %c: index) -> i64 {{
               {}
               return %x : i64
             }}\n",
            self.layout,
            lines.collect::<Vec<_>>().join("\n")
        )
    }
}

#[test]
fn views_read_the_elements_of_the_algebra() {
    let context = context();
    let text: String = CASES.iter().enumerate().map(|(i, case)| case.function(i)).collect();
    let engine = Engine::lowered(&context, &text);
    let memory: Vec<i64> = (-BEFORE..BEFORE).collect();
    let start = memory[usize::try_from(BEFORE).expect("a place")..].as_ptr() as i64;
    let mut compared = 0;
    for (number_of, case) in CASES.iter().enumerate() {
        let canonical = TermValue::parse(case.layout).expect("a layout").to_string();
        for values in case.points {
            let layout = at_values(&canonical, &mut values.iter());
            let count = |i: usize| {
                case.counts.get(i).map_or(1, |count| number(&count.replace('L', &layout)))
            };
            for a in 0..count(0) {
                for b in 0..count(1) {
                    for c in 0..count(2) {
                        let offset = case.offset.replace('L', &layout);
                        let offset = number(&at_indices(&offset, [a, b, c]));
                        let mut arguments = vec![start];
                        // Under another layout, the offset of the view within that.
                        arguments.extend(within(&layout));
                        arguments.extend(*values);
                        arguments.extend(*values);
                        arguments.extend([a, b, c]);
                        let found = engine.call(&format!("f{number_of}"), &arguments, 1, false);
                        assert_eq!(found, [offset], "{} of {layout} at {a}, {b}, {c}", case.offset);
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 500, "only {compared} were compared");
}

/// The offset before what is outside of a layout, of a whole view.
fn within(layout: &str) -> Option<i64> {
    match any_layout(layout).expect("a layout") {
        AnyLayout::Plain(_) => None,
        AnyLayout::Composed(composed) => Some(composed.offset),
    }
}

/// A term with values for the names `a`, `b` and `c`, which are alone.
fn at_indices(term: &str, values: [i64; 3]) -> String {
    let mut text = String::new();
    let characters: Vec<char> = term.chars().collect();
    for (i, &c) in characters.iter().enumerate() {
        let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
        let alone = !i.checked_sub(1).and_then(|i| characters.get(i)).is_some_and(is_word)
            && !characters.get(i + 1).is_some_and(is_word);
        match (alone, "abc".find(c)) {
            (true, Some(place)) => text.push_str(&values[place].to_string()),
            _ => text.push(c),
        }
    }
    text
}

#[test]
fn stores_match_the_algebra() {
    let context = context();
    let text = "func.func @f(%p: !llvm.ptr, %m: i32, %k: i32, %i: index, %j: index, %y: i16) {
        %l = layout.make %m, %k : (i32, i32) -> !layout<(?,?1):(?1,1)>
        %v = layout.make_view %p, %l of i16 : !llvm.ptr, !layout<(?,?1):(?1,1)>
        layout.store %y, %v(%i, %j) : !layout.view<i16, host, (?,?1):(?1,1)>
        return
      }";
    let engine = Engine::lowered(&context, text);
    let (m, k) = (5, 7);
    for (i, j) in (0..m).flat_map(|i| (0..k).map(move |j| (i, j))) {
        let mut memory = [0_i16; 35];
        engine.call("f", &[memory.as_mut_ptr() as i64, m, k, i, j, 77], 0, false);
        let mut expected = [0_i16; 35];
        expected[usize::try_from(i * k + j).expect("a place")] = 77;
        assert_eq!(memory, expected, "at {i}, {j}");
    }
}

#[test]
fn views_are_made_of_composed_layouts() {
    let context = context();
    let text = "
      !l = !layout<(?0,?1):(1,?0) o ? o (?1,2):(2,1)>
      !v = !layout.view<i64, host, (?0,?1):(1,?0) o ? o (?1,2):(2,1)>
      !n = !layout.view<index, coordinate, (?0,?1):(1,?0) o ? o (?1,2):(2,1)>
      func.func @store(%p: !llvm.ptr, %m: i32, %n: i32, %k: i32, %i: index, %j: index, %y: i64) {
        %l = layout.make %m, %n, %k : (i32, i32, i32) -> !l
        %v = layout.make_view %p, %l of i64 : !llvm.ptr, !l
        layout.store %y, %v(%i, %j) : !v
        return
      }
      func.func @memref(%p: memref<64xi64>, %l: !l, %i: index, %j: index) -> i64 {
        %v = layout.make_view %p, %l : memref<64xi64>, !l
        %x = layout.load %v(%i, %j) : !v
        return %x : i64
      }
      func.func @identity_tensor(%l: !l, %i: index, %j: index) -> index {
        %v = layout.identity_tensor of %l : !l -> !n
        %s = layout.slice %v(%i, _) : !n
        %x = layout.load %s(%j) : !layout.view<index, coordinate, (?0,?):(1,?0) o ? o (2):(1)>
        return %x : index
      }";
    let engine = Engine::lowered(&context, text);
    for [m, n, k] in [[3, 5, 0], [2, 3, 4], [1, 7, 2]] {
        let layout = format!("({m},{n}):(1,{m}) o {k} o ({n},2):(2,1)");
        for (i, j) in (0..n).flat_map(|i| (0..2).map(move |j| (i, j))) {
            let offset = number(&format!("crd2idx(({i},{j}), {layout})"));
            let place = usize::try_from(offset).expect("a place");
            let (mut memory, mut expected) = ([0_i64; 64], [0_i64; 64]);
            expected[place] = 77;
            let start = memory.as_mut_ptr() as i64;
            engine.call("store", &[start, m, n, k, i, j, 77], 0, false);
            assert_eq!(memory, expected, "{layout} at {i}, {j}");
            // A memref is its two pointers, its offset, its sizes and its strides.
            let arguments = [start, start, 0, 64, 1, m, n, k, i, j];
            assert_eq!(engine.call("memref", &arguments, 1, false), [77], "{layout} at {i}, {j}");
            assert_eq!(
                engine.call("identity_tensor", &[m, n, k, i, j], 1, false),
                [offset],
                "{layout}"
            );
        }
    }
}

#[test]
fn identity_tensors_hold_their_offsets() {
    let context = context();
    let text = "func.func @f(%l: !layout<(?,?1):(?1,1)>, %i: index, %j: index) -> index {
        %n = layout.identity_tensor of %l : !layout<(?,?1):(?1,1)> -> !layout.view<index, coordinate, (?,?1):(?1,1)>
        %s = layout.slice %n(%i, _) : !layout.view<index, coordinate, (?,?1):(?1,1)>
        %x = layout.load %s(%j) : !layout.view<index, coordinate, (?):(1)>
        return %x : index
      }";
    let engine = Engine::lowered(&context, text);
    for (i, j) in (0..4).flat_map(|i| (0..9).map(move |j| (i, j))) {
        assert_eq!(engine.call("f", &[4, 9, i, j], 1, false), [9 * i + j]);
    }
}

/// Fills and copies, of views that take their integers from arguments: `$S` is the source's, `$T` the
/// target's.
struct Moved {
    source: &'static str,
    target: &'static str,
    points: &'static [&'static [i64]],
    /// Where an element is copied, as terms of its index `i` and of the layouts `S` and `T`: it is less
    /// than the second one. Always, where there is none.
    predicate: Option<(&'static str, i64)>,
}

const MOVED: &[Moved] = &[
    Moved { source: "?:1", target: "?:2", points: &[&[7, 7], &[1, 1]], predicate: None },
    Moved {
        source: "(?,?1):(?1,1)",
        target: "(?,?1):(1,?0)",
        points: &[&[3, 5, 3, 5], &[4, 1, 4, 1]],
        predicate: None,
    },
    Moved {
        source: "((2,?),4):((1,8),2)",
        target: "(6,4):(4,1)",
        points: &[&[3]],
        predicate: None,
    },
    Moved {
        source: "(?,8):(8,1)",
        target: "(?,8):(1,?)",
        points: &[&[4, 4, 5], &[2, 2, 2]],
        predicate: Some(("(?,8):(8,1)", 19)),
    },
    Moved {
        source: "S<2,0,2> o 0 o (?,4):(4,1)",
        target: "S<1,1,2> o 0 o (?,4):(1,8)",
        points: &[&[4, 4], &[8, 8]],
        predicate: None,
    },
    Moved {
        source: "(?,4):(4,1) o 0 o (?,4):(4,1)",
        target: "(4,?):(?,1) o 3 o (?,4):(1,8)",
        points: &[&[5, 4, 9, 20, 4], &[1, 8, 16, 3, 8]],
        predicate: None,
    },
];

#[test]
fn fills_and_copies_go_over_every_element() {
    let context = context();
    let mut text = String::new();
    for (i, Moved { source, target, predicate, .. }) in MOVED.iter().enumerate() {
        let view = |layout: &str| format!("!layout.view<i64, host, {layout}>");
        let (source, target) = (view(source), view(target));
        let (predicates, ids) = match predicate {
            None => (String::new(), String::new()),
            Some((layout, limit)) => (
                format!(" predicate(%g < {limit} : !layout.view<index, coordinate, {layout}>)"),
                format!(
                    "%g = layout.identity_tensor of %l : !layout<{layout}> -> !layout.view<index, coordinate, {layout}>"
                ),
            ),
        };
        let argument =
            predicate.map_or(String::new(), |(layout, _)| format!(", %l: !layout<{layout}>"));
        text.push_str(&format!(
            "func.func @copy{i}(%s: {source}, %t: {target}{argument}) {{
               {ids}
               layout.copy #layout.atom<simt_1> %s, %t{predicates} : {source}, {target}
               return
             }}
             func.func @fill{i}(%s: {source}, %x: i64) {{
               layout.fill %s, %x : {source}
               return
             }}\n"
        ));
    }
    let engine = Engine::lowered(&context, &text);
    for (i, Moved { source, target, points, predicate }) in MOVED.iter().enumerate() {
        for values in *points {
            let mut rest = values.iter();
            let known = |text: &str, rest: &mut std::slice::Iter<'_, i64>| -> AnyLayout {
                let text = TermValue::parse(text).expect("a layout").to_string();
                any_layout(&at_values(&text, rest)).expect("a layout")
            };
            let start = |layout: &AnyLayout| within(&layout.to_string());
            let (from, into) = (known(source, &mut rest), known(target, &mut rest));
            let split = values.len() - TermValue::parse(target).expect("a layout").symbols().len();
            let numbers: Vec<i64> = (1000..1256).collect();
            let mut memory = [-1_i64; 256];
            let mut arguments = vec![numbers.as_ptr() as i64];
            arguments.extend(start(&from));
            arguments.extend(&values[..split]);
            arguments.push(memory.as_mut_ptr() as i64);
            arguments.extend(start(&into));
            arguments.extend(&values[split..]);
            if predicate.is_some() {
                arguments.push(values[0]);
            }
            engine.call(&format!("copy{i}"), &arguments, 0, false);
            let mut expected = [-1_i64; 256];
            let place = |layout: &AnyLayout, index: i64| {
                usize::try_from(layout.at(index).expect("an offset")).expect("a place")
            };
            for index in 0..from.size() {
                let moves = predicate.is_none_or(|(layout, limit)| {
                    let predicate = known(layout, &mut values[..1].iter());
                    predicate.at(index).expect("an offset") < limit
                });
                if moves {
                    expected[place(&into, index)] = numbers[place(&from, index)];
                }
            }
            assert_eq!(memory, expected, "{source} to {target} at {values:?}");
            let mut memory = [-1_i64; 256];
            let mut arguments = vec![memory.as_mut_ptr() as i64];
            arguments.extend(start(&from));
            arguments.extend(&values[..split]);
            arguments.push(5);
            engine.call(&format!("fill{i}"), &arguments, 0, false);
            let mut expected = [-1_i64; 256];
            (0..from.size()).for_each(|index| expected[place(&from, index)] = 5);
            assert_eq!(memory, expected, "fill {source} at {values:?}");
        }
    }
}
