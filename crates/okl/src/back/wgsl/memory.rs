//! How roots are stored, and the functions that reach what WGSL cannot address by itself.
//!
//! - [`Form::Plain`]: an array of the element's own type.
//! - [`Form::Short`]: an array of the device's own 16-bit integers, where it has them.
//! - [`Form::Flag`]: `bool` in shared memory, as words that are 0 or 1. NVIDIA's driver (580) mixes up the elements of an
//!   array of `bool` there, once another item reads them.
//! - [`Form::Atomic`]: an array of atomics; whatever is read or written goes through them.
//! - [`Form::Words`]: words of 32 bits and byte addresses, for elements with parts narrower than a word and for structs
//!   with atomic fields (words of 64 bits, where these may have as many). A narrow store changes its own bits of the word and no others, atomically: neighbours may be
//!   written by other items at the same time.
//!
//! Buffers larger than one binding are seen through several *windows* of equal length; functions choose among them.

use super::{Features, library, types};
use crate::back::namer::Namer;
use crate::ir::{AtomicOp, Module, Root, RootSpace, Scalar, Type};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// How a root is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Elements of their own type.
    Plain,
    /// Elements of this type, of 16 bits, which nothing else holds.
    Short(Scalar),
    /// A word for each `bool`.
    Flag,
    /// Atomic elements of this type, which has the element's width.
    Atomic(Scalar),
    /// Words; `atomic` where the kernel writes, `long`: of 64 bits.
    Words { atomic: bool, long: bool },
}

/// What holds a [`Form::Flag`].
const FLAG: Scalar = Scalar::U32;

/// How buffers larger than a binding are seen. Window `w` of pointer parameter `p` is binding `p * count + w`; how many
/// of them a launch uses is the override `okl_windows_<p>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// Bindings for each pointer.
    pub count: u32,
    /// Bytes that one binding reaches.
    pub bytes: u64,
}

/// The roots of a text and the helpers that it uses.
pub(super) struct Memory<'a> {
    pub(super) module: &'a Module,
    pub(super) names: &'a Namer,
    pub(super) windows: Option<Windows>,
    /// The device has 16-bit integers.
    short: bool,
    helpers: RefCell<BTreeMap<String, String>>,
    /// Names of the helpers of each root: what each does to which.
    helper_names: RefCell<BTreeMap<(String, String), String>>,
    /// These names.
    taken: RefCell<BTreeSet<String>>,
}

impl<'a> Memory<'a> {
    pub(super) fn new(module: &'a Module, names: &'a Namer, features: &Features, windows: Option<Windows>) -> Self {
        let (helpers, helper_names, taken) = (RefCell::default(), RefCell::default(), RefCell::default());
        Self { module, names, windows, short: features.i16, helpers, helper_names, taken }
    }

    /// `okl_u_load`: the name of what does `what` with a root.
    pub(super) fn helper_name(&self, root: &Root, what: &str) -> String {
        let mut names = self.helper_names.borrow_mut();
        let key = (root.name.clone(), what.to_owned());
        if let Some(known) = names.get(&key) {
            return known.clone();
        }
        let mut wanted = format!("okl_{}_{what}", root.name);
        while library::is_defined(&wanted) || !self.taken.borrow_mut().insert(wanted.clone()) {
            wanted.push('_');
        }
        names.insert(key, wanted.clone());
        wanted
    }

    /// Elements that a window of a root holds.
    fn window_length(&self, root: &Root) -> String {
        self.helper_name(root, "window")
    }

    /// Definitions of the helpers that were used.
    pub(super) fn helpers(&self) -> Vec<String> {
        self.helpers.borrow().values().cloned().collect()
    }

