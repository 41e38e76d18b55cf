//! SPIR-V whose arithmetic is done as it is written.
//!
//! Every floating-point operation is decorated `NoContraction`. Where the device can (`SPV_KHR_float_controls`), the
//! entry asks for three things that Vulkan leaves open without it: subnormal numbers stay what they are, signs of zeros,
//! infinities and NaNs are kept, and results are rounded to the nearest, ties to even.
//!
//! Source: the SPIR-V specification, sections 2.3 (words of an instruction), 2.4 (their order in a module) and 3.

/// What can be asked of a device's arithmetic, each in 32 and in 64 bits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FloatControls {
    pub(crate) keeps_subnormals: [bool; 2],
    pub(crate) keeps_specials: [bool; 2],
    pub(crate) rounds_to_even: [bool; 2],
}

impl FloatControls {
    /// Each with its execution mode and the capability that this takes.
    fn modes(&self) -> [([bool; 2], u32, u32); 3] {
        [(self.keeps_subnormals, 4459, 4464), (self.keeps_specials, 4461, 4466), (self.rounds_to_even, 4462, 4467)]
    }
}

/// Words before the first instruction of a module.
const HEADER: usize = 5;

const EXTENSION: u32 = 10;
const ENTRY_POINT: u32 = 15;
const EXECUTION_MODE: u32 = 16;
const CAPABILITY: u32 = 17;
/// `OpTypeVoid` up to `OpTypeFunction`: the first type follows the last decoration.
const TYPES: std::ops::RangeInclusive<u32> = 19..=33;
const DECORATE: u32 = 71;
/// `OpFNegate`, `OpFAdd`, `OpFSub`, `OpFMul`, `OpFDiv`, `OpFRem`, `OpFMod`.
const ARITHMETIC: [u32; 7] = [127, 129, 131, 133, 136, 140, 141];

/// The capability of 64-bit numbers.
const FLOAT_64: u32 = 10;
const NO_CONTRACTION: u32 = 42;

/// An instruction: its operation, then its operands.
fn instruction(operation: u32, operands: &[u32]) -> Vec<u32> {
    let mut words = vec![operation | ((operands.len() as u32 + 1) << 16)];
    words.extend(operands);
    words
}

/// `OpExtension` with its name as words.
fn extension(name: &str) -> Vec<u32> {
    // A string ends with a zero, and with its word.
    let mut bytes = name.as_bytes().to_vec();
    bytes.resize((bytes.len() / 4 + 1) * 4, 0);
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect();
    instruction(EXTENSION, &words)
}

/// What is found in a module: positions of words where instructions can be put, and what these refer to.
#[derive(Default)]
struct Found {
    /// Behind the last capability.
    capabilities: usize,
    /// Behind the last entry point.
    entries: usize,
    /// Before the first type.
    types: Option<usize>,
    has_double: bool,
    entry: Vec<u32>,
    /// Results of floating-point operations.
    results: Vec<u32>,
}

impl Found {
    fn of(words: &[u32]) -> Self {
        let mut found = Self { capabilities: HEADER, ..Self::default() };
        let mut at = HEADER;
        while let Some(&word) = words.get(at) {
            let (operation, length) = (word & 0xffff, (word >> 16).max(1) as usize);
            let operand = |number: usize| words.get(at + number).copied();
            match operation {
                CAPABILITY => {
                    found.capabilities = at + length;
                    found.has_double |= operand(1) == Some(FLOAT_64);
                }
                ENTRY_POINT => {
                    found.entries = at + length;
                    found.entry.extend(operand(2));
                }
                operation if TYPES.contains(&operation) => {
                    found.types.get_or_insert(at);
                }
                operation if ARITHMETIC.contains(&operation) => found.results.extend(operand(2)),
                _ => {}
            }
            at += length;
        }
        found
    }
}

