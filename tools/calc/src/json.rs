//! Answers as JSON, one object a line, for programs.

use layout_algebra::{AnyLayout, Nested, Outer, Swizzle, Value};
use serde::Serialize;

use crate::session::Answer;

/// The record of an answer; fields that do not apply are left out.
#[derive(Default, Serialize)]
struct Record<'a> {
    input: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stride: Option<serde_json::Value>,
    /// Bits, base and shift.
    #[serde(skip_serializing_if = "Option::is_none")]
    swizzle: Option<[i64; 3]>,
    /// The outer layout of a composed layout without a swizzle, applied last.
    #[serde(skip_serializing_if = "Option::is_none")]
    outer: Option<Plain>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cosize: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs: Option<Vec<Dimension>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outputs: Option<Vec<Dimension>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    /// The offset between the two parts of a composed layout; for an error, the byte where reading
    /// stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<i64>,
}

/// A layout beside another.
#[derive(Serialize)]
struct Plain {
    shape: serde_json::Value,
    stride: serde_json::Value,
}

/// A dimension of a linear layout.
#[derive(Serialize)]
struct Dimension {
    name: String,
    size: i64,
    /// The outputs at 1, 2, 4, … of an input.
    #[serde(skip_serializing_if = "Option::is_none")]
    bases: Option<Vec<Vec<i64>>>,
}

/// The line of an answer, without its end.
pub(crate) fn line(answer: &Answer) -> String {
    let mut record =
        Record { input: &answer.input, name: answer.name.as_deref(), ..Record::default() };
    if let Some(reply) = &answer.reply {
        match reply {
            Ok(reply) => {
                record.value = Some(reply.text.clone());
                record.kind = Some(reply.kind);
            }
            Err(refusal) => {
                record.error = Some(refusal.to_string());
                record.code = Some(refusal.code());
                record.offset = refusal.offset().and_then(|at| i64::try_from(at).ok());
            }
        }
        return serde_json::to_string(&record).unwrap_or_default();
    }
    match &answer.value {
        Ok(value) => describe(&mut record, value),
        Err(error) => {
            record.error = Some(error.to_string());
            record.code = Some(error.code());
            record.offset = error.offset().and_then(|at| i64::try_from(at).ok());
        }
    }
    // Strings, numbers and lists: nothing in a record can fail to be written.
    serde_json::to_string(&record).unwrap_or_default()
}

fn describe(record: &mut Record<'_>, value: &Value) {
    record.value = Some(value.to_string());
    record.kind = Some(value.kind());
    let layout = match value {
        Value::Layout(layout) => AnyLayout::Plain(layout.clone()),
        Value::Composed(composed) => {
            match &composed.outer {
                Outer::Swizzle(swizzle) => record.swizzle = Some(parts(swizzle)),
                Outer::Layout(layout) => {
                    let shape = nested(layout.shape(), &|&extent| extent.into());
                    let stride = nested(layout.stride(), &|&stride| stride.into());
                    record.outer = Some(Plain { shape, stride });
                }
            }
            record.offset = Some(composed.offset);
            AnyLayout::Composed(composed.clone())
        }
        Value::Swizzle(swizzle) => {
            record.swizzle = Some(parts(swizzle));
            return;
        }
        Value::Linear(layout) => {
            record.size = Some(layout.size());
            record.cosize = Some(layout.cosize());
            let mut bases = layout.bases().into_iter().map(|(_, bases)| bases);
            let ins = layout.in_dims().map(|(name, size)| Dimension {
                name: name.to_owned(),
                size,
                bases: bases.next(),
            });
            record.inputs = Some(ins.collect());
            let outs = layout.out_dims().map(|(name, size)| Dimension {
                name: name.to_owned(),
                size,
                bases: None,
            });
            record.outputs = Some(outs.collect());
            return;
        }
        Value::Tuple(tuple) => {
            record.rank = Some(tuple.rank());
            record.depth = Some(tuple.depth());
            return;
        }
        Value::Basis(layout) => {
            record.shape = Some(nested(layout.shape(), &|&extent| extent.into()));
            record.stride = Some(nested(layout.stride(), &|basis| basis.to_string().into()));
            record.size = Some(layout.size());
            record.rank = Some(layout.rank());
            record.depth = Some(layout.shape().depth());
            return;
        }
        _ => return,
    };
    let inner = layout.inner();
    record.shape = Some(nested(inner.shape(), &|&extent| extent.into()));
    record.stride = Some(nested(inner.stride(), &|&stride| stride.into()));
    record.size = Some(layout.size());
    // The cosize of a large swizzled layout is not searched for.
    record.cosize = layout.cosize().ok();
    record.rank = Some(inner.rank());
    record.depth = Some(inner.depth());
}

