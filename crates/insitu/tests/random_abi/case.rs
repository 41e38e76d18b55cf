//! What a foreign host does: scripts of all kinds, and calls with numbers of all kinds.

use super::child::Random;
use super::host;

/// Text, perhaps not UTF-8.
#[derive(Clone, PartialEq)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.len() {
            0..40 => write!(f, "b\"{}\"", self.0.escape_ascii()),
            long => write!(f, "{long} bytes"),
        }
    }
}

/// A field: numbers as they are told, and where its memory comes from.
#[derive(Clone, Debug)]
pub(crate) struct FieldSpec {
    pub(crate) name: Bytes,
    pub(crate) element: (u8, u8, u16),
    pub(crate) shape: Vec<i64>,
    pub(crate) strides: Vec<i64>,
    pub(crate) memory_bytes: u64,
    pub(crate) place: usize,
    pub(crate) device: (i32, i32),
    /// Instead of the memory's address; of a device the handle.
    pub(crate) data: Option<u64>,
    pub(crate) byte_offset: u64,
    pub(crate) read_only: u32,
    pub(crate) queued: u32,
    pub(crate) stream: u64,
    pub(crate) may_be_kept: bool,
}

/// What a function of the script does: names of `odd.py`.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) steps: Vec<&'static str>,
    pub(crate) answer: &'static str,
}

#[derive(Clone, Debug)]
pub(crate) struct ParameterSpec {
    pub(crate) name: Bytes,
    pub(crate) kind: u32,
    pub(crate) steerable: u32,
    pub(crate) int: i64,
    pub(crate) floats: [f64; 3],
    pub(crate) text: Bytes,
}

#[derive(Clone, Debug)]
pub(crate) struct RunSpec {
    pub(crate) texts: [Bytes; 4],
    pub(crate) parameters: Vec<ParameterSpec>,
    pub(crate) body: Body,
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// Another script.
    Load {
        kind: Kind,
        every: &'static str,
        only_looks: &'static str,
        texts: [Bytes; 3],
        collects_batches: u32,
    },
    Start(RunSpec),
    /// Failing calls of the host in per cent.
    Step {
        step: u64,
        time: f64,
        fields: Vec<FieldSpec>,
        body: Body,
        fails: usize,
    },
    Observe {
        steps: Vec<u64>,
        fields: Vec<FieldSpec>,
        body: Body,
        fails: usize,
    },
    Finish(RunSpec),
    /// What the session says of itself.
    Ask,
    /// On a thread of its own.
    Elsewhere,
}

/// What a script is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Steps,
    Observes,
    Hook,
    Class,
    /// Of the old kind.
    Legacy,
    /// Output that is not to be flushed.
    EvilOutput,
    /// Exit handlers that raise.
    EvilExit,
    /// Those below do not load.
    Both,
    Nothing,
    Wrong,
    Raises,
    Exits,
    NoCallable,
    NotUtf8,
    Zero,
    Missing,
    Directory,
    EmptyPath,
    OddPath,
}

const KINDS: [Kind; 19] = [
    Kind::Steps,
    Kind::Observes,
    Kind::Hook,
    Kind::Class,
    Kind::Legacy,
    Kind::EvilOutput,
    Kind::EvilExit,
    Kind::Both,
    Kind::Nothing,
    Kind::Wrong,
    Kind::Raises,
    Kind::Exits,
    Kind::NoCallable,
    Kind::NotUtf8,
    Kind::Zero,
    Kind::Missing,
    Kind::Directory,
    Kind::EmptyPath,
    Kind::OddPath,
];

const FIELD_STEPS: [&str; 36] = [
    "asarray",
    "array",
    "interface",
    "buffer",
    "dlpack",
    "capsule",
    "old capsule",
    "keep capsule",
    "copied capsule",
    "host capsule",
    "stream capsule",
    "cuda interface",
    "to host",
    "write",
    "read only",
    "fill",
    "fill odd",
    "assign",
    "assign part",
    "copy from",
    "copy from itself",
    "write bytes",
    "write too much",
    "keep field",
    "keep array",
    "keep memory",
    "keep in a cycle",
    "keep twice",
    "frozen",
    "frozen array",
    "on host",
    "attributes",
    "same",
    "text",
    "copy",
    "pickle",
];

const WHOLE_STEPS: [&str; 16] = [
    "fields",
    "text of it",
    "missing",
    "set",
    "set odd",
    "set each",
    "parameters",
    "stream",
    "odd stream",
    "keep it",
    "collect",
    "clear",
    "clear in a thread",
    "clear in the background",
    "look again",
    "nothing",
];

