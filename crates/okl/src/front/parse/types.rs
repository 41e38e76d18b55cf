//! Types as written: specifiers (`const unsigned int`, `struct S`, a typedef's name) and declarators (`*p[3]`).

use super::names::Resolved;
use super::{NameKind, Parsed, Parser, refused, words};
use crate::front::ast::{Attribute, BaseType, Expr, Ident, Item, PointerLevel, StructDecl, TypeName};
use crate::front::lex::{Punct, Token, TokenKind};
use crate::ir::Scalar;
use crate::rules;
use crate::{Diagnostic, Span};

/// What stands before the declarators of a declaration.
pub(super) struct Specifiers {
    pub(super) base: BaseType,
    is_const: bool,
    is_volatile: bool,
    pub(super) is_typedef: bool,
    pub(super) attributes: Vec<Attribute>,
    pub(super) span: Span,
    /// `struct { … }`, which gets its name from what follows, or is refused.
    pub(super) anonymous: Option<StructDecl>,
    /// A struct or enum was named or defined, so that `;` may follow at once.
    pub(super) has_tag: bool,
}

/// A declared name with its pointers and dimensions.
pub(super) struct Declared {
    pub(super) name: Option<Ident>,
    pub(super) ty: TypeName,
    pub(super) attributes: Vec<Attribute>,
}

/// The built-in type words met so far.
#[derive(Default)]
struct Words {
    base: Option<(&'static str, Span)>,
    sign: Option<bool>,
    short: u32,
    long: u32,
    complex: bool,
}

/// The built-in type that a name is a slip of the keyboard away from: `itn`, `flot`. A longer name, such as `dlong`, is one of
/// its own.
fn near_type(name: &str) -> Option<&'static str> {
    let known = ["bool", "char", "short", "int", "long", "unsigned", "float", "double", "void"];
    known.into_iter().find(|known| name.len() <= known.len() && strsim::osa_distance(name, known) == 1)
}

