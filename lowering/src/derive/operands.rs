//! A kernel's arguments for its manifest: views with their layouts, pointers, and scalars by value.

use super::{Accesses, Failure, KERNEL, accesses::Access, list, pointee, ranges::Values, unknown};
use layout_dialect::{ViewType, tree};
use layout_runtime::expression::{self, Expression};
use melior::ir::{
    Attribute, OperationRef, Type,
    attribute::{DictionaryAttribute, IntegerAttribute, TypeAttribute},
    operation::OperationLike,
    r#type::FunctionType,
};
use std::fmt::Write;

/// Element types that the runtime fills and compares.
const ELEMENTS: [&str; 11] =
    ["f8E4M3FN", "f8E5M2", "f16", "bf16", "tf32", "f32", "f64", "i8", "i16", "i32", "i64"];

/// Types of numbers that a kernel takes by value.
const SCALARS: [&str; 8] = ["i1", "i32", "i64", "index", "f16", "bf16", "f32", "f64"];

/// One argument.
#[derive(Clone, Debug)]
pub(super) enum Operand<'c> {
    /// Memory.
    Memory(Memory<'c>),
    /// A number by value, by its type.
    Number { name: String, kind: String, before: usize },
}

/// An argument that is a view, or a pointer.
#[derive(Clone, Debug)]
pub(super) struct Memory<'c> {
    name: String,
    element: String,
    /// Shape and stride, with the names of sizes for what is known at run time.
    shape: String,
    stride: String,
    access: Access,
    alignment: Option<i64>,
    sizes: Vec<Size>,
    /// The least and the greatest of its elements, as integers or expressions over sizes.
    values: Option<String>,
    /// The first and the last of them, where they ascend.
    ascending: Option<String>,
    /// The attribute's description of it.
    declared: Option<DictionaryAttribute<'c>>,
}

/// A size that is known at run time.
#[derive(Clone, Debug)]
struct Size {
    name: String,
    bits: u32,
    least: i64,
    most: i64,
    divisor: i64,
}

impl Size {
    fn values(&self) -> Values {
        Values { least: self.least, most: self.most, divisor: self.divisor }
    }

    /// Checks that the values of an expression of sizes are those that the type states of its integer.
    fn check(&self, sizes: &[Self]) -> Result<(), Failure> {
        let Self { name, least, most, divisor, .. } = self;
        let names: Vec<&str> = sizes.iter().map(|size| size.name.as_str()).collect();
        let expression = Expression::parse(name, &names)
            .map_err(|error| Failure::Contradiction(format!("sizes in {KERNEL}: {error}")))?;
        let refused = |expected: String, found: String| {
            Err(Failure::Contradiction(format!(
                "expected {expected} in {name:?} of the sizes in {KERNEL}, found {found}"
            )))
        };
        let known: Vec<Values> = sizes.iter().map(Self::values).collect();
        let own = match Values::of(&expression, &known) {
            Ok(own) => own,
            Err(Values { least, most, .. }) => {
                return refused("a divisor of at least 1".to_owned(), format!("{least} to {most}"));
            }
        };
        if own.divisor % divisor != 0 {
            let expected = format!("a multiple of {divisor}, as its type states,");
            return refused(expected, format!("one of {}", own.divisor));
        }
        if own.least < *least || own.most > *most {
            let expected = format!("{least} to {most}, as its type states,");
            return refused(expected, format!("{} to {}", own.least, own.most));
        }
        Ok(())
    }
}

/// All arguments of a kernel.
#[derive(Debug)]
pub(super) struct Operands<'c> {
    all: Vec<Operand<'c>>,
    sizes: Vec<Size>,
    /// Sizes as they are written, where they are dictionaries.
    declared: Option<String>,
    /// Whether the kernel names its sizes.
    is_named: bool,
}

