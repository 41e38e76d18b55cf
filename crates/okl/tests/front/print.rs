//! A tree as text in which every operator has its parentheses: OKL again, one item or statement after another.

use okl::front::ast::*;
use okl::ir::Scalar;
use std::fmt::Write as _;

/// The whole unit, an item a line.
pub(super) fn unit(unit: &Unit) -> String {
    unit.items.iter().map(item).collect::<Vec<_>>().join("\n")
}

fn item(item: &Item) -> String {
    match item {
        Item::Function(function) => head_and_body(function),
        Item::Struct(decl) => {
            let fields: Vec<_> = decl.fields.iter().map(declaration).collect();
            format!("{}struct {} {{ {} }};", template(&decl.template), decl.name.name, fields.join(" "))
        }
        Item::Typedef(decl) => format!("typedef {};", typed(&decl.ty, &decl.name.name)),
        Item::Enum(decl) => {
            let name = decl.name.as_ref().map_or(String::new(), |name| format!("{} ", name.name));
            let values = decl.enumerators.iter().map(|(name, value)| match value {
                Some(value) => format!("{} = {}", name.name, expr(value)),
                None => name.name.clone(),
            });
            format!("enum {name}{{ {} }};", values.collect::<Vec<_>>().join(", "))
        }
        Item::Global(decl) => declaration(decl),
        Item::StaticAssert { condition, message, .. } => match message {
            Some(message) => format!("static_assert({}, {message:?});", expr(condition)),
            None => format!("static_assert({});", expr(condition)),
        },
    }
}

fn head_and_body(function: &Function) -> String {
    let params = function.params.iter().map(|param| {
        let name = param.name.as_ref().map_or("", |name| &name.name);
        let default = param.default.as_ref().map_or(String::new(), |value| format!(" = {}", expr(value)));
        format!("{}{}{default}", attributes(&param.attributes), typed(&param.ty, name))
    });
    let params = params.collect::<Vec<_>>().join(", ");
    let head =
        format!("{}{}({params})", attributes(&function.attributes), typed(&function.result, &function.name.name));
    let head = template(&function.template) + &head;
    match &function.body {
        Some(body) => format!("{head} {}", block(body)),
        None => format!("{head};"),
    }
}

fn attributes(list: &[Attribute]) -> String {
    list.iter().map(|one| attribute(one) + " ").collect()
}

fn attribute(attribute_: &Attribute) -> String {
    let arguments = attribute_.arguments.iter().map(|argument| match argument {
        AttributeArgument::Expr(value) => expr(value),
        AttributeArgument::Attribute(inner) => attribute(inner),
        AttributeArgument::Named(name, value) => format!("{}={}", name.name, expr(value)),
    });
    let arguments = arguments.collect::<Vec<_>>().join(", ");
    let arguments = if arguments.is_empty() { arguments } else { format!("({arguments})") };
    format!("@{}{arguments}", attribute_.name.name)
}

fn template(params: &[TemplateParam]) -> String {
    let params = params.iter().map(|param| {
        let head = param.ty.as_ref().map_or("typename".into(), |ty| typed(ty, ""));
        let default = param
            .default
            .as_ref()
            .map_or(String::new(), |value| format!(" = {}", arguments(std::slice::from_ref(value))));
        format!("{head} {}{default}", param.name.name)
    });
    let params = params.collect::<Vec<_>>().join(", ");
    if params.is_empty() { params } else { format!("template <{params}> ") }
}

fn arguments(list: &[TemplateArgument]) -> String {
    let list = list.iter().map(|argument| match argument {
        TemplateArgument::Type(ty) => typed(ty, ""),
        TemplateArgument::Value(value) => expr(value),
    });
    list.collect::<Vec<_>>().join(", ")
}

/// A declared name (or none) with its type.
fn typed(ty: &TypeName, name: &str) -> String {
    let mut out = String::new();
    out.push_str(if ty.is_volatile { "volatile " } else { "" });
    out.push_str(if ty.is_const { "const " } else { "" });
    out.push_str(&match &ty.base {
        BaseType::Void => "void".into(),
        BaseType::Scalar(scalar) => scalar.okl_name().to_owned(),
        BaseType::Complex(parts) => format!("{} _Complex", parts.okl_name()),
        BaseType::Named(name) => name.name.clone(),
        BaseType::Template(name, list) => format!("{}<{}>", name.name, arguments(list)),
        BaseType::Auto => "auto".into(),
        BaseType::Deduced(ty) => format!("{ty:?}"),
    });
    let gap = if ty.pointers.is_empty() && name.is_empty() { "" } else { " " };
    out.push_str(gap);
    for level in &ty.pointers {
        out.push('*');
        out.push_str(if level.is_const { "const " } else { "" });
        out.push_str(if level.is_restrict { "restrict " } else { "" });
    }
    out.push_str(name);
    for dim in &ty.dims {
        let _ = write!(out, "[{}]", dim.as_ref().map_or(String::new(), expr));
    }
    out
}

fn declaration(declaration: &Declaration) -> String {
    // Each declarator carries its whole type, so each becomes a declaration of its own.
    let declarators = declaration.declarators.iter().map(|one| {
        let front = attributes(&declaration.attributes) + &attributes(&one.attributes);
        let value = one.init.as_ref().map_or(String::new(), |init| format!(" = {}", initializer(init)));
        format!("{front}{}{value};", typed(&one.ty, &one.name.name))
    });
    declarators.collect::<Vec<_>>().join(" ")
}

fn initializer(init: &Initializer) -> String {
    match init {
        Initializer::Expr(value) => expr(value),
        Initializer::List(values, _) => {
            format!("{{{}}}", values.iter().map(initializer).collect::<Vec<_>>().join(", "))
        }
    }
}

