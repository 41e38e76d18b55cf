//! Structs with pointers as parameters of kernels. A kernel takes the struct's numbers, where it has any, and then each of
//! its pointers as a parameter of its own; within the kernel they are the pointers of that struct.

use super::Lowered;
use super::context::Lowering;
use super::record::RecordPath;
use super::types::element_of;
use crate::diagnostic::Diagnostic;
use crate::front::ast;
use crate::ir::{
    Expr, ExprKind, Field, Initializer, Nest, Place, Projection, Role, Scalar, Stmt, StmtKind, Struct, StructId, Type,
    Uses, VarId, rewrite,
};
use crate::rules;
use crate::source::Span;
use std::collections::{BTreeMap, HashSet};

/// A struct of a kernel that is no parameter as it stands, since some struct in it, or all of it, is pointers alone.
#[derive(Debug)]
pub(super) struct Unpacked {
    /// What stands for it.
    var: VarId,
    /// Its numbers, in memory order.
    values: Vec<Expr>,
}

impl Lowering<'_, '_> {
    /// Only the host's own memory could hold a struct with pointers that a kernel's pointer leads to.
    pub(super) fn check_pointer_fields(&mut self, ty: &Type, is_kernel: bool, span: Span) -> Lowered<()> {
        if !is_kernel || !self.holds_pointers(ty) {
            return Ok(());
        }
        let name = self.type_name(element_of(ty));
        let (message, hint) = match ty {
            Type::Struct(id) => match (self.array_with_pointers(*id), self.array_of_pointers(*id)) {
                (None, None) => return Ok(()),
                (None, Some(field)) => (
                    format!("field `{field}` of `{name}` is an array of pointers, which a launch does not give"),
                    "make each pointer a parameter, and set those of a local struct",
                ),
                (Some(field), _) => (
                    format!("field `{field}` of `{name}` is an array of structs with pointers"),
                    "give each of them a field of its own",
                ),
            },
            _ => (
                format!("`{name}` has pointers, which memory of a device cannot hold"),
                "pass the struct itself; or make each pointer a parameter, and set the fields of a local struct",
            ),
        };
        Err(self.report(Diagnostic::error(rules::NOT_IN_OKL, span, message).hint(hint)))
    }

    /// A field, in a struct or one within it, that is an array of structs with pointers.
    fn array_with_pointers(&self, id: StructId) -> Option<String> {
        self.unit.module.structs[id.0 as usize].fields.iter().find_map(|field| match &field.ty {
            Type::Array(..) if self.holds_pointers(&field.ty) => Some(field.name.clone()),
            Type::Struct(inner) => self.array_with_pointers(*inner),
            _ => None,
        })
    }

    /// A field, in a struct or one within it, that is an array of pointers.
    fn array_of_pointers(&self, id: StructId) -> Option<String> {
        let own = self.unit.pointer_fields[id.0 as usize].iter().find(|field| field.count.is_some());
        let fields = &self.unit.module.structs[id.0 as usize].fields;
        own.map(|field| field.name.clone()).or_else(|| {
            fields.iter().find_map(|field| match field.ty {
                Type::Struct(inner) => self.array_of_pointers(inner),
                _ => None,
            })
        })
    }

    /// Declares a parameter that is a struct with pointers: `vars` gets what the kernel takes for it. Gives the variable that
    /// its name stands for.
    pub(super) fn declare_record_parameter(
        &mut self,
        function: &ast::Function,
        name: &ast::Ident,
        id: StructId,
        is_const: bool,
        vars: &mut Vec<VarId>,
    ) -> VarId {
        let (ty, span) = (Type::Struct(id), name.span);
        let var = match self.without_placeholders(id) {
            Some(packed) if packed == id => {
                let role = Role::Param(vars.len() as u32);
                let var = self.variable(&name.name, ty.clone(), role, is_const, span);
                vars.push(var);
                var
            }
            packed => {
                let var = self.variable(&name.name, ty.clone(), Role::Local, true, span);
                let from = packed.map(|packed| {
                    let role = Role::Param(vars.len() as u32);
                    let from = self.variable(&name.name, Type::Struct(packed), role, true, span);
                    vars.push(from);
                    (from, packed)
                });
                let mut values = Vec::new();
                self.unpack(id, from.map(|(root, packed)| (root, packed, Vec::new())), span, &mut values);
                self.unpacked.push(Unpacked { var, values });
                var
            }
        };
        let mut taken: HashSet<String> =
            function.params.iter().filter_map(|param| Some(param.name.as_ref()?.name.clone())).collect();
        let root = RecordPath { root: var, fields: Vec::new(), number: 0 };
        self.pointer_parameters(&root, id, (&name.name, span), &mut taken, vars);
        var
    }

