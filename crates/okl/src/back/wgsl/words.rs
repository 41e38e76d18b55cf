//! Memory as words: values at byte addresses.
//!
//! Each root that is stored so gets functions of its own, because WGSL passes no pointers to buffers. A field of a
//! struct lies where C puts it. Words have 32 bits, or 64 where 64-bit fields are updated atomically.

use super::memory::{Form, Memory, Update, next, operand_names, operand_params, stem, word, wrap};
use super::types;
use crate::back::namer::Namer;
use crate::ir::{AtomicOp, Root, Scalar, Type};

impl Memory<'_> {
    /// The value of type `ty` at the byte address `at`.
    pub(super) fn load_at(&self, root: &Root, at: &str, ty: &Type) -> String {
        let name = match ty {
            Type::Scalar(ty) => self.scalar_loader(root, *ty),
            _ => self.aggregate_loader(root, ty),
        };
        format!("{name}({at})")
    }

    /// The statement that stores a value of type `ty` at the byte address `at`.
    pub(super) fn store_at(&self, root: &Root, at: &str, ty: &Type, value: &str) -> String {
        let name = match ty {
            Type::Scalar(ty) => self.scalar_storer(root, *ty),
            _ => self.aggregate_storer(root, ty),
        };
        format!("{name}({at}, {value});")
    }

    /// An atomic update of the scalar at the byte address `at`; answers the old value.
    pub(super) fn update_at(&self, root: &Root, at: &str, op: AtomicOp, ty: Scalar, value: &str) -> Update {
        let (name, ty_name) = (self.helper_name(root, &format!("{}_{}", stem(op), ty.tag())), types::scalar(ty));
        let word = Word::of(self, root);
        let (shift, index) = (word.shift(ty), word.index());
        let read = word.value("old", ty);
        let write = word.with("old", &next(op, &read, operand_names(op), ty), ty);
        let load = self.load(root, Some(index));
        let swap = self.swap_word(root, index, "old", "next");
        let (word, operands) = (word.name(), operand_params(op, ty_name));
        self.define(
            &name,
            format!(
                "fn {name}(at: u32, {operands}) -> {ty_name} {{\n{shift}    var old: {word} = {load};\n    loop {{\n        \
                 let next: {word} = {write};\n        let found: {word} = {swap};\n        \
                 if (found == old) {{ break; }}\n        old = found;\n    }}\n    return {read};\n}}"
            ),
        );
        Update { call: format!("{name}({at}, {value})"), is_builtin: false }
    }

    /// A compare-and-swap of one word that answers what it found. The built-in one may fail although it found what was
    /// expected, and is then repeated.
    fn swap_word(&self, root: &Root, at: &str, old: &str, next: &str) -> String {
        let name = self.helper_name(root, "swap");
        let body = self.choose(root, &|array, at| {
            format!(
                "loop {{\n        let swap = atomicCompareExchangeWeak(&{array}[{at}], old, next);\n        \
                 if (swap.exchanged || swap.old_value != old) {{ return swap.old_value; }}\n    }}"
            )
        });
        let word = Word::of(self, root).name();
        self.define(
            &name,
            format!("fn {name}(at: u32, old: {word}, next: {word}) -> {word} {{\n{body}    return old;\n}}"),
        );
        format!("{name}({at}, {old}, {next})")
    }

    fn scalar_loader(&self, root: &Root, ty: Scalar) -> String {
        let name = self.helper_name(root, &format!("load_{}", ty.tag()));
        let word = Word::of(self, root);
        let load = |at: &str| self.load(root, Some(at));
        let body = if word.is_split(ty) {
            let (low, high) = (load("at >> 2u"), load("(at >> 2u) + 1u"));
            format!("    return {};\n", long_value(&format!("(u64({low}) | (u64({high}) << 32u))"), ty))
        } else {
            let (value, index) = (word.value("word", ty), word.index());
            format!("{}    let word: {} = {};\n    return {value};\n", word.shift(ty), word.name(), load(index))
        };
        self.define(&name, format!("fn {name}(at: u32) -> {} {{\n{body}}}", types::scalar(ty)));
        name
    }

    fn scalar_storer(&self, root: &Root, ty: Scalar) -> String {
        let name = self.helper_name(root, &format!("store_{}", ty.tag()));
        let word = Word::of(self, root);
        let store = |at: &str, value: &str| self.store(root, Some(at), value);
        let body = if word.is_split(ty) {
            let bits = long_bits("value", ty);
            let (low, high) = (store("at >> 2u", "u32(bits)"), store("(at >> 2u) + 1u", "u32(bits >> 32u)"));
            format!("    let bits: u64 = {bits};\n    {low}\n    {high}\n")
        } else if word.is_whole(ty) {
            format!("    {}\n", store(word.index(), &word.with("0", "value", ty)))
        } else {
            let (clear, set) = (self.word_op(root, AtomicOp::And), self.word_op(root, AtomicOp::Or));
            let (index, mask, bits) = (word.index(), word.mask(ty), word.bits("value", ty));
            format!(
                "{}    {clear}({index}, ~({mask} << shift));\n    {set}({index}, ({bits} & {mask}) << shift);\n",
                word.shift(ty)
            )
        };
        self.define(&name, format!("fn {name}(at: u32, value: {}) {{\n{body}}}", types::scalar(ty)));
        name
    }

    /// A function that changes some bits of a word and leaves the others to whoever changes them at the same time.
    fn word_op(&self, root: &Root, op: AtomicOp) -> String {
        let builtin = if op == AtomicOp::And { "atomicAnd" } else { "atomicOr" };
        let name = self.helper_name(root, &format!("{}_word", stem(op)));
        let body = self.choose(root, &|array, at| format!("{builtin}(&{array}[{at}], bits); return;"));
        self.define(&name, format!("fn {name}(at: u32, bits: {}) {{\n{body}}}", Word::of(self, root).name()));
        name
    }

    fn aggregate_loader(&self, root: &Root, ty: &Type) -> String {
        let name = self.helper_name(root, &format!("load_{}", aggregate_tag(self.names, ty)));
        let parts = self.parts(ty);
        let parts: Vec<String> = parts.iter().map(|(_, offset, part)| self.load_at(root, &at(*offset), part)).collect();
        let ty = types::name(self.names, ty);
        self.define(&name, format!("fn {name}(at: u32) -> {ty} {{\n    return {ty}({});\n}}", parts.join(", ")));
        name
    }

    fn aggregate_storer(&self, root: &Root, ty: &Type) -> String {
        let name = self.helper_name(root, &format!("store_{}", aggregate_tag(self.names, ty)));
        let mut body = String::new();
        for (access, offset, part) in self.parts(ty) {
            body.push_str(&format!("    {}\n", self.store_at(root, &at(offset), &part, &format!("value{access}"))));
        }
        let ty = types::name(self.names, ty);
        self.define(&name, format!("fn {name}(at: u32, value: {ty}) {{\n{body}}}"));
        name
    }

    /// Access, byte offset and type of each part of a struct or array.
    fn parts(&self, ty: &Type) -> Vec<(String, u64, Type)> {
        match ty {
            Type::Struct(id) => {
                let fields = &self.module.structs[id.0 as usize].fields;
                let member = |number| format!(".{}", self.names.field(*id, number));
                fields.iter().zip(0..).map(|(f, number)| (member(number), f.offset as u64, f.ty.clone())).collect()
            }
            Type::Array(element, _) => {
                let bytes = self.bytes(element);
                (0..ty.len()).map(|k| (format!("[{k}]"), k * bytes, (**element).clone())).collect()
            }
            _ => unreachable!("a scalar has no parts"),
        }
    }
}

