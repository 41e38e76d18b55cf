//! Exclusive variables, made as small as they can be.
//!
//! One that is not live from one region to the next is a local of each region that uses it ([`run`]).
//! The others become arrays with one element per item ([`scalar_expand`]), for targets that run the items of a group
//! one after the other. The item's index is the last subscript of an exclusive array, so that neighbouring items
//! lie side by side and a vectorised loop over items loads them at once; only where a function is given a pointer
//! into it do the elements of one item stay together.

use crate::ir::build;
use crate::ir::rewrite::{Rewriter, for_regions_mut, rename, rewrite_place};
use crate::ir::{
    Axis, BinaryOp, Body, Builtin, Expr, Initializer, Kernel, Module, Nest, Place, Pointer, Projection, Region, Role,
    Scalar, Scratch, Stmt, StmtKind, Type, Uses, VarId, Variable, Visitor, bytes_of, for_regions, walk_place,
};
use std::collections::{BTreeMap, BTreeSet};

/// Most bytes of exclusive variables of a group that are kept on the stack.
const STACK_BYTES: u64 = 64 * 1024;

/// Makes exclusive variables that live within regions into locals.
pub(crate) fn run(module: &mut Module) {
    module.kernels.iter_mut().for_each(of_kernel);
}

fn of_kernel(kernel: &mut Kernel) {
    for nest in &mut kernel.nests {
        let body = &mut kernel.body;
        let live: Vec<VarId> =
            nest.exclusive.iter().copied().filter(|&var| lives_across_regions(body, nest, var)).collect();
        let privatized: Vec<VarId> = nest.exclusive.iter().copied().filter(|var| !live.contains(var)).collect();
        nest.exclusive = live;
        for var in privatized {
            let mut own = Some(var);
            for_regions_mut(&mut nest.stmts, &mut |region| {
                if Uses::of(&region.body).mentioned.contains(&var) {
                    let own = own.take().unwrap_or_else(|| another(body, var));
                    rename(&mut region.body, &BTreeMap::from([(var, own)]));
                    declare_within(body, region, own);
                }
            });
            body.vars[var.0 as usize].role = Role::Local;
        }
    }
}

/// The variable of another region that uses `var`: they have nothing in common but what they are called.
fn another(body: &mut Body, var: VarId) -> VarId {
    body.add(Variable { role: Role::Local, ..body.var(var).clone() })
}

/// Whether some item may read in one region what it wrote in another, or in an earlier run of the same one.
fn lives_across_regions(body: &Body, nest: &Nest, var: VarId) -> bool {
    let mut using = 0;
    let mut always_first_written = true;
    for_regions(&nest.stmts, &mut |region| {
        if Uses::of(&region.body).mentioned.contains(&var) {
            using += 1;
            always_first_written &= starts_with_assignment(body, &region.body, var);
        }
    });
    let once = !repeats(&nest.stmts);
    !(always_first_written || using <= 1 && once)
}

/// Whether a region may run more than once per group.
fn repeats(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Loop(l) => {
            let mut any = false;
            for_regions(&l.body, &mut |_| any = true);
            any
        }
        StmtKind::If { then, otherwise, .. } => repeats(then) || repeats(otherwise),
        StmtKind::Block(stmts) => repeats(stmts),
        StmtKind::Switch { arms, .. } => arms.iter().any(|arm| repeats(&arm.body)),
        _ => false,
    })
}

/// Whether the first mention of a variable is an assignment to all of it that every item executes.
fn starts_with_assignment(body: &Body, stmts: &[Stmt], var: VarId) -> bool {
    for stmt in stmts {
        if let StmtKind::Assign { place, op: None, value } = &stmt.kind
            && place.root == var
        {
            let whole = place.path.is_empty() && !matches!(body.var(var).ty, Type::Array(..));
            return whole && !Uses::of_expr(value).mentioned.contains(&var);
        }
        if Uses::of(std::slice::from_ref(stmt)).mentioned.contains(&var) {
            return false;
        }
    }
    false
}