    /// How a root is stored.
    pub(super) fn form(&self, root: &Root) -> Form {
        let native = types::is_native(self.module, &root.element);
        match (root.space, &root.element) {
            (RootSpace::Private, _) => Form::Plain,
            (RootSpace::Workgroup, Type::Scalar(ty)) if root.atomic => Form::Atomic(atomic_type(*ty)),
            (RootSpace::Workgroup, _) if root.atomic => Form::Words { atomic: true, long: self.has_long(root) },
            (RootSpace::Workgroup, Type::Scalar(Scalar::Bool)) => Form::Flag,
            (RootSpace::Workgroup, _) if self.has_bool(root) => Form::Words { atomic: true, long: false },
            (RootSpace::Workgroup, _) => Form::Plain,
            (RootSpace::Storage(_), Type::Scalar(ty)) if native && root.atomic => Form::Atomic(atomic_type(*ty)),
            (RootSpace::Storage(_), Type::Scalar(_)) if native => Form::Plain,
            (RootSpace::Storage(_), Type::Scalar(ty)) if self.short && ty.bytes() == 2 => Form::Short(*ty),
            (RootSpace::Storage(_), _) if native && !root.atomic && self.windows.is_none() => Form::Plain,
            (RootSpace::Storage(_), _) => {
                Form::Words { atomic: root.written, long: root.atomic && self.has_long(root) }
            }
        }
    }

    /// Whether an element has a scalar of 64 bits.
    fn has_long(&self, root: &Root) -> bool {
        self.scalars(root).iter().any(|ty| ty.bytes() == 8)
    }

    fn has_bool(&self, root: &Root) -> bool {
        self.scalars(root).contains(&Scalar::Bool)
    }

    fn scalars(&self, root: &Root) -> Vec<Scalar> {
        let mut scalars = Vec::new();
        types::scalars_of(self.module, &root.element, &mut scalars);
        scalars
    }

    fn is_windowed(&self, root: &Root) -> bool {
        self.windows.is_some() && matches!(root.space, RootSpace::Storage(_))
    }

    /// Whether the root's elements are reached by functions only.
    pub(super) fn by_function(&self, root: &Root) -> bool {
        self.is_windowed(root)
    }

    /// Declarations at module scope.
    pub(super) fn declare(&self, root: &Root) -> Vec<String> {
        let element = self.stored_type(root);
        let array = match (root.len, self.form(root)) {
            (_, Form::Words { .. }) if root.space == RootSpace::Workgroup => {
                let words = (root.len.unwrap_or(1) * self.bytes(&root.element)).div_ceil(self.stored_bytes(root));
                format!("array<{element}, {words}>")
            }
            (Some(len), _) => format!("array<{element}, {}>", len.max(1)),
            (None, _) if matches!(root.space, RootSpace::Storage(_)) => format!("array<{element}>"),
            (None, _) => element,
        };
        let name = &root.name;
        match root.space {
            RootSpace::Workgroup => vec![format!("var<workgroup> {name}: {array};")],
            RootSpace::Private => vec![format!("var<private> {name}: {array};")],
            RootSpace::Storage(position) => match self.windows {
                None => vec![format!("@group(0) @binding({position}) var<storage, read_write> {name}: {array};")],
                Some(windows) => {
                    let length = windows.bytes / self.stored_bytes(root);
                    let mut lines = vec![format!("override okl_windows_{position}: u32 = 1u;")];
                    lines.push(format!("const {} = {length}u;", self.window_length(root)));
                    lines.extend((0..windows.count).map(|window| {
                        let binding = position * windows.count + window;
                        format!("@group(0) @binding({binding}) var<storage, read_write> {name}_{window}: {array};")
                    }));
                    lines
                }
            },
        }
    }

    /// Type of what the root's array holds.
    fn stored_type(&self, root: &Root) -> String {
        match self.form(root) {
            Form::Plain => types::name(self.names, &root.element),
            Form::Short(ty) => types::short(ty).into(),
            Form::Flag => types::scalar(FLAG).into(),
            Form::Atomic(ty) => format!("atomic<{}>", types::scalar(ty)),
            Form::Words { atomic: true, long } => format!("atomic<{}>", word(long)),
            Form::Words { atomic: false, long } => word(long).into(),
        }
    }

    fn stored_bytes(&self, root: &Root) -> u64 {
        match (self.form(root), &root.element) {
            (Form::Atomic(ty), _) => ty.bytes() as u64,
            (Form::Flag, _) => FLAG.bytes() as u64,
            (Form::Plain | Form::Short(_), Type::Scalar(ty)) => ty.bytes() as u64,
            (Form::Words { long: true, .. }, _) => 8,
            _ => 4,
        }
    }