fn at(offset: u64) -> String {
    if offset == 0 { "at".into() } else { format!("at + {offset}u") }
}

fn aggregate_tag(names: &Namer, ty: &Type) -> String {
    match ty {
        Type::Array(element, _) => format!("{}_x{}", aggregate_tag(names, element), ty.len()),
        Type::Scalar(ty) => ty.tag().into(),
        _ => types::name(names, ty),
    }
}

/// The words of a root. In the functions that use these texts, `at` is a byte address and `shift` the position of the
/// value's bits in its word.
#[derive(Clone, Copy)]
struct Word {
    long: bool,
}

impl Word {
    fn of(memory: &Memory<'_>, root: &Root) -> Self {
        Self { long: matches!(memory.form(root), Form::Words { long: true, .. }) }
    }

    fn name(self) -> &'static str {
        word(self.long)
    }

    fn index(self) -> &'static str {
        if self.long { "at >> 3u" } else { "at >> 2u" }
    }

    fn bytes(self) -> usize {
        if self.long { 8 } else { 4 }
    }

    /// A scalar that takes two words.
    fn is_split(self, ty: Scalar) -> bool {
        ty.bytes() > self.bytes()
    }

    /// A scalar that takes a word of its own.
    fn is_whole(self, ty: Scalar) -> bool {
        ty.bytes() == self.bytes()
    }

    /// The line that defines `shift`, where it is needed.
    fn shift(self, ty: Scalar) -> String {
        if ty.bytes() >= self.bytes() {
            return String::new();
        }
        format!("    let shift = 8u * (at & {}u);\n", self.bytes() - 1)
    }

    /// All bits of a narrow scalar, not shifted.
    fn mask(self, ty: Scalar) -> String {
        let mask = (1_u64 << (8 * ty.bytes())) - 1;
        format!("{mask:#x}{}", if self.long { "lu" } else { "u" })
    }

    /// The scalar in a word.
    fn value(self, word: &str, ty: Scalar) -> String {
        let name = types::scalar(ty);
        match (ty.bytes(), self.long) {
            (8, _) => long_value(word, ty),
            (4, false) if ty == Scalar::U32 => word.to_owned(),
            (4, false) => format!("bitcast<{name}>({word})"),
            (4, true) => format!("bitcast<{name}>(u32({word} >> shift))"),
            (_, false) => narrow_value(word, "shift", ty),
            (_, true) => narrow_value(&format!("u32({word} >> shift)"), "0u", ty),
        }
    }

    /// The low bits of a word that hold a scalar which is no longer than it.
    fn bits(self, value: &str, ty: Scalar) -> String {
        let bits = match ty.bytes() {
            8 => return long_bits(value, ty),
            4 if ty == Scalar::U32 => value.to_owned(),
            4 => format!("bitcast<u32>({value})"),
            _ => narrow_bits(value, ty),
        };
        if self.long { format!("u64({bits})") } else { format!("({bits})") }
    }

    /// A word with a scalar put into it.
    fn with(self, word: &str, value: &str, ty: Scalar) -> String {
        let bits = self.bits(value, ty);
        if self.is_whole(ty) {
            return bits;
        }
        let mask = self.mask(ty);
        format!("({word} & ~({mask} << shift)) | (({bits} & {mask}) << shift)")
    }
}

/// The 64-bit scalar with these bits.
fn long_value(bits: &str, ty: Scalar) -> String {
    if ty == Scalar::U64 { bits.to_owned() } else { format!("bitcast<{}>({bits})", types::scalar(ty)) }
}

fn long_bits(value: &str, ty: Scalar) -> String {
    if ty == Scalar::U64 { value.to_owned() } else { format!("bitcast<u64>({value})") }
}

/// The narrow scalar in a 32-bit word, at a bit.
fn narrow_value(word: &str, shift: &str, ty: Scalar) -> String {
    let bits = 8 * ty.bytes();
    match ty {
        Scalar::Bool => format!("(extractBits({word}, {shift}, 8u) != 0u)"),
        Scalar::I8 | Scalar::I16 => format!("extractBits(bitcast<i32>({word}), {shift}, {bits}u)"),
        _ => format!("extractBits({word}, {shift}, {bits}u)"),
    }
}

/// The low bits that a narrow value is stored as.
fn narrow_bits(value: &str, ty: Scalar) -> String {
    match ty {
        Scalar::Bool => format!("select(0u, 1u, {value})"),
        Scalar::I8 | Scalar::I16 => format!("bitcast<u32>({})", wrap(value, ty)),
        _ => value.to_owned(),
    }
}
