//! Types as written: built-in ones, structs, typedefs and enums, arrays and at most one pointer.

use super::attributes::{Lower, Place, lower_of};
use super::constants::integer_of;
use super::context::Lowering;
use super::scope::Symbol;
use super::{Lowered, Reported};
use crate::diagnostic::Diagnostic;
use crate::front::ast::{self, BaseType, TypeName};
use crate::ir::{Field, Literal, MAX_ELEMENTS, Pointer, Scalar, Struct, StructId, Type};
use crate::rules;
use crate::source::Span;
use std::collections::HashSet;

/// Most scalars of a struct, those of its arrays and structs included. Texts and signatures list them one by one.
const MAX_STRUCT_SCALARS: u64 = 1 << 16;

/// Most pointers of a parameter that is an array of them: each is a parameter of its own.
const MAX_POINTERS: u32 = 32;

/// A resolved type as a declaration has it.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    /// `Void`, a scalar or a struct.
    pub(super) element: Type,
    /// `const` on the element.
    pub(super) is_const: bool,
    /// A pointer to the element (or to an array of it).
    pub(super) pointer: Option<PointerQualifiers>,
    /// Dimensions of the array that is pointed to.
    pub(super) pointee_dims: Vec<u32>,
    /// Dimensions of what is declared; `None` is `[]`.
    pub(super) dims: Vec<Option<u32>>,
    /// Of a `typedef`.
    pub(super) attributes: Vec<ast::Attribute>,
}

/// Qualifiers of the pointer itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PointerQualifiers {
    pub(super) is_const: bool,
    pub(super) is_restrict: bool,
}

impl Declared {
    /// What a type stands for by another name.
    pub(super) fn of(ty: Type) -> Self {
        match ty {
            Type::Array(element, dims) => Self { dims: dims.into_iter().map(Some).collect(), ..Self::plain(*element) },
            other => Self::plain(other),
        }
    }

    fn plain(element: Type) -> Self {
        Self {
            element,
            is_const: false,
            pointer: None,
            pointee_dims: Vec::new(),
            dims: Vec::new(),
            attributes: Vec::new(),
        }
    }

    /// What the pointer points to.
    pub(super) fn pointee(&self) -> Type {
        array_of(self.element.clone(), &self.pointee_dims)
    }
}

/// `element[dims…]`, or the element itself where there are none.
pub(super) fn array_of(element: Type, dims: &[u32]) -> Type {
    if dims.is_empty() { element } else { Type::Array(Box::new(element), dims.to_vec()) }
}

/// What indexing an array once leads to.
pub(super) fn row_of(element: &Type, dims: &[u32]) -> Type {
    array_of(element.clone(), dims.get(1..).unwrap_or(&[]))
}

/// The scalar or struct at the bottom of a type.
pub(super) fn element_of(ty: &Type) -> &Type {
    match ty {
        Type::Array(element, _) => element,
        Type::Pointer(pointer) => &pointer.element,
        other => other,
    }
}

impl super::module::Unit<'_> {
    /// Whether a struct has no numbers, but pointers alone.
    pub(super) fn is_placeholder(&self, id: StructId) -> bool {
        self.struct_scalars[id.0 as usize] == 0
    }
}

impl Lowering<'_, '_> {
    /// The name of a type, for findings.
    pub(super) fn type_name(&self, ty: &Type) -> String {
        match ty {
            Type::Void => "void".to_owned(),
            Type::Scalar(scalar) => scalar.okl_name().to_owned(),
            Type::Struct(id) => match &self.unit.module.structs[id.0 as usize] {
                of if of.is_vector || self.unit.parts_of_complex(*id).is_some() => of.name.clone(),
                of => format!("struct {}", of.name),
            },
            Type::Array(element, dims) => {
                let dims: String = dims.iter().map(|d| format!("[{d}]")).collect();
                format!("{}{dims}", self.type_name(element))
            }
            Type::Pointer(pointer) => {
                let constant = if pointer.mutable { "" } else { "const " };
                format!("{constant}{} *", self.type_name(&pointer.element))
            }
        }
    }

