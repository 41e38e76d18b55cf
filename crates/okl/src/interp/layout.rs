//! Where variables live: computed once per module, so that the walk over the IR only adds offsets.

use crate::ir::value::ScalarValue;
use crate::ir::{
    Body, Kernel, Module, Nest, Region, Role, Root, RootSpace, Scalar, Stmt, StmtKind, Type, VarId, Variable, Visitor,
    walk_stmt,
};

/// Where a variable is found. Offsets and sizes are bytes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Home {
    /// In the frame of its function or kernel.
    Frame { offset: usize, bytes: usize },
    /// Parameter `n`, a pointer.
    Pointer(usize),
    /// In the group's shared memory.
    Shared { offset: usize, bytes: usize },
    /// In each item's exclusive memory.
    Exclusive { offset: usize, bytes: usize },
    /// A pointer to memory with elements for each item, of which so many bytes per item lie before it.
    Scratch { before: usize, bytes: usize },
    /// At module scope: the kernel's parameter `n`, a pointer.
    Storage(usize),
    /// At module scope, one per item, and one for the group.
    Private { offset: usize, bytes: usize },
    /// Among the file-scope constants.
    Constant { offset: usize, bytes: usize },
    /// Of no use: a variable that the IR should not have.
    Nowhere,
}

/// The variables of one function or kernel.
#[derive(Debug, Default)]
pub(super) struct BodyLayout {
    /// By [`VarId`].
    pub(super) homes: Vec<Home>,
    /// Size of a frame.
    pub(super) frame_bytes: usize,
    /// Kernels: where the part of the frame begins that belongs to a single item.
    pub(super) item_start: usize,
    /// Kernels: bytes of shared and of exclusive memory, for all nests together.
    pub(super) shared_bytes: usize,
    pub(super) exclusive_bytes: usize,
}

/// All layouts of a module.
#[derive(Debug)]
pub(super) struct Layouts {
    pub(super) functions: Vec<BodyLayout>,
    pub(super) kernels: Vec<BodyLayout>,
    /// The bytes of all file-scope constants.
    pub(super) constants: Vec<u8>,
}

impl Layouts {
    pub(super) fn new(module: &Module) -> Self {
        let mut constants = Vec::new();
        let mut constant_homes = Vec::new();
        for constant in &module.constants {
            let (offset, bytes) = (constants.len(), size_of(&constant.ty, module));
            constants.resize(offset + bytes, 0);
            let mut values = constant.values.iter();
            for_each_scalar(&constant.ty, module, offset, &mut |ty, at| {
                if let Some(value) = values.next() {
                    let value = ScalarValue::from_literal(*value, ty).to_bytes();
                    constants[at..at + ty.bytes()].copy_from_slice(&value[..ty.bytes()]);
                }
            });
            constant_homes.push(Home::Constant { offset, bytes });
        }
        let mut outside = Outside { constants: constant_homes, ..Outside::default() };
        outside.roots = module.roots.iter().map(|root| root_home(root, module, &mut outside.memory)).collect();
        let functions = module.functions.iter().map(|f| layout(&f.body, module, &outside, |_| false)).collect();
        let kernels = module.kernels.iter().map(|k| kernel_layout(k, module, &outside)).collect();
        Self { functions, kernels, constants }
    }

    /// A type in words.
    pub(super) fn describe(&self, ty: &Type, module: &Module) -> String {
        match ty {
            Type::Void => "void".into(),
            Type::Scalar(scalar) => format!("a `{}`", scalar.okl_name()),
            Type::Struct(id) => match module.structs.get(id.0 as usize) {
                Some(found) => format!("`struct {}` of {} bytes", found.name, found.bytes),
                None => "a struct".into(),
            },
            Type::Array(element, _) => format!("an array of {}", self.describe(element, module)),
            Type::Pointer(pointer) => {
                format!("memory of {} within its buffer", self.describe(&pointer.element, module))
            }
        }
    }
}

/// What stands at module scope.
#[derive(Default)]
struct Outside {
    constants: Vec<Home>,
    roots: Vec<Home>,
    /// The bytes of a group and of an item that roots take.
    memory: BodyLayout,
}

fn root_home(root: &Root, module: &Module, memory: &mut BodyLayout) -> Home {
    let len = usize::try_from(root.len.unwrap_or(1)).unwrap_or(usize::MAX);
    let bytes = size_of(&root.element, module).saturating_mul(len);
    match root.space {
        RootSpace::Storage(position) => Home::Storage(position as usize),
        RootSpace::Workgroup => Home::Shared { offset: claim(&mut memory.shared_bytes, bytes), bytes },
        RootSpace::Private => Home::Private { offset: claim(&mut memory.exclusive_bytes, bytes), bytes },
    }
}

fn kernel_layout(kernel: &Kernel, module: &Module, outside: &Outside) -> BodyLayout {
    let mut items = ItemVariables { depth: 0, found: vec![false; kernel.body.vars.len()] };
    for nest in &kernel.nests {
        nest.stmts.iter().for_each(|s| items.stmt(s));
    }
    let mut out = layout(&kernel.body, module, outside, |id| items.found.get(id.0 as usize).copied().unwrap_or(false));
    for scratch in kernel.nests.iter().filter_map(|nest| nest.launch.as_ref()?.scratch.as_ref()) {
        for ((var, before), (_, bytes)) in scratch.starts().zip(&scratch.slabs) {
            if let Some(home) = out.homes.get_mut(var.0 as usize) {
                *home = Home::Scratch { before: before as usize, bytes: *bytes as usize };
            }
        }
    }
    out
}