const ANSWERS: [&str; 20] = [
    "none",
    "stop",
    "a number",
    "the class of stop",
    "no text",
    "half a pair",
    "the fields",
    "value error",
    "exit",
    "interrupt",
    "memory error",
    "recursion",
    "stop iteration",
    "generator exit",
    "evil error",
    "group",
    "no module",
    "syntax",
    "decode",
    "holds",
];

impl Body {
    fn random(random: &mut Random) -> Self {
        let steps = (0..random.below(5)).map(|_| match random.below(300) {
            // It waits half a second for the one who holds it.
            0 => "hold frozen",
            n if n % 3 == 0 => random.pick(&WHOLE_STEPS),
            _ => random.pick(&FIELD_STEPS),
        });
        let steps = steps.collect();
        let answer = if random.one_in(2) { "none" } else { random.pick(&ANSWERS) };
        Self { steps, answer }
    }

    pub(crate) fn raises(&self) -> bool {
        ANSWERS[7..].contains(&self.answer)
    }
}

const NAMES: [&[u8]; 16] = [
    b"u",
    b"v",
    b"w",
    b"",
    b"class",
    b"None",
    b"step",
    b"fields",
    b"parameters",
    b"__class__",
    b"__dict__",
    b"__getattribute__",
    b"u\0v",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    "\u{10ffff}ü".as_bytes(),
];

fn text(random: &mut Random) -> Bytes {
    Bytes(match random.below(12) {
        0 => vec![b'n'; 100_000],
        1 => (0..random.below(9)).map(|_| random.below(256) as u8).collect(),
        _ => random.pick(&NAMES).to_vec(),
    })
}

const NUMBERS: [i64; 16] =
    [0, 1, 2, 3, 7, -1, -2, i64::MAX, i64::MIN, i64::MAX / 2, 1 << 31, 1 << 32, 1 << 47, 1 << 60, 1 << 62, -(1 << 40)];

/// DLPack's codes, widths and lanes that are numbers here.
pub(crate) const ELEMENTS: [(u8, u8, u16); 15] = [
    (2, 64, 1),
    (2, 32, 1),
    (2, 16, 1),
    (4, 16, 1),
    (0, 8, 1),
    (0, 16, 1),
    (0, 32, 1),
    (0, 64, 1),
    (1, 8, 1),
    (1, 16, 1),
    (1, 32, 1),
    (1, 64, 1),
    (5, 64, 1),
    (5, 128, 1),
    (6, 8, 1),
];

const DEVICES: [i32; 12] = [1, 2, 3, 4, 7, 8, 10, 11, 13, 15, 0, -1];

/// Device memory of a size between is the machine's, and would be allocated.
const SMALL: u128 = 1 << 13;
const HUGE: u128 = 1 << 47;

/// Whether NumPy reads such memory where it lies: the host's, pinned, and CUDA's managed.
pub(crate) fn is_addressed(device: i32) -> bool {
    matches!(device, 1 | 3 | 11 | 13)
}

impl FieldSpec {
    fn random(random: &mut Random) -> Self {
        let element = random.pick(&ELEMENTS);
        let axes = random.below(4);
        let shape: Vec<i64> = (0..axes).map(|_| random.pick(&[0, 1, 2, 3, 3, 4, 5])).collect();
        let (mut strides, mut stride) = (vec![0; axes], 1 + random.below(2) as i64 * random.below(2) as i64);
        for axis in (0..axes).rev() {
            strides[axis] = stride;
            stride *= shape[axis].max(1) + random.below(8) as i64 / 7;
        }
        let device = if random.one_in(4) { random.pick(&DEVICES) } else { 1 };
        let mut field = Self {
            name: Bytes(random.pick(&NAMES[..3]).to_vec()),
            element,
            shape,
            strides,
            memory_bytes: 0,
            place: random.below(3),
            device: (device, 0),
            data: None,
            byte_offset: 0,
            read_only: u32::from(random.one_in(3)),
            queued: u32::from(random.one_in(3)),
            stream: 0,
            may_be_kept: random.one_in(2),
        };
        field.memory_bytes = field.needed() as u64 + if random.one_in(4) { random.below(40) as u64 } else { 0 };
        for _ in 0..random.below(8) / 6 * random.below(3) {
            field.spoil(random);
        }
        field.tame();
        field
    }

    /// Bytes up to the end of its last element; 0 where it has none.
    pub(crate) fn needed(&self) -> i128 {
        if self.shape.contains(&0) {
            return 0;
        }
        let last = self.shape.iter().zip(&self.strides).fold(0_i128, |last, (&extent, &stride)| {
            last.saturating_add((i128::from(extent) - 1).saturating_mul(i128::from(stride)))
        });
        last.saturating_add(1).saturating_mul(i128::from(self.element.1 / 8))
    }

