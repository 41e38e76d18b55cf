//! A function or nest: its variables, and what stands around its statements.

use super::sites::What;
use super::{LaunchHints, Text, c_type, shift_of};
use crate::back::writer::Writer;
use crate::ir::{
    self, Axis, Initializer, Kernel, Meeting, Nest, Region, Role, Scalar, Stmt, StmtKind, Type, Uses, VarId, Visitor,
    bytes_of, for_regions, walk_stmt,
};
use crate::source::Span;
use std::collections::BTreeSet;

/// Where a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// A variable of the text's own.
    Register,
    /// Bytes that its pointer leads to.
    Memory,
    /// The group's memory, from this byte on.
    Shared(u64),
    /// Each item's memory, from this byte on.
    Exclusive(u64),
}

/// The text of a body.
pub(super) struct Body<'t, 'm, 'w, 'o> {
    pub(super) text: &'t mut Text<'m>,
    pub(super) out: &'o mut Writer<'w>,
    pub(super) body: &'m ir::Body,
    homes: Vec<Home>,
    /// Variables in registers that may be read before they are written.
    flagged: BTreeSet<VarId>,
    /// Variables that the group level declares.
    pub(super) of_group: BTreeSet<VarId>,
    pub(super) is_nest: bool,
    /// Within a region: its number.
    pub(super) region: Option<u32>,
    regions: u32,
    /// All items meet at the end of every region.
    meets: bool,
    /// Shared variables that no item of the region writes: whoever reads them conflicts with nobody.
    pub(super) settled: BTreeSet<VarId>,
    /// Some item leaves the nest early.
    ends_items: bool,
    pub(super) temporaries: u32,
    pub(super) labels: u32,
    /// Labels that `continue` of the loops around goes to.
    pub(super) loops: Vec<u32>,
    hints: LaunchHints,
}

/// What is declared without a value, and what the group level declares.
#[derive(Default)]
struct Declared {
    in_region: bool,
    unset: BTreeSet<VarId>,
    of_group: BTreeSet<VarId>,
}

impl Visitor for Declared {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Declare { var, init } => {
                if init.is_none() {
                    self.unset.insert(*var);
                }
                if !self.in_region {
                    self.of_group.insert(*var);
                }
                walk_stmt(self, stmt);
            }
            StmtKind::Inner(_) => {
                self.in_region = true;
                walk_stmt(self, stmt);
                self.in_region = false;
            }
            _ => walk_stmt(self, stmt),
        }
    }
}

fn ends_items(stmts: &[Stmt]) -> bool {
    struct Ends(bool);
    impl Visitor for Ends {
        fn stmt(&mut self, stmt: &Stmt) {
            self.0 |= matches!(stmt.kind, StmtKind::Return(_));
            walk_stmt(self, stmt);
        }
    }
    let mut ends = Ends(false);
    stmts.iter().for_each(|stmt| ends.stmt(stmt));
    ends.0
}