/// Declares a privatized variable in its region, at its first assignment where that is possible.
fn declare_within(body: &Body, region: &mut Region, var: VarId) {
    if starts_with_assignment(body, &region.body, var) {
        for stmt in &mut region.body {
            if let StmtKind::Assign { place, op: None, value } = &stmt.kind
                && place.root == var
            {
                stmt.kind = StmtKind::Declare { var, init: Some(Initializer::Value(value.clone())) };
                return;
            }
        }
    }
    region.body.insert(0, build::stmt(StmtKind::Declare { var, init: None }));
}

/// Whether [`scalar_expand`] keeps the exclusive variables of a nest in arrays on the stack.
pub(super) fn fits_stack(module: &Module, body: &Body, nest: &Nest) -> bool {
    nest.exclusive.is_empty() || counts_on_stack(module, body, nest).is_some()
}

/// The items of a group along each axis, where they are known and few enough for their variables to be on the stack.
fn counts_on_stack(module: &Module, body: &Body, nest: &Nest) -> Option<[u32; 3]> {
    let per_item: u64 = nest.exclusive.iter().map(|&var| bytes_of(module, &body.var(var).ty)).sum();
    constant_counts(nest).filter(|c| c.iter().map(|&n| u64::from(n)).product::<u64>() * per_item <= STACK_BYTES)
}

/// Gives every exclusive variable of a nest one element per item: in arrays of the group, which it answers, or in memory
/// that is sized at launch.
pub(super) fn scalar_expand(module: &Module, body: &mut Body, nest: &mut Nest) -> (Vec<VarId>, Option<Scratch>) {
    if nest.exclusive.is_empty() {
        return (Vec::new(), None);
    }
    let (mut arrays, mut scratch) = (Vec::new(), None);
    let bytes_of = |body: &Body, var: VarId| bytes_of(module, &body.var(var).ty);
    let on_stack = counts_on_stack(module, body, nest);
    let scattered = packed_variables(body, nest);
    let mut homes = BTreeMap::new();
    if let Some(counts) = on_stack {
        for &var in &nest.exclusive {
            let home = array_home(body, var, counts, scattered.contains(&var));
            // One array per group, aligned as shared ones are.
            body.vars[var.0 as usize].role = Role::Expanded;
            homes.insert(var, home);
        }
        arrays.clone_from(&nest.exclusive);
    } else {
        let items = Variable {
            name: String::new(),
            ty: Scalar::I64.into(),
            role: Role::Entry,
            is_const: true,
            span: nest.span,
        };
        let items = build::fresh(body, "items", items);
        let mut slabs = Vec::new();
        // The most strictly aligned first: every slab then starts aligned, whatever the number of items.
        let mut order = nest.exclusive.clone();
        order.sort_by_key(|&var| std::cmp::Reverse(alignment(module, &body.var(var).ty)));
        for var in order {
            slabs.push((var, bytes_of(body, var)));
            let home = slab_home(body, var, items, scattered.contains(&var));
            homes.insert(var, home);
        }
        scratch = Some(Scratch { items, slabs });
    }
    let strides = used_axes(nest);
    for_regions_mut(&mut nest.stmts, &mut |region| {
        let axes = region.axes.clone();
        let item = Item { axes: &axes, used: strides };
        Expand { body, homes: &homes, item }.list(&mut region.body);
    });
    nest.exclusive.clear();
    (arrays, scratch)
}

fn alignment(module: &Module, ty: &Type) -> usize {
    match ty {
        Type::Scalar(scalar) => scalar.bytes(),
        Type::Struct(id) => module.structs[id.0 as usize].align,
        Type::Array(element, _) => alignment(module, element),
        Type::Void | Type::Pointer(_) => 1,
    }
}

