use super::*;
use proptest::prelude::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    let got = match Props::parse(text) {
        Ok(props) => props.to_string(),
        Err(error) => format!("error: {error}"),
    };
    assert_eq!(got, expected, "{text}");
}

#[test]
fn both_spellings_read_the_same() {
    check("mode=CUDA, device_id=0", "{device_id: 0, mode: 'CUDA'}");
    check("{mode: 'CUDA', device_id: 0}", "{device_id: 0, mode: 'CUDA'}");
    check("mode: 'CUDA', device_id: 0,", "{device_id: 0, mode: 'CUDA'}");
    check("{\"mode\": \"CUDA\", \"device_id\": 0}", "{device_id: 0, mode: 'CUDA'}");
    check("", "{}");
    check("{}", "{}");
    check(" // nothing\n /* at all */ ", "{}");
}

#[test]
fn values() {
    check(
        "a=1, b=-2, c=0x10, d=1.5, e=1e3, f=.5, g=true, h=null",
        "{a: 1, b: -2, c: 16, d: 1.5, e: 1000.0, f: 0.5, g: true, h: null}",
    );
    check("a=inf, b=Infinity, c=1.2.3, d=sm_90, e='1'", "{a: 'inf', b: Infinity, c: '1.2.3', d: 'sm_90', e: '1'}");
    check("flags=-O3 -march=native, next=1", "{flags: '-O3 -march=native', next: 1}");
    check("{a: [1, 'x', [true],], b: {c: {d: 1}}}", "{a: [1, 'x', [true]], b: {c: {d: 1}}}");
    check("path=/usr//local, url=http://x // the rest is a comment", "{path: '/usr//local', url: 'http://x'}");
    check(r#"a='it\'s', b="\u0041\n""#, r"{a: 'it\'s', b: 'A\n'}");
    check("{a: x, // one\n b: y /* two */}", "{a: 'x', b: 'y'}");
}

#[test]
fn flattened_names() {
    check("{'defines/N': 10, defines: {M: 2}}", "{defines: {M: 2, N: 10}}");
    check("defines/N=10, defines/M=2", "{defines: {M: 2, N: 10}}");
    check("{defines: {N: 1}, 'defines/N': 2}", "error: properties, line 1, column 19: `N` is given twice");
    check(
        "defines=1, defines/N=2",
        "error: properties, line 1, column 12: `defines` is an integer already and cannot hold `N`",
    );
}

#[test]
fn errors_say_where() {
    check(
        "mode",
        "error: properties, line 1, column 5: expected `:` or `=` after `mode`, got the end; properties are pairs with commas between them, such as `mode=CPU, threads=2`",
    );
    check("{mode: 'CPU'", "error: properties, line 1, column 13: expected `,` or `}`, got the end");
    check("a=1,\nb=", "error: properties, line 2, column 3: expected a value, got the end");
    check("a=1, a=2", "error: properties, line 1, column 6: `a` is given twice");
    check("{a: 1} b", "error: properties, line 1, column 8: expected the end after `}`, got `b`");
    check("a='x", "error: properties, line 1, column 3: this string has no end (')");
    check("a='\\q'", "error: properties, line 1, column 4: unknown escape `\\q`");
    check("/* x", "error: properties, line 1, column 1: this comment has no end (`*/`)");
    check(
        "a=99999999999999999999",
        "error: properties, line 1, column 3: 99999999999999999999 does not fit 64 bits; put it between quotes to pass it on as text",
    );
    check(&format!("a={}", "[".repeat(1000)), "error: properties, line 1, column 67: nested deeper than 64 levels");
}

#[test]
fn typed_reading() {
    let props = Props::parse("threads=two, list=[a, b], one=a, n=3").unwrap();
    assert_eq!(
        props.get_int("threads").unwrap_err().to_string(),
        "property `threads` takes an integer, got 'two' (a string)"
    );
    assert_eq!(
        props.get_int_in("n", 1..=2).unwrap_err().to_string(),
        "property `n` takes an integer from 1 to 2, got 3"
    );
    assert_eq!(props.get_strings("list").unwrap(), ["a", "b"]);
    assert_eq!(props.get_strings("one").unwrap(), ["a"]);
    assert_eq!(props.get_float("n").unwrap(), Some(3.0));
    assert_eq!(props.get_bool("absent").unwrap(), None);
    let error = props.check_known("device", ["thread", "list", "one", "n"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown device property `threads` (did you mean `thread`?); known: `thread`, `list`, `one`, `n`"
    );
    let error = Props::parse("serial/include_std=true").unwrap().check_known("kernel", ["defines"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "kernel property `serial/include_std` is not needed here: remove it (every kernel has the functions of C's `math.h`, \
         and none has headers of C++)"
    );
}

#[test]
fn building_and_merging() {
    let props = Props::new().with("mode", "CPU").define("N", 10).define("dfloat", "double");
    assert_eq!(props.to_string(), "{defines: {N: 10, dfloat: 'double'}, mode: 'CPU'}");
    assert_eq!(props.get("defines/N"), Some(&Value::Int(10)));
    let merged = Props::parse("defines/N=1").unwrap().over(&props);
    assert_eq!(merged.to_string(), "{defines: {N: 1, dfloat: 'double'}, mode: 'CPU'}");
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        any::<f64>().prop_filter("NaN is not equal to itself", |x| !x.is_nan()).prop_map(Value::Float),
        any::<String>().prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::List),
            prop::collection::btree_map("[^/]{0,6}", inner, 0..6).prop_map(Value::Map),
        ]
    })
}

proptest! {
    #[test]
    fn text_reads_back(map in prop::collection::btree_map("[^/]{0,8}", value(), 0..8)) {
        let props = Props::of(map);
        let text = props.to_string();
        let again = Props::parse(&text);
        prop_assert!(again.is_ok(), "{}: {:?}", text, again);
        prop_assert_eq!(again.unwrap(), props, "{}", text);
    }

    #[test]
    fn any_text_ends_without_panic(text in any::<String>()) {
        let _ = Props::parse(&text);
    }

    #[test]
    fn any_near_miss_ends_without_panic(text in r#"[a-z0-9{}\[\]:=,'"\\/*. \n-]{0,60}"#) {
        if let Ok(props) = Props::parse(&text) {
            prop_assert_eq!(Props::parse(&props.to_string()).unwrap(), props);
        }
    }
}

#[test]
fn a_name_of_too_many_parts_is_refused_where_it_is_read() {
    let name = |parts: usize| vec!["a"; parts].join("/");
    let known = |props: &Props| props.check_known("device", ["a"]).map_err(|error| error.to_string());
    let most = Props::new().with(name(64), 1);
    assert_eq!((known(&most), most.get(&name(64))), (Ok(()), Some(&Value::Int(1))));
    assert_eq!(Props::parse(&most.to_string()).unwrap(), most);
    // So many that dropping the maps within each other would exhaust the stack.
    let deep = Props::new().with(name(if cfg!(miri) { 1000 } else { 1_000_000 }), 1);
    assert!(deep.is_empty());
    let refused = Err(format!("device property `{}…`: a name may have at most 64 parts", &name(17)[..32]));
    assert_eq!(known(&deep), refused);
    assert_eq!(known(&Props::new().over(&deep)), refused, "defaults are read too");
}