impl<'t, 'm, 'w, 'o> Body<'t, 'm, 'w, 'o> {
    fn new(text: &'t mut Text<'m>, out: &'o mut Writer<'w>, body: &'m ir::Body, stmts: &[Stmt], is_nest: bool) -> Self {
        let mut declared = Declared::default();
        stmts.iter().for_each(|stmt| declared.stmt(stmt));
        let addressed = Uses::of(stmts).addressed;
        let mut hints =
            LaunchHints { shared_bytes: 0, shared_shift: 3, exclusive_bytes: 0, stack_bytes: 0, shifts: Vec::new() };
        let claim = |total: &mut u64, ty: &Type, text: &Text<'_>| {
            let at = *total;
            *total = total.saturating_add(bytes_of(text.module, ty).next_multiple_of(8));
            at
        };
        let mut homes = Vec::with_capacity(body.vars.len());
        for (number, variable) in body.vars.iter().enumerate() {
            homes.push(match (variable.role, &variable.ty) {
                (Role::Shared | Role::Exchange(_), ty) => {
                    hints.shared_shift = hints.shared_shift.min(shift_of(ty, text.module));
                    Home::Shared(claim(&mut hints.shared_bytes, ty, text))
                }
                (Role::Exclusive, ty) => Home::Exclusive(claim(&mut hints.exclusive_bytes, ty, text)),
                (Role::Constant(_), _) | (_, Type::Pointer(_) | Type::Array(..) | Type::Struct(_)) => Home::Memory,
                _ if addressed.contains(&VarId(number as u32)) => Home::Memory,
                _ => Home::Register,
            });
        }
        Self {
            text,
            out,
            body,
            homes,
            flagged: declared.unset,
            of_group: if is_nest { declared.of_group } else { BTreeSet::new() },
            is_nest,
            region: None,
            regions: 0,
            meets: false,
            settled: BTreeSet::new(),
            ends_items: false,
            temporaries: 0,
            labels: 0,
            loops: Vec::new(),
            hints,
        }
    }

    pub(super) fn of_function(text: &'t mut Text<'m>, out: &'o mut Writer<'w>, function: usize) -> Self {
        let function = &text.module.functions[function];
        Self::new(text, out, &function.body, &function.stmts, false)
    }

    pub(super) fn of_nest(text: &'t mut Text<'m>, out: &'o mut Writer<'w>, kernel: &'m Kernel, nest: &Nest) -> Self {
        let mut body = Self::new(text, out, &kernel.body, &nest.stmts, true);
        let module = body.text.module;
        body.hints.shifts = kernel.params.iter().map(|&param| shift_of(&kernel.body.var(param).ty, module)).collect();
        body
    }

    pub(super) fn hints(self) -> LaunchHints {
        self.hints
    }

    pub(super) fn home(&self, var: VarId) -> Home {
        self.homes[var.0 as usize]
    }

    pub(super) fn scalar(&self, var: VarId) -> Scalar {
        self.body.var(var).ty.scalar().unwrap_or(Scalar::I64)
    }

    fn hint(&self, var: VarId) -> String {
        let name = &self.body.var(var).name;
        name.chars().take(40).map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
    }

    /// A variable in a register.
    pub(super) fn register(&self, var: VarId) -> String {
        format!("v_{}_{}", self.hint(var), var.0)
    }

    /// The pointer to a variable's memory, or the one that it is.
    pub(super) fn pointer(&self, var: VarId) -> String {
        format!("p_{}_{}", self.hint(var), var.0)
    }

    /// Whether a variable in a register was written; `None` where it always was.
    pub(super) fn flag(&self, var: VarId) -> Option<String> {
        self.flagged.contains(&var).then(|| format!("is_set_{}", var.0))
    }

    /// A number of the site.
    pub(super) fn site(&mut self, span: Span, what: What) -> usize {
        self.text.sites.add(span, what)
    }

    /// The site of an access to a variable.
    pub(super) fn access(&mut self, var: VarId, span: Span) -> usize {
        let variable = self.body.var(var);
        let element = match &variable.ty {
            Type::Pointer(pointer) => &pointer.element,
            Type::Array(element, _) => element,
            other => other,
        };
        let element = bytes_of(self.text.module, element).max(1) as i64;
        self.site(span, What::Access { name: variable.name.clone(), element })
    }

    /// A variable of the text that holds a value.
    pub(super) fn hold(&mut self, ty: &str, value: impl AsRef<str>) -> String {
        self.temporaries += 1;
        let name = format!("t{}", self.temporaries);
        self.out.line(format!("const {ty} {name} = {};", value.as_ref()));
        name
    }

    /// The type of a scalar or struct in the text.
    pub(super) fn value_type(ty: &Type) -> String {
        match ty {
            Type::Scalar(scalar) => c_type(*scalar).to_owned(),
            Type::Struct(id) => format!("okl_s{}", id.0),
            _ => "void".to_owned(),
        }
    }

    /// What ends the names of the functions that read and write a type.
    pub(super) fn tag(ty: &Type) -> String {
        match ty {
            Type::Struct(id) => format!("s{}", id.0),
            other => other.scalar().map_or_else(String::new, |scalar| scalar.tag().to_owned()),
        }
    }

    /// A device function.
    pub(super) fn function(&mut self, number: usize) {
        let function = &self.text.module.functions[number];
        let mut params: Vec<String> = Vec::new();
        for &param in &function.params {
            params.push(match (&self.body.var(param).ty, self.home(param)) {
                (Type::Pointer(_), _) => format!("okl_pointer {}", self.pointer(param)),
                (ty, Home::Register) => format!("{} {}", Self::value_type(ty), self.register(param)),
                (ty, _) => format!("{} a_{}", Self::value_type(ty), param.0),
            });
        }
        params.push("uint32_t place".to_owned());
        let result = Self::value_type(&function.result);
        self.out.line("");
        self.out.at(function.span);
        self.out.open(format!("static {result} okl_f{number}({}) {{", params.join(", ")));
        self.declarations(&function.params);
        for &param in &function.params {
            if self.home(param) == Home::Memory && !matches!(self.body.var(param).ty, Type::Pointer(_)) {
                self.set(param, &format!("a_{}", param.0));
            }
        }
        self.stmts(&function.stmts);
        if function.result != Type::Void {
            self.out.line("okl_fail(OKL_NO_VALUE, place, 0, 0, 0);");
        } else {
            self.out.line("(void)place;");
        }
        self.out.close("}");
        self.out.at_none();
    }

    /// Declares the variables of the body but the given ones, which are there.
    fn declarations(&mut self, given: &[VarId]) {
        for var in (0..self.body.vars.len() as u32).map(VarId) {
            let variable = self.body.var(var);
            let pointer = self.pointer(var);
            match (self.home(var), variable.role, &variable.ty) {
                (Home::Register, ..) if given.contains(&var) => {}
                (Home::Register, _, ty) => {
                    let ty = Self::value_type(ty);
                    self.out.line(format!("{ty} {} __attribute__((unused)) = 0;", self.register(var)));
                    if let Some(flag) = self.flag(var) {
                        self.out.line(format!("bool {flag} __attribute__((unused)) = false;"));
                    }
                }
                (Home::Shared(_) | Home::Exclusive(_), ..) => {
                    self.out.line(format!("okl_pointer {pointer} __attribute__((unused));"));
                }
                (Home::Memory, Role::Constant(id), ty) => {
                    let (bytes, number) = (bytes_of(self.text.module, ty), id.0);
                    let from = format!("(void *)okl_constant_{number}, NULL, {bytes}, OKL_MEMORY");
                    let ty = "const okl_pointer";
                    self.out.line(format!("{ty} {pointer} __attribute__((unused)) = okl_variable({from});"));
                }
                (Home::Memory, _, Type::Pointer(_)) => {}
                (Home::Memory, _, ty) => {
                    let bytes = bytes_of(self.text.module, ty).max(1);
                    let is_of_group = self.is_nest && !self.is_of_item(var);
                    let kind = if is_of_group { "OKL_OF_GROUP" } else { "OKL_MEMORY" };
                    let number = var.0;
                    self.out.line(format!("unsigned char b_{number}[{bytes}];"));
                    self.out.line(format!("bool w_{number}[{bytes}];"));
                    let from = format!("b_{number}, w_{number}, {bytes}, {kind}");
                    let ty = "const okl_pointer";
                    self.out.line(format!("{ty} {pointer} __attribute__((unused)) = okl_variable({from});"));
                }
            }
        }
    }

    /// Whether regions declare it.
    fn is_of_item(&self, var: VarId) -> bool {
        self.body.var(var).role == Role::Local && !self.of_group.contains(&var)
            || matches!(self.body.var(var).role, Role::Inner(_))
    }

    /// Gives a variable a value, whatever it had.
    pub(super) fn set(&mut self, var: VarId, value: &str) {
        if self.home(var) == Home::Register {
            self.out.line(format!("{} = {value};", self.register(var)));
            if let Some(flag) = self.flag(var) {
                self.out.line(format!("{flag} = true;"));
            }
            return;
        }
        let (pointer, number) = (self.pointer(var), var.0);
        match &self.body.var(var).ty {
            Type::Struct(_) => {
                self.out.line(format!("memcpy(b_{number}, {value}.bytes, sizeof b_{number});"));
                self.out.line(format!("memcpy(w_{number}, {value}.written, sizeof w_{number});"));
            }
            ty => self.out.line(format!("okl_new_{}(&{pointer}, 0, {value});", Self::tag(ty))),
        }
    }

    /// The entry of a nest, and the function that runs its groups.
    pub(super) fn nest(&mut self, entry: &str, nest: &'m Nest) {
        let params = "void *const *arguments, const int64_t *dims, const okl_own *own";
        self.out.line("");
        self.out.at(nest.span);
        self.out.open(format!("static __attribute__((noinline)) void {entry}_groups({params}) {{"));
        self.declarations(&[]);
        self.arguments();
        for axis in nest.outer.iter().flatten() {
            self.axis(axis);
        }
        self.out.open("for (int64_t group = 0; group < dims[0] * dims[1] * dims[2]; ++group) {");
        self.out.line("okl_now = (uint64_t)group << 32 | 1, okl_met = true, okl_item = OKL_GROUP_LEVEL;");
        self.ends_items = ends_items(&nest.stmts);
        self.meets = true;
        for_regions(&nest.stmts, &mut |region| self.meets &= region.meeting != Meeting::Exchange);
        self.group_memory();
        let positions = ["group % dims[0]", "group / dims[0] % dims[1]", "group / dims[0] / dims[1]"];
        for (axis, position) in nest.outer.iter().zip(positions) {
            if let Some(axis) = axis {
                self.index(axis, position);
            }
        }
        self.stmts(&nest.stmts);
        self.out.close("}");
        self.out.line("(void)arguments, (void)own;");
        self.out.close("}");
        self.out.line("");
        self.out.open(format!("uint32_t {entry}({params}, okl_fault *fault) {{"));
        self.out.line("okl_out = fault;");
        self.out.open("if (setjmp(okl_exit)) {");
        self.out.line("return 1;");
        self.out.close("}");
        self.out.line(format!("{entry}_groups(arguments, dims, own);"));
        self.out.line("return 0;");
        self.out.close("}");
        self.out.at_none();
    }

    /// The values of parameters and host variables.
    fn arguments(&mut self) {
        let vars = (0..self.body.vars.len() as u32).map(VarId);
        let mut params: Vec<(u32, VarId)> =
            vars.clone().filter_map(|var| self.position(var).map(|position| (position, var))).collect();
        params.sort_unstable();
        let hosts = vars.filter(|&var| self.body.var(var).role == Role::Host);
        let given: Vec<VarId> = params.iter().map(|of| of.1).chain(hosts).collect();
        for (number, var) in given.into_iter().enumerate() {
            let argument = format!("arguments[{number}]");
            let ty = &self.body.var(var).ty;
            match (ty, self.home(var)) {
                (Type::Pointer(_), _) => {
                    let pointer = self.pointer(var);
                    let value = format!("*(const okl_pointer *){argument}");
                    self.out.line(format!("const okl_pointer {pointer} __attribute__((unused)) = {value};"));
                }
                (_, Home::Register) => {
                    let name = self.register(var);
                    self.out.line(format!("memcpy(&{name}, {argument}, sizeof {name});"));
                }
                _ => {
                    let number = var.0;
                    self.out.line(format!("memcpy(b_{number}, {argument}, sizeof b_{number});"));
                    self.out.line(format!("memset(w_{number}, 1, sizeof w_{number});"));
                }
            }
        }
    }

    fn position(&self, var: VarId) -> Option<u32> {
        match self.body.var(var).role {
            Role::Param(position) => Some(position),
            _ => None,
        }
    }

    /// A group begins: nothing of its memory is written.
    fn group_memory(&mut self) {
        let LaunchHints { shared_bytes, shared_shift, exclusive_bytes, .. } = self.hints;
        if shared_bytes > 0 {
            self.out.line(format!("memset(own->shared_written, 0, {shared_bytes});"));
        }
        if exclusive_bytes > 0 {
            let items = "(size_t)(dims[3] * dims[4] * dims[5])";
            self.out.line(format!("memset(own->exclusive_written, 0, {exclusive_bytes} * {items});"));
        }
        if self.ends_items {
            self.out.line("memset(own->done, 0, (size_t)(dims[3] * dims[4] * dims[5]));");
        }
        for var in (0..self.body.vars.len() as u32).map(VarId) {
            let Home::Shared(at) = self.home(var) else { continue };
            let bytes = bytes_of(self.text.module, &self.body.var(var).ty);
            let cells = match self.body.var(var).role {
                Role::Exchange(_) => "0, 0".to_owned(),
                _ => format!("own->shared_cells + {0}, own->shared_atomics + {0}", at >> shared_shift),
            };
            let whence = format!("own->shared + {at}, own->shared_written + {at}, {cells}");
            let epoch = "own->epoch + (uint64_t)group";
            let name = self.pointer(var);
            let value = format!("(okl_pointer){{{whence}, {epoch}, 0, 0, {bytes}, {shared_shift}, OKL_MEMORY}}");
            self.out.line(format!("{name} = {value};"));
        }
    }

    /// Start, step and number of the values of an axis.
    fn axis(&mut self, axis: &'m Axis) {
        let var = axis.var.0;
        for (what, expr) in [("start", &axis.start), ("step", &axis.step)] {
            let value = self.value(expr);
            self.out.line(format!("const int64_t {what}_{var} = (int64_t){value};"));
        }
    }

    /// The value of an axis's variable at a position.
    fn index(&mut self, axis: &'m Axis, position: &str) {
        let (var, ty) = (axis.var, self.scalar(axis.var));
        let number = var.0;
        let site = self.site(axis.span, What::Index { ty });
        let value = format!("okl_sum(start_{number}, okl_scaled({position}, step_{number}, {site}u), {site}u)");
        let exact = self.hold("int64_t", value);
        let value = format!("({}){exact}", c_type(ty));
        if ty != Scalar::U64 {
            self.out.line(format!("if ((int64_t){value} != {exact}) okl_fail(OKL_OVERFLOW, {site}u, 0, 0, 0);"));
        }
        self.set(var, &value);
    }

    /// Runs the items of a region, one after the other.
    pub(super) fn region(&mut self, region: &'m Region) {
        self.out.open("{");
        for axis in region.axes.iter().flatten() {
            self.axis(axis);
            let count = self.value(&axis.count);
            self.out.line(format!("const int64_t count_{} = (int64_t){count};", axis.var.0));
        }
        self.out.line("okl_now += okl_met;");
        let counters = ["item_x", "item_y", "item_z"];
        for (axis, counter) in region.axes.iter().zip(counters).rev() {
            let count = axis.as_ref().map_or_else(|| "1".to_owned(), |axis| format!("count_{}", axis.var.0));
            self.out.open(format!("for (int64_t {counter} = 0; {counter} < {count}; ++{counter}) {{"));
        }
        self.out.line("okl_item = (uint32_t)(item_x + dims[3] * (item_y + dims[4] * item_z));");
        self.regions += 1;
        let number = self.regions;
        self.region = Some(number);
        let written = Uses::of(&region.body).assigned;
        let is_settled = |var: &VarId| matches!(self.home(*var), Home::Shared(_)) && !written.contains(var);
        self.settled =
            (0..self.body.vars.len() as u32).map(VarId).filter(|var| self.meets && is_settled(var)).collect();
        self.item(region, counters);
        self.settled.clear();
        self.region = None;
        self.out.line(format!("item_{number}: ;"));
        region.axes.iter().for_each(|_| self.out.close("}"));
        // An exchange orders nothing but what is exchanged.
        let met = region.meeting != Meeting::Exchange;
        self.out.line(format!("okl_item = OKL_GROUP_LEVEL, okl_met = {met}, okl_now += okl_met;"));
        self.out.close("}");
    }

    fn item(&mut self, region: &'m Region, counters: [&str; 3]) {
        if self.ends_items {
            self.out.line("if (own->done[okl_item]) continue;");
        }
        for var in (0..self.body.vars.len() as u32).map(VarId) {
            let Home::Exclusive(at) = self.home(var) else { continue };
            let bytes = bytes_of(self.text.module, &self.body.var(var).ty);
            let of = |array: &str| format!("own->{array} + okl_item * INT64_C({}) + {at}", self.hints.exclusive_bytes);
            let (value, written) = (of("exclusive"), of("exclusive_written"));
            let pointer = self.pointer(var);
            self.out.line(format!("{pointer} = okl_variable({value}, {written}, {bytes}, OKL_MEMORY);"));
        }
        for (axis, counter) in region.axes.iter().zip(counters) {
            if let Some(axis) = axis {
                self.index(axis, counter);
            }
        }
        self.stmts(&region.body);
    }

    /// Declares a variable where its statement stands.
    pub(super) fn declare(&mut self, var: VarId, init: Option<&'m Initializer>) {
        match init {
            None if self.home(var) == Home::Register => {
                if let Some(flag) = self.flag(var) {
                    self.out.line(format!("{flag} = false;"));
                }
            }
            None => self.out.line(format!("memset(w_{0}, 0, sizeof w_{0});", var.0)),
            Some(Initializer::Value(value)) => {
                let value = self.value(value);
                self.set(var, &value);
            }
            Some(Initializer::List(list)) => {
                let values: Vec<String> = list.iter().map(|value| self.value(value)).collect();
                if self.home(var) == Home::Register {
                    let value = values.first().cloned().unwrap_or_else(|| "0".to_owned());
                    return self.set(var, &value);
                }
                let (pointer, number) = (self.pointer(var), var.0);
                self.out.line(format!("memset(b_{number}, 0, sizeof b_{number});"));
                self.out.line(format!("memset(w_{number}, 1, sizeof w_{number});"));
                let mut leaves = Vec::new();
                super::for_each_scalar(&self.body.var(var).ty, self.text.module, 0, &mut |ty, at| {
                    leaves.push((ty, at))
                });
                for (value, (ty, at)) in values.iter().zip(leaves) {
                    self.out.line(format!("okl_new_{}(&{pointer}, {at}, {value});", ty.tag()));
                }
            }
        }
    }
}
