//! Buffers and arguments of one call, made once and given to the interpreter and to compiled code alike.

use super::value::{Operand, element_bytes, is_same, pattern, scalar, scalars, size_of};
use okl::interp::{Arg, Fault, Interpreter, Options, Report};
use okl::ir::{Kernel, Line, Module, Type};
use okl::signature::{ElementType, HostParams, Parameter, ParameterKind, Signature};
use okl::value::ScalarValue;

/// More than any test needs, and soon reached by one that does not end.
const STEP_LIMIT: u64 = 2_000_000;

/// What a kernel is called with.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) buffers: Vec<Vec<u8>>,
    pub(crate) arguments: Vec<Argument>,
    /// What `printf` has printed.
    pub(crate) printed: Vec<u8>,
    /// Lines that kernels leave in their record instead.
    pub(crate) lines: Vec<Line>,
}

/// An argument that owns its value.
#[derive(Clone)]
pub(crate) enum Argument {
    Scalar(ScalarValue),
    Struct(Vec<u8>),
    Memory { buffer: usize, offset: usize, bytes: usize },
    Null,
}

impl Setup {
    /// Binds named operands to a kernel's parameters, in order.
    pub(crate) fn new(module: &Module, kernel: &Kernel, given: &[(String, Operand)]) -> Result<Self, String> {
        let names: Vec<_> = kernel.own_params().iter().map(|&id| kernel.body.var(id).name.as_str()).collect();
        if given.len() != names.len() || given.iter().zip(&names).any(|((name, _), n)| !is_name(name, n)) {
            return Err(format!("the parameters are: {}", names.join(", ")));
        }
        let mut setup = Self { buffers: Vec::new(), arguments: Vec::new(), printed: Vec::new(), lines: Vec::new() };
        for (position, (name, operand)) in given.iter().enumerate() {
            let ty = &kernel.body.var(kernel.params[position]).ty;
            let argument = match (ty, operand) {
                (Type::Pointer(_), Operand::Null) => Argument::Null,
                (Type::Pointer(pointer), Operand::List(list)) => {
                    let mut bytes = Vec::new();
                    for element in list {
                        let element = element_bytes(element, &pointer.element, module);
                        bytes.extend(element.map_err(|e| format!("`{name}`: {e}"))?);
                    }
                    setup.own(bytes)
                }
                (Type::Pointer(pointer), &Operand::Pattern(len)) => {
                    setup.own(pattern(len, position, &pointer.element, module))
                }
                (Type::Pointer(pointer), Operand::Alias(other, range)) => {
                    let element = size_of(&pointer.element, module);
                    setup.alias(&names, other, *range, element)?
                }
                (Type::Struct(_), operand) => Argument::Struct(element_bytes(operand, ty, module)?),
                (Type::Scalar(ty), Operand::Number(text)) => Argument::Scalar(scalar(text, *ty)?),
                _ => return Err(format!("`{name}` cannot be {operand:?}")),
            };
            setup.arguments.push(argument);
        }
        Ok(setup)
    }

    fn own(&mut self, buffer: Vec<u8>) -> Argument {
        let (index, bytes) = (self.buffers.len(), buffer.len());
        self.buffers.push(buffer);
        Argument::Memory { buffer: index, offset: 0, bytes }
    }

    fn alias(
        &self,
        names: &[&str],
        other: &str,
        range: Option<(usize, usize)>,
        element: usize,
    ) -> Result<Argument, String> {
        let position = names.iter().position(|n| is_name(other, n));
        let argument = position.and_then(|p| self.arguments.get(p));
        let Some(&Argument::Memory { buffer, offset, bytes }) = argument else {
            return Err(format!("`{other}` is no memory that was given before"));
        };
        let (start, end) = range.map_or((0, bytes), |(a, b)| (a * element, b * element));
        if start > end || end > bytes {
            return Err(format!("`{other}` has only {bytes} bytes"));
        }
        Ok(Argument::Memory { buffer, offset: offset + start, bytes: end - start })
    }

    /// Runs the interpreter on the buffers.
    pub(crate) fn interpret(&mut self, module: &Module, kernel: &str) -> Result<Report, Box<Fault>> {
        self.interpret_with(module, kernel, Options { step_limit: STEP_LIMIT, ..Options::default() })
    }

    /// The same, listing every access to memory.
    pub(crate) fn trace(&mut self, module: &Module, kernel: &str) -> Result<Report, Box<Fault>> {
        let options = Options { step_limit: STEP_LIMIT, trace: true, checks: false, ..Options::default() };
        self.interpret_with(module, kernel, options)
    }

    /// Runs a kernel that passes have left, with two groups at a time where its nests have a form for that: it must give
    /// what one group at a time has given.
    pub(crate) fn check_coarsened(&self, module: &Module, kernel: &Kernel, one_by_one: &Self) -> Result<(), String> {
        if kernel.nests.iter().all(|nest| nest.coarsened.is_none()) {
            return Ok(());
        }
        let mut again = self.clone();
        let options = Options { step_limit: STEP_LIMIT, coarsened: true, ..Options::default() };
        let run = again.interpret_with(module, &kernel.name, options);
        run.map_err(|fault| format!("two groups at a time: {:?}", fault.kind))?;
        again.compare(one_by_one, module, kernel, 0).map_err(|e| format!("two groups at a time: {e}"))
    }

