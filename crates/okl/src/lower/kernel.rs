//! A whole kernel: parameters, host part, nests, and what every kernel must have.

use super::context::{Level, Lowering};
use super::module::Head;
use super::scope::Symbol;
use super::{Lowered, Reported};
use crate::front::ast;
use crate::ir::{Expr, Kernel, Role, Stmt, Type, VarId};

impl Lowering<'_, '_> {
    /// A `@kernel`.
    pub(super) fn kernel(mut self, function: &ast::Function, head: &Head) -> Lowered<Kernel> {
        debug_assert_eq!(self.level, Level::Host);
        let errors = self.unit.found.len();
        // A setting that is refused is reported; the body is looked at all the same.
        let _ = self.apply_settings(&function.attributes);
        self.sizes.built = self.unit.sizes.get(&function.name.name).cloned().unwrap_or_default();
        let params = self.declare_params(function, head);
        self.copy_assigned_params(function);
        if let Some(body) = &function.body {
            match self.single_item(&function.name, body) {
                Some(stmt) => self.scoped(|s| s.stmts(&[stmt])),
                None => self.scoped(|s| s.stmts(&body.stmts)),
            }
        }
        let statements = std::mem::take(&mut self.out);
        let failed = |s: &Self| s.unit.found[errors..].iter().any(|d| d.severity == crate::Severity::Error);
        let host = self.host_part(statements).map(|host| [self.set_presence(), host].concat());
        if failed(&self) {
            return Err(Reported);
        }
        let mut nests = std::mem::take(&mut self.nests);
        self.declare_unpacked(&mut nests);
        let mut lists: Vec<&mut Vec<Stmt>> = nests.iter_mut().map(|n| &mut n.stmts).collect();
        self.expand_choices(&mut lists)?;
        super::finalize::finish(&mut self.body, &mut lists);
        Ok(Kernel {
            name: function.name.name.clone(),
            params,
            body: self.body,
            host: host?,
            nests,
            max_inner_dims: self.max_inner_dims,
            sizes: self.sizes.found,
            faults: false,
            span: function.span,
        })
    }

    /// Scalar parameters that the host part assigns become host variables: a parameter keeps its value.
    fn copy_assigned_params(&mut self, function: &ast::Function) {
        for param in &function.params {
            let Some(name) = &param.name else { continue };
            let Some(Symbol::Var(var)) = self.lookup(&name.name) else { continue };
            let ty = self.body.var(var).ty.clone();
            if !self.assigned.contains(&name.name) || !matches!(ty, Type::Scalar(_)) {
                continue;
            }
            self.info[var.0 as usize].fixed = true;
            let value = Expr::var(var, ty.clone(), name.span);
            let copy = self.temporary(&name.name, ty, Some(value), false, name.span);
            self.info[copy.0 as usize].is_const = param.ty.is_const;
            if let Some(scope) = self.scopes.last_mut() {
                scope.bind(&name.name, Symbol::Var(copy));
            }
        }
    }

    /// Whether a variable is one of the kernel's pointer parameters.
    pub(super) fn is_global_memory(&self, var: VarId) -> bool {
        let var = self.body.var(var);
        matches!((var.role, &var.ty), (Role::Param(_), Type::Pointer(_)))
    }
}
