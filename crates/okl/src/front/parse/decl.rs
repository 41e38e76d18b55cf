//! Top-level items and declarations.

use super::types::{Declared, Specifiers};
use super::{Failed, NameKind, Parsed, Parser, Part};
use crate::front::ast::{
    BaseType, Block, Declaration, Declarator, EnumDecl, ExprKind, Function, Ident, Initializer, Item, Param, Typedef,
};
use crate::front::lex::{Punct, Token, TokenKind};
use crate::rules;
use crate::{Diagnostic, Span};

/// What is refused in more than one place, and what to do instead.
const BIT_FIELDS: (&str, &str) = ("bit-fields are not in OKL", "use a field of its own, or shifts and masks");
pub(super) const METHODS: (&str, &str) = ("methods are not in OKL", "write a function that takes the struct");

impl Parser<'_> {
    /// The whole unit.
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while !self.at_end() {
            self.recovering_item(&mut items);
        }
        items
    }

    /// One item; what does not parse is reported and skipped.
    pub(super) fn recovering_item(&mut self, items: &mut Vec<Item>) {
        let start = self.position;
        let (known, inner) = (items.len(), self.parts.len());
        let errors = self.errors;
        let parsed = self.item(items);
        self.hoisted.clear();
        self.unwinding = false;
        if parsed.is_err() {
            self.skip_statement(start);
            if self.at(Punct::RightBrace) && self.namespaces.is_empty() {
                self.bump();
            }
        }
        if self.position == start {
            self.bump();
        }
        // A namespace is the parts that stand in it.
        if self.parts.len() == inner && self.position <= self.tokens.len() {
            let failed = self.errors > errors;
            let part = Part::new(self.tokens, start..self.position, &items[known.min(items.len())..], failed);
            self.parts.push(part);
        }
    }

    pub(super) fn item(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        if self.eat(Punct::Semicolon) {
            return Ok(());
        }
        if self.at(Punct::RightBrace) {
            return self.fail_at(self.here(), "this `}` closes nothing");
        }
        match self.peek().and_then(Token::name).map(|name| &**name) {
            Some("namespace") => return self.namespace(items),
            Some("using") => return self.using(items),
            Some("template") => return self.template(items),
            Some("static_assert" | "_Static_assert") => {
                items.push(self.static_assert()?);
                return Ok(());
            }
            _ => {}
        }
        let start = self.here();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        if !self.at_end() && self.peek().and_then(Token::name).is_none() && !self.at(Punct::ColonColon) {
            return self.unexpected("a declaration");
        }
        self.take_ragged(&mut attributes);
        let mut specifiers = self.specifiers(attributes)?;
        self.check_ragged()?;
        if self.ends_with_tag(&specifiers)? {
            items.append(&mut self.hoisted);
            return Ok(());
        }
        if specifiers.is_typedef {
            return self.typedef(specifiers, start, items);
        }
        self.refuse_anonymous(&mut specifiers)?;
        items.append(&mut self.hoisted);
        let first = self.declarator(&specifiers)?;
        if self.at(Punct::LeftParen) {
            let function = self.function(specifiers, first, start)?;
            items.push(Item::Function(function));
            return Ok(());
        }
        let mut declaration = self.declaration(specifiers, first, start)?;
        // A lambda of the file captures nothing: it is a function.
        if let [Declarator { name, init: Some(Initializer::Expr(value)), .. }] = declaration.declarators.as_mut_slice()
            && let ExprKind::Lambda(lambda) = &mut value.kind
        {
            let function = Function { name: name.clone(), ..lambda.function.clone() };
            items.push(Item::Function(function));
            return Ok(());
        }
        items.push(Item::Global(declaration));
        Ok(())
    }

    /// `struct S { … };`, `enum { … };`: nothing is declared but the type.
    pub(super) fn ends_with_tag(&mut self, specifiers: &Specifiers) -> Parsed<bool> {
        if !self.at(Punct::Semicolon) {
            return Ok(false);
        }
        if !specifiers.has_tag || specifiers.anonymous.is_some() || specifiers.is_typedef {
            return self.refuse(specifiers.span, "this declares nothing", "give it a name");
        }
        if let Some(attribute) = specifiers.attributes.first() {
            return self.fail_at(attribute.span, "this attribute has nothing to apply to");
        }
        self.bump();
        Ok(true)
    }

    /// `struct { … } x;` has no name by which an argument could be checked.
    pub(super) fn refuse_anonymous(&mut self, specifiers: &mut Specifiers) -> Parsed<()> {
        match specifiers.anonymous.take() {
            Some(decl) => {
                self.refuse(decl.name.span, "a struct without a name is not in OKL", "write `struct Name { … }`")
            }
            None => Ok(()),
        }
    }

    /// Behind `typedef T`; makes one item per name.
    pub(super) fn typedef(&mut self, mut specifiers: Specifiers, start: Span, items: &mut Vec<Item>) -> Parsed<()> {
        let mut first = true;
        loop {
            let mut declared = self.declarator(&specifiers)?;
            let Some(mut name) = declared.name.take() else {
                return self.unexpected("the type's new name");
            };
            let written = name.name.clone();
            self.declare_ident(&mut name, NameKind::Type);
            if self.at(Punct::LeftParen) {
                return self.refuse(self.here(), "function types are not in OKL", "call functions by name");
            }
            let attributes = specifiers.attributes.iter().chain(&declared.attributes).cloned().collect();
            let is_plain = declared.ty.pointers.is_empty() && declared.ty.dims.is_empty();
            if first
                && is_plain
                && let Some(mut decl) = specifiers.anonymous.take()
            {
                decl.name = name.clone();
                specifiers.base = BaseType::Named(name.clone());
                self.hoisted.push(Item::Struct(decl));
            } else if !(is_plain
                && matches!(&declared.ty.base, BaseType::Named(base) if base.name == name.name || base.name == written))
            {
                self.refuse_anonymous(&mut specifiers)?;
                let typedef = Typedef { name: name.clone(), ty: declared.ty, attributes, span: self.since(start) };
                self.hoisted.push(Item::Typedef(typedef));
            }
            first = false;
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        items.append(&mut self.hoisted);
        self.expect(Punct::Semicolon, "after the typedef")?;
        Ok(())
    }

    /// From the `(` of the parameter list on.
    fn function(&mut self, specifiers: Specifiers, declared: Declared, start: Span) -> Parsed<Function> {
        let Some(mut name) = declared.name else {
            return self.unexpected("the function's name");
        };
        let template = self.template.take();
        let kind = if template.is_some() { NameKind::FunctionTemplate } else { NameKind::Value };
        self.declare_ident(&mut name, kind);
        let template = template.unwrap_or_default();
        let mut attributes = specifiers.attributes;
        attributes.extend(declared.attributes);
        self.scoped(|parser| {
            let params = parser.params()?;
            let mut result = declared.ty;
            if matches!(result.base, BaseType::Auto) && parser.eat(Punct::Arrow) {
                result = parser.type_name()?;
            }
            let span = parser.since(start);
            parser.attributes(&mut attributes)?;
            let body = if parser.at(Punct::LeftBrace) {
                let mut body = parser.nested(Self::block)?;
                let mut found = Vec::new();
                crate::front::goto::structure(&mut body, &mut found);
                // They are of the whole body, not of the place that parsing has come to.
                let here = parser.last_error;
                for finding in found {
                    parser.last_error = None;
                    parser.report(finding);
                }
                parser.last_error = here;
                Some(body)
            } else {
                if !parser.at(Punct::Semicolon) {
                    return parser.unexpected("`{` or `;` after the function's head");
                }
                parser.bump();
                None
            };
            Ok(Function { name, result, params, attributes, template, body, span })
        })
    }

    pub(super) fn params(&mut self) -> Parsed<Vec<Param>> {
        self.bump();
        let open = self.previous();
        let mut params = Vec::new();
        if self.at_word("void") && self.at_after(1, Punct::RightParen) {
            self.bump();
        }
        if !self.at(Punct::RightParen) {
            loop {
                match self.param() {
                    Ok(param) => params.push(param),
                    Err(Failed) => self.skip_param(),
                }
                if !self.eat(Punct::Comma) {
                    break;
                }
                if self.at(Punct::RightParen) {
                    let finding =
                        Diagnostic::warning(rules::TRAILING_COMMA, self.previous(), "no parameter follows this `,`");
                    self.warn(finding.hint("leave it out: C compilers refuse it"));
                    break;
                }
            }
        }
        self.close(Punct::RightParen, open)?;
        Ok(params)
    }

    /// Goes on behind a parameter that failed, at the `,` or `)`.
    fn skip_param(&mut self) {
        let mut depth = 0usize;
        while let Some(token) = self.peek() {
            match token.kind {
                TokenKind::Punct(Punct::LeftParen) => depth += 1,
                TokenKind::Punct(Punct::RightParen) if depth > 0 => depth -= 1,
                TokenKind::Punct(Punct::RightParen | Punct::Comma) if depth == 0 => return,
                TokenKind::Punct(Punct::LeftBrace | Punct::RightBrace | Punct::Semicolon) => return,
                _ => {}
            }
            self.bump();
        }
    }

    fn param(&mut self) -> Parsed<Param> {
        let start = self.here();
        if self.at(Punct::Ellipsis) {
            return self.fail_at(start, "a variable number of arguments is not in OKL");
        }
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let mut specifiers = self.specifiers(attributes)?;
        self.refuse_anonymous(&mut specifiers)?;
        let declared = self.declarator(&specifiers)?;
        let default = if self.eat(Punct::Assign) { Some(self.assignment()?) } else { None };
        if self.at(Punct::LeftParen) {
            return self.refuse(self.here(), "functions as parameters are not in OKL", "call functions by name");
        }
        if let Some(name) = &declared.name {
            self.declare(&name.name, NameKind::Value);
        }
        let mut attributes = specifiers.attributes;
        attributes.extend(declared.attributes);
        Ok(Param { name: declared.name, ty: declared.ty, attributes, default, span: self.since(start) })
    }

    /// The rest of a declaration, from behind its first declarator to behind `;`.
    pub(super) fn declaration(&mut self, specifiers: Specifiers, first: Declared, start: Span) -> Parsed<Declaration> {
        let mut declarators = Vec::new();
        let mut next = Some(first);
        loop {
            let declared = match next.take() {
                Some(declared) => declared,
                None => self.declarator(&specifiers)?,
            };
            declarators.push(self.declarator_value(declared)?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.expect(Punct::Semicolon, "after the declaration")?;
        Ok(Declaration { attributes: specifiers.attributes, declarators, span: self.since(start) })
    }

    /// Declares the name and reads its initialiser.
    fn declarator_value(&mut self, declared: Declared) -> Parsed<Declarator> {
        let Some(mut name) = declared.name else {
            return self.unexpected("a name");
        };
        self.declare_ident(&mut name, NameKind::Value);
        let init = if self.eat(Punct::Assign) { Some(self.initializer()?) } else { None };
        let (what, hint) = match self.peek().map(|token| &token.kind) {
            Some(TokenKind::Punct(Punct::LeftParen)) => {
                ("a function cannot be declared here", "an initial value is written `= value`")
            }
            Some(TokenKind::Punct(Punct::LeftBrace)) if init.is_none() => {
                ("an initial value is written with `=`", "put `=` before the `{`")
            }
            Some(TokenKind::Punct(Punct::Colon)) => BIT_FIELDS,
            _ => {
                return Ok(Declarator { name, ty: declared.ty, attributes: declared.attributes, init });
            }
        };
        self.refuse(self.here(), what, hint)
    }

    fn initializer(&mut self) -> Parsed<Initializer> {
        if !self.at(Punct::LeftBrace) {
            return Ok(Initializer::Expr(self.assignment()?));
        }
        self.bump();
        let open = self.previous();
        let mut values = Vec::new();
        while !self.at(Punct::RightBrace) {
            if self.at(Punct::Dot) || self.at(Punct::LeftBracket) {
                return self.refuse(self.here(), "designated initialisers are not in OKL", "give the values in order");
            }
            values.push(self.nested(Self::initializer)?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        let close = self.close(Punct::RightBrace, open)?;
        Ok(Initializer::List(values, open.to(close)))
    }

    /// `{ fields }`
    pub(super) fn struct_fields(&mut self) -> Parsed<Vec<Declaration>> {
        self.bump();
        let open = self.previous();
        let mut fields = Vec::new();
        while !self.at(Punct::RightBrace) && !self.at_end() {
            if self.eat(Punct::Semicolon) {
                continue;
            }
            let start = self.position;
            match self.field() {
                Ok(field) => fields.push(field),
                Err(Failed) => self.skip_statement(start),
            }
        }
        self.close(Punct::RightBrace, open)?;
        Ok(fields)
    }

    fn field(&mut self) -> Parsed<Declaration> {
        let start = self.here();
        let is_constructor = self.peek().and_then(Token::name).is_some() && self.at_after(1, Punct::LeftParen);
        if self.at_word("template") || self.at(Punct::Tilde) || is_constructor {
            return self.refuse(start, METHODS.0, METHODS.1);
        }
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let mut specifiers = self.specifiers(attributes)?;
        self.refuse_anonymous(&mut specifiers)?;
        if specifiers.is_typedef {
            return self.fail_at(specifiers.span, "a `typedef` within a struct is not in OKL");
        }
        let mut declarators = Vec::new();
        loop {
            let declared = self.declarator(&specifiers)?;
            let Some(name) = declared.name else {
                return self.unexpected("the field's name");
            };
            let (what, hint) = match self.peek().map(|token| &token.kind) {
                Some(TokenKind::Punct(Punct::LeftParen)) => METHODS,
                Some(TokenKind::Punct(Punct::Assign | Punct::LeftBrace)) => {
                    ("default values of fields are not in OKL", "give values where a variable is declared")
                }
                Some(TokenKind::Punct(Punct::Colon)) => BIT_FIELDS,
                _ => {
                    declarators.push(Declarator { name, ty: declared.ty, attributes: declared.attributes, init: None });
                    if self.eat(Punct::Comma) {
                        continue;
                    }
                    break;
                }
            };
            return self.refuse(self.here(), what, hint);
        }
        self.expect(Punct::Semicolon, "after the field")?;
        Ok(Declaration { attributes: specifiers.attributes, declarators, span: self.since(start) })
    }

    /// Where `enum` stands.
    pub(super) fn enum_specifier(&mut self) -> Parsed<BaseType> {
        let start = self.here();
        self.bump();
        let is_scoped = self.eat_word("class") || self.eat_word("struct");
        let mut name = match self.name_at(0) {
            _ if self.at(Punct::LeftBrace) => None,
            Some(known) if known.kind == Some(NameKind::Type) => {
                self.position += known.tokens;
                Some(Ident { name: known.name.to_string(), span: self.previous() })
            }
            _ => Some(self.expect_ident("the enumeration's name or `{`")?),
        };
        if self.at(Punct::Colon) {
            self.bump();
            let ty = self.bare_type()?;
            if !matches!(ty.base, BaseType::Scalar(crate::ir::Scalar::I32)) {
                return self.refuse(ty.span, "enumerations are of type `int` in OKL", "leave the type out");
            }
        }
        if let Some(name) = &mut name
            && (self.at(Punct::LeftBrace) || self.lookup(&name.name).is_none())
        {
            self.declare_ident(name, NameKind::Type);
        }
        if self.at(Punct::LeftBrace) {
            let scope = name.as_ref().filter(|_| is_scoped).map(|name| name.name.clone());
            let enumerators = self.enumerators(scope.as_deref())?;
            let item = EnumDecl { name: name.clone(), enumerators, span: self.since(start) };
            self.hoisted.push(Item::Enum(item));
        }
        Ok(name.map_or(BaseType::Scalar(crate::ir::Scalar::I32), BaseType::Named))
    }

    /// Those of a scoped enumeration have its name before their own.
    fn enumerators(&mut self, scope: Option<&str>) -> Parsed<Vec<(Ident, Option<crate::front::ast::Expr>)>> {
        self.bump();
        let open = self.previous();
        let mut enumerators = Vec::new();
        while !self.at(Punct::RightBrace) {
            let mut name = self.expect_ident("a name")?;
            let value = if self.eat(Punct::Assign) { Some(self.constant()?) } else { None };
            match scope {
                Some(scope) => {
                    name.name = format!("{scope}::{}", name.name);
                    self.declare(&name.name, NameKind::Value);
                }
                None => self.declare_ident(&mut name, NameKind::Value),
            }
            enumerators.push((name, value));
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close(Punct::RightBrace, open)?;
        Ok(enumerators)
    }

    /// `{ statements }`, in a scope of its own.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        self.scoped(|parser| {
            parser.bump();
            let open = parser.previous();
            let mut stmts = Vec::new();
            while !parser.at(Punct::RightBrace) && !parser.at_end() && !parser.unwinding {
                parser.recovering_statement(open, &mut stmts);
            }
            if parser.unwinding {
                return Ok(Block { stmts, span: parser.since(open) });
            }
            parser.close(Punct::RightBrace, open)?;
            Ok(Block { stmts, span: parser.since(open) })
        })
    }
}
