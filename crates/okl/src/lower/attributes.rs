//! The attributes of the language: one row each says where it may stand, whether it takes arguments, and what it does.
//! A new one is a row of [`ATTRIBUTES`] and the function or variant that its `lower` names.
//! Not here: their syntax ([`crate::front::parse`]); how `@outer`, `@inner` and `@tile` are read (`loop_attributes`).

use super::Lowered;
use super::context::Lowering;
use super::scope::nearest;
use crate::diagnostic::Diagnostic;
use crate::front::ast::{self, For, StmtKind};
use crate::rules;
use crate::source::Span;

/// One attribute.
pub(super) struct Attribute {
    /// As it is written behind `@`.
    pub(super) name: &'static str,
    /// Where it may stand.
    pub(super) places: &'static [Place],
    /// Whether a `(` behind it opens its arguments. Where not, it belongs to the code: `@atomic (*p) += 1;`.
    pub(super) takes_arguments: bool,
    /// What it does.
    pub(super) lower: Lower,
}

/// What an attribute can stand at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Kernel,
    Function,
    /// Of a kernel.
    Parameter,
    FunctionParameter,
    Declaration,
    FileConstant,
    Field,
    Typedef,
    For,
    TileLoop,
    While,
    Statement,
}

/// What an attribute does.
#[derive(Clone, Copy)]
pub(super) enum Lower {
    /// Makes a kernel of a function.
    Kernel,
    /// Promises that nothing else points there.
    Restrict,
    /// Promises that a pointer leads to global memory.
    Global,
    /// Makes an axis of a loop.
    Axis(AxisKind),
    /// Makes two loops of one.
    Tile,
    /// Decides where a variable lives.
    Storage(Storage),
    /// Sets something of the kernel.
    Setting(fn(&mut Lowering<'_, '_>, &ast::Attribute) -> Lowered<()>),
    /// Comes before its statement.
    Before(fn(&mut Lowering<'_, '_>, &ast::Attribute, Span) -> Lowered<()>),
    /// Lowers its statement in its own way.
    Statement(fn(&mut Lowering<'_, '_>, &StmtKind, Span) -> Lowered<()>),
    /// Says what the indices of `a(i, j)` mean.
    Dimensions,
    /// Asks for an ordinary loop to be unrolled.
    Unroll,
    /// Changes no result and is not needed.
    Nothing,
    /// Is refused by name, for this reason.
    Refused(&'static str),
}

/// The two kinds of parallel loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AxisKind {
    Outer,
    Inner,
}

/// The memory that a pointer parameter is said to lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeadsTo {
    Shared,
    Global,
}

impl LeadsTo {
    /// What a parameter's attributes say.
    pub(super) fn of(attributes: &[ast::Attribute]) -> Option<(Self, Span)> {
        attributes.iter().find_map(|attribute| match lower_of(attribute) {
            Lower::Storage(Storage::Shared) => Some((Self::Shared, attribute.span)),
            Lower::Global => Some((Self::Global, attribute.span)),
            _ => None,
        })
    }

    /// As it is written.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Shared => "`@shared` memory",
            Self::Global => "global memory",
        }
    }
}

/// Where a declared variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    Plain,
    Shared,
    Exclusive,
}

const fn bare(name: &'static str, places: &'static [Place], lower: Lower) -> Attribute {
    Attribute { name, places, takes_arguments: false, lower }
}

const fn with_arguments(name: &'static str, places: &'static [Place], lower: Lower) -> Attribute {
    Attribute { name, places, takes_arguments: true, lower }
}

const fn refused(name: &'static str, why: &'static str) -> Attribute {
    with_arguments(name, &[], Lower::Refused(why))
}