fn parts(swizzle: &Swizzle) -> [i64; 3] {
    [swizzle.bits.into(), swizzle.base.into(), swizzle.shift.into()]
}

/// A tuple as nested arrays.
fn nested<T>(tuple: &Nested<T>, leaf: &impl Fn(&T) -> serde_json::Value) -> serde_json::Value {
    match tuple {
        Nested::Leaf(value) => leaf(value),
        Nested::Node(entries) => entries.iter().map(|entry| nested(entry, leaf)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;
    use expect_test::expect;

    #[test]
    fn lines_say_what_there_is() {
        let mut session = Session::default();
        let inputs = [
            "let A = (4,(2,4)):(2,(1,8))",
            "composition(S<2,0,2>, A)",
            "size(A)",
            "shape(A)",
            "S<2,0,2>",
            "(4,5):(1,8) o 2 o (8,3):(1,3)",
            "make_identity_layout((4,(2,2)))",
            "linear<{register = [(0,1)], lane = [(1,0),(0,2)]} -> {row = 2, col = 4}>",
            "congruent((1,2), (3,4))",
            "<A, _>",
            "composition((3,4):(1,5), (2,2):(2,1))",
            "let A = \"(4",
        ];
        let lines: Vec<_> = inputs.iter().map(|input| line(&session.answer(input))).collect();
        expect![[r#"
            {"input":"let A = (4,(2,4)):(2,(1,8))","name":"A","value":"(4,(2,4)):(2,(1,8))","kind":"layout","shape":[4,[2,4]],"stride":[2,[1,8]],"size":32,"cosize":32,"rank":2,"depth":2}
            {"input":"composition(S<2,0,2>, A)","value":"S<2,0,2> o 0 o (4,(2,4)):(2,(1,8))","kind":"composed","shape":[4,[2,4]],"stride":[2,[1,8]],"swizzle":[2,0,2],"size":32,"cosize":32,"rank":2,"depth":2,"offset":0}
            {"input":"size(A)","value":"32","kind":"integer"}
            {"input":"shape(A)","value":"(4,(2,4))","kind":"tuple","rank":2,"depth":2}
            {"input":"S<2,0,2>","value":"S<2,0,2>","kind":"swizzle","swizzle":[2,0,2]}
            {"input":"(4,5):(1,8) o 2 o (8,3):(1,3)","value":"(4,5):(1,8) o 2 o (8,3):(1,3)","kind":"composed","shape":[8,3],"stride":[1,3],"outer":{"shape":[4,5],"stride":[1,8]},"size":24,"cosize":28,"rank":2,"depth":1,"offset":2}
            {"input":"make_identity_layout((4,(2,2)))","value":"(4,(2,2)):(1@0,(1@0@1,1@1@1))","kind":"basis layout","shape":[4,[2,2]],"stride":["1@0",["1@0@1","1@1@1"]],"size":16,"rank":2,"depth":2}
            {"input":"linear<{register = [(0,1)], lane = [(1,0),(0,2)]} -> {row = 2, col = 4}>","value":"linear<{register = [(0,1)], lane = [(1,0),(0,2)]} -> {row = 2, col = 4}>","kind":"linear layout","size":8,"cosize":8,"inputs":[{"name":"register","size":2,"bases":[[0,1]]},{"name":"lane","size":4,"bases":[[1,0],[0,2]]}],"outputs":[{"name":"row","size":2},{"name":"col","size":4}]}
            {"input":"congruent((1,2), (3,4))","value":"true","kind":"boolean"}
            {"input":"<A, _>","value":"<(4,(2,4)):(2,(1,8)), _>","kind":"tiler"}
            {"input":"composition((3,4):(1,5), (2,2):(2,1))","error":"composition((3,4):(1,5), (2,2):(2,1)): no layout has these values: expected 5 at coordinate 3, found 3 in the only candidate","code":"no-composition"}
            {"input":"let A = \"(4","name":"A","error":"at byte 8: expected a term, an integer, `_` or `(`, found `\\\"`","code":"parse","offset":8}"#]].assert_eq(&lines.join("\n"));
    }
}