impl<'c> Operands<'c> {
    pub(super) fn of(
        kernel: OperationRef<'c, 'c>,
        accesses: &Accesses,
        declared: impl Fn(&str) -> Option<Attribute<'c>>,
    ) -> Result<Self, Failure> {
        let signature = kernel.attribute("function_type").and_then(TypeAttribute::try_from);
        let signature = signature.and_then(|signature| FunctionType::try_from(signature.value()));
        let signature = signature.map_err(|error| unknown(error.to_string()))?;
        let texts = |key: &str| -> Vec<String> {
            let elements = declared(key).and_then(tree::elements).unwrap_or_default().into_iter();
            elements.filter_map(tree::text).collect()
        };
        let written: Option<Vec<DictionaryAttribute<'c>>> = declared("args").map(|args| {
            let entries = tree::elements(args).unwrap_or_default().into_iter();
            entries.filter_map(|entry| DictionaryAttribute::try_from(entry).ok()).collect()
        });
        let names = texts("names");
        // Facts that were derived before name numbers by value apart.
        let numbers = declared("scalars").and_then(tree::elements).unwrap_or_default().into_iter();
        let mut numbers = numbers.filter_map(|one| DictionaryAttribute::try_from(one).ok());
        let [ranges, ascending] = ["values", "ascending"]
            .map(|key| declared(key).and_then(|all| DictionaryAttribute::try_from(all).ok()));
        let dictionaries: Option<Vec<DictionaryAttribute<'c>>> =
            declared("sizes").and_then(tree::elements).filter(|all| !all.is_empty()).and_then(
                |all| all.into_iter().map(|one| DictionaryAttribute::try_from(one).ok()).collect(),
            );
        let mut of_sizes = Names { given: texts("sizes"), open: 0, used: 0 };
        of_sizes.open = (0..signature.input_count())
            .filter_map(|number| {
                ViewType::try_from(signature.input(number).ok()?).ok()?.term_value().ok()
            })
            .map(|term_value| term_value.symbols().len())
            .sum();
        let mut all = Vec::new();
        let mut memories = 0;
        for number in 0..signature.input_count() {
            let input = signature.input(number).map_err(|error| unknown(error.to_string()))?;
            let text = input.to_string();
            let own = written.as_ref().and_then(|all| all.get(memories)).copied();
            let name = field(own, "name").or_else(|| names.get(number).cloned());
            let name = name.unwrap_or_else(|| format!("arg{number}"));
            if SCALARS.contains(&text.as_str()) {
                let name = field(numbers.next(), "name").or_else(|| names.get(number).cloned());
                let name = name.unwrap_or_else(|| format!("arg{number}"));
                all.push(Operand::Number { name, kind: text, before: memories });
                continue;
            }
            let access = accesses.arguments.get(number).copied().unwrap_or_default();
            let memory = if let Ok(view) = ViewType::try_from(input) {
                of_view(kernel, number, view, &mut of_sizes)?
            } else if text.starts_with("!llvm.ptr") {
                of_pointer(kernel, number, own, accesses)?
            } else {
                let hint = match text.starts_with('i') {
                    true => "pass it as i32, of which arith.trunci makes fewer bits",
                    false => "pass a view of its memory",
                };
                return Err(unknown(format!(
                    "expected arguments that are views, pointers or numbers of {}, found {input} as argument {number}; {hint}",
                    SCALARS.join(", ")
                )));
            };
            let of = |ranges: Option<DictionaryAttribute<'c>>, what| {
                let declared = ranges.and_then(|ranges| ranges.element_by_name(&name));
                declared.map(|declared| values_of(declared, what)).transpose()
            };
            let values = of(ranges, "the least and the greatest element")?;
            let ascending = of(ascending, "the first and the last element")?;
            all.push(Operand::Memory(Memory {
                name,
                access,
                values,
                ascending,
                declared: own,
                ..memory
            }));
            memories += 1;
        }
        for (what, ranges) in [("values", ranges), ("ascending", ascending)] {
            let Some(ranges) = ranges else { continue };
            for place in 0..ranges.len() {
                let Ok((key, _)) = ranges.element(place) else { continue };
                let key = key.as_string_ref().as_str().unwrap_or_default().to_owned();
                let is_named = |one: &Operand<'_>| matches!(one, Operand::Memory(memory) if memory.name == key);
                if !all.iter().any(is_named) {
                    return Err(Failure::Contradiction(format!(
                        "expected {what} of {KERNEL} to name views and pointers of the kernel, found {key}"
                    )));
                }
            }
        }
        if let Some(written) = written.filter(|written| written.len() != memories) {
            return Err(Failure::Contradiction(format!(
                "expected args of {KERNEL} to describe the kernel's {memories} views and pointers, found {}",
                written.len()
            )));
        }
        of_sizes.check()?;
        let is_named = !of_sizes.given.is_empty();
        let mut operands = Self { all, sizes: Vec::new(), declared: None, is_named };
        operands.collect()?;
        // The runtime launches no kernel with sizes beyond these.
        let limits = declared("family").and_then(|own| DictionaryAttribute::try_from(own).ok());
        let limits = limits.and_then(|family| family.element_by_name("most"));
        let limits = limits.and_then(|own| DictionaryAttribute::try_from(own).ok());
        for size in &mut operands.sizes {
            let limit = match &dictionaries {
                Some(all) => all
                    .iter()
                    .find(|one| field(Some(**one), "name").as_ref() == Some(&size.name))
                    .and_then(|one| one.element_by_name("most")),
                None => limits.and_then(|limits| limits.element_by_name(&size.name)),
            };
            let limit = limit.and_then(|limit| IntegerAttribute::try_from(limit).ok());
            size.most = limit.map_or(size.most, |limit| limit.value().min(size.most));
        }
        if let Some(declared) = dictionaries {
            operands.declared =
                Some(list(&declared.iter().map(|one| Attribute::from(*one)).collect::<Vec<_>>()));
        }
        operands.check()?;
        Ok(operands)
    }

    pub(super) fn all(&self) -> &[Operand<'c>] {
        &self.all
    }

    fn memories(&self) -> impl Iterator<Item = &Memory<'c>> {
        self.all.iter().filter_map(|operand| match operand {
            Operand::Memory(memory) => Some(memory),
            Operand::Number { .. } => None,
        })
    }

    /// The sizes of all arguments: one of a name, with all facts about it. Integers by value are sizes too.
    fn collect(&mut self) -> Result<(), Failure> {
        let mut all: Vec<Size> = Vec::new();
        let mut own: Vec<Size> = self.memories().flat_map(|memory| memory.sizes.clone()).collect();
        own.extend(self.all.iter().filter_map(|operand| match operand {
            Operand::Number { name, kind, .. } if !kind.contains('f') => Some(Size {
                name: name.clone(),
                bits: 64,
                least: 0,
                most: if kind == "i1" { 1 } else { i64::from(i32::MAX) },
                divisor: 1,
            }),
            _ => None,
        }));
        // An expression of sizes introduces none.
        let (own, expressions): (Vec<Size>, Vec<Size>) =
            own.into_iter().partition(|size| expression::is_name(&size.name));
        for size in own {
            match all.iter_mut().find(|other| other.name == size.name) {
                None => all.push(size),
                Some(other) => {
                    other.least = other.least.max(size.least);
                    other.most = other.most.min(size.most);
                    other.divisor = least_common(other.divisor, size.divisor).ok_or_else(|| {
                        unknown(format!("expected a divisor of {} below 2^63", size.name))
                    })?;
                }
            }
        }
        for expression in &expressions {
            expression.check(&all)?;
        }
        self.sizes = all;
        Ok(())
    }

    /// Compares with what is written.
    fn check(&self) -> Result<(), Failure> {
        for (number, memory) in self.memories().enumerate() {
            let Some(declared) = memory.declared else { continue };
            // The verifier compares elements and memory of what is static; another nesting of the same elements is none
            // that contradicts.
            let found = [
                ("element", &memory.element),
                ("shape", &memory.shape),
                ("stride", &memory.stride),
            ];
            for (key, expected) in found {
                let Some(own) = field(Some(declared), key) else { continue };
                if !agrees(&own, expected, &memory.sizes) {
                    return Err(Failure::Contradiction(format!(
                        "expected {key} = \"{expected}\" of argument {number} in {KERNEL}, as its type states, found \"{own}\""
                    )));
                }
            }
            if let Some(own) =
                field(Some(declared), "access").filter(|own| !memory.access.agrees(own))
            {
                let expected = memory.access.text().unwrap_or("read_write");
                return Err(Failure::Contradiction(format!(
                    "expected access = \"{expected}\" of argument {number} in {KERNEL}, as the kernel's operations access it, found \
                     \"{own}\""
                )));
            }
        }
        Ok(())
    }

    /// The manifest's arguments.
    pub(super) fn arguments(&self) -> String {
        list(&self.memories().map(Memory::entry).collect::<Vec<_>>())
    }

    /// Refuses an expression over other names than those of sizes.
    pub(super) fn check_expression(&self, key: &str, text: &str) -> Result<(), Failure> {
        // Facts that were derived before name their own sizes.
        if self.declared.is_some() {
            return Ok(());
        }
        let names: Vec<&str> = self.sizes.iter().map(|size| size.name.as_str()).collect();
        let Err(error) = Expression::parse(text, &names) else { return Ok(()) };
        let open: usize = self.memories().map(|memory| memory.sizes.len()).sum();
        let hint = match (&error, self.is_named) {
            (expression::Error::Name { .. }, false) if open > 0 => format!(
                "; sizes = [\"…\"] in {KERNEL} names each of the {open} ? in the arguments' types, in their order"
            ),
            _ => String::new(),
        };
        Err(Failure::Contradiction(format!("{key} in {KERNEL}: {error}{hint}")))
    }

    /// The value of an expression of a kernel without sizes.
    pub(super) fn value(&self, text: &str) -> Option<i64> {
        let is_static = self.declared.is_none() && self.sizes.is_empty();
        let expression = is_static.then(|| Expression::parse(text, &[]).ok())?;
        expression?.at(&[]).ok()
    }

    /// The greatest value of an expression of sizes, as an attribute writes it.
    pub(super) fn most(&self, text: &str) -> Option<i64> {
        let names: Vec<&str> = self.sizes.iter().map(|size| size.name.as_str()).collect();
        let expression = Expression::parse(text.trim_matches('"'), &names).ok()?;
        let sizes: Vec<Values> = self.sizes.iter().map(Size::values).collect();
        Some(Values::of(&expression, &sizes).ok()?.most)
    }

    /// The manifest's sizes.
    pub(super) fn sizes(&self) -> String {
        if let Some(declared) = &self.declared {
            return declared.clone();
        }
        let entry = |size: &Size| {
            let Size { name, least, most, divisor, .. } = size;
            format!(
                "{{name = \"{name}\", least = {least} : i64, most = {most} : i64, divisor = {divisor} : i64}}"
            )
        };
        list(&self.sizes.iter().map(entry).collect::<Vec<_>>())
    }

    /// The manifest's numbers by value.
    pub(super) fn scalars(&self) -> String {
        let entries = self.all.iter().filter_map(|operand| match operand {
            Operand::Memory(_) => None,
            Operand::Number { name, kind, before } => {
                let value = if kind.contains('f') {
                    String::new()
                } else {
                    format!(", value = \"{name}\"")
                };
                Some(format!(
                    "{{name = \"{name}\", type = \"{kind}\", before = {before} : i64{value}}}"
                ))
            }
        });
        list(&entries.collect::<Vec<_>>())
    }
}

