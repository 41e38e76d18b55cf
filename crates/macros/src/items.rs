//! From a file of kernels to the text of Rust items.

use crate::call::Call;
use okl::back::cpu::CpuTarget;
use okl::ir::Scalar;
use okl::signature::{ElementType, Parameter, ParameterKind};
use okl::{Includes, Request, Signature};
use std::cell::RefCell;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The items of a call, for a package at `root`.
pub(crate) fn of(call: &Call, root: &Path) -> Result<String, String> {
    let path = root.join(&call.path);
    let source = std::fs::read_to_string(&path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => format!("there is no file {} in this crate ({})", call.path, root.display()),
        _ => unreadable(&path, &error),
    })?;
    let files = Files { directory: path.parent().unwrap_or(root).to_path_buf(), read: RefCell::default() };
    let request = Request { name: &call.path, source: &source, mode: "CPU", defines: &call.defines, includes: &files };
    let compiled = okl::compile(&request, &CpuTarget).map_err(|found| found.to_string())?;
    let read = files.read.into_inner();
    if compiled.signatures.is_empty() {
        return Err(format!("there is no kernel in {}", call.path));
    }
    let mut out = String::new();
    let mut tracked = vec![path.display().to_string()];
    tracked.extend(read.iter().map(|(_, path, _)| path.clone()));
    for path in tracked {
        // So that cargo compiles the program anew when the file changes.
        let _ = writeln!(out, "const _: &[::core::primitive::u8] = ::core::include_bytes!({path:?});");
    }
    write_struct(&mut out, call, &compiled.signatures);
    let _ = writeln!(out, "impl Kernels {{");
    write_build(&mut out, call, &source, &read, &compiled.signatures);
    compiled.signatures.iter().for_each(|signature| write_kernel(&mut out, signature));
    out.push_str("}\n");
    Ok(out)
}

/// Reads what `#include` names beside the file that does, and takes notes: name as written, path, text.
struct Files {
    directory: PathBuf,
    read: RefCell<Vec<(String, String, String)>>,
}

impl Includes for Files {
    fn read(&self, name: &str, _angled: bool, from: &str) -> Result<(String, String), String> {
        let parent = Path::new(from).parent().filter(|_| Path::new(from).is_absolute());
        let path = parent.unwrap_or(&self.directory).join(name);
        let text = std::fs::read_to_string(&path).map_err(|error| unreadable(&path, &error))?;
        let path = path.display().to_string();
        let mut read = self.read.borrow_mut();
        match read.iter().find(|(known, ..)| known == name) {
            Some((_, other, _)) if *other != path => {
                return Err(format!("`{name}` leads to {other} and to {path}: okl! needs one file for a name"));
            }
            Some(_) => {}
            None => read.push((name.to_owned(), path.clone(), text.clone())),
        }
        Ok((path, text))
    }
}

/// What the system says ends with ` (os error 2)`, which tells its readers nothing more.
fn unreadable(path: &Path, error: &std::io::Error) -> String {
    let said = error.to_string();
    format!("{}: {}", path.display(), said.split_once(" (os error").map_or(said.as_str(), |(message, _)| message))
}

fn write_struct(out: &mut String, call: &Call, signatures: &[Signature]) {
    let _ = writeln!(
        out,
        "#[doc = {:?}]\n#[derive(Clone)]",
        format!("The kernels of `{}`, built for a device.", call.path)
    );
    out.push_str("pub struct Kernels {\n");
    for signature in signatures {
        let _ = writeln!(out, "    {}: ::ferrocca::Kernel,", field(signature));
    }
    out.push_str("}\n");
}

fn field(signature: &Signature) -> String {
    format!("kernel_{}", signature.kernel)
}

fn write_build(
    out: &mut String,
    call: &Call,
    source: &str,
    read: &[(String, String, String)],
    signatures: &[Signature],
) {
    let includes: Vec<(&String, &String, &String)> = read.iter().map(|(name, path, text)| (name, path, text)).collect();
    let defines: String = call.defines.iter().map(|(name, value)| format!(".define({name:?}, {value:?})")).collect();
    let _ = writeln!(
        out,
        "    /// The file of kernels, and those that it includes.\n    \
         pub const SOURCE: ::ferrocca::EmbeddedSource = ::ferrocca::EmbeddedSource {{ name: {:?}, text: {source:?}, \
         includes: &{includes:?} }};\n\n    \
         /// Builds the kernels for a device, with properties as `Device::build_kernel` takes them.\n    \
         /// # Errors\n    \
         /// As `Device::build_kernel`.\n    \
         pub fn build(device: &::ferrocca::Device, props: impl ::ferrocca::IntoProps) -> ::ferrocca::Result<Self> {{\n        \
         let props = ::ferrocca::IntoProps::into_props(props)?{defines};\n        \
         let build = |name: &str| device.build_kernel_from_embedded(&Self::SOURCE, name, props.clone());\n        \
         Ok(Self {{",
        call.path
    );
    for signature in signatures {
        let _ = writeln!(out, "            {}: build({:?})?,", field(signature), signature.kernel);
    }
    out.push_str("        })\n    }\n");
}