    /// Resolves a type as written.
    pub(super) fn resolve(&mut self, ty: &TypeName) -> Lowered<Declared> {
        let declared = self.resolve_local(ty)?;
        let is_storage = |a: &&ast::Attribute| matches!(lower_of(a), Lower::Storage(_));
        if let Some(storage) = declared.attributes.iter().find(is_storage).map(|a| a.name.name.clone()) {
            let message =
                format!("this type is of `@{storage}` memory, which is declared inside the `@outer` loops alone");
            return Err(self.error(rules::STORAGE, ty.span, message));
        }
        if !declared.dims.is_empty() && declared.pointer.is_some() {
            return Err(self.report(
                Diagnostic::error(
                    rules::NOT_IN_OKL,
                    ty.span,
                    "arrays of pointers can be local variables, and parameters of device functions with a size",
                )
                .hint("pass one pointer, and the offsets of the others in an array"),
            ));
        }
        Ok(declared)
    }

    /// The type of a parameter; of an array of pointers, that of each, and how many they are.
    pub(super) fn resolve_parameter(&mut self, ty: &TypeName, is_kernel: bool) -> Lowered<(Declared, Option<u32>)> {
        if is_kernel || ty.dims.is_empty() {
            return Ok((self.resolve(ty)?, None));
        }
        let declared = self.resolve_local(ty)?;
        match (declared.pointer, declared.dims.as_slice()) {
            (Some(_), &[Some(len)]) if len > MAX_POINTERS => {
                let message = format!("a parameter is an array of at most {MAX_POINTERS} pointers");
                Err(self.error(rules::LIMIT, ty.span, message))
            }
            (Some(_), &[Some(len)]) => Ok((Declared { dims: Vec::new(), ..declared }, Some(len))),
            _ => Ok((self.resolve(ty)?, None)),
        }
    }

    /// The type of a local variable, which may be an array of pointers.
    pub(super) fn resolve_local(&mut self, ty: &TypeName) -> Lowered<Declared> {
        let mut declared = self.resolve_base(&ty.base, ty.span)?;
        if let Some(span) = ty.reference {
            let message = "references are for parameters of device functions and for local variables";
            return Err(self.error(rules::NOT_IN_OKL, span, message));
        }
        if ty.is_volatile {
            return Err(self.error(
                rules::NOT_IN_OKL,
                ty.span,
                "`volatile` is not in the language; use `@atomic` or `@barrier` to order accesses",
            ));
        }
        match &mut declared.pointer {
            Some(pointer) => pointer.is_const |= ty.is_const,
            None => declared.is_const |= ty.is_const,
        }
        self.resolve_pointers(&mut declared, ty)?;
        let mut dims = Vec::new();
        for (index, dim) in ty.dims.iter().enumerate() {
            dims.push(match dim {
                Some(expr) => Some(match self.launch_size(expr)? {
                    Some(built) => built,
                    None => self.dimension(expr)?,
                }),
                None if index == 0 => None,
                None => {
                    return Err(self.error(
                        rules::BAD_ARRAY,
                        ty.span,
                        "only the first dimension of an array may be left out",
                    ));
                }
            });
        }
        dims.append(&mut declared.dims);
        let count = dims.iter().flatten().try_fold(1u64, |n, &d| n.checked_mul(u64::from(d)));
        if count.is_none_or(|n| n > MAX_ELEMENTS) {
            return Err(self.error(rules::LIMIT, ty.span, format!("this array has more than {MAX_ELEMENTS} elements")));
        }
        declared.dims = dims;
        Ok(declared)
    }

