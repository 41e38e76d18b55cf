//! The words of the language, for editors: taken from the tables that the compiler itself reads.

use crate::front::parse::{COMPLEX_TYPES, KEYWORDS, TYPE_WORDS};
use crate::ir::{Scalar, Struct};
use crate::lower;
use serde_json::{Value, json};

/// Words of C that mean something to the parser.
pub fn keywords() -> &'static [&'static str] {
    KEYWORDS
}

/// Attributes, without their `@`.
pub fn attributes() -> impl Iterator<Item = &'static str> {
    lower::attribute_names()
}

/// Types that are one word: C's, numbers by their size, vectors, complex numbers.
pub fn types() -> Vec<String> {
    let numbers = || TYPE_WORDS.iter().copied().chain(Scalar::ALL.iter().flat_map(|scalar| scalar.names()).copied());
    let vectors = numbers().flat_map(|base| (2..=4).map(move |len| format!("{base}{len}")));
    let vectors = vectors.filter(|name| Struct::vector_of_name(name).is_some());
    let complex = COMPLEX_TYPES.iter().map(|of| of.0.to_owned());
    numbers().map(str::to_owned).chain(vectors).chain(complex).collect()
}

/// Functions that are known without a declaration.
pub fn functions() -> impl Iterator<Item = &'static str> {
    lower::math_function_names().chain(lower::complex_function_names())
}

/// A TextMate grammar, for VS Code, Sublime Text, JetBrains' editors and others.
pub fn grammar() -> String {
    let of = |name: &str, words: &[String]| json!({ "name": name, "match": format!("\\b({})\\b", words.join("|")) });
    let owned = |words: &mut dyn Iterator<Item = &'static str>| words.map(str::to_owned).collect::<Vec<_>>();
    let attributes = owned(&mut attributes()).join("|");
    let escape = json!({ "name": "constant.character.escape.okl", "match": "\\\\." });
    let directive = json!({
        "name": "meta.preprocessor.okl",
        "begin": "^\\s*(#\\s*[a-z]+)",
        "beginCaptures": { "1": { "name": "keyword.control.directive.okl" } },
        "end": "(?<!\\\\)$",
        "patterns": [{ "include": "#code" }],
    });
    let number = "\\b(0[xX][0-9a-fA-F]+|[0-9]+\\.?[0-9]*([eE][+-]?[0-9]+)?|\\.[0-9]+([eE][+-]?[0-9]+)?)[uUlLfFij]*\\b";
    let code: Vec<Value> = vec![
        json!({ "name": "comment.line.double-slash.okl", "match": "//.*$" }),
        json!({ "name": "comment.block.okl", "begin": "/\\*", "end": "\\*/" }),
        json!({ "name": "string.quoted.double.okl", "begin": "\"", "end": "\"", "patterns": [escape] }),
        json!({ "name": "string.quoted.single.okl", "match": "'(\\\\.|[^'])'" }),
        json!({ "name": "storage.modifier.attribute.okl", "match": format!("@({attributes})\\b") }),
        json!({ "name": "invalid.illegal.attribute.okl", "match": "@\\w+" }),
        of("keyword.control.okl", &owned(&mut keywords().iter().copied())),
        of("storage.type.okl", &types()),
        of("support.function.okl", &owned(&mut functions())),
        json!({ "name": "constant.numeric.okl", "match": number }),
    ];
    let grammar = json!({
        "name": "OKL",
        "scopeName": "source.okl",
        "fileTypes": ["okl"],
        "patterns": [directive, { "include": "#code" }],
        "repository": { "code": { "patterns": code } },
    });
    format!("{grammar:#}\n")
}