    /// Size of a value in bytes as C lays it out.
    pub(super) fn bytes(&self, ty: &Type) -> u64 {
        crate::ir::bytes_of(self.module, ty)
    }

    /// The word of a root at an index: `b[at]`, or a call where windows are chosen among.
    fn word_load(&self, root: &Root, array: &str, at: &str) -> String {
        match self.form(root) {
            Form::Plain | Form::Flag | Form::Short(_) | Form::Words { atomic: false, .. } => format!("{array}[{at}]"),
            Form::Atomic(_) | Form::Words { atomic: true, .. } => format!("atomicLoad(&{array}[{at}])"),
        }
    }

    fn word_store(&self, root: &Root, array: &str, at: &str, value: &str) -> String {
        match self.form(root) {
            Form::Plain | Form::Flag | Form::Short(_) | Form::Words { atomic: false, .. } => {
                format!("{array}[{at}] = {value};")
            }
            Form::Atomic(_) | Form::Words { atomic: true, .. } => format!("atomicStore(&{array}[{at}], {value});"),
        }
    }

    /// The value of a stored element (in Words: of a word); `at` is text of type `u32`, `None` for one variable.
    pub(super) fn load(&self, root: &Root, at: Option<&str>) -> String {
        let Some(at) = at else {
            return match self.form(root) {
                Form::Atomic(_) => format!("atomicLoad(&{})", root.name),
                _ => root.name.clone(),
            };
        };
        if !self.is_windowed(root) {
            return self.word_load(root, &root.name, at);
        }
        let ty = self.value_type(root);
        let name = self.helper_name(root, "load");
        let body = self.choose(root, &|array, at| format!("return {};", self.word_load(root, array, at)));
        self.define(&name, format!("fn {name}(at: u32) -> {ty} {{\n{body}}}"));
        format!("{name}({at})")
    }

    /// The statement that stores an element (in Words: a word).
    pub(super) fn store(&self, root: &Root, at: Option<&str>, value: &str) -> String {
        let Some(at) = at else {
            return match self.form(root) {
                Form::Atomic(_) => format!("atomicStore(&{}, {value});", root.name),
                _ => format!("{} = {value};", root.name),
            };
        };
        if !self.is_windowed(root) {
            return self.word_store(root, &root.name, at, value);
        }
        let ty = self.value_type(root);
        let name = self.helper_name(root, "store");
        let body = self.choose(root, &|array, at| self.word_store(root, array, at, "value") + " return;");
        self.define(&name, format!("fn {name}(at: u32, value: {ty}) {{\n{body}}}"));
        format!("{name}({at}, {value});")
    }

    /// Type of the values that [`Self::load`] gives.
    fn value_type(&self, root: &Root) -> String {
        match self.form(root) {
            Form::Plain => types::name(self.names, &root.element),
            Form::Short(ty) => types::short(ty).into(),
            Form::Flag => types::scalar(FLAG).into(),
            Form::Atomic(ty) => types::scalar(ty).into(),
            Form::Words { long, .. } => word(long).into(),
        }
    }

    /// Statements that do `what` in the window that `at` lies in.
    pub(super) fn choose(&self, root: &Root, what: &dyn Fn(&str, &str) -> String) -> String {
        let Some(windows) = self.windows.filter(|_| self.is_windowed(root)) else {
            return format!("    {}\n", what(&root.name, "at"));
        };
        let RootSpace::Storage(position) = root.space else { unreachable!("only buffers have windows") };
        let (name, length) = (&root.name, self.window_length(root));
        let mut text = String::new();
        for window in 0..windows.count {
            let array = format!("{name}_{window}");
            let at = if window == 0 { "at".to_owned() } else { format!("at - {window}u * {length}") };
            let then = what(&array, &at);
            if window + 1 < windows.count {
                let next = window + 1;
                text.push_str(&format!(
                    "    if (okl_windows_{position} == {next}u || at < {next}u * {length}) {{ {then} }}\n"
                ));
            } else {
                text.push_str(&format!("    {then}\n"));
            }
        }
        text
    }

    pub(super) fn define(&self, name: &str, text: String) {
        self.helpers.borrow_mut().entry(name.to_owned()).or_insert(text);
    }

