//! What C-like targets share: expressions, statements and types as C text, steered by a table of [`Language`].
//! Invariants: a conversion is printed only where C would not make it by itself; parentheses only where C's
//! precedence (or a compiler's warning) asks for them.
//! Not here: how a nest becomes a function ([`super::cpu`]).

mod bfloat16;
mod expr;
mod items;
mod literal;
mod near;
mod place;
mod region;
pub(crate) mod reserved;

mod stmt;
mod types;
mod written_out;

pub use expr::{PRIMARY, TypedText, UNARY};
pub use items::{Items, title};
pub(crate) use region::coarsened;

pub(crate) use types::fixed_width;

use crate::back::namer::{Locals, Namer, Reserved};
use crate::ir::{
    AddressSpace, AtomicOp, Body, Builtin, LaunchShape, MathFn, Module, Pointer, Print, Scalar, Struct, StructId, Type,
    VarId,
};
use crate::passes::dependence::Independence;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The words in which a target differs from plain C.
pub struct Language {
    /// What nothing of the source can be called.
    pub reserved: &'static Reserved,
    /// What is appended to an entry's name for what stands beside it.
    pub companions: &'static [&'static str],
    /// Name of a scalar type.
    pub scalar: fn(Scalar) -> &'static str,
    /// −0.0 of a type, by a name whose value no compiler knows, where one would take `c ? 1.0f : -0.0f` for 1.0 or 0.0.
    pub negative_zero: Option<fn(Scalar) -> Callee>,
    /// Name of the type that holds a `bool` in memory.
    pub stored_bool: &'static str,
    /// Suffixes of 64-bit constants, signed and unsigned.
    pub long_suffixes: [&'static str; 2],
    /// Names of the smallest `int` and the smallest 64-bit integer.
    pub smallest: [&'static str; 2],
    /// Before the type that a pointer into an address space points to.
    pub space: fn(AddressSpace) -> &'static str,
    /// `restrict`
    pub restrict: &'static str,
    /// Before a device function.
    pub function: &'static str,
    /// Before a file-scope table.
    pub constant: &'static str,
    /// Before a shared array or variable.
    pub shared: &'static str,
    /// The word for "must hold at compile time", where the language has one.
    pub static_assert: Option<&'static str>,
    /// What stands around a number of bytes before a field that is aligned to it.
    pub aligned: [&'static str; 2],
    /// The word for "offset of a field", where the language has one.
    pub offset_of: Option<&'static str>,
    /// Callee of a function on operands of a type.
    pub math: fn(MathFn, Scalar) -> Callee,
    /// Versions of some functions that hold for common arguments alone and have no branch, and the functions that tell whether
    /// an argument is another one.
    pub common: Option<Common>,
    /// Functions that convert a storage float to `float`, or `float` or `double` to one; the first one is called first.
    pub storage: fn(Scalar, Scalar) -> Vec<Callee>,
    /// Function that makes an integer of 32 or 64 bits of a `float` or `double`, and some integer where none fits, where compilers
    /// would derive from a cast, which has no meaning then, that an index is in range.
    pub truncate: fn(Scalar, Scalar) -> Option<Callee>,
    /// What stands before `?` cannot be a floating-point number.
    pub selects_by_integers: bool,
    /// One name stands for the versions of a function in several types: arguments need the very type.
    pub overloads: bool,
    /// Helper that makes an atomic update in an address space and answers the old value.
    pub atomic: fn(AtomicOp, Scalar, AddressSpace) -> Callee,
    /// What stands before the letter of a `printf` for 64-bit integers, and casts to the types that it takes then.
    pub print_long: [&'static str; 3],
    /// All threads of a group wait for each other, and see what each other wrote.
    pub barrier: &'static str,
    /// The same, of shared memory alone.
    pub shared_barrier: &'static str,
    /// What asks the caches for an address, where that helps.
    pub prefetch: Option<&'static str>,
    /// Marks of loops in groups of a few items.
    pub written_out: Option<WrittenOut>,
    /// Line before a loop that is to be unrolled; a factor follows it.
    pub unroll: Option<&'static str>,
    /// What gives a value of another lane, `f(value, lane)`, or with `votes` the word of all lanes' votes, `f(vote)`, in
    /// subgroups of so many lanes whose threads can see each other's registers.
    pub exchange: Option<fn(lanes: u8, votes: bool) -> Callee>,
    /// Line before a loop whose iterations do not depend on each other.
    pub independent: Option<&'static str>,
    /// The same for a loop of few iterations.
    pub independent_short: Option<&'static str>,
    /// The same where some iteration reads memory only under a condition.
    pub independent_guarded: Option<&'static str>,
}

/// Lines before loops in groups of a few items.
#[derive(Clone, Copy, Debug)]
pub struct WrittenOut {
    /// Loops of a few iterations, which are written out where a row of items is shorter than a vector.
    pub short_rows: &'static str,
    /// The same elsewhere.
    pub rows: &'static str,
    /// Loops over groups, which hold no other loop then, and are none for vectors.
    pub groups: &'static str,
}

/// For a function on operands of a type: its version for common arguments, and the function that tells whether one is another.
pub type Common = fn(MathFn, Scalar) -> Option<[Callee; 2]>;

/// How a built-in is called.
pub struct Callee {
    /// Name of the function.
    pub name: String,
    /// Its definition, where the target's library has none.
    pub helper: Option<String>,
    /// What must be enabled for it.
    pub extension: Option<&'static str>,
    /// Definitions of the target's own library that the text must have, with their places in it.
    pub definitions: Vec<(usize, &'static str)>,
}

impl Callee {
    /// A function of the target's library.
    pub fn library(name: impl Into<String>) -> Self {
        Self { name: name.into(), helper: None, extension: None, definitions: Vec::new() }
    }

    /// A function of a library that comes with the target.
    pub fn defined(name: impl Into<String>, definitions: Vec<(usize, &'static str)>) -> Self {
        Self { definitions, ..Self::library(name) }
    }

    /// A function that the text must define.
    pub fn helper(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { helper: Some(text.into()), ..Self::library(name) }
    }
}

/// What the text turned out to need.
#[derive(Default)]
pub struct Needs {
    /// Definitions by name.
    pub helpers: BTreeMap<String, String>,
    /// Definitions of the target's own library, by their places in it.
    pub library: BTreeMap<usize, &'static str>,
    /// A function of the compiler's library was called, or one of its constants named.
    pub math: bool,
    /// Extensions of the language that helpers use.
    pub extensions: BTreeSet<&'static str>,
    /// Marks of loops that were used.
    pub marks: BTreeSet<&'static str>,
    /// Floats are subtracted.
    pub subtracts: bool,
    /// Something is printed.
    pub prints: bool,
}

/// How builtin values are spelled in a body.
pub type Builtins = BTreeMap<Builtin, TypedText>;

/// The builtin values of groups that run one after the other; `dims` counts groups and then items.
pub fn range_builtins(begin: &str, end: &str, dims: &str) -> Builtins {
    let count = |k: u8| TypedText::new(format!("{dims}[{k}]"), PRIMARY, Scalar::I64);
    let bound = |name: &str| TypedText::new(name, PRIMARY, Scalar::I64);
    let mut builtins = Builtins::from([(Builtin::RangeBegin, bound(begin)), (Builtin::RangeEnd, bound(end))]);
    for axis in 0..3 {
        builtins.insert(Builtin::GroupCount(axis), count(axis));
        builtins.insert(Builtin::ItemCount(axis), count(axis + 3));
    }
    builtins
}

/// Prints the statements of one function.
pub struct Printer<'a> {
    words: &'a Language,
    module: &'a Module,
    names: &'a Namer,
    /// What may be promised of each function's body.
    independence: &'a [Independence],
    body: &'a Body,
    locals: &'a Locals,
    builtins: &'a Builtins,
    needs: &'a RefCell<Needs>,
    /// What is known of the nest.
    launch: Option<&'a LaunchShape>,
    /// Address spaces of a device function's pointer parameters, where the target has several spaces.
    spaces: Option<&'a BTreeMap<VarId, AddressSpace>>,
    /// What subgroups exchange stays in registers.
    in_registers: bool,
    /// Regions of the nest.
    regions: usize,
    labels: u32,
    /// How functions are printed that have a version for common arguments.
    arguments: near::Arguments,
}

impl<'a> Printer<'a> {
    /// Prints with the variables of `body`.
    pub fn new(items: &'a Items<'_>, body: &'a Body, locals: &'a Locals, builtins: &'a Builtins) -> Self {
        Self {
            words: items.words,
            module: items.module,
            names: &items.names,
            independence: &items.independence,
            body,
            locals,
            builtins,
            needs: &items.needs,
            launch: None,
            spaces: None,
            in_registers: false,
            regions: 0,
            labels: 0,
            arguments: near::Arguments::default(),
        }
    }

    /// The same, for the statements of a nest.
    pub(crate) fn with_launch(self, launch: Option<&'a LaunchShape>) -> Self {
        Self { launch, ..self }
    }

    /// The same, for a nest whose subgroups exchange registers, as [`Language::exchange`] says.
    pub(crate) fn with_registers(self, in_registers: bool) -> Self {
        Self { in_registers, ..self }
    }

    /// The same, in other words.
    pub(crate) fn with_words(self, words: &'a Language) -> Self {
        Self { words, ..self }
    }

    /// The same, for a device function whose pointer parameters point into these address spaces.
    pub(crate) fn with_spaces(self, spaces: Option<&'a BTreeMap<VarId, AddressSpace>>) -> Self {
        Self { spaces, ..self }
    }

    /// A variable's name.
    pub fn name(&self, var: VarId) -> &'a str {
        match self.body.var(var).role {
            crate::ir::Role::Constant(id) => self.names.constant(id),
            _ => self.locals.name(var),
        }
    }

    /// `double a[8]`
    pub fn declarator(&self, var: VarId) -> String {
        let space = (self.words.space)(self.space(var));
        types::declarator(self.words, self.names, &self.body.var(var).ty, self.name(var), space)
    }

    /// The address space that a variable is in, or that a pointer points into.
    pub fn space(&self, var: VarId) -> AddressSpace {
        let known = self.spaces.and_then(|spaces| spaces.get(&var)).copied();
        known.unwrap_or_else(|| AddressSpace::of(self.body.var(var)))
    }

    /// `(double (*)[4])`
    pub fn pointer_cast(&self, pointer: &Pointer, space: AddressSpace) -> String {
        types::pointer_cast(self.words, self.names, pointer, (self.words.space)(space))
    }

    /// The value of a file-scope table.
    pub fn constants(&self, ty: &Type, values: &[&crate::ir::Literal]) -> String {
        if let Type::Scalar(scalar) = ty {
            return values.first().map_or("0".into(), |value| self.constant(**value, *scalar));
        }
        let mut types = Vec::new();
        scalars_of(self.module, ty, &mut types);
        let mut elements = values.iter().zip(types).map(|(value, scalar)| self.constant(**value, scalar));
        braces(self.module, ty, &mut elements)
    }

    fn callee(&self, spelling: Callee) -> String {
        let mut needs = self.needs.borrow_mut();
        needs.extensions.extend(spelling.extension);
        match spelling.helper {
            Some(text) => drop(needs.helpers.insert(spelling.name.clone(), text)),
            None if spelling.definitions.is_empty() => needs.math = true,
            None => needs.library.extend(spelling.definitions),
        }
        spelling.name
    }
}

/// A constant as one would write it, whose conversion to `ty` is left to C.
pub(crate) fn literal(words: &Language, value: crate::ir::Literal, ty: Scalar) -> String {
    literal::natural(words, value, ty).text
}

/// Functions that convert a storage float to `float`, or `float` or `double` to one; the first one is called first.
pub(crate) fn conversions(words: &Language, from: Scalar, to: Scalar) -> Vec<Callee> {
    match (from, to) {
        (Scalar::BF16, _) | (_, Scalar::BF16) => vec![bfloat16::conversion(words, from)],
        _ => (words.storage)(from, to),
    }
}

/// `int`, `struct` names.
pub fn type_name(words: &Language, names: &Namer, ty: &Type) -> String {
    types::type_name(words, names, ty)
}

/// `double a[8]`
pub fn declarator(words: &Language, names: &Namer, ty: &Type, name: &str) -> String {
    types::declarator(words, names, ty, name, "")
}

/// `__global double *u_buffer`
pub(crate) fn pointer_declarator(words: &Language, names: &Namer, ty: &Type, name: &str, space: &str) -> String {
    types::declarator(words, names, ty, name, space)
}

/// A struct's definition and the assertions that hold its layout to the one of the IR.
pub(crate) fn struct_lines(words: &Language, names: &Namer, definition: &Struct, id: StructId) -> Vec<String> {
    let name = names.structure(id);
    let fields = || definition.fields.iter().zip((0..).map(|number| names.field(id, number)));
    let mut lines = vec![format!("typedef struct {name} {{")];
    lines.extend(fields().map(|(field, member)| format!("    {};", types::member(words, names, &field.ty, member))));
    if definition.aligns_first() {
        let [before, behind] = words.aligned;
        lines[1] = format!("    {before}{}{behind} {}", definition.align, lines[1].trim_start());
    }
    lines.push(format!("}} {name};"));
    if let Some(assert) = words.static_assert {
        lines.push(format!("{assert}(sizeof({name}) == {}, \"size of {name}\");", definition.bytes));
    }
    if let (Some(assert), Some(offset_of)) = (words.static_assert, words.offset_of) {
        let offset = |(field, member): (&crate::ir::Field, &str)| {
            let offset = field.offset;
            format!("{assert}({offset_of}({name}, {member}) == {offset}, \"offset of {name}.{member}\");")
        };
        lines.extend(fields().map(offset));
    }
    lines
}

/// `{{1.0, 2.0}, {3.0, 4.0}}` for the scalar elements of a value of type `ty`, in memory order.
pub fn braces(module: &Module, ty: &Type, elements: &mut dyn Iterator<Item = String>) -> String {
    fn array(
        module: &Module,
        element: &Type,
        dims: &[u32],
        elements: &mut dyn Iterator<Item = String>,
    ) -> Option<String> {
        let Some((&count, rest)) = dims.split_first() else {
            return value(module, element, elements);
        };
        let parts: Vec<String> = (0..count).map_while(|_| array(module, element, rest, elements)).collect();
        (!parts.is_empty()).then(|| format!("{{{}}}", parts.join(", ")))
    }
    fn value(module: &Module, ty: &Type, elements: &mut dyn Iterator<Item = String>) -> Option<String> {
        match ty {
            Type::Array(element, dims) => array(module, element, dims, elements),
            Type::Struct(id) => {
                let fields = &module.structs[id.0 as usize].fields;
                let parts: Vec<String> = fields.iter().map_while(|f| value(module, &f.ty, elements)).collect();
                (!parts.is_empty()).then(|| format!("{{{}}}", parts.join(", ")))
            }
            _ => elements.next(),
        }
    }
    value(module, ty, elements).unwrap_or_else(|| "{0}".into())
}

/// The format of a `printf` between quotes; `long` stands before the letters of 64-bit integers.
pub(crate) fn format_string(print: &Print, long: &'static str) -> String {
    let format = print.format(|ty| if ty.bytes() == 8 && ty.is_integer() { long } else { "" });
    let mut text = String::from("\"");
    for byte in format.bytes() {
        match byte {
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            b'"' => text.push_str("\\\""),
            b'\\' => text.push_str("\\\\"),
            // Two of them begin a trigraph.
            b'?' => text.push_str("\\?"),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text + "\""
}

/// The scalar types of a value's elements, in memory order.
fn scalars_of(module: &Module, ty: &Type, out: &mut Vec<Scalar>) {
    match ty {
        Type::Scalar(scalar) => out.push(*scalar),
        Type::Struct(id) => module.structs[id.0 as usize].fields.iter().for_each(|f| scalars_of(module, &f.ty, out)),
        Type::Array(element, _) => (0..ty.len()).for_each(|_| scalars_of(module, element, out)),
        Type::Void | Type::Pointer(_) => {}
    }
}
