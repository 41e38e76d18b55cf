//! What stands at file scope in every C-like text: constant tables and device functions.

use super::{Language, Needs, Printer, declarator, restore_names, struct_lines, type_name};
use crate::back::writer::Writer;
use crate::ir::{Body, Constant, Function, Kernel, Literal, Module};
use crate::passes::address_spaces::FunctionSpaces;
use crate::passes::loops::Parallel;
use crate::source::SourceMap;
use std::cell::RefCell;

/// Symbol of a kernel's nest.
pub(crate) fn entry_name(kernel: &Kernel, nest: usize) -> String {
    format!("{}_{nest}", kernel.name)
}

/// Comments that say what a text is: its language, and which entries belong to which kernel.
pub(crate) fn title(module: &Module, out: &mut Writer<'_>, language: &str) {
    out.line(format!("// {language}, made from OKL."));
    for kernel in &module.kernels {
        let entries: Vec<String> = (0..kernel.nests.len()).map(|index| entry_name(kernel, index)).collect();
        let entries = if entries.is_empty() { "no nests".into() } else { entries.join(", ") };
        out.line(format!("// @kernel {}: {entries}", kernel.name));
    }
    out.line("");
}

/// Prints file-scope items in a target's words.
pub(crate) struct Items<'a> {
    pub(crate) words: &'a Language,
    pub(crate) module: &'a Module,
    pub(crate) map: &'a SourceMap,
    /// What the code printed so far asks of the prelude.
    pub(crate) needs: RefCell<Needs>,
    /// For each function, where its pointer parameters point; empty where the target does not tell.
    spaces: &'a [FunctionSpaces],
}

impl<'a> Items<'a> {
    /// Nothing printed yet.
    pub(crate) fn new(words: &'a Language, module: &'a Module, map: &'a SourceMap) -> Self {
        Self { words, module, map, needs: RefCell::new(Needs::default()), spaces: &[] }
    }

    /// The same, where functions are specialised for the address spaces of their pointers.
    pub(crate) fn with_spaces(self, spaces: &'a [FunctionSpaces]) -> Self {
        Self { spaces, ..self }
    }

    /// Comments that say what the text is: its language, and which entries belong to which kernel.
    pub(crate) fn title(&self, out: &mut Writer<'_>, language: &str) {
        title(self.module, out, language);
    }

    /// What the code needs in front of it: structs, then helpers.
    pub(crate) fn definitions(&self, out: &mut Writer<'_>) {
        for definition in &self.module.structs {
            out.line("");
            struct_lines(self.words, self.module, definition).iter().for_each(|line| out.line(line));
        }
        for helper in self.needs.borrow().helpers.values() {
            out.line("");
            helper.lines().for_each(|line| out.line(line));
        }
    }

    /// All tables and functions of the module, in order.
    pub(crate) fn all(&self, out: &mut Writer<'_>) {
        self.module.constants.iter().for_each(|constant| self.constant(out, constant));
        for (index, function) in self.module.functions.iter().enumerate() {
            self.function(out, function, self.spaces.get(index));
        }
    }

    fn constant(&self, out: &mut Writer<'_>, constant: &Constant) {
        let (body, parallel) = (Body::default(), Parallel::default());
        let printer = Printer::new(self.words, self.module, &body, &parallel, &self.needs);
        let values: Vec<&Literal> = constant.values.iter().collect();
        let values = printer.constants(&constant.ty, &values);
        let declarator = declarator(self.words, self.module, &constant.ty, &constant.name);
        out.line("");
        out.at(constant.span);
        out.line(format!("{}{declarator} = {values};", self.words.constant));
        out.at_none();
    }

    fn function(&self, out: &mut Writer<'_>, function: &Function, spaces: Option<&FunctionSpaces>) {
        let parallel = Parallel::default();
        let mut body = function.body.clone();
        restore_names(self.words.is_reserved, self.module, self.map, &mut body, &function.stmts, &function.params);
        let mut printer = Printer::new(self.words, self.module, &body, &parallel, &self.needs).with_spaces(spaces);
        let params: Vec<String> = function.params.iter().map(|&param| printer.declarator(param)).collect();
        let params = if params.is_empty() { "void".into() } else { params.join(", ") };
        let result = type_name(self.words, self.module, &function.result);
        out.line("");
        out.at(function.span);
        out.open(format!("{}{result} {}({params}) {{", self.words.function, function.name));
        printer.stmts(out, &function.stmts);
        out.close("}");
        out.at_none();
    }
}