    fn spoil(&mut self, random: &mut Random) {
        let number = random.pick(&NUMBERS);
        let axis = random.below(self.shape.len());
        match random.below(16) {
            0 => self.element = (random.below(9) as u8, random.pick(&[0, 1, 8, 16, 32, 64, 128, 255]), 1),
            1 => self.element.2 = random.below(3) as u16,
            2 | 3 | 14 if !self.shape.is_empty() => self.shape[axis] = number,
            4 | 5 | 15 if !self.shape.is_empty() => self.strides[axis] = number,
            6 => {
                let axes = random.pick(&[1, 8, 9, 31, 32, 33, 63, 64, 65, 200]);
                (self.shape, self.strides) = (vec![random.pick(&[0, 1, 1, 1, 2]); axes], vec![0; axes]);
            }
            7 => self.memory_bytes = random.pick(&[0, 1, 7, 8, 16, 64, 4096]),
            8 => self.memory_bytes = random.pick(&[HUGE as u64, 1 << 62, u64::MAX, i64::MAX as u64]),
            9 => self.device = (random.pick(&DEVICES), random.pick(&[0, 1, -1, i32::MAX, i32::MIN])),
            10 => self.data = Some(random.pick(&[0, 1, 8, u64::MAX, 1 << 63])),
            11 => self.byte_offset = random.pick(&[1, 8, u64::MAX, 1 << 63]),
            12 => self.name = text(random),
            _ => {
                (self.read_only, self.queued) = (random.below(3) as u32, random.below(3) as u32);
                self.stream = random.pick(&[0, 1, 2, 0x1000, u64::MAX]);
            }
        }
    }

    /// Keeps to what a host may say: memory of the host is there, for so many bytes. What this machine might allocate
    /// in earnest is not tried.
    fn tame(&mut self) {
        if is_addressed(self.device.0) {
            self.memory_bytes = self.memory_bytes.min(1 << 16);
            self.data = self.data.filter(|&data| data == 0 && self.device.0 != 13);
        } else {
            self.data = self.data.or(Some(0x7000 + self.place as u64));
        }
        let between = |count: u128| count > SMALL && count < HUGE;
        while between(self.shape.iter().fold(1, |product: u128, &n| product.saturating_mul(n.max(0) as u128))) {
            let greatest = self.shape.iter_mut().max().expect("there are many elements");
            *greatest = 1;
        }
    }

    fn several(random: &mut Random, first: Option<usize>) -> Vec<Self> {
        let mut fields: Vec<Self> = (0..random.below(4)).map(|_| Self::random(random)).collect();
        if let Some(moments) = first {
            for field in &mut fields {
                field.shape.insert(0, moments as i64);
                field.strides.insert(0, 0);
                field.memory_bytes = field.memory_bytes.max(field.needed().clamp(0, 1 << 16) as u64);
                field.tame();
            }
        }
        for index in 1..fields.len() {
            if !random.one_in(12) {
                // Names of their own, most of the time.
                if fields[..index].iter().any(|other| other.name == fields[index].name) {
                    fields[index].name = Bytes([NAMES[index], b"_"].concat());
                }
            } else if random.one_in(2) {
                fields[index] = Self { may_be_kept: !fields[0].may_be_kept, ..fields[0].clone() };
            }
        }
        fields
    }
}

impl RunSpec {
    fn random(random: &mut Random) -> Self {
        let parameters = (0..random.below(4)).map(|_| {
            let number = |random: &mut Random| random.pick(&[0.0, -1.0, 0.5, 1e308, f64::NAN, f64::INFINITY, -1e-320]);
            ParameterSpec {
                name: if random.one_in(2) { Bytes(b"nu".to_vec()) } else { text(random) },
                kind: random.pick(&[0, 1, 1, 2, 3, u32::MAX]),
                steerable: random.below(3) as u32,
                int: random.pick(&NUMBERS),
                floats: [number(random), number(random), number(random)],
                text: text(random),
            }
        });
        let parameters = parameters.collect();
        let texts = [text(random), text(random), text(random), text(random)];
        Self { texts, parameters, body: Body::random(random) }
    }
}

impl Action {
    pub(crate) fn load(random: &mut Random) -> Self {
        let kind = if random.one_in(4) { random.pick(&KINDS) } else { random.pick(&KINDS[..4]) };
        let every = ["1", "1", "1", "3", "0", "-1", "2**64 - 1", "2**64", "'x'", "None", "True", "1.5", "'raises'"];
        let only_looks = ["False", "True", "True", "None", "'yes'", "1"];
        let argument = |random: &mut Random, list: &[&str]| match random.one_in(8) {
            true => text(random),
            false => Bytes(random.pick(list).into()),
        };
        let texts = [
            argument(random, &["collection_func", "collection_func", "missing", ""]),
            argument(random, &["analyses", "", "analyses,analyses", " , ,", "none"]),
            argument(random, &["", "a\nb\n", "\n\n", "no end"]),
        ];
        // Mostly what loads.
        let (numbers, flags) = (if random.one_in(3) { 13 } else { 4 }, if random.one_in(4) { 6 } else { 3 });
        let (every, only_looks) = (random.pick(&every[..numbers]), random.pick(&only_looks[..flags]));
        Self::Load { kind, every, only_looks, texts, collects_batches: random.below(3) as u32 }
    }