impl Parser<'_> {
    /// Whether a type stands `ahead` tokens from here (no storage class, no attribute).
    pub(super) fn starts_type(&self, ahead: usize) -> bool {
        let Some(name) = self.name_at(ahead) else {
            return false;
        };
        words::is_builtin_type_word(&name.name)
            || matches!(&*name.name, "const" | "volatile" | "struct" | "enum" | "constexpr" | "auto" | "typename")
            || self.is_type(&name, ahead)
    }

    /// Whether `T(…` stands there, which makes a value of the type.
    pub(super) fn starts_conversion(&self, ahead: usize) -> bool {
        let Some(name) = self.name_at(ahead) else {
            return false;
        };
        let after = ahead + name.tokens;
        // `T (*)[3]` and `T (&)[3]` are types.
        (words::is_builtin_type_word(&name.name) || self.is_type(&name, ahead))
            && self.at_after(after, Punct::LeftParen)
            && ![Punct::Star, Punct::And].into_iter().any(|punct| self.at_after(after + 1, punct))
    }

    /// Whether a declaration stands here. An unknown name before another name is taken for a type.
    pub(super) fn starts_declaration(&self) -> bool {
        let Some(resolved) = self.name_at(0) else {
            return false;
        };
        if self.is_type(&resolved, 0) {
            // `T(x)` converts, `T x` declares.
            let at = resolved.tokens;
            return !self.at_after(at, Punct::LeftParen) || self.at_after(at + 1, Punct::And);
        }
        let name = &resolved.name;
        if words::is_builtin_type_word(name) && self.at_after(1, Punct::LeftParen) {
            // `T (&x)[3]` declares.
            return self.at_after(2, Punct::And);
        }
        self.starts_type(0)
            || words::is_storage(name)
            || words::is_foreign_qualifier(name)
            || &**name == "typedef"
            || self.looks_like_unknown_type()
    }

    /// Whether the name that stands `ahead` tokens from here is a type; that of a template is one with its arguments.
    fn is_type(&self, name: &Resolved, ahead: usize) -> bool {
        match name.kind {
            Some(NameKind::TypeTemplate) => self.at_after(ahead + name.tokens, Punct::Less),
            Some(kind) => kind == NameKind::Type,
            None => words::is_predefined_type(&name.name),
        }
    }

    /// `T x`, `T *x =`: a name that nothing declares, where only a type makes sense.
    fn looks_like_unknown_type(&self) -> bool {
        let is_free = |token: &Token| token.name().is_some_and(|name| !words::is_reserved(name));
        let Some(token) = self.peek().filter(|token| is_free(token)) else {
            return false;
        };
        if token.name().is_some_and(|name| self.lookup(name).is_some()) {
            return false;
        }
        let mut ahead = 1;
        while self.at_after(ahead, Punct::Star) {
            ahead += 1;
        }
        if !self.peek_at(ahead).is_some_and(is_free) {
            return false;
        }
        ahead == 1
            || [Punct::Assign, Punct::Semicolon, Punct::Comma, Punct::LeftBracket]
                .iter()
                .any(|&p| self.at_after(ahead + 1, p))
    }

    /// Reports a name that is no type, once, and takes it for one from here on.
    pub(super) fn unknown_type(&mut self, name: &str, span: Span) {
        let finding = Diagnostic::error(rules::UNDECLARED, span, format!("unknown type `{name}`"));
        let finding = if words::is_large_vector_type(name) {
            finding.hint("vectors have 2, 3 or 4 components in OKL: use several, or an array")
        } else if let Some(near) = near_type(name) {
            finding.hint(format!("did you mean `{near}`?"))
        } else {
            finding.hint(format!("declare it with `typedef`, or give `{name}` in the kernel's `defines`"))
        };
        self.report(finding);
        if let Some(scope) = self.scopes.first_mut() {
            scope.insert(name.into(), NameKind::Type);
        }
    }

    /// Everything before the first declarator. `attributes` are those that stood in front.
    pub(super) fn specifiers(&mut self, attributes: Vec<Attribute>) -> Parsed<Specifiers> {
        let start = self.here();
        let mut found = Specifiers {
            base: BaseType::Scalar(Scalar::I32),
            is_const: false,
            is_volatile: false,
            is_typedef: false,
            attributes,
            span: start,
            anonymous: None,
            has_tag: false,
        };
        let mut named = None;
        let mut words = Words::default();
        while self.specifier(&mut found, &mut named, &mut words)? {}
        found.span = self.since(start);
        found.base = match named {
            Some(base) if words.is_empty() => base,
            Some(_) => {
                return self.fail_at(found.span, "these types cannot be combined");
            }
            None if words.is_empty() => return self.unexpected("a type"),
            None => self.builtin(&words, found.span)?,
        };
        Ok(found)
    }

    /// Takes one specifier; `false` where none stands.
    fn specifier(&mut self, found: &mut Specifiers, named: &mut Option<BaseType>, words: &mut Words) -> Parsed<bool> {
        if self.at_attribute() {
            self.attributes(&mut found.attributes)?;
            return Ok(true);
        }
        let Some((token, resolved)) = self.peek().and_then(|token| Some((token, self.name_at(0)?))) else {
            return Ok(false);
        };
        match &*resolved.name {
            "const" | "constexpr" => found.is_const = true,
            // In C++ this word only says that a type follows.
            "typename" if named.is_none() => {}
            "auto" if named.is_none() && words.is_empty() => *named = Some(BaseType::Auto),
            "volatile" => found.is_volatile = true,
            "typedef" => found.is_typedef = true,
            "extern" => {
                self.bump();
                self.linkage()?;
                return Ok(true);
            }
            "struct" => {
                *named = Some(self.struct_specifier(found)?);
                return Ok(true);
            }
            "enum" => {
                *named = Some(self.enum_specifier()?);
                found.has_tag = true;
                return Ok(true);
            }
            word if words::is_storage(word) => {}
            word if words::is_foreign_qualifier(word) => {
                let finding = refused(token);
                finding.into_iter().for_each(|finding| self.report(finding));
            }
            "kernel" if resolved.kind.is_none() && self.starts_type(1) => {
                let finding = Diagnostic::error(rules::SYNTAX, token.span, "`kernel` is no word of OKL");
                self.report(finding.hint("write `@kernel`"));
            }
            word if words::is_restrict(word) => {
                return self.refuse(
                    token.span,
                    format!("`{word}` belongs behind the `*` of a pointer"),
                    "write `T * restrict p`, or `@restrict T *p`",
                );
            }
            word if words::is_builtin_type_word(word) => words.add(word, token.span, self)?,
            _ if named.is_some() || !words.is_empty() => return Ok(false),
            _ if resolved.kind == Some(NameKind::TypeTemplate) => {
                self.position += resolved.tokens;
                let ident = Ident { name: resolved.name.to_string(), span: self.since(token.span) };
                if !self.at(Punct::Less) {
                    return self.refuse(ident.span, "a template needs its arguments here", "write `Name<type>`");
                }
                *named = Some(BaseType::Template(ident, self.template_arguments()?));
                return Ok(true);
            }
            word => match self.named_type(word, &resolved, token.span) {
                Some(base) => {
                    *named = Some(base);
                    self.position += resolved.tokens;
                    return Ok(true);
                }
                None => return Ok(false),
            },
        }
        self.bump();
        Ok(true)
    }

    /// The type behind a name where a type is wanted; an unknown name before a declarator is reported and taken.
    fn named_type(&mut self, name: &str, resolved: &Resolved, span: Span) -> Option<BaseType> {
        let ident = || BaseType::Named(Ident { name: name.to_owned(), span });
        match resolved.kind {
            Some(NameKind::Type) => Some(ident()),
            Some(_) => None,
            None => {
                if let Some(scalar) = Scalar::of_name(name) {
                    return Some(BaseType::Scalar(scalar));
                }
                if words::is_predefined_type(name) {
                    return Some(ident());
                }
                let declarator =
                    |token: &Token| token.is(Punct::Star) || token.is(Punct::And) || token.name().is_some();
                let is_type = !words::is_reserved(name) && self.peek_at(resolved.tokens).is_some_and(declarator);
                is_type.then(|| {
                    self.unknown_type(name, span);
                    ident()
                })
            }
        }
    }

    /// `"C"` after `extern`.
    fn linkage(&mut self) -> Parsed<()> {
        if self.peek().is_some_and(|token| matches!(token.kind, TokenKind::String(_))) {
            self.bump();
            if self.at(Punct::LeftBrace) {
                let hint = "leave `extern \"C\" { … }` out: names are never mangled";
                return self.refuse(self.here(), "linkage blocks are not in OKL", hint);
            }
        }
        Ok(())
    }

    fn builtin(&mut self, words: &Words, span: Span) -> Parsed<BaseType> {
        if words.complex {
            return self.complex(words, span);
        }
        let unsigned = words.sign == Some(false);
        let base = words.base.map_or("int", |(word, _)| word);
        let sized = words.short + words.long > 0;
        let scalar = match (base, words.short, words.long) {
            ("double", 0, 1) => {
                return self.refuse(span, "`long double` is not in OKL: no device has it", "use `double`");
            }
            ("int", 0, 0) => [Scalar::I32, Scalar::U32][usize::from(unsigned)],
            ("int", 1, 0) => [Scalar::I16, Scalar::U16][usize::from(unsigned)],
            ("int", 0, 1 | 2) => [Scalar::I64, Scalar::U64][usize::from(unsigned)],
            ("char", 0, 0) => [Scalar::I8, Scalar::U8][usize::from(unsigned)],
            ("void", 0, 0) if words.sign.is_none() => return Ok(BaseType::Void),
            ("bool" | "_Bool", 0, 0) if words.sign.is_none() => Scalar::Bool,
            ("float", 0, 0) if words.sign.is_none() => Scalar::F32,
            ("double", 0, 0) if words.sign.is_none() => Scalar::F64,
            _ if sized || words.sign.is_some() => {
                return self.fail_at(span, "these type words cannot be combined");
            }
            _ => return self.fail_at(span, "expected a type"),
        };
        Ok(BaseType::Scalar(scalar))
    }

    /// `float _Complex` and its like.
    fn complex(&mut self, words: &Words, span: Span) -> Parsed<BaseType> {
        match (words.base.map(|(word, _)| word), words.short, words.long) {
            _ if words.sign.is_some() => {}
            (Some("float"), 0, 0) => return Ok(BaseType::Complex(Scalar::F32)),
            // C's compilers take the word alone for that of `double`.
            (Some("double") | None, 0, 0) => return Ok(BaseType::Complex(Scalar::F64)),
            _ => {}
        }
        let what = "the parts of a complex number are `float` or `double` in OKL";
        self.refuse(span, what, "write `float _Complex` or `double _Complex`")
    }

    /// A type without a declarator, before `(` of `T(x)`.
    pub(super) fn bare_type(&mut self) -> Parsed<TypeName> {
        let specifiers = self.specifiers(Vec::new())?;
        Ok(specifiers.with(Vec::new(), Vec::new(), specifiers.span))
    }

    /// `const double *`, in a cast or `sizeof`.
    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        let specifiers = self.specifiers(Vec::new())?;
        if specifiers.is_typedef || specifiers.anonymous.is_some() {
            return self.fail_at(specifiers.span, "a type cannot be defined here");
        }
        let declared = self.declarator(&specifiers)?;
        match declared.name {
            Some(name) => self.fail_at(name.span, format!("expected a type alone, found the name `{}`", name.name)),
            None => Ok(declared.ty),
        }
    }

    /// Pointers, a name if there is one, dimensions, and the attributes in between.
    pub(super) fn declarator(&mut self, specifiers: &Specifiers) -> Parsed<Declared> {
        let mut attributes = Vec::new();
        let mut pointers = Vec::new();
        self.attributes(&mut attributes)?;
        while self.eat(Punct::Star) {
            pointers.push(self.pointer_level(&mut attributes)?);
        }
        let is_grouped = self.at(Punct::LeftParen) && self.at_after(1, Punct::And);
        if is_grouped {
            self.bump();
        }
        let reference = self.at(Punct::And).then(|| self.here());
        if reference.is_some() {
            self.bump();
        }
        self.refuse_other_declarators()?;
        let mut end = self.previous();
        let mut name = None;
        if let Some((token, text)) = self.peek().and_then(|token| Some((token, token.name()?)))
            && !words::is_reserved(text)
        {
            name = Some(Ident { name: text.to_string(), span: token.span });
            self.bump();
        }
        if is_grouped {
            self.expect(Punct::RightParen, "after the reference's name")?;
        }
        self.attributes(&mut attributes)?;
        let mut dims = Vec::new();
        while self.eat(Punct::LeftBracket) {
            dims.push(self.dimension()?);
            end = self.previous();
        }
        self.attributes(&mut attributes)?;
        let ty = TypeName { reference, ..specifiers.with(pointers, dims, specifiers.span.to(end)) };
        Ok(Declared { name, ty, attributes })
    }

    fn pointer_level(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<PointerLevel> {
        let mut level = PointerLevel::default();
        loop {
            if self.at_attribute() {
                self.attributes(attributes)?;
            } else if self.eat_word("const") {
                level.is_const = true;
            } else if self.peek().and_then(Token::name).is_some_and(|name| words::is_restrict(name)) {
                self.bump();
                level.is_restrict = true;
            } else if !self.eat_word("volatile") {
                return Ok(level);
            }
        }
    }

    fn refuse_other_declarators(&mut self) -> Parsed<()> {
        let here = self.here();
        let (what, hint) = if self.at(Punct::AndAnd) {
            ("references to temporary values are not in OKL", "write one `&`, or pass the value itself")
        } else if self.at(Punct::LeftParen) && self.at_after(1, Punct::Star) {
            (
                "pointers to functions or arrays are not in OKL",
                "call functions by name; index a plain pointer: `p[i*n + j]`",
            )
        } else {
            return Ok(());
        };
        self.refuse(here, what, hint)
    }

    /// From behind `[` to behind `]`.
    fn dimension(&mut self) -> Parsed<Option<Expr>> {
        let open = self.previous();
        if self.eat(Punct::RightBracket) {
            return Ok(None);
        }
        let length = self.nested(Self::constant)?;
        self.close(Punct::RightBracket, open)?;
        Ok(Some(length))
    }

    /// Where `struct` stands.
    fn struct_specifier(&mut self, found: &mut Specifiers) -> Parsed<BaseType> {
        let start = self.here();
        self.bump();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        if let Some(attribute) = attributes.first() {
            return self.fail_at(attribute.span, "a struct takes no attributes");
        }
        found.has_tag = true;
        if self.at(Punct::LeftBrace) {
            let name = Ident { name: String::new(), span: start };
            let ragged = self.ragged.take();
            let fields = self.nested(Self::struct_fields)?;
            let fields = self.columns(fields, ragged, start)?;
            let (template, span) = (Vec::new(), self.since(start));
            found.anonymous = Some(StructDecl { name: name.clone(), template, fields, span });
            return Ok(BaseType::Named(name));
        }
        let known =
            self.name_at(0).filter(|known| known.kind.is_some() && !self.at_after(known.tokens, Punct::LeftBrace));
        let mut name = match &known {
            Some(known) => {
                self.position += known.tokens;
                Ident { name: known.name.to_string(), span: self.previous() }
            }
            None => self.expect_ident("the struct's name or `{`")?,
        };
        let template = self.template.take();
        if known.is_none_or(|known| known.kind != Some(NameKind::Type)) {
            self.declare_ident(&mut name, if template.is_some() { NameKind::TypeTemplate } else { NameKind::Type });
        }
        if self.at(Punct::Colon) {
            return self.refuse(self.here(), "inheritance is not in OKL", "make the base a field");
        }
        if self.at(Punct::LeftBrace) {
            let ragged = self.ragged.take();
            let fields = self.nested(Self::struct_fields)?;
            let fields = self.columns(fields, ragged, name.span)?;
            let template = template.unwrap_or_default();
            let item = StructDecl { name: name.clone(), template, fields, span: self.since(start) };
            self.hoisted.push(Item::Struct(item));
        }
        Ok(BaseType::Named(name))
    }
}

