//! What is only known once a body is complete: which variables are written once, and which constants nobody reads.

use crate::ir::{
    Argument, Body, Expr, ExprKind, Initializer, Place, Role, Stmt, StmtKind, Type, Visitor, walk_expr, walk_place,
    walk_stmt,
};

/// How a body uses each of its variables.
struct Uses {
    read: Vec<u32>,
    initialised: Vec<bool>,
    /// Writes after the declaration.
    written: Vec<u32>,
}

impl Visitor for Uses {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init: Some(_) } => self.initialised[var.0 as usize] = true,
            StmtKind::Atomic { result: Some(var), .. } | StmtKind::Call { result: Some(var), .. } => {
                self.written[var.0 as usize] += 1;
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Call(_, arguments) = &expr.kind {
            for argument in arguments {
                match argument {
                    Argument::Value(value) => self.expr(value),
                    // A pure function reads behind its pointers.
                    Argument::Pointer(place) => self.load(place),
                }
            }
            return;
        }
        walk_expr(self, expr);
    }

    fn load(&mut self, place: &Place) {
        self.read[place.root.0 as usize] += 1;
        walk_place(self, place);
    }

    fn store(&mut self, place: &Place) {
        self.written[place.root.0 as usize] += 1;
        self.read[place.root.0 as usize] += u32::from(!place.path.is_empty());
        walk_place(self, place);
    }
}

/// Completes a body: sets [`crate::ir::Variable::is_const`], and drops constants that folding has made unused.
pub(super) fn finish(body: &mut Body, lists: &mut [&mut Vec<Stmt>]) {
    let count = body.vars.len();
    let mut uses = Uses { read: vec![0; count], initialised: vec![false; count], written: vec![0; count] };
    for list in lists.iter() {
        list.iter().for_each(|stmt| uses.stmt(stmt));
    }
    for (index, var) in body.vars.iter_mut().enumerate() {
        var.is_const = match var.role {
            Role::Outer(_) | Role::Inner(_) | Role::Constant(_) => true,
            Role::Local => uses.initialised[index] && uses.written[index] == 0,
            // What is written is what a pointer points to.
            Role::Param(_) => uses.written[index] == 0 || matches!(var.ty, Type::Pointer(_)),
            Role::Host | Role::Shared | Role::Exclusive | Role::Expanded | Role::Entry | Role::Root(_) => false,
        };
    }
    for list in lists {
        drop_unread(list, &uses);
    }
}

fn drop_unread(list: &mut Vec<Stmt>, uses: &Uses) {
    list.retain(|stmt| match &stmt.kind {
        StmtKind::Declare { var, init: Some(Initializer::Value(value)) } => {
            let index = var.0 as usize;
            value.literal().is_none() || uses.read[index] > 0 || uses.written[index] > 0
        }
        _ => true,
    });
    for stmt in list {
        match &mut stmt.kind {
            StmtKind::If { then, otherwise, .. } => {
                drop_unread(then, uses);
                drop_unread(otherwise, uses);
            }
            StmtKind::Loop(l) => {
                drop_unread(&mut l.init, uses);
                drop_unread(&mut l.head, uses);
                drop_unread(&mut l.body, uses);
                drop_unread(&mut l.update, uses);
            }
            StmtKind::Switch { arms, .. } => arms.iter_mut().for_each(|arm| drop_unread(&mut arm.body, uses)),
            StmtKind::Block(stmts) => drop_unread(stmts, uses),
            StmtKind::Inner(region) => drop_unread(&mut region.body, uses),
            _ => {}
        }
    }
}
