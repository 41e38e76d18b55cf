//! Variables of an item with an element per lane, and loops over the lanes of a block.

use super::local;
use crate::ir::rewrite::rename;
use crate::ir::{
    BinaryOp, Body, Expr, Initializer, Place, Projection, Role, Scalar, Stmt, StmtKind, Struct, Type, Uses, VarId,
    Variable, build,
};
use crate::passes::loops::wide;
use crate::source::Span;
use std::collections::BTreeMap;

/// The arrays of a block.
pub(in crate::passes) struct Lanes {
    item: VarId,
    /// The item of the first lane.
    first: VarId,
    elements: BTreeMap<VarId, Vec<Element>>,
}

/// What an array has of a variable: all of a scalar, or a field of a struct.
struct Element {
    array: VarId,
    path: Vec<Projection>,
    ty: Scalar,
}

impl Element {
    /// What it is in the array. Compilers make no vectors of loops over truth values in bytes.
    fn held(&self) -> Scalar {
        if self.ty == Scalar::Bool { Scalar::I32 } else { self.ty }
    }

    fn of_variable(&self, var: VarId) -> Place {
        Place { root: var, path: self.path.clone(), ty: self.ty.into(), span: Span::default() }
    }

    fn of_lane(&self, lane: &Expr) -> Place {
        let path = vec![Projection::Index(lane.clone())];
        Place { root: self.array, path, ty: self.held().into(), span: Span::default() }
    }
}

impl Lanes {
    /// Arrays of `len` elements for some variables of an item; `None` where one of them is an array itself, or has such fields.
    pub(in crate::passes) fn new(
        structs: &[Struct],
        body: &mut Body,
        (item, first): (VarId, VarId),
        vars: &[VarId],
        len: u32,
    ) -> Option<Self> {
        let mut elements = BTreeMap::new();
        for &var in vars {
            let name = body.var(var).name.clone();
            let parts = match &body.var(var).ty {
                Type::Scalar(ty) => vec![(format!("{name}_lanes"), Vec::new(), *ty)],
                Type::Struct(id) => {
                    let fields = structs[id.0 as usize].fields.iter().zip(0..);
                    let fields = fields.map(|(field, number)| {
                        let path = vec![Projection::Field(number)];
                        field.ty.scalar().map(|ty| (format!("{name}_{}_lanes", field.name), path, ty))
                    });
                    fields.collect::<Option<Vec<_>>>()?
                }
                _ => return None,
            };
            let of_part = |(name, path, ty): (String, Vec<Projection>, Scalar)| {
                let mut element = Element { array: VarId(0), path, ty };
                let ty = Type::Array(Box::new(element.held().into()), vec![len]);
                let span = body.var(var).span;
                let array = Variable { name: String::new(), ty, role: Role::Expanded, is_const: false, span };
                element.array = build::fresh(body, &name, array);
                element
            };
            elements.insert(var, parts.into_iter().map(of_part).collect());
        }
        Some(Self { item, first, elements })
    }

    /// All begin as zeros: lanes without an item are computed, too.
    pub(in crate::passes) fn zeros(&self) -> impl Iterator<Item = Stmt> {
        self.declarations(Some(Initializer::List(Vec::new())))
    }

    pub(in crate::passes) fn declarations(&self, init: Option<Initializer>) -> impl Iterator<Item = Stmt> {
        let elements = self.elements.values().flatten();
        elements.map(move |element| build::stmt(StmtKind::Declare { var: element.array, init: init.clone() }))
    }

    /// A loop over the first `count` lanes, which reads variables, runs statements and keeps variables.
    pub(in crate::passes) fn each(
        &self,
        body: &mut Body,
        (role, count): (Role, Expr),
        read: &[VarId],
        mut stmts: Vec<Stmt>,
        kept: &[VarId],
    ) -> Stmt {
        let lane = Variable { role, ..local(Scalar::I32) };
        let lane = build::fresh(body, "lane", lane);
        let number = build::load(body, lane);
        if Uses::of(&stmts).mentioned.contains(&self.item) {
            let of_item = body.var(self.item).clone();
            let item = body.add(Variable { is_const: true, ..of_item });
            rename(&mut stmts, &BTreeMap::from([(self.item, item)]));
            let value = build::add(build::load(body, self.first), wide(number.clone()));
            stmts.insert(0, build::declare(body, item, value));
        }
        stmts.splice(0..0, read.iter().map(|&var| self.load(body, var, &number)));
        stmts.extend(kept.iter().flat_map(|&var| self.store(var, &number)));
        let condition = build::compare(BinaryOp::Lt, wide(number), count);
        build::for_loop(build::declare(body, lane, build::int(0)), condition, build::advance(body, lane, 1), stmts)
    }

    /// `float x = x_lanes[lane];`
    pub(in crate::passes) fn load(&self, body: &Body, var: VarId, lane: &Expr) -> Stmt {
        let value = |element: &Element| {
            let held = build::load_place(element.of_lane(lane));
            match element.ty {
                Scalar::Bool => build::compare(BinaryOp::Ne, held, Expr::int(0, Scalar::I32, Span::default())),
                _ => held,
            }
        };
        let mut values: Vec<Expr> = self.elements[&var].iter().map(value).collect();
        let init = match &body.var(var).ty {
            Type::Scalar(_) => Initializer::Value(values.remove(0)),
            _ => Initializer::List(values),
        };
        build::stmt(StmtKind::Declare { var, init: Some(init) })
    }

    /// `x_lanes[lane] = x;`
    pub(in crate::passes) fn store(&self, var: VarId, lane: &Expr) -> impl Iterator<Item = Stmt> {
        self.elements[&var].iter().map(move |element| {
            let value = build::convert(build::load_place(element.of_variable(var)), element.held());
            build::stmt(StmtKind::Assign { place: element.of_lane(lane), op: None, value })
        })
    }
}