    fn resolve_pointers(&mut self, declared: &mut Declared, ty: &TypeName) -> Lowered<()> {
        let levels = ty.pointers.len() + usize::from(declared.pointer.is_some());
        if levels > 1 {
            return Err(self.report(
                Diagnostic::error(
                    rules::NOT_IN_OKL,
                    ty.span,
                    "pointers to pointers are not in the language: memory of a device holds no addresses",
                )
                .hint("pass one array and where each row begins in it, or a struct with a pointer for each"),
            ));
        }
        let Some(level) = ty.pointers.first() else {
            return Ok(());
        };
        declared.pointer = Some(PointerQualifiers { is_const: level.is_const, is_restrict: level.is_restrict });
        let dims: Option<Vec<u32>> = declared.dims.drain(..).collect();
        declared.pointee_dims =
            dims.ok_or_else(|| self.error(rules::BAD_ARRAY, ty.span, "a pointer to an array needs the array's size"))?;
        Ok(())
    }

    fn resolve_base(&mut self, base: &BaseType, span: Span) -> Lowered<Declared> {
        let ident = match base {
            BaseType::Void => return Ok(Declared::plain(Type::Void)),
            BaseType::Scalar(scalar) => return Ok(Declared::plain((*scalar).into())),
            BaseType::Complex(parts) => return Ok(Declared::plain(Type::Struct(self.complex_type(*parts, span)))),
            BaseType::Named(ident) => ident,
            BaseType::Deduced(ty) => return Ok(Declared::of(ty.clone())),
            BaseType::Auto => {
                return Err(self.report(
                    Diagnostic::error(
                        rules::AUTO_TYPE,
                        span,
                        "`auto` is for variables with a value, and for what functions return and lambdas take",
                    )
                    .hint("name the type"),
                ));
            }
            BaseType::Template(name, arguments) => {
                let id = self.deeper(span, |s| s.struct_instance(name, arguments, span))?;
                return Ok(Declared::plain(Type::Struct(id)));
            }
        };
        match self.lookup(&ident.name) {
            Some(Symbol::Struct(id)) => Ok(Declared::plain(Type::Struct(id))),
            Some(Symbol::Typedef(declared)) => Ok(declared),
            Some(Symbol::Refused) => Err(Reported),
            Some(_) => Err(self.error(rules::WRONG_NAME_KIND, ident.span, format!("`{}` is not a type", ident.name))),
            None => match Scalar::of_name(&ident.name) {
                Some(scalar) => Ok(Declared::plain(scalar.into())),
                None => {
                    let complex = crate::front::parse::complex_of_name(&ident.name);
                    let complex = complex.map(|parts| self.complex_type(parts, span));
                    match complex.or_else(|| self.vector_type(&ident.name, span)) {
                        Some(id) => Ok(Declared::plain(Type::Struct(id))),
                        None => Err(self.undeclared(&ident.name, ident.span, "type")),
                    }
                }
            },
        }
    }

    /// The value of an array dimension.
    fn dimension(&mut self, expr: &ast::Expr) -> Lowered<u32> {
        let value = self.integer_constant(expr, "an array dimension")?;
        match u32::try_from(value) {
            Ok(dim) if dim > 0 => Ok(dim),
            _ => Err(self.error(
                rules::BAD_ARRAY,
                expr.span,
                format!("an array dimension must be positive; this one is {value}"),
            )),
        }
    }

    /// The value of an integer constant expression.
    pub(super) fn integer_constant(&mut self, expr: &ast::Expr, what: &str) -> Lowered<i128> {
        let (effects, value) = self.captured(|s| s.expr(expr));
        let value = value?;
        match integer_of(&value) {
            Some(integer) if effects.is_empty() => Ok(integer),
            _ => Err(self.report(
                Diagnostic::error(rules::CONSTANT_EXPECTED, expr.span, format!("{what} must be an integer constant"))
                    .hint("use a literal, an enumerator, a `const` with such a value, or a define"),
            )),
        }
    }