impl Memory<'_> {
    fn entry(&self) -> String {
        // The attribute's description agrees, and may say more.
        let own =
            |key: &str, found: &str| field(self.declared, key).unwrap_or_else(|| found.to_owned());
        let access = own("access", self.access.text().unwrap_or("read_write"));
        let mut text = format!(
            "{{name = \"{}\", element = \"{}\", shape = \"{}\", stride = \"{}\", access = \"{access}\"",
            self.name,
            self.element,
            own("shape", &self.shape),
            own("stride", &self.stride),
        );
        let declared = |key: &str| self.declared.and_then(|declared| declared.element_by_name(key));
        match (declared("alignment"), self.alignment) {
            (Some(declared), _) => _ = write!(text, ", alignment = {declared}"),
            (None, Some(bytes)) => _ = write!(text, ", alignment = {bytes} : i64"),
            (None, None) => {}
        }
        if let Some(sizes) = declared("sizes") {
            _ = write!(text, ", sizes = {sizes}");
        } else if !self.sizes.is_empty() {
            let entry =
                |size: &Size| format!("{{value = \"{}\", bits = {} : i64}}", size.name, size.bits);
            let entries: Vec<String> = self.sizes.iter().map(entry).collect();
            _ = write!(text, ", sizes = [{}]", list(&entries));
        }
        for (key, found) in [("values", &self.values), ("ascending", &self.ascending)] {
            match (declared(key), found) {
                (Some(declared), _) => _ = write!(text, ", {key} = {declared}"),
                (None, Some(found)) => _ = write!(text, ", {key} = [{found}]"),
                (None, None) => {}
            }
        }
        text.push('}');
        text
    }

    /// Elements along each mode, or `None` for one that is known at run time.
    fn extents(&self) -> Vec<Option<i64>> {
        let inside = match enclosed(&self.shape) {
            Some(inside) => split(inside),
            None => vec![self.shape.as_str()],
        };
        let extent = |mode: &str| {
            let mut leaves = mode.split(['(', ')', ',']).filter(|leaf| !leaf.is_empty());
            leaves.try_fold(1_i64, |size, leaf| size.checked_mul(leaf.trim().parse().ok()?))
        };
        inside.into_iter().map(extent).collect()
    }
}