    fn interpret_with(&mut self, module: &Module, kernel: &str, options: Options) -> Result<Report, Box<Fault>> {
        let mut buffers: Vec<_> = self.buffers.iter_mut().map(Vec::as_mut_slice).collect();
        let arguments: Vec<_> = self
            .arguments
            .iter()
            .map(|argument| match argument {
                Argument::Scalar(value) => Arg::Scalar(*value),
                Argument::Struct(bytes) => Arg::Struct(bytes),
                &Argument::Memory { buffer, offset, bytes } => Arg::Memory { buffer, offset, bytes },
                Argument::Null => Arg::Null,
            })
            .collect();
        let interpreter = Interpreter::new(module, options).with_lines(&self.lines);
        let report = interpreter.run(kernel, &mut buffers, &arguments);
        self.printed = interpreter.take_printed();
        report
    }

    /// Compares what was printed; `same_order`: in that order.
    pub(crate) fn compare_printed(&self, expected: &[u8], same_order: bool) -> Result<(), String> {
        let lines = |text: &[u8]| {
            let mut lines: Vec<Vec<u8>> = text.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
            if !same_order {
                lines.sort();
            }
            lines
        };
        let shown = |text: &[u8]| format!("{:?}", String::from_utf8_lossy(text));
        if lines(&self.printed) == lines(expected) {
            return Ok(());
        }
        Err(format!("printed {}, expected {}", shown(&self.printed), shown(expected)))
    }

    /// The bytes that an argument covers.
    pub(crate) fn bytes(&self, position: usize) -> &[u8] {
        match self.arguments[position] {
            Argument::Memory { buffer, offset, bytes } => &self.buffers[buffer][offset..offset + bytes],
            _ => &[],
        }
    }

    /// Compares what the memory arguments hold, scalar by scalar; padding does not count.
    pub(crate) fn compare(&self, other: &Self, module: &Module, kernel: &Kernel, ulp: u32) -> Result<(), String> {
        for (position, &id) in kernel.own_params().iter().enumerate() {
            let variable = kernel.body.var(id);
            let Type::Pointer(pointer) = &variable.ty else {
                continue;
            };
            let (a, b) = (self.bytes(position), other.bytes(position));
            compare_bytes(&variable.name, a, b, &pointer.element, module, ulp)?;
        }
        Ok(())
    }
}

/// Whether a parameter that is called `name` in the IR was written as `given`: a keyword of some target gets a number.
pub(crate) fn is_name(given: &str, name: &str) -> bool {
    let number = name.strip_prefix(given).and_then(|rest| rest.strip_prefix('_'));
    name == given || number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Compares two stretches of elements, scalar by scalar.
pub(crate) fn compare_bytes(
    name: &str,
    got: &[u8],
    want: &[u8],
    element: &Type,
    module: &Module,
    ulp: u32,
) -> Result<(), String> {
    if got.len() != want.len() {
        return Err(format!("`{name}` has {} bytes, expected {}", got.len(), want.len()));
    }
    let (size, scalars) = (size_of(element, module).max(1), scalars(element, module));
    for (index, (a, b)) in got.chunks(size).zip(want.chunks(size)).enumerate() {
        for &(ty, at) in &scalars {
            let value = |bytes: &[u8]| bytes.get(at..).and_then(|b| ScalarValue::from_bytes(ty, b));
            let (Some(a), Some(b)) = (value(a), value(b)) else {
                continue;
            };
            if !is_same(a, b, ulp) {
                let all = |bytes: &[u8]| {
                    let values = bytes.chunks(size).filter_map(|b| ScalarValue::from_bytes(ty, b.get(at..)?));
                    values.take(64).map(|v| v.to_string()).collect::<Vec<_>>().join(", ")
                };
                return Err(format!(
                    "`{name}[{index}]` (byte {at}) is {a}, expected {b} (within {ulp} ulp)\n  got  [{}]\n  want [{}]",
                    all(got),
                    all(want)
                ));
            }
        }
    }
    Ok(())
}

/// The arguments of a call as the host part asks for them: all memory that the kernel cannot write is constant.
pub(crate) struct Given<'a>(pub(crate) &'a Signature, pub(crate) &'a Setup);

impl HostParams for Given<'_> {
    fn scalar(&self, position: u32) -> Option<ScalarValue> {
        match self.1.arguments.get(position as usize) {
            Some(Argument::Scalar(value)) => Some(*value),
            _ => None,
        }
    }

    fn length(&self, position: u32) -> Option<u64> {
        match (self.1.arguments.get(position as usize)?, self.0.kind(position)) {
            (Argument::Memory { bytes, .. }, ParameterKind::Pointer { element, .. }) => {
                Some((bytes / element.bytes()) as u64)
            }
            (Argument::Null, _) => Some(0),
            _ => None,
        }
    }

    fn contents(&self, position: u32) -> Option<[i64; 2]> {
        let ParameterKind::Pointer { element: ElementType::Scalar(ty), mutable: false, .. } = self.0.kind(position)
        else {
            return None;
        };
        let &Argument::Memory { buffer, offset, bytes } = self.1.arguments.get(position as usize)? else { return None };
        let writes = |(other, param): (&Argument, &Parameter)| {
            matches!(param.kind, ParameterKind::Pointer { mutable: true, .. })
                && matches!(other, Argument::Memory { buffer: of, .. } if *of == buffer)
        };
        if self.1.arguments.iter().zip(&self.0.params).any(writes) {
            return None;
        }
        let elements = self.1.buffers[buffer][offset..offset + bytes].chunks_exact(ty.bytes());
        let values = elements.map(|element| ScalarValue::from_bytes(*ty, element)?.integer()?.try_into().ok());
        let values: Vec<i64> = values.collect::<Option<_>>()?;
        Some([*values.iter().min()?, *values.iter().max()?])
    }
}