fn write_kernel(out: &mut String, signature: &Signature) {
    let name = &signature.kernel;
    let mut generics = Vec::new();
    let types: Vec<String> = signature.params.iter().map(|param| parameter(param, &mut generics)).collect();
    let generics = if generics.is_empty() { String::new() } else { format!("<{}>", generics.join(", ")) };
    let names: Vec<String> = signature.params.iter().map(|param| format!("r#{}", param.name)).collect();
    let params: String = names.iter().zip(&types).map(|(name, ty)| format!(", {name}: {ty}")).collect();
    let _ = writeln!(
        out,
        "\n    /// Queues the kernel on the calling thread's current stream.\n    /// # Errors\n    /// As `Kernel::launch`.\n    \
         #[allow(clippy::too_many_arguments, non_snake_case)]\n    \
         pub fn r#{name}{generics}(&self{params}) -> ::ferrocca::Result<()> {{\n        \
         self.{}.launch(::ferrocca::args![{}])\n    }}\n\n    \
         /// The kernel itself, for other streams, graphs and properties.\n    \
         #[allow(non_snake_case)]\n    \
         pub fn {name}_kernel(&self) -> &::ferrocca::Kernel {{\n        &self.{}\n    }}",
        field(signature),
        names.join(", "),
        field(signature),
    );
}

/// The type of a parameter in Rust; a struct is any type of the program's whose layout a launch finds to be the same.
fn parameter(param: &Parameter, generics: &mut Vec<String>) -> String {
    let mut generic = |bound: &str| {
        let name = format!("T{}", generics.len());
        generics.push(format!("{name}: ::ferrocca::{bound}"));
        name
    };
    match &param.kind {
        ParameterKind::Scalar(scalar) => number(*scalar).to_owned(),
        ParameterKind::Struct(_) => format!("&{}", generic("KernelStruct")),
        ParameterKind::Pointer { element, mutable, .. } => {
            let element = match element {
                // Memory has no `bool`; it travels as bytes.
                ElementType::Scalar(Scalar::Bool) => "::core::primitive::u8".to_owned(),
                ElementType::Scalar(scalar) => number(*scalar).to_owned(),
                ElementType::Struct(_) => generic("Element"),
            };
            format!("&{}::ferrocca::Memory<{element}>", if *mutable { "mut " } else { "" })
        }
    }
}

fn number(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "::core::primitive::bool",
        Scalar::I8 => "::core::primitive::i8",
        Scalar::U8 => "::core::primitive::u8",
        Scalar::I16 => "::core::primitive::i16",
        Scalar::U16 => "::core::primitive::u16",
        Scalar::I32 => "::core::primitive::i32",
        Scalar::U32 => "::core::primitive::u32",
        Scalar::I64 => "::core::primitive::i64",
        Scalar::U64 => "::core::primitive::u64",
        Scalar::F16 => "::ferrocca::f16",
        Scalar::BF16 => "::ferrocca::bf16",
        Scalar::F32 => "::core::primitive::f32",
        Scalar::F64 => "::core::primitive::f64",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(files: &[(&str, &str)]) -> Result<String, String> {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(root.path().join(name), text).unwrap();
        }
        of(&Call { path: files[0].0.to_owned(), defines: vec![("N".into(), "8".into())] }, root.path())
            .map_err(|why| why.replace(&root.path().display().to_string(), "ROOT"))
    }

    #[test]
    fn a_kernel_becomes_a_function_with_its_parameters() {
        let source = "#include \"real.h\"
            typedef struct { float x; } P;
            @kernel void type(const int n, const real *a, bool *b, P p, const P *q) {
              for (int i = 0; i < N; ++i; @tile(4, @outer, @inner)) b[i] = a[i] > p.x + q[i].x + n;
            }";
        let text = items(&[("k.okl", source), ("real.h", "typedef double real;")]).unwrap();
        let head = "pub fn r#type<T0: ::ferrocca::KernelStruct, T1: ::ferrocca::Element>(&self, \
                    r#n: ::core::primitive::i32, r#a: &::ferrocca::Memory<::core::primitive::f64>, \
                    r#b: &mut ::ferrocca::Memory<::core::primitive::u8>, r#p: &T0, r#q: &::ferrocca::Memory<T1>)";
        assert!(text.contains(head), "{text}");
        assert!(
            text.contains(".define(\"N\", \"8\")") && text.contains("real.h\", \"typedef double real;\")"),
            "{text}"
        );
        assert_eq!(text.matches("include_bytes!").count(), 2, "{text}");
    }

    #[test]
    fn findings_have_places_in_the_file() {
        let wrong =
            "@kernel void k(float *x) {\n  for (int i = 0; i < N; ++i; @tile(4, @outer, @inner)) x[i] = y;\n}\n";
        let why = items(&[("k.okl", wrong)]).unwrap_err();
        assert!(why.starts_with("k.okl:2:64: error: name `y` is not declared [K030]\n"), "{why}");
        let why = items(&[("k.okl", "#include \"none.h\"\n")]).unwrap_err();
        assert!(why.contains("k.okl:1:10: error: cannot include `none.h`: ROOT/none.h: "), "{why}");
        assert_eq!(items(&[("k.okl", "const int a = 1;\n")]).unwrap_err(), "there is no kernel in k.okl");
        assert!(!why.contains("os error"), "{why}");
        let call = Call { path: "none.okl".to_owned(), defines: Vec::new() };
        assert_eq!(of(&call, "/root".as_ref()).unwrap_err(), "there is no file none.okl in this crate (/root)");
    }
}