impl Operand<'_> {
    /// The memory that a pointer of a kernel points at, of the type of its reference's argument.
    pub(super) fn of_memref(text: &str) -> Option<Operand<'static>> {
        let inside = text.strip_prefix("memref<")?.strip_suffix('>')?;
        let mut words: Vec<&str> = inside.split('x').collect();
        let element = words.pop()?.to_owned();
        let extents: Option<Vec<i64>> = words.iter().map(|word| word.parse().ok()).collect();
        let extents = extents?;
        let mut stride = vec![1_i64; extents.len()];
        for mode in (0..extents.len().saturating_sub(1)).rev() {
            stride[mode] = stride[mode + 1].checked_mul(extents[mode + 1])?;
        }
        let tuple = |values: &[i64]| match values {
            [] => "1".to_owned(),
            [one] => one.to_string(),
            all => format!("({})", all.iter().map(i64::to_string).collect::<Vec<_>>().join(",")),
        };
        Some(Operand::Memory(Memory {
            name: String::new(),
            element,
            shape: tuple(&extents),
            stride: tuple(&stride),
            access: Access::default(),
            alignment: None,
            sizes: Vec::new(),
            values: None,
            ascending: None,
            declared: None,
        }))
    }

    /// Whether a reference's argument of this type is for it.
    pub(super) fn takes(&self, input: Type<'_>) -> bool {
        let text = input.to_string();
        let memory = match self {
            Self::Number { kind, .. } => return text == *kind,
            Self::Memory(memory) => memory,
        };
        let Some(inside) = text.strip_prefix("memref<").and_then(|text| text.strip_suffix('>'))
        else {
            return false;
        };
        let mut words: Vec<&str> = inside.split('x').collect();
        let element = words.pop();
        let extents = memory.extents();
        let alike = |(word, extent): (&&str, &Option<i64>)| match (word.parse::<i64>(), extent) {
            (Ok(word), Some(extent)) => word == *extent,
            (Err(_), _) => *word == "?",
            (Ok(_), None) => false,
        };
        element == Some(memory.element.as_str())
            && words.len() == extents.len()
            && words.iter().zip(&extents).all(alike)
    }

    /// The type that a reference has to take for it.
    pub(super) fn expected(&self) -> String {
        match self {
            Self::Number { kind, .. } => kind.clone(),
            Self::Memory(memory) => {
                let extent = |extent: &Option<i64>| match extent {
                    Some(extent) => format!("{extent}x"),
                    None => "?x".to_owned(),
                };
                let extents: String = memory.extents().iter().map(extent).collect();
                format!("memref<{extents}{}>", memory.element)
            }
        }
    }
}