/// Every attribute.
#[rustfmt::skip]
static ATTRIBUTES: &[Attribute] = &[
    bare("kernel", &[Place::Kernel], Lower::Kernel),
    bare("restrict", &[Place::Function, Place::Parameter, Place::FunctionParameter, Place::Declaration, Place::Field], Lower::Restrict),
    bare("shared", &[Place::Declaration, Place::FunctionParameter, Place::Typedef], Lower::Storage(Storage::Shared)),
    bare("global", &[Place::Parameter, Place::FunctionParameter], Lower::Global),
    bare("globalPtr", &[Place::Parameter, Place::FunctionParameter, Place::Declaration, Place::Field], Lower::Global),
    bare("exclusive", &[Place::Declaration, Place::Typedef], Lower::Storage(Storage::Exclusive)),
    bare("atomic", &[Place::Statement, Place::Declaration], Lower::Statement(|s, stmt, span| s.atomic_stmt(stmt, span))),
    with_arguments("outer", &[Place::For, Place::TileLoop], Lower::Axis(AxisKind::Outer)),
    with_arguments("inner", &[Place::For, Place::TileLoop], Lower::Axis(AxisKind::Inner)),
    with_arguments("tile", &[Place::For], Lower::Tile),
    with_arguments("max_inner_dims", &[Place::Kernel, Place::For], Lower::Setting(|s, a| s.set_max_inner_dims(a))),
    with_arguments("barrier", &[Place::Statement], Lower::Before(|s, a, span| s.barrier(a, span))),
    // The barrier that it takes away is kept: a program that needs none computes the same with it.
    with_arguments("nobarrier", &[Place::For, Place::Statement], Lower::Nothing),
    // Also what the preprocessor makes of `#pragma unroll`.
    with_arguments("unroll", &[Place::For, Place::While], Lower::Unroll),
    with_arguments("dim", &[Place::Parameter, Place::FunctionParameter, Place::Declaration, Place::Typedef], Lower::Dimensions),
    with_arguments("dimOrder", &[Place::Parameter, Place::FunctionParameter, Place::Declaration, Place::Typedef], Lower::Dimensions),
    with_arguments("simd_length", &[Place::For], Lower::Setting(|s, a| s.check_simd_length(a))),
    // The preprocessor takes those that stand in a file.
    refused("directive", "`@directive` stands in a file, as a directive does: it cannot come out of a macro"),
    refused("ragged", "`@ragged` stands before the definition of a struct"),
    refused("implicitArg", "`@implicitArg` marks what OCCA adds to kernels for Metal; callers pass every parameter of a kernel"),
];

/// Whether a `(` behind `@name` opens arguments; those of an unknown attribute are read, so that it alone is refused.
pub fn takes_arguments(name: &str) -> bool {
    row(name).is_none_or(|row| row.takes_arguments)
}

/// The names of all attributes.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ATTRIBUTES.iter().map(|row| row.name)
}

fn row(name: &str) -> Option<&'static Attribute> {
    ATTRIBUTES.iter().find(|row| row.name == name)
}

/// The attribute that an unknown one is a misspelling of.
fn meant(name: &str) -> Option<String> {
    nearest(name, ATTRIBUTES.iter().map(|row| row.name))
}

/// What an attribute does. An unknown one, which is reported where it stands, does what is meant by it, so that nothing else is
/// found wrong for its sake.
pub(super) fn lower_of(attribute: &ast::Attribute) -> Lower {
    let name = attribute.name.name.as_str();
    row(name).or_else(|| row(&meant(name)?)).map_or(Lower::Nothing, |row| row.lower)
}

impl AxisKind {
    /// The axis that an attribute makes of a loop.
    pub(super) fn of(attribute: &ast::Attribute) -> Option<Self> {
        match lower_of(attribute) {
            Lower::Axis(kind) => Some(kind),
            _ => None,
        }
    }
}

impl Place {
    /// What stands there, in a message.
    fn what(self) -> &'static str {
        match self {
            Self::Kernel => "kernels",
            Self::Function => "functions that are no `@kernel`",
            Self::Parameter => "parameters of kernels",
            Self::FunctionParameter => "parameters of device functions",
            Self::Declaration => "declarations",
            Self::FileConstant => "file-scope constants",
            Self::Field => "the fields of a struct",
            Self::Typedef => "a `typedef`",
            Self::For => "loops",
            Self::TileLoop => "the loops of a tile",
            Self::While => "`while` loops",
            Self::Statement => "statements",
        }
    }
}