    /// A parameter for each pointer of a struct and of those in it, in the order of the fields.
    fn pointer_parameters(
        &mut self,
        path: &RecordPath,
        id: StructId,
        (name, span): (&str, Span),
        taken: &mut HashSet<String>,
        vars: &mut Vec<VarId>,
    ) {
        let pointers = self.unit.pointer_fields[id.0 as usize].clone();
        let fields = self.unit.module.structs[id.0 as usize].fields.clone();
        for before in 0..=fields.len() {
            for (number, field) in pointers.iter().enumerate().filter(|(_, field)| field.before == before) {
                let path = RecordPath { number, ..path.clone() };
                let shown = format!("{name}.{}", field.name);
                let mut own = shown.replace('.', "_");
                while !taken.insert(own.clone()) {
                    own.push('_');
                }
                let ty = Type::Pointer(field.parameter());
                let var = self.variable(&own, ty, Role::Param(vars.len() as u32), false, span);
                vars.push(var);
                self.pointer_behind(path, field, shown, var, span);
            }
            if let Some(Field { ty: Type::Struct(inner), name: field, .. }) = fields.get(before) {
                let mut path = path.clone();
                path.fields.push(before as u32);
                self.pointer_parameters(&path, *inner, (&format!("{name}.{field}"), span), taken, vars);
            }
        }
    }

    /// The struct without what stands in the IR for structs of pointers alone; `None` where nothing is left.
    fn without_placeholders(&mut self, id: StructId) -> Option<StructId> {
        let of = self.unit.module.structs[id.0 as usize].clone();
        if self.unit.is_placeholder(id) {
            return None;
        }
        let fields: Vec<Option<Field>> = of.fields.iter().map(|field| self.packed_field(field)).collect();
        if fields.iter().zip(&of.fields).all(|(new, old)| new.as_ref() == Some(old)) {
            return Some(id);
        }
        let mut fields: Vec<Field> = fields.into_iter().flatten().collect();
        if fields.is_empty() {
            return None;
        }
        let (bytes, align) = self.pack(&mut fields);
        let packed = Struct { fields, bytes, align, ..of };
        let scalars = self.unit.struct_scalars[id.0 as usize];
        self.unit.module.structs.push(packed);
        self.unit.struct_scalars.push(scalars);
        self.unit.pointer_fields.push(Vec::new());
        Some(StructId(self.unit.module.structs.len() as u32 - 1))
    }

    fn packed_field(&mut self, field: &Field) -> Option<Field> {
        let ty = match field.ty {
            Type::Struct(inner) => Type::Struct(self.without_placeholders(inner)?),
            _ => field.ty.clone(),
        };
        Some(Field { ty, ..field.clone() })
    }

    /// The scalars of a struct: those that `from` has, at its variable's path, and zeros.
    fn unpack(
        &self,
        id: StructId,
        from: Option<(VarId, StructId, Vec<Projection>)>,
        span: Span,
        values: &mut Vec<Expr>,
    ) {
        let of = &self.unit.module.structs[id.0 as usize];
        let mut packed = 0;
        for field in &of.fields {
            let next = from.as_ref().and_then(|(root, of, path)| {
                let found = self.unit.module.structs[of.0 as usize].fields.get(packed)?;
                let is_same = found.name == field.name;
                is_same
                    .then(|| (*root, found.ty.clone(), [path.as_slice(), &[Projection::Field(packed as u32)]].concat()))
            });
            packed += usize::from(next.is_some());
            match (&field.ty, next) {
                (Type::Struct(inner), Some((root, Type::Struct(packed), path))) => {
                    self.unpack(*inner, Some((root, packed, path)), span, values);
                }
                (Type::Struct(inner), _) => self.unpack(*inner, None, span, values),
                (_, Some((root, ty, path))) => self.scalars_at(&Place { root, path, ty, span }, values),
                (Type::Scalar(scalar), None) => values.push(super::constants::zero(*scalar, span)),
                // A struct without numbers of its own has a placeholder alone.
                (_, None) => {}
            }
        }
    }

    /// Loads of all scalars at a place.
    fn scalars_at(&self, place: &Place, values: &mut Vec<Expr>) {
        let step = |projection: Projection, ty: Type| {
            let path = [place.path.as_slice(), &[projection]].concat();
            Place { path, ty, ..place.clone() }
        };
        match &place.ty {
            Type::Scalar(_) => {
                let (ty, span) = (place.ty.clone(), place.span);
                values.push(Expr { kind: ExprKind::Load(place.clone()), ty, span });
            }
            Type::Struct(id) => {
                let fields = &self.unit.module.structs[id.0 as usize].fields;
                for (number, field) in fields.iter().enumerate() {
                    self.scalars_at(&step(Projection::Field(number as u32), field.ty.clone()), values);
                }
            }
            Type::Array(element, _) => {
                for index in 0..place.ty.len() {
                    let index = Expr::int(index as i64, Scalar::I32, place.span);
                    self.scalars_at(&step(Projection::Flat(index), (**element).clone()), values);
                }
            }
            Type::Pointer(_) | Type::Void => {}
        }
    }

    /// Declares, in each nest that reads one, the structs that are no parameters as they stand.
    pub(super) fn declare_unpacked(&mut self, nests: &mut [Nest]) {
        for Unpacked { var, values } in std::mem::take(&mut self.unpacked) {
            for nest in nests.iter_mut().filter(|nest| Uses::of(&nest.stmts).mentioned.contains(&var)) {
                let variable = self.body.var(var).clone();
                let span = variable.span;
                let own = self.body.add(variable);
                rewrite::rename(&mut nest.stmts, &BTreeMap::from([(var, own)]));
                let init = Some(Initializer::List(values.clone()));
                nest.stmts.insert(0, Stmt { kind: StmtKind::Declare { var: own, init }, span });
            }
        }
    }
}