/// The names of sizes in the order of the arguments' integers.
struct Names {
    given: Vec<String>,
    /// How many integers there are.
    open: usize,
    used: usize,
}

impl Names {
    fn next(&mut self) -> String {
        let number = self.used;
        self.used += 1;
        match self.given.get(number) {
            // In a shape, parentheses around all of an expression would be a tuple.
            Some(name) => enclosed(name.trim()).unwrap_or(name).trim().to_owned(),
            None if self.open == 1 => "n".to_owned(),
            None => format!("n{number}"),
        }
    }

    fn check(&self) -> Result<(), Failure> {
        let (given, open) = (self.given.len(), self.open);
        if given == 0 || given == open {
            return Ok(());
        }
        Err(Failure::Contradiction(format!(
            "expected names of the {open} sizes that the kernel's types leave open as sizes of {KERNEL}, found {given}; \
             each ? has one, in the order of arguments, and equal sizes have the same name"
        )))
    }
}

/// Two of an argument's elements, as `what` says.
fn values_of(declared: Attribute<'_>, what: &str) -> Result<String, Failure> {
    let entry = |element: Attribute<'_>| match IntegerAttribute::try_from(element) {
        Ok(integer) => Some(format!("{} : i64", integer.value())),
        Err(_) => tree::text(element).map(|_| element.to_string()),
    };
    let elements = tree::elements(declared).unwrap_or_default();
    let entries = elements.into_iter().map(entry).collect::<Option<Vec<_>>>();
    match entries.filter(|entries| entries.len() == 2) {
        Some(entries) => Ok(list(&entries)),
        None => Err(Failure::Contradiction(format!(
            "expected {what}, integers or expressions over sizes, as values of an argument in {KERNEL}, found {declared}"
        ))),
    }
}

