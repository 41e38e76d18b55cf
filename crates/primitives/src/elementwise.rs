//! Statements for every element: several results, results that do not lie in a row, memory that is read or written at places
//! which the statements compute.
//!
//! Each statement stands for one element, in the kernel language: `low = min(a, b); high = max(a, b);`. Values of inputs are
//! constants of their names, results are variables that begin as 0; `i` is the number of the element, row by row, and `n`
//! how many there are. What is `raw` is the whole memory, under its name: `out = table[index];` gathers.

use crate::formula::{Operand, Reading};
use crate::primitives::Primitives;
use crate::program::{Args, Macros, Place, Source, index_type};
use crate::shape::{LOOPS, Shape};
use crate::value_type::ValueType;
use ferrocca_core::{AnyMemory, Arg, Error, IntoArg, Kernel, Result, Stream};
use okl::ir::Scalar;
use smallvec::SmallVec;
use std::fmt::Write as _;

const SOURCE: Source = Source { text: include_str!("../kernels/elementwise.okl"), kernel: "elementwise" };

/// Rows shorter than this do not get groups of their own.
const FEW_COLUMNS: usize = 128;

/// Statements that are run for each element, by [`run`](Self::run).
#[derive(Debug)]
#[must_use = "nothing is computed before `run`"]
pub struct Elementwise<'a> {
    primitives: &'a Primitives,
    functions: &'a str,
    body: &'a str,
    types: SmallVec<[(&'a str, ValueType); 2]>,
    parameters: SmallVec<[(&'a str, Parameter<'a>); 6]>,
    shape: Shape,
}

#[derive(Debug)]
enum Parameter<'a> {
    Input(Operand<'a>),
    Output { place: Operand<'a>, memory: AnyMemory, value: ValueType },
    Raw(&'a AnyMemory),
    RawOutput(AnyMemory),
}

/// Statements whose operands all lay in a row, each with an element for each of the results: ready for others of which that is
/// true, too.
#[derive(Clone, Debug)]
pub struct Prepared {
    kernel: Kernel,
    stream: Stream,
    index: Scalar,
    body: String,
}

impl Prepared {
    /// The stream that it is queued on.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Whether the kernel counts so many elements.
    pub fn counts(&self, n: usize) -> bool {
        index_type(n) == self.index
    }

    /// Queues it for memory of `n` elements and numbers, in the order of the parameters. Their types, and which of them are
    /// numbers, are what they were before.
    /// # Errors
    /// As [`Elementwise::run`]; [`ferrocca_core::ErrorKind::Invalid`] for operands of other types.
    pub fn launch<'a>(&self, operands: impl IntoIterator<Item = Arg<'a>>, n: usize) -> Result<()> {
        let mut arguments: Args<'a> = operands.into_iter().collect();
        arguments.push(n.into_arg());
        self.kernel.launch_on(&self.stream, arguments).map_err(|error| error.while_doing(doing(&self.body)))
    }
}

fn doing(body: &str) -> String {
    format!("computing `{body}` for every element")
}

impl Primitives {
    /// Statements for each element of the shape that all operands are repeated to.
    pub fn elementwise<'a>(&'a self, body: &'a str) -> Elementwise<'a> {
        Elementwise {
            primitives: self,
            functions: "",
            body,
            types: SmallVec::new(),
            parameters: SmallVec::new(),
            shape: Shape::scalar(),
        }
    }
}

impl<'a> Elementwise<'a> {
    /// Device functions that the statements call.
    pub fn functions(mut self, text: &'a str) -> Self {
        self.functions = text;
        self
    }

    /// A name that the statements have for a type.
    pub fn type_name(mut self, name: &'a str, of: impl Into<ValueType>) -> Self {
        self.types.push((name, of.into()));
        self
    }

    /// At least this shape, where the operands alone do not say it.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::Unsupported`] for more than eight axes.
    pub fn shape(mut self, lengths: &[usize]) -> Result<Self> {
        self.shape = Shape::checked(lengths)?;
        Ok(self)
    }

    /// An input of one value an element.
    pub fn input(mut self, name: &'a str, operand: impl Into<Operand<'a>>) -> Self {
        self.parameters.push((name, Parameter::Input(operand.into())));
        self
    }

    /// A result of one value an element, which is a variable of the type `value` in the statements (bytes may be `bool` there):
    /// `place` says where it lies, with all of the operands' shape. It may be an input too, but must not overlap one
    /// otherwise.
    pub fn output(mut self, name: &'a str, place: impl Into<Operand<'a>>, value: Option<Scalar>) -> Self {
        let place = place.into();
        if let Some(memory) = place.memory() {
            // What is no number is refused by `run`.
            let own = ValueType::of(memory.dtype()).map_or(Scalar::I32.into(), ValueType::computed);
            let value = value.map_or(own, ValueType::Real);
            let output = Parameter::Output { place, memory: memory.clone(), value };
            self.parameters.push((name, output));
        } else {
            // Nothing can be written to a number: `run` refuses it.
            self.parameters.push((name, Parameter::Input(place)));
        }
        self
    }

    /// Memory that the statements read at any place.
    pub fn raw(mut self, name: &'a str, memory: &'a AnyMemory) -> Self {
        self.parameters.push((name, Parameter::Raw(memory)));
        self
    }

    /// Memory that the statements read and write at any place.
    pub fn raw_output(mut self, name: &'a str, memory: &mut AnyMemory) -> Self {
        self.parameters.push((name, Parameter::RawOutput(memory.clone())));
        self
    }

    /// Queues it.
    /// # Errors
    /// [`ferrocca_core::ErrorKind::OutOfBounds`] for shapes that do not fit, for a result that has not all of the shape, and,
    /// now or at the next wait, for raw memory at a place that it does not have;
    /// [`ferrocca_core::ErrorKind::Invalid`] for structs; [`ferrocca_core::ErrorKind::Unsupported`] for more than four axes of
    /// which none lie in a row; [`ferrocca_core::ErrorKind::Kernel`] for statements that the kernel language refuses; as
    /// [`ferrocca_core::Kernel::launch`].
    pub fn run(self) -> Result<()> {
        self.run_prepared().map(drop)
    }

    /// As [`run`](Self::run). What it has launched, where the same can be launched for other operands: where none is repeated,
    /// and all lie in a row.
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_prepared(mut self) -> Result<Option<Prepared>> {
        let body = self.body;
        self.queue().map_err(|error| error.while_doing(doing(body)))
    }

    fn queue(&mut self) -> Result<Option<Prepared>> {
        let shape = self.whole()?;
        let n = shape.len().ok_or_else(|| Error::out_of_bounds(format!("the shape {shape} has too many elements")))?;
        if n == 0 {
            return Ok(None);
        }
        let reading =
            Reading::of(shape, self.parameters.iter().filter_map(|(_, parameter)| parameter.place()).copied())?;
        let memories = self.parameters.iter().filter_map(|(_, parameter)| parameter.memory());
        let index = index_type(memories.map(AnyMemory::len).fold(n, usize::max));
        let shaped = match &reading {
            Reading::Flat => 0,
            Reading::Shaped { dims, .. } if dims[LOOPS - 1] < FEW_COLUMNS => 2,
            Reading::Shaped { .. } => 1,
        };
        let kernel = self.primitives.state().programs.kernel_of(
            &self.primitives.device,
            &SOURCE,
            Some([self.functions, self.body]),
            |macros| {
                macros.set("SHAPED_", shaped);
                macros.set_type("INDEX", index);
                for (name, of) in &self.types {
                    macros.set_type(name, *of);
                }
                write_parameters(macros, &self.parameters, &reading, n)
            },
        )?;
        let is_whole = |(_, parameter): &(&str, Parameter<'_>)| match parameter {
            Parameter::Input(place) | Parameter::Output { place, .. } => {
                place.memory().is_none_or(|memory| memory.len() == n)
            }
            Parameter::Raw(_) | Parameter::RawOutput(_) => false,
        };
        let is_repeatable = matches!(reading, Reading::Flat) && self.parameters.iter().all(is_whole);
        let mut arguments = Args::new();
        let mut rest = Args::new();
        let mut strides = reading.strides();
        for (_, parameter) in &mut self.parameters {
            if let (Some(operand), Reading::Shaped { .. }) = (parameter.place(), &reading)
                && let Some(strides) = strides.next()
            {
                Place { name: "", number: 0, operand, strides }.push(&mut rest, 0..LOOPS);
            }
            arguments.push(match parameter {
                Parameter::Input(operand) => operand.argument(),
                Parameter::Raw(memory) => Arg::read(memory),
                Parameter::Output { memory, .. } | Parameter::RawOutput(memory) => Arg::write(memory),
            });
        }
        arguments.append(&mut rest);
        match &reading {
            Reading::Flat => arguments.push(n.into_arg()),
            Reading::Shaped { dims, .. } => arguments.extend(dims.map(IntoArg::into_arg)),
        }
        kernel.launch_on(&self.primitives.stream, arguments)?;
        let stream = self.primitives.stream.clone();
        Ok(is_repeatable.then(|| Prepared { kernel, stream, index, body: self.body.to_owned() }))
    }

    /// The shape of inputs and results.
    fn whole(&self) -> Result<Shape> {
        let mut shape = self.shape;
        for (name, parameter) in &self.parameters {
            if let Some(operand) = parameter.place() {
                operand.check(name)?;
                shape = shape
                    .broadcast(&operand.shape())
                    .map_err(|error| error.while_doing(format!("operand `{name}`")))?;
            }
        }
        for (name, parameter) in &self.parameters {
            if let Parameter::Output { place, .. } = parameter
                && place.shape().len() != shape.len()
            {
                let own = place.shape();
                return Err(Error::out_of_bounds(format!("the result `{name}` has the shape {own}, and not {shape}")));
            }
        }
        Ok(shape)
    }
}

impl Parameter<'_> {
    /// Where it has one value an element.
    fn place(&self) -> Option<&Operand<'_>> {
        match self {
            Self::Input(place) | Self::Output { place, .. } => Some(place),
            Self::Raw(_) | Self::RawOutput(_) => None,
        }
    }

    fn memory(&self) -> Option<&AnyMemory> {
        match self {
            Self::Input(place) => place.memory(),
            Self::Output { memory, .. } | Self::RawOutput(memory) => Some(memory),
            Self::Raw(memory) => Some(memory),
        }
    }
}