    /// The value of type `ty` that a stored element holds.
    pub(super) fn value_of_stored(&self, root: &Root, text: &str, ty: &Type) -> String {
        match (self.form(root), ty) {
            (Form::Short(ty), _) => format!("{}({text})", types::scalar(ty)),
            (Form::Flag, Type::Scalar(ty)) => from_word(text, *ty, FLAG),
            (Form::Atomic(word), Type::Scalar(ty)) => from_word(text, *ty, word),
            _ => text.to_owned(),
        }
    }

    /// What a stored element holds for a value of type `ty`.
    pub(super) fn stored_of(&self, root: &Root, text: &str, ty: &Type) -> String {
        match (self.form(root), ty) {
            (Form::Short(ty), _) => format!("{}({text})", types::short(ty)),
            (Form::Flag, Type::Scalar(ty)) => to_word(text, *ty, FLAG),
            (Form::Atomic(word), Type::Scalar(ty)) => to_word(text, *ty, word),
            _ => text.to_owned(),
        }
    }

    /// An atomic update of an atomic element by `op` on values of type `ty`; the call answers the old value. `value` is
    /// the list of operands: [`operand_names`].
    pub(super) fn update(&self, root: &Root, at: Option<&str>, op: AtomicOp, ty: Scalar, value: &str) -> Update {
        let Form::Atomic(word) = self.form(root) else { unreachable!("only atomic elements are updated as such") };
        let place = |array: &str, at: &str| {
            if root.len.is_none() && root.space == RootSpace::Workgroup {
                array.to_owned()
            } else {
                format!("{array}[{at}]")
            }
        };
        let builtin = (word == ty).then(|| builtin(op)).flatten();
        if let (Some(builtin), false) = (builtin, self.is_windowed(root)) {
            let call = format!("{builtin}(&{}, {value})", place(&root.name, at.unwrap_or("0u")));
            return Update { call, is_builtin: true };
        }
        let (name, value_ty) = (self.helper_name(root, &format!("{}_{}", stem(op), ty.tag())), types::scalar(ty));
        let body = self.choose(root, &|array, at| match builtin {
            Some(builtin) => format!("return {builtin}(&{}, value);", place(array, at)),
            None => compare_and_swap(&place(array, at), op, ty, word),
        });
        let operands = operand_params(op, value_ty);
        self.define(&name, format!("fn {name}(at: u32, {operands}) -> {value_ty} {{\n{body}}}"));
        Update { call: format!("{name}({}, {value})", at.unwrap_or("0u")), is_builtin: false }
    }
}

/// A call that updates memory and answers the old value.
pub(super) struct Update {
    pub(super) call: String,
    /// WGSL's own function, whose answer may be left alone.
    pub(super) is_builtin: bool,
}

/// The operands of an update, in order.
pub(super) fn operand_names(op: AtomicOp) -> &'static [&'static str] {
    if op == AtomicOp::CompareExchange { &["expected", "value"] } else { &["value"] }
}

/// The operands as parameters of a type.
pub(super) fn operand_params(op: AtomicOp, ty: &str) -> String {
    let params: Vec<String> = operand_names(op).iter().map(|name| format!("{name}: {ty}")).collect();
    params.join(", ")
}

/// Statements that update `place` until no other update came between; `value` is the operand.
fn compare_and_swap(place: &str, op: AtomicOp, ty: Scalar, word: Scalar) -> String {
    let word_name = types::scalar(word);
    let read = |text: &str| from_word(text, ty, word);
    let next = next(op, &read("old"), operand_names(op), ty);
    let next = to_word(&next, ty, word);
    format!(
        "var old: {word_name} = atomicLoad(&{place});\n    loop {{\n        \
         let swap = atomicCompareExchangeWeak(&{place}, old, {next});\n        \
         if (swap.exchanged) {{ break; }}\n        old = swap.old_value;\n    }}\n    return {};",
        read("old")
    )
}

