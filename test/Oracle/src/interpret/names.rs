//! The code of each operation of upstream and of the layout dialect, by its name and attributes.

use crate::{
    interpret::{
        Stop,
        arithmetic::{Binary, Cast, Convert, Extended, Flags, Float},
        decode::{Code, Place, Reader},
        layout_text::{Term, Text},
        recast,
        types::{Ty, split},
        value::{Value, mask},
    },
    ir,
};
use std::rc::Rc;

/// The code of an operation; [`Code::Unknown`] where this interpreter does not know it.
pub fn code(name: &str, op: ir::Op, reader: &mut Reader) -> Code {
    let found = if let Some(name) = name.strip_prefix("arith.") {
        arith(name, op, reader)
    } else if let Some(name) = name.strip_prefix("index.") {
        index(name, op, reader)
    } else if let Some(name) = name.strip_prefix("llvm.") {
        llvm(name, op, reader)
    } else if let Some(name) = name.strip_prefix("memref.") {
        memref(name, op, reader)
    } else if let Some(name) = name.strip_prefix("layout.") {
        layout(name, op, reader)
    } else if let Some(name) = name.strip_prefix("affine.") {
        affine(name, op, reader)
    } else if let Some(name) = name.strip_prefix("gpu.") {
        gpu(name, op, reader)
    } else if let Some(name) = name.strip_prefix("nvvm.") {
        nvvm(name)
    } else {
        control(name, op, reader)
    };
    found.unwrap_or_else(|| Code::Unknown(name.into()))
}