    /// The type of a parameter: `T a[]` is a pointer, `T a[][4]` one to rows.
    pub(super) fn parameter_type(&mut self, declared: &Declared, restrict: bool, span: Span) -> Lowered<Type> {
        let (is_restrict, dims) = match (&declared.pointer, declared.dims.split_first()) {
            (Some(qualifiers), _) => (qualifiers.is_restrict, declared.pointee_dims.clone()),
            (None, Some((_, rest))) => (false, rest.iter().flatten().copied().collect()),
            (None, None) if declared.element == Type::Void => {
                return Err(self.error(rules::BAD_DECLARATION, span, "a parameter cannot be `void`"));
            }
            (None, None) if restrict => {
                return Err(self.error(
                    rules::MISPLACED_ATTRIBUTE,
                    span,
                    "`@restrict` is for pointers; this parameter is a value",
                ));
            }
            (None, None) => return Ok(declared.element.clone()),
        };
        if declared.element == Type::Void {
            return Err(self.error(
                rules::BAD_DECLARATION,
                span,
                "`void *` is not in the language; say what it points to",
            ));
        }
        let element = Box::new(declared.element.clone());
        Ok(Type::Pointer(Pointer { element, dims, mutable: !declared.is_const, restrict: restrict || is_restrict }))
    }

    /// Size and alignment in bytes.
    pub(super) fn layout(&self, ty: &Type) -> (usize, usize) {
        match ty {
            Type::Scalar(scalar) => (scalar.bytes(), scalar.bytes()),
            Type::Struct(id) => {
                let of = &self.unit.module.structs[id.0 as usize];
                (of.bytes, of.align)
            }
            Type::Array(element, _) => {
                let (bytes, align) = self.layout(element);
                (bytes.saturating_mul(ty.len() as usize), align)
            }
            Type::Pointer(_) => (8, 8),
            Type::Void => (1, 1),
        }
    }

    /// Gives fields their offsets; answers the size and alignment of a struct of them.
    pub(super) fn pack(&self, fields: &mut [Field]) -> (usize, usize) {
        let (mut bytes, mut align) = (0usize, 1usize);
        for field in fields {
            let (field_bytes, field_align) = self.layout(&field.ty);
            field.offset = bytes.next_multiple_of(field_align);
            bytes = field.offset + field_bytes;
            align = align.max(field_align);
        }
        (bytes.next_multiple_of(align), align)
    }

    /// Lays a struct out and binds its name.
    pub(super) fn declare_struct(&mut self, decl: &ast::StructDecl) -> Lowered<()> {
        let symbol = match self.lay_out_struct(decl) {
            Ok(id) => Symbol::Struct(id),
            Err(Reported) => Symbol::Refused,
        };
        self.bind(&decl.name.name, decl.name.span, symbol);
        Ok(())
    }

    pub(super) fn lay_out_struct(&mut self, decl: &ast::StructDecl) -> Lowered<StructId> {
        let mut fields: Vec<Field> = Vec::new();
        let (mut bytes, mut align, mut scalars) = (0usize, 1usize, 0u64);
        let mut names = HashSet::new();
        let mut pointers = Vec::new();
        let declarators = decl.fields.iter().flat_map(|d| d.declarators.iter().map(move |one| (d, one)));
        for (declaration, declarator) in declarators {
            self.check_attributes(declaration.attributes.iter().chain(&declarator.attributes), Place::Field);
            if !names.insert(declarator.name.name.as_str()) {
                return Err(self.error(
                    rules::DECLARED_TWICE,
                    declarator.name.span,
                    format!("field `{}` is declared twice", declarator.name.name),
                ));
            }
            let attributes = declaration.attributes.iter().chain(&declarator.attributes);
            if let Some(pointer) = self.pointer_field(declarator, attributes, fields.len())? {
                pointers.push(pointer);
                continue;
            }
            let ty = self.field_type(declarator)?;
            scalars = scalars.saturating_add(self.scalars(&ty));
            if scalars > MAX_STRUCT_SCALARS {
                let message = format!("struct `{}` has more than {MAX_STRUCT_SCALARS} scalars", decl.name.name);
                let finding = Diagnostic::error(rules::LIMIT, declarator.name.span, message);
                return Err(self.report(finding.hint("pass large arrays to the kernel by pointer")));
            }
            let (field_bytes, field_align) = self.layout(&ty);
            let offset = bytes.next_multiple_of(field_align);
            bytes = offset + field_bytes;
            align = align.max(field_align);
            fields.push(Field { name: declarator.name.name.clone(), ty, offset });
        }
        if fields.is_empty() && !pointers.is_empty() {
            // The IR has no struct without fields.
            fields.push(Field { name: "no_value".to_owned(), ty: Scalar::I32.into(), offset: 0 });
            (bytes, align, scalars) = (4, 4, 0);
        }
        if fields.is_empty() {
            return Err(self.error(
                rules::BAD_DECLARATION,
                decl.span,
                format!("struct `{}` has no fields", decl.name.name),
            ));
        }
        let name = decl.name.name.clone();
        let id = StructId(self.unit.module.structs.len() as u32);
        let bytes = bytes.next_multiple_of(align);
        self.unit.module.structs.push(Struct { name, fields, bytes, align, is_vector: false, span: decl.span });
        self.unit.struct_scalars.push(scalars);
        self.unit.pointer_fields.push(pointers);
        Ok(id)
    }

