//! `run`: launches one kernel with arguments that the command line makes, and says what it left in memory.

use crate::kernels;
use crate::options::Source;
use crate::table::{self, Table};
use ferrocca::okl::ir::Scalar;
use ferrocca::okl::scalars;
use ferrocca::okl::signature::{ElementType, Parameter, ParameterKind};
use ferrocca::okl::value::ScalarValue;
use ferrocca::{AnyMemory, Arg, Device, Error, ErrorKind, IntoArg, Kernel, Mode, Props, Result};
use std::time::Instant;

/// An argument of the kernel.
enum Given {
    Number(ScalarValue),
    Memory(AnyMemory),
    Null,
}

/// What memory holds before the launch.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fill {
    /// Nothing was written.
    Unset,
    /// Floats from 0 to 1, integers below the limit.
    Random(Option<u64>),
    /// 0, 1, 2 …
    Index,
    Value(f64),
}

/// Launches a kernel `repeat` times; says how long it took, and what the memory holds that it may write.
pub(crate) fn run(
    source: &Source,
    checked: bool,
    kernel: Option<&str>,
    repeat: u32,
    arguments: &[String],
) -> Result<String> {
    let device = Device::open(device(source, checked)?)?;
    let kernel = kernels::build_one(&device, source, kernel)?;
    let params = &kernel.signature().params;
    let mut given = parse(&device, &kernel, params, arguments)?;
    let mut times = Vec::new();
    for _ in 0..repeat {
        let start = Instant::now();
        launch(&kernel, params, &mut given)
            .and_then(|()| device.finish())
            .map_err(|error| with_hint(error, params, arguments))?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    let mut text = match (times.first(), times.len()) {
        (Some(time), 1) => format!("{} on {}: {time:.2?}\n", kernel.name(), device.info().name),
        (Some(best), count) => {
            let median = times[count / 2];
            format!(
                "{} on {}: {count} launches, best {best:.2?}, median {median:.2?}\n",
                kernel.name(),
                device.info().name
            )
        }
        (None, _) => String::new(),
    };
    let (mut rows, mut is_empty) = (Table::new(["memory", "elements", "least", "greatest", "mean", "first"]), true);
    for (param, given) in params.iter().zip(&given) {
        if let (Given::Memory(memory), ParameterKind::Pointer { mutable: true, .. }) = (given, &param.kind) {
            rows.row(describe(&param.name, memory)?);
            is_empty = false;
        }
    }
    if !is_empty {
        text.push_str(&rows.render_wrapped(table::terminal_width()));
    }
    Ok(text)
}

/// To a report of memory that nobody has written, adds how it is given values here.
fn with_hint(error: Error, params: &[Parameter], arguments: &[String]) -> Error {
    let ErrorKind::Fault { diagnostics } = error.kind() else { return error };
    let is_unset =
        |param: &&Parameter| diagnostics.contains(&format!("`{}` is read before it was written", param.name));
    let Some(param) = params.iter().find(is_unset) else { return error };
    let given = arguments.iter().filter_map(|argument| argument.split_once('='));
    let Some((_, value)) = given.into_iter().find(|(name, _)| name.trim() == param.name) else { return error };
    let len = value.split(':').next().unwrap_or(value).trim();
    let hint = format!("  = hint: to begin with zeros, give it as `{}={len}:0`\n", param.name);
    let diagnostics = format!("{diagnostics}{hint}");
    let with_hint = Error::new(ErrorKind::Fault { diagnostics });
    error.context().iter().fold(with_hint, |error, context| error.while_doing(context))
}

/// The device's properties, with checks where they are asked for.
fn device(source: &Source, checked: bool) -> Result<Props> {
    let props = Props::parse_device(&source.mode)?;
    if !checked {
        return Ok(props);
    }
    let named = props.mode()?;
    let modes = ferrocca::modes();
    let is_named =
        |mode: &&&Mode| std::iter::once(&mode.name).chain(mode.aliases).any(|n| n.eq_ignore_ascii_case(named));
    match modes.iter().find(is_named) {
        // It always checks, and knows no such property.
        Some(mode) if mode.name == "Reference" => Ok(props),
        Some(mode) if !mode.device_props.iter().any(|(name, _)| *name == "checked") => Err(Error::invalid(format!(
            "mode `{}` cannot check what kernels do: `--checked` is for the modes `Serial` and `CPU`; write `-m Serial`",
            mode.name
        ))),
        _ => Ok(props.with("checked", true)),
    }
}

fn launch(kernel: &Kernel, params: &[Parameter], given: &mut [Given]) -> Result<()> {
    let arguments = params.iter().zip(given).map(|(param, given)| match (given, &param.kind) {
        (Given::Number(value), _) => value.into_arg(),
        (Given::Memory(memory), ParameterKind::Pointer { mutable: true, .. }) => Arg::write(memory),
        (Given::Memory(memory), _) => Arg::read(memory),
        (Given::Null, _) => Arg::null(),
    });
    kernel.launch(arguments.collect::<Vec<_>>())
}

/// `NAME=VALUE` for each parameter.
fn parse(device: &Device, kernel: &Kernel, params: &[Parameter], arguments: &[String]) -> Result<Vec<Given>> {
    let mut values = vec![None; params.len()];
    for argument in arguments {
        let (name, value) = argument
            .split_once('=')
            .ok_or_else(|| Error::invalid(format!("`{argument}`: an argument is written as NAME=VALUE")))?;
        let position = params.iter().position(|param| param.name == name.trim());
        let position = position.ok_or_else(|| unknown(kernel, params, name))?;
        if values[position].replace(value.trim()).is_some() {
            return Err(Error::invalid(format!("`{}` is given twice", name.trim())));
        }
    }
    let missing: Vec<String> =
        params.iter().zip(&values).filter(|(_, value)| value.is_none()).map(|(param, _)| usage(param)).collect();
    if !missing.is_empty() {
        let (name, missing) = (kernel.name(), missing.join(" "));
        return Err(Error::invalid(format!("`{name}` takes more arguments; missing: {missing}")));
    }
    let values = params.iter().zip(values.into_iter().flatten()).zip(1_u64..);
    values.map(|((param, value), seed)| one(device, param, value, seed)).collect()
}

fn unknown(kernel: &Kernel, params: &[Parameter], name: &str) -> Error {
    let all: Vec<String> = params.iter().map(usage).collect();
    Error::invalid(format!("`{}` has no argument `{}`; it takes: {}", kernel.name(), name.trim(), all.join(" ")))
}

/// How an argument is written.
fn usage(param: &Parameter) -> String {
    let name = &param.name;
    match &param.kind {
        ParameterKind::Pointer { .. } => format!("{name}=ELEMENTS[:FILL]"),
        ParameterKind::Scalar(ty) => format!("{name}=<{}>", ty.okl_name()),
        ParameterKind::Struct(layout) => format!("{name}=<struct {}>", layout.name),
    }
}

fn one(device: &Device, param: &Parameter, value: &str, seed: u64) -> Result<Given> {
    let wrong = |what: &str| Error::invalid(format!("`{}={value}`: {what}", param.name));
    match &param.kind {
        ParameterKind::Scalar(ty) => number(*ty, value).map(Given::Number).map_err(|what| wrong(&what)),
        ParameterKind::Pointer { .. } if value == "null" => Ok(Given::Null),
        ParameterKind::Pointer { element: ElementType::Scalar(ty), mutable, .. } => {
            let (len, fill) = value.split_once(':').unwrap_or((value, if *mutable { "unset" } else { "random" }));
            let len = length(len).ok_or_else(|| wrong("a number of elements is missing, as in `1000` or `8*8*100`"))?;
            let fill = fill_of(fill).ok_or_else(|| {
                wrong(
                    "memory is filled with `random`, `random(LIMIT)`, `index`, `unset` or a number, as in `1000:index`",
                )
            })?;
            memory(device, *ty, len, fill, seed).map(Given::Memory)
        }
        _ => Err(wrong("structs are not made by this command: write a program that launches the kernel")),
    }
}

fn number(ty: Scalar, text: &str) -> std::result::Result<ScalarValue, String> {
    let misfit = || format!("it is not a number of type `{}`", ty.okl_name());
    if ty == Scalar::Bool {
        return text.parse().map(ScalarValue::Bool).map_err(|_| misfit());
    }
    if ty.is_integer() {
        let value: i128 = text.parse().map_err(|_| misfit())?;
        let converted = ScalarValue::from_integer(value, ty);
        return if converted.integer() == Some(value) { Ok(converted) } else { Err(misfit()) };
    }
    text.parse().map(|value| ScalarValue::from_float(value, ty)).map_err(|_| misfit())
}

/// `1000`, `8*8*100`
fn length(text: &str) -> Option<usize> {
    text.split('*').try_fold(1_usize, |product, factor| product.checked_mul(factor.trim().parse().ok()?))
}

fn fill_of(text: &str) -> Option<Fill> {
    let text = text.trim();
    let limit = text.strip_prefix("random(").and_then(|rest| rest.strip_suffix(')'));
    match (text, limit) {
        ("unset", _) => Some(Fill::Unset),
        ("random", _) => Some(Fill::Random(None)),
        ("index", _) => Some(Fill::Index),
        ("zeros", _) => Some(Fill::Value(0.0)),
        (_, Some(limit)) => limit.trim().parse().ok().filter(|&limit| limit > 0).map(|limit| Fill::Random(Some(limit))),
        (value, None) => value.parse().ok().map(Fill::Value),
    }
}

/// Memory of `len` elements of a type.
fn memory(device: &Device, ty: Scalar, len: usize, fill: Fill, seed: u64) -> Result<AnyMemory> {
    macro_rules! allocate {
        // Memory has no `bool`; it travels as `u8`.
        (Bool, boolean, bool, 1, "bool", "bool", [];
         $($variant:ident, $kind:ident, $rust:ty, $bytes:literal, $tag:literal, $okl:literal, [$($name:literal),*];)*) => {
            match ty {
                Scalar::Bool => device.malloc::<u8>(len)?.into_untyped(),
                $(Scalar::$variant => device.malloc::<$rust>(len)?.into_untyped(),)*
            }
        };
    }
    let mut memory: AnyMemory = scalars!(allocate);
    if fill != Fill::Unset {
        let mut random = Random(seed);
        let values = (0..len as u64).map(|index| value(ty, fill, index, len as u64, &mut random));
        let bytes: Vec<u8> = values.flat_map(|value| value.to_bytes().into_iter().take(ty.bytes())).collect();
        memory.copy_from_bytes(&bytes)?;
    }
    Ok(memory)
}

/// The element at an index.
fn value(ty: Scalar, fill: Fill, index: u64, len: u64, random: &mut Random) -> ScalarValue {
    match fill {
        Fill::Unset => ScalarValue::zero(ty),
        Fill::Index => integer(ty, index),
        Fill::Value(value) if ty.is_integer() || ty == Scalar::Bool => ScalarValue::from_integer(value as i128, ty),
        Fill::Value(value) => ScalarValue::from_float(value, ty),
        Fill::Random(limit) if ty.is_integer() || ty == Scalar::Bool => {
            integer(ty, random.next() % limit.unwrap_or(len).max(1))
        }
        Fill::Random(limit) => {
            // 53 random bits behind the point.
            let unit = (random.next() >> 11) as f64 / (1_u64 << 53) as f64;
            ScalarValue::from_float(unit * limit.unwrap_or(1) as f64, ty)
        }
    }
}

fn integer(ty: Scalar, value: u64) -> ScalarValue {
    match ty.is_float() || ty.is_storage() {
        true => ScalarValue::from_float(value as f64, ty),
        false => ScalarValue::from_integer(i128::from(value), ty),
    }
}

/// SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// A row of the table: what memory holds.
fn describe(name: &str, memory: &AnyMemory) -> Result<Vec<String>> {
    let mut bytes = vec![0; memory.bytes()];
    memory.copy_to_bytes(&mut bytes)?;
    let dtype = memory.dtype();
    let Some(ty) = dtype.scalar() else { return Ok(vec![name.to_owned(), memory.len().to_string()]) };
    let values: Vec<ScalarValue> =
        bytes.chunks_exact(ty.bytes()).filter_map(|bytes| ScalarValue::from_bytes(ty, bytes)).collect();
    let numbers: Vec<f64> =
        values.iter().filter_map(|value| value.float().or_else(|| value.integer().map(|n| n as f64))).collect();
    let first: Vec<String> = values.iter().take(4).map(ToString::to_string).collect();
    let more = if values.len() > 4 { " …" } else { "" };
    let mut row = vec![format!("{name} ({dtype})"), values.len().to_string()];
    if numbers.is_empty() {
        row.extend(std::iter::repeat_n(String::new(), 4));
    } else {
        row.extend(statistics(&numbers));
        row.push(format!("{}{more}", first.join(" ")));
    }
    Ok(row)
}

/// Least, greatest and mean; how many are no numbers, where some are.
fn statistics(numbers: &[f64]) -> [String; 3] {
    let are: Vec<f64> = numbers.iter().copied().filter(|number| !number.is_nan()).collect();
    let not = match numbers.len() - are.len() {
        0 => None,
        count => Some(format!("{count} NaN")),
    };
    if are.is_empty() {
        return [not.unwrap_or_default(), String::new(), String::new()];
    }
    let least = are.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = are.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mean = || table::number(numbers.iter().sum::<f64>() / numbers.len() as f64);
    [table::number(least), table::number(greatest), not.unwrap_or_else(mean)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_counted() {
        let nan = f64::NAN;
        assert_eq!(statistics(&[nan, nan]), ["2 NaN", "", ""]);
        assert_eq!(statistics(&[1.0, nan, 3.0]), ["1", "3", "1 NaN"]);
        assert_eq!(statistics(&[1.0, -1e60, 3.0]), ["-1e60", "3", "-3.33333e59"]);
    }

    #[test]
    fn fills_and_lengths_are_read_as_they_are_written() {
        assert_eq!(length("8*8*100"), Some(6400));
        assert_eq!(length("8*"), None);
        assert_eq!(fill_of("random( 7 )"), Some(Fill::Random(Some(7))));
        assert_eq!(fill_of("-2.5"), Some(Fill::Value(-2.5)));
        assert_eq!(fill_of("random(0)"), None);
        assert_eq!(fill_of("ones"), None);
        assert_eq!(number(Scalar::I32, "2147483648"), Err("it is not a number of type `int`".into()));
        assert_eq!(number(Scalar::F64, "1e-3"), Ok(ScalarValue::F64(1e-3)));
    }
}
