//! What is known about the host: its processor, its features, its memory.

use ferrocca_core::backend::MemoryInfo;
use std::sync::OnceLock;

/// Name of the processor as it calls itself.
pub(crate) fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        brand().or_else(cpuinfo_name).unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH))
    })
}

/// Cores that this process may use.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Bytes of a core's second cache; where the system does not say, what most have.
pub(crate) fn l2_bytes() -> u64 {
    static BYTES: OnceLock<u64> = OnceLock::new();
    *BYTES.get_or_init(|| cache_bytes(2).unwrap_or(1 << 20))
}

/// Bytes of the third cache, which several cores share, where there is one that the system tells of.
pub(crate) fn l3_bytes() -> Option<u64> {
    static BYTES: OnceLock<Option<u64>> = OnceLock::new();
    *BYTES.get_or_init(|| cache_bytes(3))
}

/// What Linux says of the first core's cache of a level.
fn cache_bytes(level: u32) -> Option<u64> {
    (0..8).find_map(|index| {
        let folder = std::path::PathBuf::from(format!("/sys/devices/system/cpu/cpu0/cache/index{index}"));
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
        (read("level")?.trim().parse() == Ok(level)).then_some(())?;
        parse_size(read("size")?.trim())
    })
}

/// `1024K`, `32M`
fn parse_size(text: &str) -> Option<u64> {
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let factor = match unit {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(factor).filter(|&bytes| bytes > 0)
}

/// Free and total memory in bytes: the machine's, or the container's where that is less.
pub(crate) fn memory() -> MemoryInfo {
    let mut system = sysinfo::System::new();
    system.refresh_memory_specifics(sysinfo::MemoryRefreshKind::nothing().with_ram());
    let machine = MemoryInfo::new(system.available_memory(), system.total_memory());
    match system.cgroup_limits() {
        Some(limits) if limits.total_memory > 0 && limits.total_memory < machine.total => {
            MemoryInfo::new(machine.free.min(limits.free_memory), limits.total_memory)
        }
        _ => machine,
    }
}

/// The widest vector instructions: `AVX-512`, `AVX2`, `NEON` …
pub(crate) fn simd() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            "AVX-512"
        } else if std::arch::is_x86_feature_detected!("avx2") {
            "AVX2"
        } else if std::arch::is_x86_feature_detected!("avx") {
            "AVX"
        } else {
            "SSE2"
        }
    }
    #[cfg(target_arch = "aarch64")]
    {
        if std::arch::is_aarch64_feature_detected!("sve2") {
            "SVE2"
        } else if std::arch::is_aarch64_feature_detected!("sve") {
            "SVE"
        } else {
            "NEON"
        }
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        std::env::consts::ARCH
    }
}

/// Whether it has vectors of 512 bits, of which compilers use half unless they are told.
pub(crate) fn has_wide_vectors() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::arch::is_x86_feature_detected!("avx512f")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// Everything of the processor that `-march=native` depends on, as one line: a kernel that was built on another one
/// may not run here.
pub(crate) fn features() -> &'static str {
    static FEATURES: OnceLock<String> = OnceLock::new();
    FEATURES.get_or_init(|| format!("{} {}", std::env::consts::ARCH, native_features()))
}

/// What the processor says about itself.
#[cfg(target_arch = "x86_64")]
// The intrinsic is safe in newer versions of Rust, not yet in the oldest one that is supported.
#[allow(unused_unsafe)]
fn cpuid(leaf: u32, subleaf: u32) -> std::arch::x86_64::CpuidResult {
    // SAFETY: every x86-64 processor has `cpuid`.
    unsafe { std::arch::x86_64::__cpuid_count(leaf, subleaf) }
}

#[cfg(target_arch = "x86_64")]
fn native_features() -> String {
    use std::fmt::Write as _;
    let identity = cpuid(0, 0);
    let extended = cpuid(0x8000_0000, 0).eax;
    let mut out = format!("{:08x}{:08x}{:08x}", identity.ebx, identity.edx, identity.ecx);
    let mut word = |value: u32| {
        let _ = write!(out, " {value:08x}");
    };
    // Leaf 1's ebx holds the number of the core that happens to run this, so that it is left out.
    let leaf = cpuid(1, 0);
    [leaf.eax, leaf.ecx, leaf.edx].into_iter().for_each(&mut word);
    if identity.eax >= 7 {
        let leaf = cpuid(7, 0);
        [leaf.ebx, leaf.ecx, leaf.edx].into_iter().for_each(&mut word);
        if leaf.eax >= 1 {
            let leaf = cpuid(7, 1);
            [leaf.eax, leaf.ebx, leaf.edx].into_iter().for_each(&mut word);
        }
    }
    if extended >= 0x8000_0001 {
        let leaf = cpuid(0x8000_0001, 0);
        [leaf.ecx, leaf.edx].into_iter().for_each(&mut word);
    }
    // `cpuid` tells what the silicon has; what the system has switched on decides too.
    let usable = [
        std::arch::is_x86_feature_detected!("avx"),
        std::arch::is_x86_feature_detected!("avx2"),
        std::arch::is_x86_feature_detected!("avx512f"),
    ];
    word(usable.iter().fold(0, |bits, &on| bits << 1 | u32::from(on)));
    out
}

#[cfg(not(target_arch = "x86_64"))]
fn native_features() -> String {
    // The kernel prints features and part numbers per core; a set of distinct lines names all kinds of cores.
    let wanted = ["Features", "CPU implementer", "CPU part", "CPU variant", "isa", "uarch", "cpu"];
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let lines =
        text.lines().filter(|line| wanted.iter().any(|w| line.split(':').next().is_some_and(|k| k.trim() == *w)));
    let distinct: std::collections::BTreeSet<&str> = lines.collect();
    if distinct.is_empty() { name().to_owned() } else { distinct.into_iter().collect::<Vec<_>>().join("; ") }
}

#[cfg(target_arch = "x86_64")]
fn brand() -> Option<String> {
    // Every x86-64 processor has `cpuid`; its name has been in these leaves since before them.
    if cpuid(0x8000_0000, 0).eax < 0x8000_0004 {
        return None;
    }
    let mut bytes = Vec::with_capacity(48);
    for leaf in 0x8000_0002..=0x8000_0004 {
        let part = cpuid(leaf, 0);
        for register in [part.eax, part.ebx, part.ecx, part.edx] {
            bytes.extend_from_slice(&register.to_le_bytes());
        }
    }
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(&bytes[..end]).split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

#[cfg(not(target_arch = "x86_64"))]
fn brand() -> Option<String> {
    None
}

fn cpuinfo_name() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    ["model name", "Model", "Hardware", "uarch", "cpu"].iter().find_map(|wanted| {
        let line = text.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == *wanted))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_described() {
        assert!(!name().is_empty() && name().trim() == name());
        assert!(cores() >= 1);
        let memory = memory();
        assert!(memory.total > 1 << 20 && memory.free <= memory.total, "{memory:?}");
        assert!(!simd().is_empty());
    }

    #[test]
    fn features_do_not_depend_on_the_core_that_asks() {
        let here = native_features();
        for _ in 0..8 {
            let there = std::thread::spawn(native_features).join().expect("the thread ends");
            assert_eq!(here, there);
        }
    }
}
