//! Templates, their arguments, and lambdas.

use super::{Failed, NameKind, Parsed, Parser};
use crate::Span;
use crate::front::ast::{Expr, ExprKind, Function, Ident, Item, Lambda, TemplateArgument, TemplateParam, TypeName};
use crate::front::lex::Punct;

impl Parser<'_> {
    /// Where `template` stands.
    pub(super) fn template(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let start = self.here();
        self.bump();
        self.expect(Punct::Less, "after `template`")?;
        if self.at(Punct::Greater) {
            let hint = "write an overload, or a function of another name";
            return self.refuse(self.since(start), "specialisations of templates are not in OKL", hint);
        }
        let names = self.template_names.len();
        let result = self.template_item(items);
        self.template_names.truncate(names);
        self.template = None;
        result
    }

    fn template_item(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let mut params = Vec::new();
        loop {
            let param = self.template_param()?;
            let kind = if param.ty.is_none() { NameKind::Type } else { NameKind::Value };
            self.template_names.push((param.name.name.clone(), kind));
            params.push(param);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close_angle()?;
        self.template = Some(params);
        let here = self.here();
        self.item(items)?;
        match self.template.take() {
            Some(_) => {
                self.refuse(self.since(here), "only functions and structs can be templates", "leave `template` out")
            }
            None => Ok(()),
        }
    }

    /// `typename T`, `class T`, `int N`, each with a default or none.
    fn template_param(&mut self) -> Parsed<TemplateParam> {
        if self.eat_word("typename") || self.eat_word("class") {
            if self.at(Punct::Ellipsis) {
                return self.fail_at(self.here(), "a variable number of template arguments is not in OKL");
            }
            let name = self.expect_ident("the type parameter's name")?;
            let default = if self.eat(Punct::Assign) { Some(TemplateArgument::Type(self.type_name()?)) } else { None };
            return Ok(TemplateParam { name, ty: None, default });
        }
        let ty = self.bare_type()?;
        let name = self.expect_ident("the template parameter's name")?;
        let default = if self.eat(Punct::Assign) { Some(self.template_argument()?) } else { None };
        Ok(TemplateParam { name, ty: Some(ty), default })
    }

    /// `<…>` behind the name of a template.
    pub(super) fn template_arguments(&mut self) -> Parsed<Vec<TemplateArgument>> {
        self.bump();
        let mut arguments = Vec::new();
        loop {
            arguments.push(self.nested(Self::template_argument)?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close_angle()?;
        Ok(arguments)
    }

    fn template_argument(&mut self) -> Parsed<TemplateArgument> {
        if self.starts_type(0) {
            return Ok(TemplateArgument::Type(self.type_name()?));
        }
        self.template_value().map(TemplateArgument::Value)
    }

    /// Takes a `>`, or the first half of a `>>`.
    fn close_angle(&mut self) -> Parsed<()> {
        if self.at(Punct::Shr) {
            self.half_shift = !self.half_shift;
            self.position += usize::from(!self.half_shift);
            return Ok(());
        }
        self.expect(Punct::Greater, "behind the template's arguments").map(drop)
    }

    /// `[captures](parameters) -> result { … }`
    pub(super) fn lambda(&mut self) -> Parsed<Expr> {
        let start = self.here();
        self.bump();
        let mut captures = Vec::new();
        let mut by_reference = false;
        while !self.at(Punct::RightBracket) {
            by_reference |= self.eat(Punct::And);
            if !self.eat(Punct::Assign) && !self.at(Punct::RightBracket) && !self.at(Punct::Comma) {
                let name = self.expect_ident("a variable that the lambda captures")?;
                if self.at(Punct::Assign) {
                    return self.refuse(
                        self.here(),
                        "captures with a value are not in OKL",
                        "declare a variable before",
                    );
                }
                captures.push(name);
            }
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close(Punct::RightBracket, start)?;
        self.scoped(|parser| {
            let params = if parser.at(Punct::LeftParen) { parser.params()? } else { Vec::new() };
            parser.eat_word("mutable");
            let result = if parser.eat(Punct::Arrow) { parser.type_name()? } else { deduced(start) };
            let span = parser.since(start);
            if !parser.at(Punct::LeftBrace) {
                return parser.unexpected("the lambda's body");
            }
            let body = Some(parser.nested(Self::block)?);
            let name = Ident { name: "lambda".into(), span: start };
            let function = Function { name, result, params, attributes: Vec::new(), template: Vec::new(), body, span };
            let lambda = Lambda { function, captures, by_reference };
            Ok(Expr { kind: ExprKind::Lambda(Box::new(lambda)), span: parser.since(start) })
        })
    }

    /// Where `static_assert` stands.
    pub(super) fn static_assert(&mut self) -> Parsed<Item> {
        let start = self.here();
        self.bump();
        let open = self.expect(Punct::LeftParen, "after `static_assert`")?;
        let condition = self.assignment()?;
        let mut message = None;
        if self.eat(Punct::Comma) {
            let text = self.assignment()?;
            let ExprKind::String(text) = text.kind else {
                return self.fail_at(text.span, "the message must be a string");
            };
            message = Some(text);
        }
        self.close(Punct::RightParen, open)?;
        let span = self.since(start);
        self.expect(Punct::Semicolon, "after the assertion").map_err(|Failed| Failed)?;
        Ok(Item::StaticAssert { condition, message, span })
    }
}

/// `auto`
fn deduced(span: Span) -> TypeName {
    TypeName {
        base: crate::front::ast::BaseType::Auto,
        is_const: false,
        is_volatile: false,
        pointers: Vec::new(),
        dims: Vec::new(),
        reference: None,
        span,
    }
}