/// The largest constant item counts of a nest's regions, where all of them are constant.
fn constant_counts(nest: &Nest) -> Option<[u32; 3]> {
    let mut counts = Some([1_u32; 3]);
    for_regions(&nest.stmts, &mut |region| {
        for (k, axis) in region.axes.iter().enumerate() {
            let count =
                axis.as_ref().map_or(Some(1), |axis| axis.count.as_int().and_then(|n| u32::try_from(n.max(1)).ok()));
            counts = counts.zip(count).map(|(mut all, n)| {
                all[k] = all[k].max(n);
                all
            });
        }
    });
    counts
}

fn used_axes(nest: &Nest) -> [bool; 3] {
    let mut used = [false; 3];
    for_regions(&nest.stmts, &mut |region| {
        for (used, axis) in used.iter_mut().zip(&region.axes) {
            *used |= axis.is_some();
        }
    });
    used
}

/// Exclusive arrays whose elements must stay together per item: their address is passed on, or they are copied whole.
fn packed_variables(body: &Body, nest: &Nest) -> BTreeSet<VarId> {
    struct Find<'a>(&'a Body, BTreeSet<VarId>);
    impl Visitor for Find<'_> {
        fn load(&mut self, place: &Place) {
            self.store(place);
        }
        fn store(&mut self, place: &Place) {
            let indices = place.path.iter().take_while(|p| matches!(p, Projection::Index(_))).count();
            let flat = matches!(place.path.first(), Some(Projection::Flat(_)));
            if let Type::Array(_, dims) = &self.0.var(place.root).ty
                && indices != dims.len()
                && !(flat && dims.len() == 1)
            {
                self.1.insert(place.root);
            }
            walk_place(self, place);
        }
    }
    let mut find = Find(body, Uses::of(&nest.stmts).addressed);
    nest.stmts.iter().for_each(|stmt| find.stmt(stmt));
    find.1
}

/// How a variable is addressed once it has an element per item.
enum Home {
    /// `a[k][item]`, or `a[item][k]` where the elements of an item stay together.
    Array { packed: bool, item_dims: usize },
    /// `a[k * items + item]`, or `a[item * len + k]`.
    Slab { items: VarId, dims: Vec<u32>, packed: bool },
}

fn array_home(body: &mut Body, var: VarId, counts: [u32; 3], packed: bool) -> Home {
    // Axes of one item carry no subscript.
    let items: Vec<u32> = counts.iter().rev().copied().skip_while(|&n| n == 1).collect();
    let items = if items.is_empty() { vec![1] } else { items };
    let item_dims = items.len();
    let ty = std::mem::replace(&mut body.vars[var.0 as usize].ty, Type::Void);
    body.vars[var.0 as usize].ty = match ty {
        Type::Array(element, dims) if packed => Type::Array(element, [items, dims].concat()),
        Type::Array(element, dims) => Type::Array(element, [dims, items].concat()),
        element => Type::Array(Box::new(element), items),
    };
    Home::Array { packed, item_dims }
}

fn slab_home(body: &mut Body, var: VarId, items: VarId, packed: bool) -> Home {
    let ty = std::mem::replace(&mut body.vars[var.0 as usize].ty, Type::Void);
    let (element, dims) = match ty {
        Type::Array(element, dims) => (element, dims),
        element => (Box::new(element), Vec::new()),
    };
    body.vars[var.0 as usize].ty = Type::Pointer(Pointer { element, dims: Vec::new(), mutable: true, restrict: true });
    body.vars[var.0 as usize].role = Role::Entry;
    Home::Slab { items, dims, packed }
}

/// The item that a region's body is run for.
#[derive(Clone, Copy)]
struct Item<'a> {
    axes: &'a [Option<Axis>; 3],
    used: [bool; 3],
}