impl Specifiers {
    /// The whole type of one declarator.
    fn with(&self, pointers: Vec<PointerLevel>, dims: Vec<Option<Expr>>, span: Span) -> TypeName {
        TypeName {
            base: self.base.clone(),
            is_const: self.is_const,
            is_volatile: self.is_volatile,
            pointers,
            reference: None,
            dims,
            span,
        }
    }
}

impl Words {
    fn is_empty(&self) -> bool {
        self.base.is_none() && self.sign.is_none() && self.short + self.long == 0 && !self.complex
    }

    fn add(&mut self, word: &str, span: Span, parser: &mut Parser<'_>) -> Parsed<()> {
        const BASES: [&str; 7] = ["void", "bool", "_Bool", "char", "int", "float", "double"];
        let repeated = match word {
            "signed" | "unsigned" => self.sign.replace(word == "signed").is_some(),
            "_Complex" => std::mem::replace(&mut self.complex, true),
            "short" => {
                self.short += 1;
                self.short > 1
            }
            "long" => {
                self.long += 1;
                self.long > 2
            }
            _ => {
                let base = BASES.iter().find(|&&base| base == word).map(|&base| (base, span));
                std::mem::replace(&mut self.base, base).is_some()
            }
        };
        if repeated {
            return parser.fail_at(span, format!("`{word}` cannot follow the type words before it"));
        }
        Ok(())
    }
}