fn operand_type(op: ir::Op, i: usize, reader: &mut Reader) -> Option<Rc<Ty>> {
    op.operands().get(i).map(|value| reader.ty(value.r#type()))
}

fn result_type(op: ir::Op, reader: &mut Reader) -> Option<Rc<Ty>> {
    op.results().first().map(|value| reader.ty(value.r#type()))
}

/// Bits of a number, or of a vector's element.
fn bits(ty: &Ty) -> Option<u32> {
    match ty {
        Ty::Vector(_, element) => bits(element),
        ty => ty.bits().ok(),
    }
}

fn flags(op: ir::Op, reader: &mut Reader) -> Flags {
    let mut flags = Flags::default();
    if let Some(text) = reader.attribute(op, "overflowFlags") {
        flags.nsw = text.contains("nsw");
        flags.nuw = text.contains("nuw");
    }
    flags.exact = op.attribute("isExact").is_some();
    flags.disjoint = op.attribute("isDisjoint").is_some();
    flags.non_negative = op.attribute("nonNeg").is_some();
    flags
}

fn binary(kind: Binary, op: ir::Op, reader: &mut Reader) -> Option<Code> {
    let bits = bits(&*operand_type(op, 0, reader)?)?;
    Some(Code::Binary(kind, flags(op, reader), bits))
}

fn cast(kind: Cast, op: ir::Op, reader: &mut Reader) -> Option<Code> {
    let from = bits(&*operand_type(op, 0, reader)?)?;
    let to = bits(&*result_type(op, reader)?)?;
    Some(Code::Cast(kind, flags(op, reader), from, to))
}

fn float(kind: Float, op: ir::Op, reader: &mut Reader) -> Option<Code> {
    match &*operand_type(op, 0, reader)? {
        Ty::Float(bits) => Some(Code::Float(kind, *bits)),
        _ => None,
    }
}

fn convert(kind: Convert, op: ir::Op, reader: &mut Reader) -> Option<Code> {
    let from = operand_type(op, 0, reader)?.bits().ok()?;
    Some(Code::Convert(kind, from, result_type(op, reader)?.bits().ok()?))
}

/// A change of bits' meaning: from a float it may be of a NaN.
fn bitcast(op: ir::Op, reader: &mut Reader) -> Option<Code> {
    match (&*operand_type(op, 0, reader)?, &*result_type(op, reader)?) {
        (Ty::Float(_), Ty::Int(_)) => convert(Convert::Bits, op, reader),
        _ => cast(Cast::Same, op, reader),
    }
}

fn compare_floats(op: ir::Op, reader: &mut Reader) -> Option<Code> {
    let bits = operand_type(op, 0, reader)?.bits().ok()?;
    Some(Code::CompareFloat(predicate(op, reader)?, bits))
}

fn negate(op: ir::Op, reader: &mut Reader) -> Option<Code> {
    Some(Code::Negate(operand_type(op, 0, reader)?.bits().ok()?))
}

/// The first integer in an attribute's text.
pub(super) fn number(text: &str) -> Option<i64> {
    text.split([' ', ':']).next()?.parse().ok()
}

fn constant(text: &str, ty: &Ty) -> Option<Value> {
    let literal = text.split(" : ").next()?.trim();
    Some(match ty {
        Ty::Int(1) if literal == "true" => Value::Bits(1),
        Ty::Int(1) if literal == "false" => Value::Bits(0),
        Ty::Int(bits @ 65..) => {
            let value = literal.parse::<i128>().ok()? as u128;
            Value::Wide(if *bits < 128 { value & ((1 << *bits) - 1) } else { value })
        }
        Ty::Int(bits) => Value::Bits(literal.parse::<i128>().ok()? as u64 & mask(*bits)),
        Ty::Index => Value::Bits(literal.parse::<i128>().ok()? as u64),
        Ty::Float(size) => {
            let hex = literal.strip_prefix("0x").map(|h| u64::from_str_radix(h, 16));
            match (hex, size) {
                (Some(bits), _) => Value::Bits(bits.ok()? & mask(*size)),
                (None, 32) => Value::Bits(u64::from(literal.parse::<f32>().ok()?.to_bits())),
                (None, _) => Value::Bits(literal.parse::<f64>().ok()?.to_bits()),
            }
        }
        Ty::Vector(count, element) => {
            let inner = literal.strip_prefix("dense<")?.strip_suffix('>')?;
            let values: Vec<Value> = match inner.strip_prefix('[') {
                Some(list) => {
                    let list = split(list.strip_suffix(']')?);
                    list.iter().map(|text| constant(text, element)).collect::<Option<_>>()?
                }
                None => vec![constant(inner, element)?; *count],
            };
            (values.len() == *count).then_some(Value::Many(values.into()))?
        }
        _ => return None,
    })
}

fn predicate(op: ir::Op, reader: &mut Reader) -> Option<u8> {
    let text = reader.attribute(op, "predicate").or_else(|| reader.attribute(op, "pred"))?;
    if let Some(found) = number(&text) {
        return u8::try_from(found).ok();
    }
    let name = text.rsplit([' ', '<', '(']).next()?.trim_end_matches(['>', ')']);
    let name = name.trim_matches('"');
    let floats = "_false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno _true";
    if op.operands().first().is_some_and(|value| value.r#type().text().starts_with('f')) {
        return floats.split(' ').position(|known| known == name).map(|place| place as u8);
    }
    ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
        .iter()
        .position(|known| *known == name)
        .map(|place| place as u8)
}

fn compare(op: ir::Op, reader: &mut Reader) -> Option<Code> {
    let bits = bits(&*operand_type(op, 0, reader)?)?;
    Some(Code::Compare(predicate(op, reader)?, bits))
}

fn arith(name: &str, op: ir::Op, reader: &mut Reader) -> Option<Code> {
    use Binary::*;
    let kind = match name {
        "addi" => Add,
        "subi" => Sub,
        "muli" => Mul,
        "andi" => And,
        "ori" => Or,
        "xori" => Xor,
        "shli" => Shl,
        "shrui" => ShrU,
        "shrsi" => ShrS,
        "divsi" => DivS,
        "divui" => DivU,
        "remsi" => RemS,
        "remui" => RemU,
        "ceildivsi" => CeilDivS,
        "ceildivui" => CeilDivU,
        "floordivsi" => FloorDivS,
        "maxsi" => MaxS,
        "maxui" => MaxU,
        "minsi" => MinS,
        "minui" => MinU,
        "cmpi" => return compare(op, reader),
        "select" => return Some(Code::Select),
        "extsi" => return cast(Cast::Sign, op, reader),
        "extui" => return cast(Cast::Zero, op, reader),
        "trunci" => return cast(Cast::Truncate, op, reader),
        "index_cast" => return cast(Cast::SignOrTruncate, op, reader),
        "index_castui" => return cast(Cast::ZeroOrTruncate, op, reader),
        "bitcast" => return bitcast(op, reader),
        "sitofp" => return convert(Convert::FromSigned, op, reader),
        "uitofp" => return convert(Convert::FromUnsigned, op, reader),
        "fptosi" => return convert(Convert::ToSigned, op, reader),
        "fptoui" => return convert(Convert::ToUnsigned, op, reader),
        "extf" | "truncf" => return convert(Convert::Float, op, reader),
        "cmpf" => return compare_floats(op, reader),
        "negf" => return negate(op, reader),
        "constant" => {
            let text = reader.attribute(op, "value")?;
            return constant(&text, &*result_type(op, reader)?).map(Code::Constant);
        }
        "addf" => return float(Float::Add, op, reader),
        "subf" => return float(Float::Sub, op, reader),
        "mulf" => return float(Float::Mul, op, reader),
        "divf" => return float(Float::Div, op, reader),
        "addui_extended" => return extended(Extended::AddU, op, reader),
        "mului_extended" => return extended(Extended::MulU, op, reader),
        "mulsi_extended" => return extended(Extended::MulS, op, reader),
        _ => return None,
    };
    binary(kind, op, reader)
}

fn extended(kind: Extended, op: ir::Op, reader: &mut Reader) -> Option<Code> {
    Some(Code::Extended(kind, bits(&*operand_type(op, 0, reader)?)?))
}

fn index(name: &str, op: ir::Op, reader: &mut Reader) -> Option<Code> {
    use Binary::*;
    let kind = match name {
        "add" => Add,
        "sub" => Sub,
        "mul" => Mul,
        "divs" => DivS,
        "divu" => DivU,
        "rems" => RemS,
        "remu" => RemU,
        "ceildivs" => CeilDivS,
        "ceildivu" => CeilDivU,
        "floordivs" => FloorDivS,
        "and" => And,
        "or" => Or,
        "xor" => Xor,
        "shl" => Shl,
        "shrs" => ShrS,
        "shru" => ShrU,
        "maxs" => MaxS,
        "maxu" => MaxU,
        "mins" => MinS,
        "minu" => MinU,
        "cmp" => return compare(op, reader),
        "casts" => return cast(Cast::SignOrTruncate, op, reader),
        "castu" => return cast(Cast::ZeroOrTruncate, op, reader),
        "constant" | "bool.constant" => {
            let text = reader.attribute(op, "value")?;
            return constant(&text, &*result_type(op, reader)?).map(Code::Constant);
        }
        "sizeof" => return Some(Code::Constant(Value::Bits(64))),
        _ => return None,
    };
    binary(kind, op, reader)
}

fn array(text: &str) -> Option<Vec<i64>> {
    let inner = text.strip_prefix("array<")?.strip_suffix('>')?;
    match inner.split_once(':') {
        Some((_, list)) => list.split(',').map(|n| n.trim().parse().ok()).collect(),
        None => Some(Vec::new()),
    }
}

fn llvm(name: &str, op: ir::Op, reader: &mut Reader) -> Option<Code> {
    use Binary::*;
    let kind = match name {
        "add" => Add,
        "sub" => Sub,
        "mul" => Mul,
        "and" => And,
        "or" => Or,
        "xor" => Xor,
        "shl" => Shl,
        "lshr" => ShrU,
        "ashr" => ShrS,
        "sdiv" => DivS,
        "udiv" => DivU,
        "srem" => RemS,
        "urem" => RemU,
        "intr.smax" => MaxS,
        "intr.smin" => MinS,
        "intr.umax" => MaxU,
        "intr.umin" => MinU,
        "icmp" => return compare(op, reader),
        "select" => return Some(Code::Select),
        "sext" => return cast(Cast::Sign, op, reader),
        "zext" => return cast(Cast::Zero, op, reader),
        "trunc" => return cast(Cast::Truncate, op, reader),
        "inttoptr" | "ptrtoint" => return cast(Cast::ZeroOrTruncate, op, reader),
        "addrspacecast" => return cast(Cast::Same, op, reader),
        "bitcast" => return bitcast(op, reader),
        "sitofp" => return convert(Convert::FromSigned, op, reader),
        "uitofp" => return convert(Convert::FromUnsigned, op, reader),
        "fptosi" => return convert(Convert::ToSigned, op, reader),
        "fptoui" => return convert(Convert::ToUnsigned, op, reader),
        "fpext" | "fptrunc" => return convert(Convert::Float, op, reader),
        "fcmp" => return compare_floats(op, reader),
        "fneg" => return negate(op, reader),
        "freeze" => return Some(Code::Freeze),
        "fadd" => return float(Float::Add, op, reader),
        "fsub" => return float(Float::Sub, op, reader),
        "fmul" => return float(Float::Mul, op, reader),
        "fdiv" => return float(Float::Div, op, reader),
        "mlir.constant" => {
            let text = reader.attribute(op, "value")?;
            return constant(&text, &*result_type(op, reader)?).map(Code::Constant);
        }
        "mlir.zero" => return Some(Code::Constant(Value::Bits(0))),
        "mlir.poison" | "mlir.undef" => return Some(Code::Constant(Value::Poison)),
        "br" => return Some(Code::Branch),
        "cond_br" => return conditional(op, reader),
        "switch" => return switch(op, reader),
        "return" => return Some(Code::Leave),
        "unreachable" => return Some(Code::Unreachable),
        "call" => return call(op, reader),
        "load" => return Some(Code::PointerLoad(bits(&*result_type(op, reader)?)?)),
        "store" => return Some(Code::PointerStore(bits(&*operand_type(op, 0, reader)?)?)),
        "getelementptr" => {
            let indices = array(&reader.attribute(op, "rawConstantIndices")?)?;
            let element = reader.attribute(op, "elem_type")?;
            let mut widths = Vec::new();
            for i in 1..op.operands().len() {
                widths.push(bits(&*operand_type(op, i, reader)?)?);
            }
            return Some(Code::Step(indices, Rc::new(Ty::parse(&element)), widths));
        }
        "alloca" => {
            let element = reader.attribute(op, "elem_type")?;
            return Some(Code::Alloca(Ty::parse(&element).bytes().ok()?));
        }
        "insertvalue" | "extractvalue" => {
            let place: Vec<usize> = array(&reader.attribute(op, "position")?)?
                .into_iter()
                .map(|place| place as usize)
                .collect();
            return Some(match name {
                "extractvalue" => Code::Extract(place),
                _ => Code::Insert(place, result_type(op, reader)?),
            });
        }
        "mlir.addressof" => {
            let symbol = reader.attribute(op, "global_name")?;
            let mut holder = op.parent()?;
            while holder.name() != "gpu.module" {
                holder = holder.parent()?;
            }
            let inside = holder.regions()[0].blocks()[0].operations();
            let is = |other: &ir::Op| {
                let name = other.attribute("sym_name").map(|name| name.text());
                name.is_some_and(|name| name.trim_matches('"') == symbol.trim_start_matches('@'))
            };
            let ty = inside.into_iter().find(is)?.attribute("global_type")?.text();
            return Some(Code::BlockMemory(symbol, Ty::parse(&ty).bytes().ok()?));
        }
        "intr.lifetime.start" | "intr.lifetime.end" => return Some(Code::Nothing),
        _ => return None,
    };
    binary(kind, op, reader)
}

fn call(op: ir::Op, reader: &mut Reader) -> Option<Code> {
    Some(Code::Call(reader.attribute(op, "callee")?.trim_start_matches('@').into()))
}

fn segments(op: ir::Op, reader: &mut Reader) -> Option<Vec<usize>> {
    let text = reader.attribute(op, "operandSegmentSizes")?;
    Some(array(&text)?.into_iter().map(|count| count as usize).collect())
}

fn conditional(op: ir::Op, reader: &mut Reader) -> Option<Code> {
    Some(Code::CondBranch(*segments(op, reader)?.get(1)?))
}

fn switch(op: ir::Op, reader: &mut Reader) -> Option<Code> {
    let ty = operand_type(op, 0, reader)?;
    let mut counts = vec![*segments(op, reader)?.get(1)?];
    let cases = match reader.attribute(op, "case_values") {
        Some(text) => {
            let inner = text.strip_prefix("dense<")?.split_once('>')?.0;
            let list = inner.trim_matches(['[', ']']);
            split(list).iter().map(|text| constant(text, &ty)).collect::<Option<Vec<_>>>()?
        }
        None => Vec::new(),
    };
    let of_cases = array(&reader.attribute(op, "case_operand_segments")?)?;
    // A text of one number for all is one for each.
    let cases: Vec<i64> = match cases.as_slice() {
        [one] => vec![one; of_cases.len()].into_iter(),
        _ => cases.iter().collect::<Vec<_>>().into_iter(),
    }
    .map(|case| case.known("a case").map(|bits| bits as i64))
    .collect::<Result<_, _>>()
    .ok()?;
    counts.extend(of_cases.into_iter().map(|count| count as usize));
    (counts.len() == cases.len() + 1).then_some(Code::Switch(cases, counts))
}

fn dimension(text: &str) -> Option<usize> {
    ["x", "y", "z"].iter().position(|known| text.trim_end_matches('>').ends_with(known))
}

fn gpu(name: &str, op: ir::Op, reader: &mut Reader) -> Option<Code> {
    let place = match name {
        "thread_id" => Place::ThreadId,
        "block_id" => Place::BlockId,
        "block_dim" => Place::BlockDim,
        "grid_dim" => Place::GridDim,
        "barrier" => return Some(Code::Barrier),
        "return" | "terminator" => return Some(Code::Leave),
        "launch" | "launch_func" => {
            let kernel = match name {
                "launch" => None,
                _ => Some(reader.attribute(op, "kernel")?.trim_start_matches('@').into()),
            };
            let workgroup = reader.attribute(op, "workgroup_attributions");
            let workgroup = workgroup.and_then(|text| number(&text)).unwrap_or(0) as usize;
            return Some(Code::Launch(kernel, segments(op, reader)?, workgroup));
        }
        _ => return None,
    };
    Some(Code::Place(place, dimension(&reader.attribute(op, "dimension")?)?))
}

/// The registers that have a thread's indices.
fn nvvm(name: &str) -> Option<Code> {
    if matches!(name, "barrier0" | "barrier") {
        return Some(Code::Barrier);
    }
    let (register, dimension_of) = name.strip_prefix("read.ptx.sreg.")?.split_once('.')?;
    let place = match register {
        "tid" => Place::ThreadId,
        "ctaid" => Place::BlockId,
        "ntid" => Place::BlockDim,
        "nctaid" => Place::GridDim,
        _ => return None,
    };
    Some(Code::Place(place, dimension(dimension_of)?))
}

fn control(name: &str, op: ir::Op, reader: &mut Reader) -> Option<Code> {
    Some(match name {
        "scf.for" => {
            let unsigned = op.attribute("unsignedCmp").is_some();
            Code::For { unsigned, bits: bits(&*operand_type(op, 0, reader)?)? }
        }
        "scf.while" => Code::While,
        "scf.if" => Code::If,
        "scf.execute_region" => Code::Region,
        "scf.parallel" if op.results().is_empty() => Code::Parallel(op.operands().len() / 3),
        "scf.index_switch" => Code::IndexSwitch(array(&reader.attribute(op, "cases")?)?),
        "scf.yield" | "scf.condition" | "func.return" | "scf.reduce" => Code::Leave,
        "cf.br" => Code::Branch,
        "cf.cond_br" => conditional(op, reader)?,
        "cf.switch" => switch(op, reader)?,
        "func.call" => call(op, reader)?,
        "ub.poison" => Code::Constant(Value::Poison),
        "ub.unreachable" => Code::Unreachable,
        _ => return None,
    })
}

fn memref(name: &str, op: ir::Op, reader: &mut Reader) -> Option<Code> {
    let element = |ty: &Ty| match ty {
        Ty::MemRef(memref) => memref.element.bytes().ok(),
        _ => None,
    };
    let strided = |reader: &mut Reader| -> Option<[Vec<i64>; 3]> {
        let mut read = |name| array(&reader.attribute(op, name)?);
        Some([read("static_offsets")?, read("static_sizes")?, read("static_strides")?])
    };
    Some(match name {
        "alloc" | "alloca" => Code::Alloc(result_type(op, reader)?),
        "dealloc" => Code::Dealloc,
        "load" => Code::Load(element(&*operand_type(op, 0, reader)?)?),
        "store" => Code::Store(element(&*operand_type(op, 1, reader)?)?),
        "subview" => {
            let [offsets, sizes, strides] = strided(reader)?;
            let Ty::MemRef(result) = &*result_type(op, reader)? else { return None };
            let segments = segments(op, reader)?;
            Code::SubView { segments, offsets, sizes, strides, rank: result.sizes.len() }
        }
        "reinterpret_cast" => {
            let [offsets, sizes, strides] = strided(reader)?;
            Code::Reinterpret { segments: segments(op, reader)?, offsets, sizes, strides }
        }
        "cast" => Code::Expect(result_type(op, reader)?),
        "dim" => Code::Dim,
        "extract_strided_metadata" => Code::Metadata,
        "extract_aligned_pointer_as_index" => Code::AlignedPointer,
        "copy" => Code::MemRefCopy,
        _ => return None,
    })
}

fn term(text: &str) -> Option<Rc<Term>> {
    let inner = text.strip_prefix("#layout<")?.strip_suffix('>')?;
    Text::parse(inner).ok()?.at(&[]).ok().map(Rc::new)
}

fn layout(name: &str, op: ir::Op, reader: &mut Reader) -> Option<Code> {
    let coordinate = |reader: &mut Reader| -> Option<Rc<str>> {
        Some(reader.attribute(op, "coord")?.trim_matches('"').into())
    };
    let by = |name: &str, reader: &mut Reader| reader.attribute(op, name).map(|text| term(&text));
    Some(match name {
        "make" => match &*result_type(op, reader)? {
            Ty::Layout(text) | Ty::Tuple(text) => Code::Make(Rc::new(Text::parse(text).ok()?)),
            _ => return None,
        },
        "constant" => match &*result_type(op, reader)? {
            // A call is a term too; its value is the definition's, which the type does not decide: nothing may read it.
            Ty::Layout(_) | Ty::Tuple(_) => match term(&reader.attribute(op, "term")?) {
                Some(term) => Code::Term(term),
                None => Code::Constant(Value::Poison),
            },
            _ => return None,
        },
        "make_view" => Code::MakeView(result_type(op, reader)?),
        "load" => Code::ViewLoad(coordinate(reader)?),
        "store" => Code::ViewStore(coordinate(reader)?),
        "fill" => Code::Fill,
        "alloc" | "partition_fragment" | "make_fragment_like" => {
            Code::AllocView(result_type(op, reader)?)
        }
        // Each thread by itself, without a predicate.
        "copy" if op.operands().len() == 2 => {
            let atom = reader.attribute(op, "atom")?;
            atom.contains("<simt_").then_some(Code::CopyView)?
        }
        "crd2idx" => Code::ToIndex(coordinate(reader)?),
        "idx2crd" => Code::ToCoordinate(match by("shape", reader) {
            Some(shape) => Some(shape?),
            None => None,
        }),
        "slice" => Code::Slice(coordinate(reader)?),
        "local_tile" => Code::LocalTile(coordinate(reader)?, by("term", reader)??),
        "partition" => Code::Partition(coordinate(reader)?, by("term", reader)??),
        "composition" => Code::Compose(match by("term", reader) {
            Some(term) => Some(term?),
            None => None,
        }),
        "zipped_divide" => Code::ZippedDivide(match by("term", reader) {
            Some(term) => Some(term?),
            None => None,
        }),
        "size" => Code::Size,
        "get" | "select" => {
            let modes = array(&reader.attribute(op, "modes")?)?;
            let modes = modes.into_iter().map(|mode| mode as usize).collect();
            if name == "get" { Code::Get(modes) } else { Code::Pick(modes) }
        }
        "recast" => match (&*operand_type(op, 0, reader)?, &*result_type(op, reader)?) {
            (Ty::View(from), Ty::View(to)) => {
                let grows = recast::grows(&Text::parse(&from.layout).ok()?);
                Code::Recast(from.element.bits().ok()?, Rc::new(to.element.clone()), grows)
            }
            _ => return None,
        },
        "coalesce" if op.attribute("profile").is_none() => Code::Coalesce,
        "offset" => Code::Offset,
        "inner" => Code::Inner,
        "identity_tensor" if op.operands().is_empty() => match &*result_type(op, reader)? {
            Ty::View(view) => Code::IdentityTensor(Rc::new(Text::parse(&view.layout).ok()?)),
            _ => return None,
        },
        "make_tuple" => Code::MakeTuple(coordinate(reader)?),
        _ => return None,
    })
}

/// An affine map.
#[derive(Clone, Debug)]
pub struct Map {
    /// How many dimensions it has; symbols are after them.
    pub dimensions: usize,
    /// Its results.
    pub results: Vec<Affine>,
}

/// An integer set: results, each with whether it is to be 0 rather than at least 0.
#[derive(Clone, Debug)]
pub struct Set {
    /// The formulas.
    pub map: Map,
    /// Whether each is an equation.
    pub equations: Vec<bool>,
}

/// An affine formula.
#[derive(Clone, Debug)]
pub enum Affine {
    /// A number.
    Number(i64),
    /// An operand.
    Operand(usize),
    /// An operation on two formulas.
    Of(char, Box<Affine>, Box<Affine>),
}

impl Affine {
    /// Its value; the index has 64 bits and an overflow has no meaning.
    pub fn at(&self, values: &[i64]) -> Result<i64, Stop> {
        Ok(match self {
            Self::Number(number) => *number,
            Self::Operand(place) => {
                *values.get(*place).ok_or_else(|| Stop::unknown("an affine operand"))?
            }
            Self::Of(op, a, b) => {
                let (a, b) = (i128::from(a.at(values)?), i128::from(b.at(values)?));
                if matches!(op, '/' | '%' | 'c') && b <= 0 {
                    return Err(Stop::undefined("an affine division by 0 or less"));
                }
                let value = match op {
                    '+' => a + b,
                    '*' => a * b,
                    '/' => a.div_euclid(b),
                    'c' => (a + b - 1).div_euclid(b),
                    _ => a.rem_euclid(b),
                };
                i64::try_from(value).map_err(|_| Stop::undefined("an affine formula overflows"))?
            }
        })
    }
}

struct Affines<'a> {
    text: &'a str,
    dimensions: usize,
}

impl Affines<'_> {
    fn eat(&mut self, token: &str) -> bool {
        self.text = self.text.trim_start();
        match self.text.strip_prefix(token) {
            Some(rest) => {
                self.text = rest;
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Option<Affine> {
        let mut left = self.product()?;
        loop {
            if self.eat("+") {
                left = Affine::Of('+', left.into(), self.product()?.into());
            } else if self.text.trim_start().starts_with('-') && self.eat("-") {
                let right = Affine::Of('*', Affine::Number(-1).into(), self.product()?.into());
                left = Affine::Of('+', left.into(), right.into());
            } else {
                return Some(left);
            }
        }
    }

    fn product(&mut self) -> Option<Affine> {
        let mut left = self.factor()?;
        loop {
            let op = if self.eat("*") {
                '*'
            } else if self.eat("floordiv") {
                '/'
            } else if self.eat("ceildiv") {
                'c'
            } else if self.eat("mod") {
                '%'
            } else {
                return Some(left);
            };
            left = Affine::Of(op, left.into(), self.factor()?.into());
        }
    }

    fn factor(&mut self) -> Option<Affine> {
        if self.eat("(") {
            let inner = self.sum()?;
            return self.eat(")").then_some(inner);
        }
        if self.eat("-") {
            return Some(Affine::Of('*', Affine::Number(-1).into(), self.factor()?.into()));
        }
        let first = if self.eat("d") {
            Some(0)
        } else if self.eat("s") {
            Some(self.dimensions)
        } else {
            None
        };
        self.text = self.text.trim_start();
        let end = self.text.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.text.split_at(end);
        self.text = rest;
        Some(match first {
            Some(first) => Affine::Operand(first + digits.parse::<usize>().ok()?),
            None => Affine::Number(digits.parse().ok()?),
        })
    }
}

fn dimensions(head: &str) -> usize {
    let list = head.trim_start_matches('(').split(')').next().unwrap_or("");
    list.split(',').filter(|name| !name.trim().is_empty()).count()
}

fn map(text: &str) -> Option<Map> {
    let inner = text.strip_prefix("affine_map<")?.strip_suffix('>')?;
    let (head, list) = inner.split_once(" -> ")?;
    let dimensions = dimensions(head);
    let mut results = Vec::new();
    for text in split(list.trim().strip_prefix('(')?.strip_suffix(')')?) {
        let mut affines = Affines { text, dimensions };
        results.push(affines.sum()?);
        if !affines.text.trim().is_empty() {
            return None;
        }
    }
    Some(Map { dimensions, results })
}

fn set(text: &str) -> Option<Set> {
    let inner = text.strip_prefix("affine_set<")?.strip_suffix('>')?;
    let (head, list) = inner.split_once(" : ")?;
    let dimensions = dimensions(head);
    let (mut results, mut equations) = (Vec::new(), Vec::new());
    for text in split(list.trim().strip_prefix('(')?.strip_suffix(')')?) {
        let equation = text.ends_with("== 0");
        let text = text.strip_suffix("== 0").or(text.strip_suffix(">= 0"))?;
        let mut affines = Affines { text, dimensions };
        results.push(affines.sum()?);
        equations.push(equation);
        if !affines.text.trim().is_empty() {
            return None;
        }
    }
    Some(Set { map: Map { dimensions, results }, equations })
}

fn affine(name: &str, op: ir::Op, reader: &mut Reader) -> Option<Code> {
    let mut read = |name: &str| reader.attribute(op, name).and_then(|text| map(&text)).map(Rc::new);
    Some(match name {
        "apply" => Code::Affine(read("map")?),
        "min" => Code::AffineExtreme(read("map")?, false),
        "max" => Code::AffineExtreme(read("map")?, true),
        "for" => {
            let (lower, upper) = (read("lowerBoundMap")?, read("upperBoundMap")?);
            let step = number(&reader.attribute(op, "step")?)?;
            Code::AffineFor { lower, upper, step, segments: segments(op, reader)? }
        }
        "load" => {
            let map = read("map")?;
            match &*operand_type(op, 0, reader)? {
                Ty::MemRef(memref) => Code::AffineLoad(map, memref.element.bytes().ok()?),
                _ => return None,
            }
        }
        "store" => {
            let map = read("map")?;
            match &*operand_type(op, 1, reader)? {
                Ty::MemRef(memref) => Code::AffineStore(map, memref.element.bytes().ok()?),
                _ => return None,
            }
        }
        "if" => Code::AffineIf(Rc::new(set(&reader.attribute(op, "condition")?)?)),
        "yield" => Code::Leave,
        _ => return None,
    })
}