impl Item<'_> {
    /// Its number along an axis.
    fn along(&self, body: &Body, axis: usize) -> Expr {
        let Some(axis) = &self.axes[axis] else {
            return build::int(0);
        };
        let value = build::load(body, axis.var);
        let (start, step) = (axis.start.as_int(), axis.step.as_int());
        if start == Some(0) && step == Some(1) {
            return value;
        }
        let difference = build::sub(wide(value), wide(axis.start.clone()));
        if step == Some(1) {
            difference
        } else {
            build::binary(BinaryOp::Div, difference, wide(axis.step.clone()), Scalar::I64)
        }
    }

    /// Its number in the group.
    fn number(&self, body: &Body) -> Expr {
        let count = |axis| build::builtin(Builtin::ItemCount(axis), Scalar::I64);
        let mut number = build::int(0);
        for axis in (0..3_u8).rev() {
            if self.used[usize::from(axis)] {
                number = build::add(build::mul(number, count(axis)), wide(self.along(body, usize::from(axis))));
            }
        }
        number
    }
}

fn wide(expr: Expr) -> Expr {
    build::convert(expr, Scalar::I64)
}

struct Expand<'a> {
    body: &'a Body,
    homes: &'a BTreeMap<VarId, Home>,
    item: Item<'a>,
}

impl Rewriter for Expand<'_> {
    fn place(&mut self, place: &mut Place) {
        rewrite_place(self, place);
        let Some(home) = self.homes.get(&place.root) else {
            return;
        };
        let path = std::mem::take(&mut place.path);
        place.path = match home {
            Home::Array { packed, item_dims } => self.in_array(place.root, path, *packed, *item_dims),
            Home::Slab { items, dims, packed } => self.in_slab(path, *items, dims, *packed),
        };
    }
}

impl Expand<'_> {
    fn in_array(&self, root: VarId, mut path: Vec<Projection>, packed: bool, item_dims: usize) -> Vec<Projection> {
        let Type::Array(_, dims) = &self.body.var(root).ty else { unreachable!("every home is an array") };
        let item = (0..item_dims).rev().map(|axis| self.item.along(self.body, axis));
        if let (Some(Projection::Flat(e)), true) = (path.first(), packed) {
            let own_len: i64 = dims[item_dims..].iter().map(|&d| i64::from(d)).product();
            let number = item.zip(dims).fold(build::int(0), |number, (k, &dim)| {
                build::add(build::mul(number, build::int(i64::from(dim))), wide(k))
            });
            path[0] = Projection::Flat(build::add(build::mul(number, build::int(own_len)), wide(e.clone())));
            return path;
        }
        let item: Vec<Projection> = item.map(Projection::Index).collect();
        if packed {
            return [item, path].concat();
        }
        if let Some(Projection::Flat(e)) = path.first() {
            path[0] = Projection::Index(e.clone());
        }
        let own = dims.len() - item_dims;
        path.splice(own..own, item);
        path
    }

    fn in_slab(&self, mut path: Vec<Projection>, items: VarId, dims: &[u32], packed: bool) -> Vec<Projection> {
        let own = path.iter().take_while(|p| matches!(p, Projection::Index(_) | Projection::Flat(_))).count();
        let element = match path.first() {
            Some(Projection::Flat(e)) => wide(e.clone()),
            // Missing subscripts are zero: the address of a row is that of its first element.
            _ => dims.iter().enumerate().fold(build::int(0), |element, (axis, &dim)| {
                let index = match path.get(axis) {
                    Some(Projection::Index(e)) => wide(e.clone()),
                    _ => build::int(0),
                };
                build::add(build::mul(element, build::int(i64::from(dim))), index)
            }),
        };
        let item = self.item.number(self.body);
        let offset = if packed {
            let len = dims.iter().map(|&d| i64::from(d)).product();
            build::add(build::mul(item, build::int(len)), element)
        } else {
            build::add(build::mul(element, build::load(self.body, items)), item)
        };
        path.splice(0..own, [Projection::Flat(offset)]);
        path
    }
}