    /// Scalars that a value of a field's type has.
    pub(super) fn scalars(&self, ty: &Type) -> u64 {
        match ty {
            Type::Struct(id) => self.unit.struct_scalars[id.0 as usize],
            Type::Array(element, _) => ty.len().saturating_mul(self.scalars(element)),
            Type::Scalar(_) | Type::Pointer(_) | Type::Void => 1,
        }
    }

    fn field_type(&mut self, declarator: &ast::Declarator) -> Lowered<Type> {
        let declared = self.resolve(&declarator.ty)?;
        let span = declarator.name.span;
        if declared.element == Type::Void {
            return Err(self.error(rules::BAD_DECLARATION, span, "a field cannot be `void`"));
        }
        if let Some(init) = &declarator.init {
            return Err(self.error(
                rules::BAD_INITIALIZER,
                init.span(),
                "a field of a struct cannot have an initialiser",
            ));
        }
        let dims: Option<Vec<u32>> = declared.dims.iter().copied().collect();
        let dims = dims.ok_or_else(|| self.error(rules::BAD_ARRAY, span, "the array in a struct needs a size"))?;
        Ok(array_of(declared.element, &dims))
    }

    /// Binds a typedef.
    pub(super) fn declare_typedef(&mut self, typedef: &ast::Typedef) -> Lowered<()> {
        self.check_attributes(&typedef.attributes, Place::Typedef);
        let attributes = typedef.attributes.clone();
        let declared = self.resolve(&typedef.ty).map(|declared| match attributes.is_empty() {
            true => declared,
            false => Declared { attributes, ..declared },
        });
        let symbol = declared.map_or(Symbol::Refused, Symbol::Typedef);
        let known = match (self.lookup(&typedef.name.name), &symbol) {
            // `typedef struct S { … } S;` names one thing twice.
            (Some(Symbol::Struct(a)), Symbol::Typedef(d)) => {
                d.element == Type::Struct(a) && d.pointer.is_none() && d.dims.is_empty()
            }
            _ => false,
        };
        if !known {
            self.bind(&typedef.name.name, typedef.name.span, symbol);
        }
        Ok(())
    }

    /// Binds the enumerators of an enum, and its tag as a name for `int`.
    pub(super) fn declare_enum(&mut self, decl: &ast::EnumDecl) -> Lowered<()> {
        let mut next = 0i128;
        for (name, value) in &decl.enumerators {
            if let Some(expr) = value {
                next = self.integer_constant(expr, "the value of an enumerator").unwrap_or(next);
            }
            match i32::try_from(next) {
                Ok(value) => {
                    self.bind(&name.name, name.span, Symbol::Literal(Literal::Int(i64::from(value)), Scalar::I32))
                }
                Err(_) => {
                    self.error(
                        rules::BAD_DECLARATION,
                        name.span,
                        format!("enumerator `{}` does not fit `int`: {next}", name.name),
                    );
                    self.bind(&name.name, name.span, Symbol::Refused);
                    next = 0;
                }
            }
            next += 1;
        }
        if let Some(tag) = &decl.name {
            self.bind(&tag.name, tag.span, Symbol::Typedef(Declared::plain(Scalar::I32.into())));
        }
        Ok(())
    }
}