    pub(crate) fn random(random: &mut Random) -> Self {
        let fails = if random.one_in(6) { 30 } else { 0 };
        match random.below(20) {
            0 => Self::load(random),
            1 => Self::Ask,
            2 => Self::Elsewhere,
            3 | 4 => Self::Start(RunSpec::random(random)),
            5 => Self::Finish(RunSpec::random(random)),
            6..9 => {
                let steps: Vec<u64> = (0..random.below(4)).map(|_| random.pick(&NUMBERS) as u64).collect();
                let fields = Self::fields(random, Some(steps.len()));
                Self::Observe { steps, fields, body: Body::random(random), fails }
            }
            _ => {
                let step = random.pick(&[0, 1, 2, 3, u64::MAX]);
                let time = random.pick(&[0.0, 0.5, f64::NAN, f64::INFINITY]);
                Self::Step { step, time, fields: Self::fields(random, None), body: Body::random(random), fails }
            }
        }
    }

    fn fields(random: &mut Random, first: Option<usize>) -> Vec<FieldSpec> {
        FieldSpec::several(random, first)
    }

    pub(crate) fn body(&self) -> Option<&Body> {
        match self {
            Self::Start(run) | Self::Finish(run) => Some(&run.body),
            Self::Step { body, .. } | Self::Observe { body, .. } => Some(body),
            _ => None,
        }
    }
}

/// The source of a script whose functions do what the actions say.
pub(crate) fn source(action: &Action, bodies: &[Action]) -> Vec<u8> {
    let Action::Load { kind, every, only_looks, .. } = action else {
        return Vec::new();
    };
    let mut text = format!(
        "import odd\nodd.bind({}, {}, {})\nkept = []\nbodies = {{\n",
        host::turn as *const () as usize,
        host::look as *const () as usize,
        host::fault as *const () as usize
    );
    for (turn, action) in bodies.iter().enumerate() {
        if let Some(Body { steps, answer }) = action.body() {
            text += &format!("    {turn}: ({steps:?}, {answer:?}),\n");
        }
    }
    text += "}\n\
        def start(run): return odd.play_run(run, *bodies[odd.turn()], kept)\n\
        finish = start\n";
    let steps = "def step(frame): return odd.play(frame, *bodies[odd.turn()], kept)\n";
    let observes = "def observe(batch): return odd.play(batch, *bodies[odd.turn()], kept)\n";
    text += &match kind {
        Kind::Steps => steps.to_owned(),
        Kind::Observes => observes.to_owned(),
        Kind::Hook => format!("del start, finish\nhook = odd.Hook(bodies, {every}, {only_looks})\n"),
        Kind::Class => format!("{steps}real = step\nclass step:\n    def __new__(cls, frame): return real(frame)\n"),
        Kind::Legacy => "del start, finish\n\
            def collection_func(array): kept.append(array)\n\
            def analyses(): kept.clear()\n"
            .to_owned(),
        Kind::EvilOutput => format!(
            "{steps}import sys\nclass Output:\n    def write(self, text): pass\n    def flush(self): raise {}\n\
             sys.stdout = Output()\n",
            ["SystemExit(3)", "KeyboardInterrupt", "ValueError", "odd.EvilError()"][bodies.len() % 4]
        ),
        Kind::EvilExit => format!(
            "{steps}import atexit\natexit.register(odd.sys.exit, 3)\natexit.register(odd.deep)\n\
             atexit.register(odd.raising, odd.EvilError(kept))\n"
        ),
        Kind::Both => format!("{steps}{observes}"),
        Kind::Nothing => "del start, finish\n".to_owned(),
        Kind::Wrong => "def step(frame:\n".to_owned(),
        Kind::Raises => "raise odd.EvilError(odd.Kept(bodies))\n".to_owned(),
        Kind::Exits => "odd.sys.exit('\\ud800')\n".to_owned(),
        Kind::NoCallable => "step = 5\n".to_owned(),
        Kind::NotUtf8 | Kind::Zero | Kind::Missing | Kind::Directory | Kind::EmptyPath | Kind::OddPath => String::new(),
    };
    let mut bytes = text.into_bytes();
    match kind {
        Kind::NotUtf8 => bytes.extend(b"text = '\xff\xfe'\n"),
        Kind::Zero => bytes.extend(b"\0\n"),
        _ => {}
    }
    bytes
}