impl Lowering<'_, '_> {
    /// Refuses attributes that cannot stand at `place`.
    pub(super) fn check_attributes<'a>(
        &mut self,
        attributes: impl IntoIterator<Item = &'a ast::Attribute>,
        place: Place,
    ) {
        for attribute in attributes {
            let needless = || needless_arguments(attribute);
            if let Some(diagnostic) = refusal(attribute, place).or_else(needless) {
                self.report(diagnostic);
            }
        }
    }

    /// Does what the attributes of a kernel or loop set.
    pub(super) fn apply_settings(&mut self, attributes: &[ast::Attribute]) -> Lowered<()> {
        attributes.iter().try_for_each(|attribute| match lower_of(attribute) {
            Lower::Setting(set) => set(self, attribute),
            _ => Ok(()),
        })
    }

    /// The parallel loops that a loop's attributes make of it; `None` for an ordinary loop.
    pub(super) fn parallel_of<'a>(&mut self, f: &'a For) -> Lowered<Option<super::loop_attributes::Parallel<'a>>> {
        self.apply_settings(&f.attributes)?;
        let mut found = None;
        for attribute in &f.attributes {
            let parallel = match lower_of(attribute) {
                Lower::Axis(kind) => self.axis_loop(attribute, kind, f)?,
                Lower::Tile => self.tile(attribute, f)?,
                _ => continue,
            };
            if found.replace(parallel).is_some() {
                return Err(self.error(
                    rules::MISPLACED_ATTRIBUTE,
                    attribute.span,
                    "a loop is one of `@outer`, `@inner` and `@tile`",
                ));
            }
        }
        // A tile of ordinary loops visits the same values in the same order as the loop itself.
        Ok(found.filter(|parallel| !parallel.is_sequential()))
    }
}

/// Arguments of an attribute that does nothing with them.
fn needless_arguments(attribute: &ast::Attribute) -> Option<Diagnostic> {
    let is_needless = matches!(lower_of(attribute), Lower::Nothing) && !attribute.arguments.is_empty();
    let message = format!("`@{}` takes no arguments", attribute.name.name);
    is_needless.then(|| Diagnostic::error(rules::ATTRIBUTE_ARGUMENTS, attribute.span, message))
}

fn refusal(attribute: &ast::Attribute, place: Place) -> Option<Diagnostic> {
    let name = attribute.name.name.as_str();
    let error = |rule, message: String| Diagnostic::error(rule, attribute.span, message);
    let Some(row) = row(name) else {
        let unknown = error(rules::UNKNOWN_ATTRIBUTE, format!("attribute `@{name}` is unknown"));
        return Some(match meant(name) {
            Some(near) => unknown.hint(format!("did you mean `@{near}`?")),
            None => unknown,
        });
    };
    if let Lower::Refused(why) = row.lower {
        return Some(error(rules::MISPLACED_ATTRIBUTE, why.to_owned()));
    }
    if row.places.contains(&place) {
        return None;
    }
    let places: Vec<&str> = row.places.iter().map(|place| place.what()).collect();
    let hint = format!("it is for {}", places.join(" and "));
    Some(error(rules::MISPLACED_ATTRIBUTE, format!("`@{name}` is not for {}", place.what())).hint(hint))
}

#[cfg(test)]
mod tests {
    use super::{ATTRIBUTES, Lower, Place};
    use crate::{NoIncludes, Request};

    const PLACES: [Place; 12] = [
        Place::Kernel,
        Place::Function,
        Place::Parameter,
        Place::FunctionParameter,
        Place::Declaration,
        Place::FileConstant,
        Place::Field,
        Place::Typedef,
        Place::For,
        Place::TileLoop,
        Place::While,
        Place::Statement,
    ];

    impl super::Attribute {
        fn is_refused(&self) -> bool {
            matches!(self.lower, Lower::Refused(_))
        }
    }