/// What `op` makes of two values of type `ty`.
pub(super) fn next(op: AtomicOp, old: &str, operands: &[&str], ty: Scalar) -> String {
    let value = operands.last().copied().unwrap_or_default();
    let text = match op {
        AtomicOp::Add => format!("{old} + {value}"),
        AtomicOp::Sub => format!("{old} - {value}"),
        AtomicOp::Mul => format!("{old} * {value}"),
        AtomicOp::Div => format!("{old} / {value}"),
        AtomicOp::Min => format!("select({old}, {value}, {value} < {old})"),
        AtomicOp::Max => format!("select({old}, {value}, {value} > {old})"),
        AtomicOp::And if ty == Scalar::Bool => format!("{old} && {value}"),
        AtomicOp::Or if ty == Scalar::Bool => format!("{old} || {value}"),
        AtomicOp::Xor if ty == Scalar::Bool => format!("{old} != {value}"),
        AtomicOp::And => format!("{old} & {value}"),
        AtomicOp::Or => format!("{old} | {value}"),
        AtomicOp::Xor => format!("{old} ^ {value}"),
        AtomicOp::Exchange => value.to_owned(),
        AtomicOp::CompareExchange => {
            let bits = |text: &str| if ty.is_float() { to_word(text, ty, atomic_type(ty)) } else { text.to_owned() };
            format!("select({old}, {value}, {} == {})", bits(old), bits(operands[0]))
        }
    };
    wrap(&text, ty)
}

/// A value cut to a narrow type's range.
pub(super) fn wrap(text: &str, ty: Scalar) -> String {
    match ty {
        Scalar::I8 => format!("extractBits({text}, 0u, 8u)"),
        Scalar::I16 => format!("extractBits({text}, 0u, 16u)"),
        Scalar::U8 => format!("(({text}) & 0xffu)"),
        Scalar::U16 => format!("(({text}) & 0xffffu)"),
        _ => text.to_owned(),
    }
}

/// The value of type `ty` in an atomic of type `word`.
pub(super) fn from_word(text: &str, ty: Scalar, word: Scalar) -> String {
    match ty {
        _ if ty == word => text.to_owned(),
        Scalar::Bool => format!("({text} != 0u)"),
        Scalar::F32 | Scalar::F64 => format!("bitcast<{}>({text})", types::scalar(ty)),
        _ if types::scalar(ty) == types::scalar(word) => text.to_owned(),
        _ => format!("bitcast<{}>({text})", types::scalar(ty)),
    }
}

/// What an atomic of type `word` holds for a value of type `ty`.
pub(super) fn to_word(text: &str, ty: Scalar, word: Scalar) -> String {
    match ty {
        _ if types::scalar(ty) == types::scalar(word) => text.to_owned(),
        Scalar::Bool => format!("select(0u, 1u, {text})"),
        _ => format!("bitcast<{}>({text})", types::scalar(word)),
    }
}

/// Type of a word.
pub(super) fn word(long: bool) -> &'static str {
    if long { "u64" } else { "u32" }
}

/// The atomic type that holds values of a type.
fn atomic_type(ty: Scalar) -> Scalar {
    match ty.held_as() {
        Scalar::F32 | Scalar::Bool | Scalar::U8 | Scalar::U16 => Scalar::U32,
        Scalar::I8 | Scalar::I16 => Scalar::I32,
        Scalar::F64 => Scalar::U64,
        other => other,
    }
}

/// WGSL's own function, where it has one.
pub(super) fn builtin(op: AtomicOp) -> Option<&'static str> {
    Some(match op {
        AtomicOp::Add => "atomicAdd",
        AtomicOp::Sub => "atomicSub",
        AtomicOp::Min => "atomicMin",
        AtomicOp::Max => "atomicMax",
        AtomicOp::And => "atomicAnd",
        AtomicOp::Or => "atomicOr",
        AtomicOp::Xor => "atomicXor",
        AtomicOp::Exchange => "atomicExchange",
        AtomicOp::Mul | AtomicOp::Div | AtomicOp::CompareExchange => return None,
    })
}

/// The operation in a helper's name.
pub(super) fn stem(op: AtomicOp) -> &'static str {
    match op {
        AtomicOp::Add => "add",
        AtomicOp::Sub => "sub",
        AtomicOp::Mul => "mul",
        AtomicOp::Div => "div",
        AtomicOp::Min => "min",
        AtomicOp::Max => "max",
        AtomicOp::And => "and",
        AtomicOp::Or => "or",
        AtomicOp::Xor => "xor",
        AtomicOp::Exchange => "exchange",
        AtomicOp::CompareExchange => "cas",
    }
}
