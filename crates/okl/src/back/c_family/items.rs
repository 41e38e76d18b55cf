//! What stands at file scope in every C-like text: constant tables and device functions.

use super::{Builtins, Language, Needs, Printer, declarator, struct_lines, type_name};
use crate::back::namer::{Locals, Namer};
use crate::back::writer::Writer;
use crate::ir::{Body, Constant, ConstantId, Function, FunctionId, Literal, Module, Stmt, StructId, VarId};
use crate::passes::address_spaces::FunctionSpaces;
use crate::passes::dependence::{self, Independence};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Comments that say what a text is: its language, and which entries belong to which kernel.
pub fn title(module: &Module, names: &Namer, out: &mut Writer<'_>, language: &str) {
    out.line(format!("// {language}, made from OKL."));
    for (index, kernel) in module.kernels.iter().enumerate() {
        let entries = names.entries(index);
        let entries = if entries.is_empty() { "no nests".into() } else { entries.join(", ") };
        out.line(format!("// @kernel {}: {entries}", kernel.name));
    }
    out.line("");
}

/// Prints file-scope items in a target's words.
pub struct Items<'a> {
    /// The target's words.
    pub words: &'a Language,
    /// What is printed.
    pub module: &'a Module,
    /// Spellings at module scope.
    pub names: Namer,
    /// What the code printed so far asks of the prelude.
    pub needs: RefCell<Needs>,
    /// For each function, where its pointer parameters point; empty where the target does not tell.
    spaces: &'a [FunctionSpaces],
    /// For each function, what may be promised of its body.
    pub(super) independence: Vec<Independence>,
}

impl<'a> Items<'a> {
    /// Nothing printed yet.
    pub fn new(words: &'a Language, module: &'a Module) -> Self {
        let mut names = Namer::new(words.reserved, module, words.companions);
        names.functions(module.functions.iter().map(|function| function.name.as_str()));
        Self {
            words,
            module,
            names,
            needs: RefCell::default(),
            spaces: &[],
            independence: dependence::of_functions(module),
        }
    }

    /// The same, where functions are specialised for the address spaces of their pointers.
    pub(crate) fn with_spaces(self, spaces: &'a [FunctionSpaces]) -> Self {
        Self { spaces, ..self }
    }

    /// Comments that say what the text is: its language, and which entries belong to which kernel.
    pub fn title(&self, out: &mut Writer<'_>, language: &str) {
        title(self.module, &self.names, out, language);
    }

    /// What the code needs in front of it: structs, then helpers.
    pub fn definitions(&self, out: &mut Writer<'_>) {
        for (definition, id) in self.module.structs.iter().zip((0..).map(StructId)) {
            out.line("");
            struct_lines(self.words, &self.names, definition, id).iter().for_each(|line| out.line(line));
        }
        let needs = self.needs.borrow();
        let library = needs.library.values().copied();
        for helper in library.chain(needs.helpers.values().map(String::as_str)) {
            out.line("");
            helper.lines().for_each(|line| out.line(line));
        }
    }

    /// All tables and functions of the module, in order.
    pub fn all(&self, out: &mut Writer<'_>) {
        for (constant, id) in self.module.constants.iter().zip((0..).map(ConstantId)) {
            self.constant(out, constant, id);
        }
        for (function, id) in self.module.functions.iter().zip((0..).map(FunctionId)) {
            self.function(out, function, id);
        }
    }

    /// Spellings of a body's variables, those of `outermost` and those that the statements declare.
    pub fn locals(&self, body: &Body, outermost: impl IntoIterator<Item = VarId>, stmts: &[Stmt]) -> Locals {
        self.names.locals(body, BTreeMap::new(), outermost, stmts)
    }

    fn constant(&self, out: &mut Writer<'_>, constant: &Constant, id: ConstantId) {
        let (body, builtins) = (Body::default(), Builtins::new());
        let locals = self.locals(&body, [], &[]);
        let printer = Printer::new(self, &body, &locals, &builtins);
        let values: Vec<&Literal> = constant.values.iter().collect();
        let values = printer.constants(&constant.ty, &values);
        let declarator = declarator(self.words, &self.names, &constant.ty, self.names.constant(id));
        out.line("");
        out.at(constant.span);
        out.line(format!("{}{declarator} = {values};", self.words.constant));
        out.at_none();
    }

    fn function(&self, out: &mut Writer<'_>, function: &Function, id: FunctionId) {
        let builtins = Builtins::new();
        let locals = self.locals(&function.body, function.params.iter().copied(), &function.stmts);
        let spaces = self.spaces.get(id.0 as usize);
        let mut printer = Printer::new(self, &function.body, &locals, &builtins).with_spaces(spaces);
        let params: Vec<String> = function.params.iter().map(|&param| printer.declarator(param)).collect();
        let params = if params.is_empty() { "void".into() } else { params.join(", ") };
        let result = type_name(self.words, &self.names, &function.result);
        out.line("");
        out.at(function.span);
        out.open(format!("{}{result} {}({params}) {{", self.words.function, self.names.function(id)));
        printer.stmts(out, &function.stmts);
        out.close("}");
        out.at_none();
    }
}