/// A text of a dictionary.
fn field(dictionary: Option<DictionaryAttribute<'_>>, key: &str) -> Option<String> {
    let value = dictionary?.element_by_name(key)?;
    tree::text(value)
}

/// Whether what is written is what was found; a size may be an expression.
fn agrees(declared: &str, found: &str, sizes: &[Size]) -> bool {
    let plain =
        |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
    let (declared, found) = (plain(declared), plain(found));
    if declared == found {
        return true;
    }
    // Functions of an expression have commas and parentheses of their own.
    if expression::functions().any(|name| declared.contains(&format!("{name}("))) {
        return true;
    }
    let leaves = |text: &str| -> Vec<String> {
        text.split(['(', ')', ',']).map(str::to_owned).collect::<Vec<_>>()
    };
    let (own, other) = (leaves(&declared), leaves(&found));
    let is_size = |leaf: &str| sizes.iter().any(|size| size.name == leaf);
    own.len() == other.len()
        && own.iter().zip(&other).all(|(own, other)| own == other || is_size(other))
}

/// The text inside the parentheses around all of a text.
fn enclosed(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('(')?.strip_suffix(')')?;
    let mut depth = 0_i32;
    let closes = inside.chars().all(|letter| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        depth >= 0
    });
    (closes && depth == 0).then_some(inside)
}

/// The parts between commas that are in no parentheses.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '{' | '<' | '[' => depth += 1,
            ')' | '}' | '>' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn least_common(a: i64, b: i64) -> Option<i64> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x.max(1)).checked_mul(b)
}

fn element(text: &str, number: usize) -> Result<String, Failure> {
    match ELEMENTS.contains(&text) {
        true => Ok(text.to_owned()),
        false => Err(unknown(format!(
            "expected elements of {} in argument {number}, found {text}",
            ELEMENTS.join(", ")
        ))),
    }
}