    /// A program with a gap for an attribute at `place`.
    fn program(place: Place) -> String {
        let loops = |body: &str| {
            format!(
                "for (int o = 0; o < 4; ++o; @outer) {{ for (int i = 0; i < 4; ++i; @inner) {{ p[i] = 0; {body} }} }}"
            )
        };
        let kernel = |body: &str| format!("@kernel void k(int *p) {{ {body} }}");
        match place {
            Place::Kernel => format!("@kernel GAP void k(int *p) {{ {} }}", loops("")),
            Place::Function => format!("GAP int f(int x) {{ return x; }} {}", kernel(&loops(""))),
            Place::Parameter => format!("@kernel void k(GAP int *p) {{ {} }}", loops("")),
            Place::FunctionParameter => format!("int f(GAP int *q) {{ return q[0]; }} {}", kernel(&loops(""))),
            Place::Declaration => kernel(&loops("GAP int a = 1;")),
            Place::FileConstant => format!("GAP const int c = 1; {}", kernel(&loops(""))),
            Place::Field => format!("struct S {{ GAP int x; }}; {}", kernel(&loops(""))),
            Place::Typedef => format!("typedef GAP int *T; {}", kernel(&loops(""))),
            Place::For => kernel(&loops("for (int j = 0; j < 4; ++j; GAP) { p[j] = j; }")),
            Place::TileLoop => kernel("for (int i = 0; i < 8; ++i; @tile(4, @outer, @inner, GAP)) { p[i] = 0; }"),
            Place::While => kernel(&loops("GAP while (p[i] < 4) { p[i] += 1; }")),
            Place::Statement => kernel(&loops("GAP p[o * 4 + i] += 1;")),
        }
    }

    fn findings(source: &str) -> String {
        let request = Request { name: "t", source, mode: "Serial", defines: &[], includes: &NoIncludes };
        match crate::to_ir(&request) {
            Ok((_, _, found)) | Err(found) => found.to_string(),
        }
    }

    #[test]
    fn an_attribute_stands_where_its_row_says_and_nowhere_else() {
        for (index, place) in PLACES.into_iter().enumerate() {
            assert_eq!(place as usize, index, "every place is tried");
            assert_eq!(findings(&program(place).replace(", GAP", "").replace("GAP", "")), "", "{place:?}");
            for row in ATTRIBUTES {
                let found = findings(&program(place).replace("GAP", &format!("@{}", row.name)));
                let misplaced = found.contains(&format!("`@{}` is not for {}", row.name, place.what()));
                let planned = matches!(row.lower, Lower::Refused(why) if found.contains(why))
                    || row.name == "directive" && found.contains("`@directive` is written");
                // It would make a kernel of the function, and one within a kernel is refused by the parser.
                let makes_a_kernel = row.name == "kernel"
                    && matches!(place, Place::Function | Place::Declaration | Place::While | Place::Statement);
                let allowed = row.places.contains(&place);
                let expected = (!allowed && !planned && !makes_a_kernel, row.is_refused());
                assert_eq!((misplaced, planned), expected, "@{} at {place:?}: {found}", row.name);
            }
        }
    }

    #[test]
    fn every_row_can_be_had() {
        for (index, row) in ATTRIBUTES.iter().enumerate() {
            assert!(ATTRIBUTES[..index].iter().all(|other| other.name != row.name), "@{} has two rows", row.name);
            assert_eq!(row.places.is_empty(), row.is_refused(), "@{} stands nowhere", row.name);
            // A `(` behind it is an argument, or else the statement's own.
            let argument = findings(
                &program(Place::Statement).replace("GAP p[o * 4 + i]", &format!("@{} (p[o * 4 + i])", row.name)),
            );
            let is_code = !argument.contains("expected an expression") && !argument.contains("`@directive` is written");
            assert_eq!(row.takes_arguments, !is_code, "@{}: {argument}", row.name);
        }
    }

    #[test]
    fn a_slip_is_recognised() {
        let found = findings(&program(Place::Declaration).replace("GAP", "@exclusiv"));
        assert!(found.contains("attribute `@exclusiv` is unknown") && found.contains("did you mean `@exclusive`?"));
    }
}