/// Marks what is declared within regions.
struct ItemVariables {
    depth: u32,
    found: Vec<bool>,
}

impl Visitor for ItemVariables {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Inner(_) => {
                self.depth += 1;
                walk_stmt(self, stmt);
                self.depth -= 1;
            }
            StmtKind::Declare { var, .. } if self.depth > 0 => {
                if let Some(found) = self.found.get_mut(var.0 as usize) {
                    *found = true;
                }
            }
            _ => walk_stmt(self, stmt),
        }
    }
}

fn layout(body: &Body, module: &Module, outside: &Outside, is_item: impl Fn(VarId) -> bool) -> BodyLayout {
    let BodyLayout { shared_bytes, exclusive_bytes, .. } = outside.memory;
    let homes = vec![Home::Nowhere; body.vars.len()];
    let mut out = BodyLayout { homes, shared_bytes, exclusive_bytes, ..BodyLayout::default() };
    // Variables of items come last, so that one comparison tells them from those of the group.
    for items in [false, true] {
        if items {
            out.item_start = out.frame_bytes;
        }
        for (index, variable) in body.vars.iter().enumerate() {
            if (is_item(VarId(index as u32)) || matches!(variable.role, Role::Inner(_))) == items {
                out.homes[index] = place(variable, module, outside, &mut out);
            }
        }
    }
    out
}

fn place(variable: &Variable, module: &Module, outside: &Outside, out: &mut BodyLayout) -> Home {
    let bytes = size_of(&variable.ty, module);
    match (variable.role, &variable.ty) {
        (Role::Param(position), Type::Pointer(_)) => Home::Pointer(position as usize),
        (Role::Constant(id), _) => outside.constants.get(id.0 as usize).copied().unwrap_or(Home::Nowhere),
        (Role::Root(id), _) => outside.roots.get(id.0 as usize).copied().unwrap_or(Home::Nowhere),
        (Role::Shared | Role::Exchange(_), _) => Home::Shared { offset: claim(&mut out.shared_bytes, bytes), bytes },
        (Role::Exclusive, _) => Home::Exclusive { offset: claim(&mut out.exclusive_bytes, bytes), bytes },
        (_, Type::Pointer(_) | Type::Void) => Home::Nowhere,
        _ => Home::Frame { offset: claim(&mut out.frame_bytes, bytes), bytes },
    }
}

fn claim(total: &mut usize, bytes: usize) -> usize {
    let offset = *total;
    *total = total.saturating_add(bytes);
    offset
}

/// Size in bytes; a pointer has none, an impossibly large array saturates.
pub(super) fn size_of(ty: &Type, module: &Module) -> usize {
    match ty {
        Type::Void | Type::Pointer(_) => 0,
        Type::Scalar(scalar) => scalar.bytes(),
        Type::Struct(id) => module.structs.get(id.0 as usize).map_or(0, |s| s.bytes),
        Type::Array(element, dims) => dims.iter().fold(size_of(element, module), |n, &d| n.saturating_mul(d as usize)),
    }
}

/// Calls `f` with every scalar of a type in memory order, and its position in bytes.
pub(crate) fn for_each_scalar(ty: &Type, module: &Module, at: usize, f: &mut dyn FnMut(Scalar, usize)) {
    match ty {
        Type::Void | Type::Pointer(_) => {}
        Type::Scalar(scalar) => f(*scalar, at),
        Type::Struct(id) => {
            for field in module.structs.get(id.0 as usize).map_or(&[][..], |s| &s.fields) {
                for_each_scalar(&field.ty, module, at + field.offset, f);
            }
        }
        Type::Array(element, dims) => {
            let count: u64 = dims.iter().fold(1, |n, &d| n.saturating_mul(u64::from(d)));
            let bytes = size_of(element, module);
            for index in 0..count as usize {
                for_each_scalar(element, module, at + index * bytes, f);
            }
        }
    }
}

/// The regions of a nest, wherever they stand at group level.
pub(super) fn regions(nest: &Nest) -> Vec<&Region> {
    let mut found = Vec::new();
    nest.stmts.iter().for_each(|s| collect(s, &mut found));
    found
}

fn collect<'m>(stmt: &'m Stmt, found: &mut Vec<&'m Region>) {
    let mut all = |stmts: &'m [Stmt]| stmts.iter().for_each(|s| collect(s, found));
    match &stmt.kind {
        StmtKind::Inner(region) => found.push(region),
        StmtKind::Block(stmts) => all(stmts),
        StmtKind::If { then, otherwise, .. } => {
            all(then);
            all(otherwise);
        }
        StmtKind::Loop(l) => {
            all(&l.init);
            all(&l.head);
            all(&l.body);
            all(&l.update);
        }
        StmtKind::Switch { arms, .. } => arms.iter().for_each(|arm| all(&arm.body)),
        StmtKind::Declare { .. }
        | StmtKind::Assign { .. }
        | StmtKind::Atomic { .. }
        | StmtKind::Call { .. }
        | StmtKind::Print(_)
        | StmtKind::Prefetch { .. }
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_)
        | StmtKind::EndItem
        | StmtKind::Barrier
        | StmtKind::Mark(_) => {}
    }
}