/// A view: its element type, its layout, and the sizes that its type leaves open.
fn of_view<'c>(
    kernel: OperationRef<'c, 'c>,
    number: usize,
    view: ViewType<'c>,
    names: &mut Names,
) -> Result<Memory<'c>, Failure> {
    let text = Type::from(view).to_string();
    let layout = text.strip_prefix("!layout.view<").and_then(|text| text.strip_suffix('>'));
    let layout = layout.and_then(|inside| inside.splitn(3, ',').nth(2)).unwrap_or_default().trim();
    let refused = || {
        unknown(format!(
            "expected a view of global memory with a layout of one shape and stride as argument {number}, found {text}"
        ))
    };
    let term_value = view.term_value().map_err(|error| unknown(error.to_string()))?;
    let is_plain = !layout.contains(" o ") && !layout.contains('@') && !layout.contains('*');
    if view.space() != layout_dialect::Space::Global || !is_plain {
        return Err(refused());
    }
    let (symbols, widths) = (term_value.symbols(), term_value.widths());
    let sizes: Vec<Size> = symbols
        .iter()
        .zip(&widths)
        .map(|(symbol, width)| {
            let (least, most) = symbol.range();
            Size {
                name: names.next(),
                bits: if *width == layout_algebra::Width::W64 { 64 } else { 32 },
                least: least.max(0),
                most,
                divisor: symbol.divisor(),
            }
        })
        .collect();
    let named = name_integers(layout, &sizes).ok_or_else(refused)?;
    let (shape, stride) = named.split_once(':').ok_or_else(refused)?;
    let element = element(&view.element_type().to_string(), number)?;
    Ok(Memory {
        name: String::new(),
        element,
        shape: shape.to_owned(),
        stride: stride.to_owned(),
        access: Access::default(),
        alignment: alignment(kernel, number),
        sizes,
        values: None,
        ascending: None,
        declared: None,
    })
}

/// A layout's text with a name in place of each integer that it leaves open.
fn name_integers(layout: &str, sizes: &[Size]) -> Option<String> {
    let (mut text, mut rest, mut sizes) = (String::new(), layout, sizes.iter());
    while let Some((before, after)) = rest.split_once('?') {
        text.push_str(before);
        text.push_str(&sizes.next()?.name);
        rest = match after.strip_prefix('{') {
            Some(known) => known.split_once('}')?.1,
            None => after,
        };
    }
    text.push_str(rest);
    sizes.next().is_none().then_some(text)
}

/// A pointer: what it points at is written, or its reference says it.
fn of_pointer<'c>(
    kernel: OperationRef<'c, 'c>,
    number: usize,
    declared: Option<DictionaryAttribute<'c>>,
    accesses: &Accesses,
) -> Result<Memory<'c>, Failure> {
    let written = || {
        Some(Memory {
            name: String::new(),
            element: field(declared, "element")?,
            shape: field(declared, "shape")?,
            stride: field(declared, "stride")?,
            access: Access::default(),
            alignment: alignment(kernel, number),
            sizes: Vec::new(),
            values: None,
            ascending: None,
            declared: None,
        })
    };
    let of_reference = || {
        let mut root = kernel;
        while let Some(parent) = root.parent_operation() {
            // SAFETY: the parent lives as long as the kernel does.
            root = unsafe { OperationRef::from_raw(parent.to_raw()) };
        }
        match pointee(root, kernel, number)? {
            Operand::Memory(memory) => Some(memory),
            Operand::Number { .. } => None,
        }
    };
    // Where nothing else is done with the pointer, it is to one element.
    let of_accesses = || {
        let element = accesses.pointees.get(number)?.clone()?;
        match Operand::of_memref(&format!("memref<1x{element}>"))? {
            Operand::Memory(memory) => Some(memory),
            Operand::Number { .. } => None,
        }
    };
    let memory = written().or_else(of_reference).or_else(of_accesses).ok_or_else(|| {
        unknown(format!(
            "expected args of {KERNEL}, or a reference with a memref argument, to describe the memory of pointer argument {number}, found neither"
        ))
    })?;
    element(&memory.element, number)?;
    Ok(memory)
}

/// Bytes that an argument's address is a multiple of, where those are fewer than 16.
fn alignment(kernel: OperationRef<'_, '_>, number: usize) -> Option<i64> {
    let all = tree::argument_attributes(kernel)?;
    let own = DictionaryAttribute::try_from(*all.get(number)?).ok()?;
    let bytes = IntegerAttribute::try_from(own.element_by_name("llvm.align")?).ok()?;
    (1..16).contains(&bytes.value()).then(|| bytes.value())
}
