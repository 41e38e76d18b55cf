//! The kernels that move boxes of a field: between its memory and messages, and within it.

use crate::layout::Block;
use ferrocca_core::{AnyMemory, Arg, DType, Device, Error, Kernel, Props, Recorder, Result, args};

const SOURCE: &str = include_str!("../kernels/halo.okl");

/// How a kernel's indices are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Index {
    Int,
    Long,
}

/// The kernels for fields of one type and size.
#[derive(Clone)]
pub(crate) struct Packing {
    pack: Kernel,
    unpack: Kernel,
    shift: Kernel,
    index: Index,
}

/// Where a kernel is queued: now, or with a graph.
pub(crate) enum Queue<'a> {
    Now,
    Recorded(&'a mut Recorder),
}

impl Queue<'_> {
    fn launch(&mut self, kernel: &Kernel, arguments: &[Arg<'_>]) -> Result<()> {
        match self {
            Self::Now => kernel.launch(arguments),
            Self::Recorded(recorder) => recorder.launch(kernel, arguments).map(drop),
        }
    }
}

/// What kernels of this device count and call elements, for memory of so many of them.
pub(crate) fn props(dtype: DType, elements: usize) -> Result<Props> {
    let Some(scalar) = dtype.scalar() else {
        return Err(Error::unsupported(
            format!("an exchange of `{}`", dtype.name()),
            "fields are of numbers: one field for each member of a struct",
        ));
    };
    let index = if elements <= i32::MAX as usize { "int" } else { "long" };
    Ok(Props::new().define("TYPE", scalar.okl_name()).define("INDEX", index))
}

fn index_of(elements: usize) -> Index {
    if elements <= i32::MAX as usize { Index::Int } else { Index::Long }
}

impl Packing {
    pub(crate) fn new(device: &Device, dtype: DType, elements: usize) -> Result<Self> {
        let props = props(dtype, elements)?;
        let build = |name: &str| device.build_kernel_from_string(SOURCE, name, &props);
        Ok(Self { pack: build("pack")?, unpack: build("unpack")?, shift: build("move")?, index: index_of(elements) })
    }

    /// Fills a message with the elements of a box.
    pub(crate) fn pack(&self, queue: &mut Queue<'_>, block: Block, field: &AnyMemory, to: &AnyMemory) -> Result<()> {
        if block.len() == 0 {
            return Ok(());
        }
        let mut to = to.clone();
        let mut arguments = self.of_block(block).to_vec();
        arguments.extend(args![field, &mut to]);
        queue.launch(&self.pack, &arguments)
    }

    /// Fills a box with the elements of a message.
    pub(crate) fn unpack(
        &self,
        queue: &mut Queue<'_>,
        block: Block,
        field: &AnyMemory,
        from: &AnyMemory,
    ) -> Result<()> {
        if block.len() == 0 {
            return Ok(());
        }
        let mut field = field.clone();
        let mut arguments = self.of_block(block).to_vec();
        arguments.extend(args![&mut field, from]);
        queue.launch(&self.unpack, &arguments)
    }

    /// Copies a box to another one of the same field and extents, whose first element is `to`.
    pub(crate) fn shift(&self, queue: &mut Queue<'_>, block: Block, to: usize, field: &AnyMemory) -> Result<()> {
        if block.len() == 0 {
            return Ok(());
        }
        let mut field = field.clone();
        let mut arguments = self.of_block(block).to_vec();
        arguments.push(self.number(to as i64 - block.base as i64));
        arguments.extend(args![&mut field]);
        queue.launch(&self.shift, &arguments)
    }

    fn of_block(&self, block: Block) -> [Arg<'static>; 6] {
        of_block(block, |value| self.number(value))
    }

    fn number(&self, value: i64) -> Arg<'static> {
        number(self.index, value)
    }
}

fn number(index: Index, value: i64) -> Arg<'static> {
    use ferrocca_core::IntoArg;
    match index {
        // The elements of the memory are counted by an `int`.
        Index::Int => (value as i32).into_arg(),
        Index::Long => value.into_arg(),
    }
}

fn of_block(block: Block, number: impl Fn(i64) -> Arg<'static>) -> [Arg<'static>; 6] {
    let [n0, n1, n2] = block.extents;
    let [s0, s1] = block.strides;
    [n0, n1, n2, s0, s1, block.base].map(|value| number(value as i64))
}

/// The kernel that makes one value of 32.
pub(crate) struct Combining {
    kernel: Kernel,
    index: Index,
}

impl Combining {
    pub(crate) fn new(device: &Device, dtype: DType, elements: usize, operator: &str) -> Result<Self> {
        let props = props(dtype, elements)?.define("OPERATOR", operator);
        let kernel = device.build_kernel_from_string(SOURCE, "combine_nodes", props)?;
        Ok(Self { kernel, index: index_of(elements) })
    }

    /// `block` has the extents of the results; its base and strides are those of the field.
    pub(crate) fn run(&self, block: Block, field: &AnyMemory, nodes: &mut AnyMemory) -> Result<()> {
        let mut arguments = of_block(block, |value| number(self.index, value)).to_vec();
        arguments.extend(args![field, nodes]);
        self.kernel.launch(&arguments)
    }
}

/// The elements of a field from the first to the last one of a box.
pub(crate) fn stretch(field: &AnyMemory, block: Block) -> Result<AnyMemory> {
    let [n0, n1, n2] = block.extents;
    let [s0, s1] = block.strides;
    let behind = match block.len() {
        0 => block.base,
        _ => block.base + (n0 - 1) * s0 + (n1 - 1) * s1 + n2,
    };
    field.slice(block.base..behind)
}

/// A part of a field as a memory of its own, where its elements lie side by side.
pub(crate) fn slice(field: &AnyMemory, block: Block) -> Result<AnyMemory> {
    field.slice(block.base..block.base + block.len())
}
