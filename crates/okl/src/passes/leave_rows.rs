//! Subscripts that may leave their row are counted from the start of the array.
//!
//! Real kernels copy whole arrays by `a[0][k]`. Other compilers take that for an element of all of `a`, as its authors did; C
//! says that it lies in row 0, and gcc takes the length of a row for a limit of the loop around it. So a place keeps its
//! subscripts where each one behind the first is known to lie within its dimension, and has one subscript where it is not.

use super::counters::{axis_limits, counter_limits};
use super::fold::free_definition;
use crate::ir::affine::Facts;
use crate::ir::rewrite::{Rewriter, rewrite_place, rewrite_stmt};
use crate::ir::{Body, Expr, Module, Place, Projection, Scalar, Stmt, StmtKind, Struct, StructId, Type, build};

pub(crate) fn run(module: &mut Module) {
    let Module { structs, functions, kernels, .. } = module;
    for function in functions {
        LeaveRows { structs, body: &function.body, facts: Facts::default() }.list(&mut function.stmts);
    }
    for kernel in kernels {
        for nest in &mut kernel.nests {
            LeaveRows { structs, body: &kernel.body, facts: Facts::default() }.list(&mut nest.stmts);
        }
    }
}

struct LeaveRows<'a> {
    structs: &'a [Struct],
    body: &'a Body,
    facts: Facts,
}

impl Rewriter for LeaveRows<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        match &stmt.kind {
            StmtKind::Inner(region) => {
                let limits = region.axes.iter().flatten().filter_map(|axis| Some((axis.var, axis_limits(axis)?)));
                self.facts.limits.extend(limits);
            }
            StmtKind::Loop(l) => self.facts.limits.extend(counter_limits(l)),
            _ => {}
        }
        rewrite_stmt(self, stmt);
        if let Some((var, value)) = free_definition(self.body, stmt) {
            self.facts.definitions.insert(var, value.clone());
        }
    }

    fn place(&mut self, place: &mut Place) {
        rewrite_place(self, place);
        let mut ty = self.body.var(place.root).ty.clone();
        let mut path = Vec::new();
        let mut rest = std::mem::take(&mut place.path).into_iter().peekable();
        while let Some(projection) = rest.next() {
            if let Projection::Field(number) = projection {
                let Type::Struct(StructId(id)) = ty else { unreachable!("a field belongs to a struct") };
                ty = self.structs[id as usize].fields[number as usize].ty.clone();
                path.push(Projection::Field(number));
                continue;
            }
            let mut subscripts = vec![projection];
            while let Some(next) = rest.next_if(|next| matches!(next, Projection::Index(_))) {
                subscripts.push(next);
            }
            path.extend(self.within_rows(&ty, subscripts));
            // What is behind subscripts is a field of an element.
            ty = match ty {
                Type::Array(element, _) => *element,
                Type::Pointer(pointer) => *pointer.element,
                other => other,
            };
        }
        place.path = path;
    }
}

impl LeaveRows<'_> {
    /// The subscripts of an array or pointer as they stand, or one for all.
    fn within_rows(&self, ty: &Type, subscripts: Vec<Projection>) -> Vec<Projection> {
        let rows: Vec<i64> = match ty {
            Type::Array(_, dims) => dims[1..].iter().map(|&dim| i64::from(dim)).collect(),
            Type::Pointer(pointer) => pointer.dims.iter().map(|&dim| i64::from(dim)).collect(),
            _ => return subscripts,
        };
        let indices: Option<Vec<&Expr>> = subscripts.iter().map(index_of).collect();
        let Some(indices) = indices.filter(|indices| indices.len() == rows.len() + 1 && !rows.is_empty()) else {
            return subscripts;
        };
        if indices[1..].iter().zip(&rows).all(|(index, &row)| self.lies_below(index, row)) {
            return subscripts;
        }
        let wide = |index: &Expr| build::convert(index.clone(), Scalar::I64);
        let number = indices[1..].iter().zip(&rows).fold(wide(indices[0]), |number, (index, &row)| {
            build::add(build::mul(number, build::int(row)), wide(index))
        });
        vec![Projection::Flat(number)]
    }

    fn lies_below(&self, index: &Expr, row: i64) -> bool {
        let form = self.facts.affine(&build::convert(index.clone(), Scalar::I64));
        form.is_some_and(|form| {
            let (least, most) = (self.facts.smallest(&form), self.facts.largest(&form));
            least.is_some_and(|least| least >= 0) && most.is_some_and(|most| most < row)
        })
    }
}

fn index_of(projection: &Projection) -> Option<&Expr> {
    match projection {
        Projection::Index(index) => Some(index),
        _ => None,
    }
}
