//! The syntax tree: what the user wrote after preprocessing, nothing resolved, every node with a span.
//! Not here: types of expressions, meaning of attributes ([`crate::lower`] gives both).

use super::parse::Part;
use crate::ir::Scalar;
use crate::source::Span;

/// A whole preprocessed translation unit.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// Top-level items in order.
    pub items: Vec<Item>,
    /// The same parts of the file as tokens, those that did not parse among them.
    pub parts: Vec<Part>,
}

/// A top-level item.
#[derive(Clone, Debug)]
pub enum Item {
    /// A function, kernel or prototype.
    Function(Function),
    /// `struct Name { … };` (also from `typedef struct { … } Name;`).
    Struct(StructDecl),
    /// `typedef T Name;`
    Typedef(Typedef),
    /// `enum { A, B = 3 };`
    Enum(EnumDecl),
    /// A file-scope declaration, such as a constant table.
    Global(Declaration),
    /// `static_assert(condition, "message");`
    #[allow(missing_docs)] // the variant's line names its fields
    StaticAssert { condition: Expr, message: Option<String>, span: Span },
}

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Its place.
    pub span: Span,
}

/// `@name` or `@name(arguments)`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Name without the `@`.
    pub name: Ident,
    /// Arguments; `@tile(16, @outer, @inner)` has one expression and two nested attributes.
    pub arguments: Vec<AttributeArgument>,
    /// From `@` to the closing parenthesis.
    pub span: Span,
}

/// One argument of an attribute.
#[derive(Clone, Debug)]
pub enum AttributeArgument {
    /// An expression, such as a tile size.
    Expr(Expr),
    /// An attribute, such as `@outer(0)` within `@tile`.
    Attribute(Attribute),
    /// `name=value`, such as `check=false` within `@tile`.
    Named(Ident, Expr),
}

/// A type as written: specifiers and the declarator's pointers and arrays.
#[derive(Clone, Debug)]
pub struct TypeName {
    /// The specifier.
    pub base: BaseType,
    /// `const` on the base type.
    pub is_const: bool,
    /// `volatile` on the base type.
    pub is_volatile: bool,
    /// Pointer levels from the base outwards: `int *const *p` has two.
    pub pointers: Vec<PointerLevel>,
    /// The `&` of a reference.
    pub reference: Option<Span>,
    /// Array dimensions from the outermost: `a[3][4]` gives 3, 4; `None` is `[]`.
    pub dims: Vec<Option<Expr>>,
    /// From the first specifier to the last `*` or `]`.
    pub span: Span,
}

impl TypeName {
    /// Whether it is a reference to one value; one to an array is as good as a pointer.
    pub fn is_value_reference(&self) -> bool {
        self.reference.is_some() && self.dims.is_empty()
    }
}

/// One `*` and its qualifiers.
#[derive(Clone, Copy, Debug, Default)]
pub struct PointerLevel {
    /// `* const`
    pub is_const: bool,
    /// `* restrict`, `* __restrict__`
    pub is_restrict: bool,
}

/// The type specifier.
#[derive(Clone, Debug)]
pub enum BaseType {
    /// `void`
    Void,
    /// `int`, `unsigned long long` …, with OKL's widths: `long` and `long long` are 64-bit, `char` is signed.
    Scalar(Scalar),
    /// `float _Complex`, `double _Complex`, by the type of their parts.
    Complex(Scalar),
    /// `struct Name` or a typedef's or struct's bare name.
    Named(Ident),
    /// `Name<arguments>`
    Template(Ident, Vec<TemplateArgument>),
    /// `auto`
    Auto,
    /// What an `auto` stands for, once [`crate::lower`] knows.
    Deduced(crate::ir::Type),
}

/// One argument of a template.
#[derive(Clone, Debug)]
pub enum TemplateArgument {
    /// A type.
    Type(TypeName),
    /// An integer constant.
    Value(Expr),
}

/// One parameter of a template.
#[derive(Clone, Debug)]
pub struct TemplateParam {
    /// Its name.
    pub name: Ident,
    /// The type of a value; a type has none.
    pub ty: Option<TypeName>,
    /// What stands for an argument that is left out.
    pub default: Option<TemplateArgument>,
}

/// `[captures](parameters) { … }`
#[derive(Clone, Debug)]
pub struct Lambda {
    /// Its parameters and body.
    pub function: Function,
    /// What it captures by name.
    pub captures: Vec<Ident>,
    /// `&` stands among the captures: values are those of the time of a call.
    pub by_reference: bool,
}

/// A function definition or prototype.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Ident,
    /// Return type.
    pub result: TypeName,
    /// Parameters.
    pub params: Vec<Param>,
    /// `@kernel`, `@max_inner_dims(…)` … before the return type or after the parameter list.
    pub attributes: Vec<Attribute>,
    /// Parameters of a template; empty where it is none.
    pub template: Vec<TemplateParam>,
    /// `None` for a prototype.
    pub body: Option<Block>,
    /// The head: from the first specifier to the closing parenthesis.
    pub span: Span,
}

/// A function's parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name; a prototype may leave it out.
    pub name: Option<Ident>,
    /// Its type.
    pub ty: TypeName,
    /// `@restrict` …
    pub attributes: Vec<Attribute>,
    /// What stands for an argument that is left out.
    pub default: Option<Expr>,
    /// Whole parameter.
    pub span: Span,
}

/// A struct's definition.
#[derive(Clone, Debug)]
pub struct StructDecl {
    /// Its name.
    pub name: Ident,
    /// Parameters of a template; empty where it is none.
    pub template: Vec<TemplateParam>,
    /// Fields in order.
    pub fields: Vec<Declaration>,
    /// Whole definition.
    pub span: Span,
}