/// The same module with its arithmetic as it is written.
pub(crate) fn as_written(words: &[u32], floats: &FloatControls) -> Vec<u32> {
    let found = Found::of(words);
    let mut capabilities = Vec::new();
    let mut modes = Vec::new();
    for (widths, mode, capability) in floats.modes() {
        let widths = [(widths[0], 32), (widths[1] && found.has_double, 64)];
        let widths: Vec<u32> = widths.into_iter().filter_map(|(can, width)| can.then_some(width)).collect();
        if !widths.is_empty() {
            capabilities.extend(instruction(CAPABILITY, &[capability]));
        }
        for (&entry, &width) in found.entry.iter().flat_map(|entry| widths.iter().map(move |width| (entry, width))) {
            modes.extend(instruction(EXECUTION_MODE, &[entry, mode, width]));
        }
    }
    if !capabilities.is_empty() {
        // Extensions follow the capabilities.
        capabilities.extend(extension("SPV_KHR_float_controls"));
    }
    let decorations =
        found.results.iter().flat_map(|&result| instruction(DECORATE, &[result, NO_CONTRACTION])).collect();
    let types = found.types.unwrap_or(words.len());
    let places = [(found.capabilities, capabilities), (found.entries, modes), (types, decorations)];
    let mut out = Vec::new();
    let mut from = 0;
    for (place, added) in places {
        out.extend(&words[from..place.max(from)]);
        out.extend(added);
        from = place.max(from);
    }
    out.extend(&words[from..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE_HEADER: [u32; HEADER] = [0x0723_0203, 0x1_0300, 0, 9, 0];

    fn module(parts: &[Vec<u32>]) -> Vec<u32> {
        MODULE_HEADER.into_iter().chain(parts.concat()).collect()
    }

    #[test]
    fn every_operation_is_decorated_before_the_first_type() {
        let void = instruction(19, &[1]);
        let multiply = instruction(133, &[2, 7, 3, 4]);
        let add_integers = instruction(128, &[2, 8, 3, 4]);
        let words = module(&[void.clone(), multiply.clone(), add_integers.clone()]);
        let decorate = instruction(DECORATE, &[7, NO_CONTRACTION]);
        let expected = module(&[decorate, void, multiply, add_integers]);
        assert_eq!(as_written(&words, &FloatControls::default()), expected);
    }

    #[test]
    fn modes_stand_behind_the_entry_and_are_those_of_widths_that_the_module_has() {
        let floats = FloatControls {
            keeps_subnormals: [true, true],
            keeps_specials: [false, true],
            rounds_to_even: [true, false],
        };
        let shader = instruction(CAPABILITY, &[1]);
        let double = instruction(CAPABILITY, &[FLOAT_64]);
        let model = instruction(14, &[0, 1]);
        let entry = instruction(ENTRY_POINT, &[5, 3, 0x006e_6961]);
        let local_size = instruction(EXECUTION_MODE, &[3, 17, 64, 1, 1]);
        let void = instruction(19, &[1]);
        let capability = |number| instruction(CAPABILITY, &[number]);
        let mode = |number, width| instruction(EXECUTION_MODE, &[3, number, width]);
        let name = extension("SPV_KHR_float_controls");
        let rest = [local_size.clone(), void.clone()].concat();

        let single = module(&[shader.clone(), model.clone(), entry.clone(), rest.clone()]);
        let asked = [capability(4464), capability(4467), name.clone()].concat();
        let modes = [mode(4459, 32), mode(4462, 32)].concat();
        let expected = module(&[shader.clone(), asked, model.clone(), entry.clone(), modes, rest.clone()]);
        assert_eq!(as_written(&single, &floats), expected);

        let both = module(&[shader.clone(), double.clone(), model.clone(), entry.clone(), rest.clone()]);
        let asked = [capability(4464), capability(4466), capability(4467), name].concat();
        let modes = [mode(4459, 32), mode(4459, 64), mode(4461, 64), mode(4462, 32)].concat();
        let expected = module(&[shader, double, asked, model, entry, modes, rest]);
        assert_eq!(as_written(&both, &floats), expected);
    }

    #[test]
    fn a_name_ends_with_a_zero() {
        assert_eq!(extension("abc"), [EXTENSION | (2 << 16), 0x0063_6261]);
        assert_eq!(extension("abcd"), [EXTENSION | (3 << 16), 0x6463_6261, 0]);
    }
}