fn block(block: &Block) -> String {
    let stmts: String = block.stmts.iter().map(|one| format!(" {}", stmt(one))).collect();
    format!("{{{stmts} }}")
}

fn stmt(stmt_: &Stmt) -> String {
    let front = attributes(&stmt_.attributes);
    let text = match &stmt_.kind {
        StmtKind::Empty => ";".into(),
        StmtKind::Declaration(decl) => declaration(decl),
        StmtKind::Item(inner) => item(inner),
        StmtKind::Expr(value) => format!("{};", expr(value)),
        StmtKind::Block(inner) => block(inner),
        StmtKind::If { condition, then, otherwise } => {
            let otherwise = otherwise.as_ref().map_or(String::new(), |other| format!(" else {}", stmt(other)));
            format!("if ({}) {}{otherwise}", expr(condition), stmt(then))
        }
        StmtKind::For(head) => {
            let part = |value: &Option<Expr>| value.as_ref().map_or(String::new(), |value| format!(" {}", expr(value)));
            let marks = attributes(&head.attributes);
            let marks = if marks.is_empty() { marks } else { format!("; {}", marks.trim_end()) };
            format!(
                "for ({}{};{}{marks}) {}",
                stmt(&head.init),
                part(&head.condition),
                part(&head.update),
                stmt(&head.body)
            )
        }
        StmtKind::While { condition, body, attributes: marks } => {
            format!("{}while ({}) {}", attributes(marks), expr(condition), stmt(body))
        }
        StmtKind::DoWhile { body, condition } => {
            format!("do {} while ({});", stmt(body), expr(condition))
        }
        StmtKind::Switch { value, body } => format!("switch ({}) {}", expr(value), block(body)),
        StmtKind::Case(value) => format!("case {}:", expr(value)),
        StmtKind::Default => "default:".into(),
        StmtKind::Break => "break;".into(),
        StmtKind::Continue => "continue;".into(),
        StmtKind::Goto(to) => format!("goto {};", to.name),
        StmtKind::Label(label) => format!("{}:", label.name),
        StmtKind::Return(None) => "return;".into(),
        StmtKind::Return(Some(value)) => format!("return {};", expr(value)),
    };
    front + &text
}

/// An expression; whatever has operands is in parentheses.
pub(super) fn expr(expr_: &Expr) -> String {
    match &expr_.kind {
        ExprKind::Int(value, ty) => {
            let suffix = match ty {
                Scalar::U32 => "u",
                Scalar::I64 => "l",
                Scalar::U64 => "ul",
                _ => "",
            };
            format!("{value}{suffix}")
        }
        ExprKind::Float(value, ty) => {
            format!("{value:?}{}", if *ty == Scalar::F32 { "f" } else { "" })
        }
        ExprKind::Imaginary(value, ty) => {
            format!("{value:?}i{}", if *ty == Scalar::F32 { "f" } else { "" })
        }
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::String(text) => format!("{text:?}"),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Unary(op, a) => format!("({}{})", unary(*op), expr(a)),
        ExprKind::Step { increment, prefix, target } => {
            let op = if *increment { "++" } else { "--" };
            if *prefix { format!("({op}{})", expr(target)) } else { format!("({}{op})", expr(target)) }
        }
        ExprKind::Binary(op, a, b) => format!("({} {} {})", expr(a), binary(*op), expr(b)),
        ExprKind::Assign(op, a, b) => {
            format!("({} {}= {})", expr(a), op.map_or("", binary), expr(b))
        }
        ExprKind::Conditional(c, a, b) => format!("({} ? {} : {})", expr(c), expr(a), expr(b)),
        ExprKind::Call(name, arguments) => {
            format!("{}({})", name.name, arguments.iter().map(expr).collect::<Vec<_>>().join(", "))
        }
        ExprKind::CallTemplate(name, types, list) => {
            let list = list.iter().map(expr).collect::<Vec<_>>().join(", ");
            format!("{}<{}>({list})", name.name, arguments(types))
        }
        ExprKind::Lambda(lambda) => {
            let mut captures: Vec<&str> = lambda.captures.iter().map(|name| name.name.as_str()).collect();
            captures.insert(0, if lambda.by_reference { "&" } else { "=" });
            let function = head_and_body(&lambda.function);
            format!("[{}]{}", captures.join(", "), &function[function.find('(').unwrap_or(0)..])
        }
        ExprKind::Index(a, i) => format!("{}[{}]", expr(a), expr(i)),
        ExprKind::Member { base, field, arrow } => {
            format!("{}{}{}", expr(base), if *arrow { "->" } else { "." }, field.name)
        }
        ExprKind::Cast(ty, a) => format!("(({}) {})", typed(ty, ""), expr(a)),
        ExprKind::Construct(ty, parts) => {
            format!("{}({})", typed(ty, ""), parts.iter().map(expr).collect::<Vec<_>>().join(", "))
        }
        ExprKind::SizeofType(ty) => format!("sizeof({})", typed(ty, "")),
        ExprKind::SizeofExpr(a) => format!("(sizeof {})", expr(a)),
        ExprKind::Comma(a, b) => format!("({}, {})", expr(a), expr(b)),
        ExprKind::Error => "<error>".into(),
    }
}

fn unary(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Plus => "+",
        UnaryOp::Negate => "-",
        UnaryOp::Not => "!",
        UnaryOp::Complement => "~",
        UnaryOp::Deref => "*",
        UnaryOp::AddressOf => "&",
    }
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::LogicAnd => "&&",
        BinaryOp::LogicOr => "||",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
    }
}