/// A typedef.
#[derive(Clone, Debug)]
pub struct Typedef {
    /// The new name.
    pub name: Ident,
    /// What it stands for.
    pub ty: TypeName,
    /// `@dim` …
    pub attributes: Vec<Attribute>,
    /// Whole item.
    pub span: Span,
}

/// An enumeration: its enumerators are `int` constants.
#[derive(Clone, Debug)]
pub struct EnumDecl {
    /// Its tag, if any; also usable as a type, which is `int`.
    pub name: Option<Ident>,
    /// Names, with values where given.
    pub enumerators: Vec<(Ident, Option<Expr>)>,
    /// Whole item.
    pub span: Span,
}

/// `T a = 1, *b, c[3] = {1, 2, 3};` with its attributes.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// `@shared`, `@exclusive` … of the whole declaration.
    pub attributes: Vec<Attribute>,
    /// What is declared; each carries its whole type.
    pub declarators: Vec<Declarator>,
    /// Whole declaration.
    pub span: Span,
}

/// One declared name.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// The name.
    pub name: Ident,
    /// Base, pointers and dimensions.
    pub ty: TypeName,
    /// Attributes that follow this name.
    pub attributes: Vec<Attribute>,
    /// `= value` or `= { … }`.
    pub init: Option<Initializer>,
}

/// An initialiser.
#[derive(Clone, Debug)]
pub enum Initializer {
    /// `= expression`
    Expr(Expr),
    /// `= { … }`, nested as written; designators are refused by the parser.
    List(Vec<Initializer>, Span),
}

impl Initializer {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Self::Expr(e) => e.span,
            Self::List(_, span) => *span,
        }
    }
}

/// `{ … }`
#[derive(Clone, Debug)]
pub struct Block {
    /// Statements in order.
    pub stmts: Vec<Stmt>,
    /// Braces included.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// `@atomic`, `@barrier` … in front of it (loop attributes are in [`For`]).
    pub attributes: Vec<Attribute>,
    /// Whole statement.
    pub span: Span,
}

/// The kinds of statements.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // the variant's line names its fields
pub enum StmtKind {
    /// `;` (also `@barrier;`, whose attribute is on the statement).
    Empty,
    /// A local declaration.
    Declaration(Declaration),
    /// A local struct, typedef or enum.
    Item(Box<Item>),
    /// An expression statement.
    Expr(Expr),
    /// `{ … }`
    Block(Block),
    /// `if`
    If { condition: Expr, then: Box<Stmt>, otherwise: Option<Box<Stmt>> },
    /// `for`, with its `@outer`, `@inner`, `@tile` …
    For(Box<For>),
    /// `while`
    While { condition: Expr, body: Box<Stmt>, attributes: Vec<Attribute> },
    /// `do … while`
    DoWhile { body: Box<Stmt>, condition: Expr },
    /// `switch`
    Switch { value: Expr, body: Block },
    /// `case value:` within a switch body.
    Case(Expr),
    /// `default:` within a switch body.
    Default,
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `goto name;`: none is left behind the parser.
    Goto(Ident),
    /// `name:`: none is left behind the parser.
    Label(Ident),
    /// `return;` or `return value;`
    Return(Option<Expr>),
}

/// `for (init; condition; update; @attributes) body`
#[derive(Clone, Debug)]
pub struct For {
    /// A declaration, an expression statement or `Empty`.
    pub init: Stmt,
    /// Absent in `for (;;)`.
    pub condition: Option<Expr>,
    /// Absent in `for (;;)`.
    pub update: Option<Expr>,
    /// After the third `;` (or a comma-free list of them), in order.
    pub attributes: Vec<Attribute>,
    /// Loop body.
    pub body: Stmt,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Whole expression.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // the variant's line names its fields
pub enum ExprKind {
    /// `12`, `0xffu`, `'a'`; the value and its C type.
    Int(u64, Scalar),
    /// `1.5`, `1e-3f`; `Float` or `Double`.
    Float(f64, Scalar),
    /// `1.5i`, `1.5if`; the type is that of both parts.
    Imaginary(f64, Scalar),
    /// `true`, `false`
    Bool(bool),
    /// `"text"`; only legal where a later stage says so.
    String(String),
    /// A name.
    Name(String),
    /// Prefix operator other than `++`, `--`.
    Unary(UnaryOp, Box<Expr>),
    /// `++x`, `--x`, `x++`, `x--`
    Step { increment: bool, prefix: bool, target: Box<Expr> },
    /// Infix operator, `&&` and `||` included.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `=` (no operator) or `+=` and friends.
    Assign(Option<BinaryOp>, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `f(a, b)`
    Call(Ident, Vec<Expr>),
    /// `f<int>(a, b)`
    CallTemplate(Ident, Vec<TemplateArgument>, Vec<Expr>),
    /// `[=](int i) { … }`
    Lambda(Box<Lambda>),
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `a.b` or, with `arrow`, `a->b`
    Member { base: Box<Expr>, field: Ident, arrow: bool },
    /// `(T) a`, and `T(a)` for built-in scalar types
    Cast(Box<TypeName>, Box<Expr>),
    /// `T(a, b)` of a type that has parts
    Construct(Box<TypeName>, Vec<Expr>),
    /// `sizeof(T)`
    SizeofType(Box<TypeName>),
    /// `sizeof a`
    SizeofExpr(Box<Expr>),
    /// `a, b`
    Comma(Box<Expr>, Box<Expr>),
    /// What stood here did not parse; already reported.
    Error,
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Plus,
    Negate,
    /// `!`
    Not,
    /// `~`
    Complement,
    /// `*p`
    Deref,
    /// `&x`
    AddressOf,
}

/// Infix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    BitAnd,
    BitOr,
    BitXor,
    LogicAnd,
    LogicOr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}