fn write_parameters(
    macros: &mut Macros<'_>,
    parameters: &[(&str, Parameter<'_>)],
    reading: &Reading,
    n: usize,
) -> Result<()> {
    let (mut list, mut places) = (String::from("PARAMETERS_="), String::new());
    let (mut read, mut write) = (String::from("READ_="), String::from("WRITE_="));
    let mut strides = reading.strides();
    for (number, (name, parameter)) in parameters.iter().enumerate() {
        let of = match parameter {
            Parameter::Input(operand) => operand.ty(name)?,
            Parameter::Output { memory, .. } | Parameter::RawOutput(memory) => ValueType::of_memory(memory, name)?,
            Parameter::Raw(memory) => ValueType::of_memory(memory, name)?,
        };
        let type_name = of.okl_name();
        let mut element = String::new();
        if let Some(operand) = parameter.place() {
            match (reading, strides.next()) {
                (Reading::Shaped { .. }, Some(strides)) => {
                    let place = Place { name: "operand_", number, operand, strides };
                    place.parameters(&mut places, 0..LOOPS);
                    place.element(&mut element, 0..LOOPS, &["c0_", "c1_", "c2_", "c3_"]);
                }
                _ => {
                    let at = match operand.memory() {
                        Some(memory) if memory.len() == 1 && n != 1 => "[0]",
                        Some(_) => "[i]",
                        None => "",
                    };
                    let _ = write!(element, "operand_{number}{at}");
                }
            }
        }
        // Writing to a `String` does not fail.
        let _ = match parameter {
            Parameter::Input(operand) => {
                let star = if operand.memory().is_some() { "*" } else { "" };
                let _ = write!(list, "const {type_name} {star}operand_{number}, ");
                write!(read, "const {} {name} = {element}; ", of.computed().okl_name())
            }
            Parameter::Output { value, .. } => {
                let _ = write!(list, "{type_name} *operand_{number}, ");
                let _ = write!(read, "{} {name} = 0; ", value.okl_name());
                write!(write, "{element} = {name}; ")
            }
            Parameter::Raw(_) => write!(list, "const {type_name} *{name}, "),
            Parameter::RawOutput(_) => write!(list, "{type_name} *{name}, "),
        };
    }
    list.push_str(&places);
    for line in [list, read, write] {
        macros.line(&line);
    }
    Ok(())
}
