#!/usr/bin/env bash
# Runs a bundle of Ferrocca on a machine that has no Rust and no network: the tests and benchmarks that
# `cargo xtask bundle` built elsewhere. Needed: Python 3.11 or newer as `python3`; for the parts on a GPU its driver, and
# what `run.sh info` says is missing. One log a part; what fails does not stop the rest.
set -u -o pipefail

parts="info conformance tests sanitizer python insitu benches"

# Seconds that a part may take, and what it does.
describe() {
    case $1 in
    info) echo "60 the machine, its driver, compilers and Python; what Ferrocca finds of them" ;;
    conformance) echo "180 the conformance suite; FILTER: part of a case's name, such as CUDA::" ;;
    tests) echo "300 all other Rust tests; FILTER: part of a program's name, such as okl." ;;
    sanitizer) echo "420 the conformance suite on CUDA under compute-sanitizer; FILTER: part of a case's name" ;;
    python) echo "240 the Python package's tests; FILTER: pytest's -k" ;;
    insitu) echo "240 burgers with examples/insitu/svd.py; FILTER: the mode, such as CUDA" ;;
    benches) echo "420 a benchmark beside its peers; FILTER: NAME or NAME/ROW,ROW (else cuda)" ;;
    esac
}

usage() {
    echo "usage: run.sh [--logs DIR] [--work DIR] [--limit SECONDS] PART[:FILTER]..."
    echo
    for part in $parts; do
        read -r seconds text <<<"$(describe "$part")"
        printf '  %-12s %s (%s s at most)\n' "$part" "$text" "$seconds"
    done
    cat <<'END'

  --logs DIR       where PART.log and summary.txt go (else ./logs)
  --work DIR       where the archive is unpacked, once (else a folder below TMPDIR)
  --limit SECONDS  time for all parts together; what finds none left counts as failed
  --list           the parts, and the programs that the bundle has

Exit code: 0 when everything passed, 1 when something failed, 2 for wrong usage.
FERROCCA_REQUIRE_DEVICES (modes, separated by commas) makes a missing device a failure; where there is an NVIDIA GPU it is
CUDA unless given. SANITIZER_TOOLS (else "memcheck racecheck") are the tools that the part sanitizer runs.
END
}

wrong_usage() {
    echo "error: $1; run.sh --help says what it takes" >&2
    exit 2
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
archive=$here/contents.tar.xz
logs=$PWD/logs
work=
limit=0
list=no
selected=()
while [ $# -gt 0 ]; do
    case $1 in
    --help | -h) usage && exit 0 ;;
    --list) list=yes ;;
    --logs | --work | --limit)
        [ $# -ge 2 ] || wrong_usage "$1 needs a value"
        case $1 in
        --logs) logs=$(realpath -m "$2") ;;
        --work) work=$(realpath -m "$2") ;;
        --limit)
            [[ $2 =~ ^[1-9][0-9]*$ ]] || wrong_usage "--limit takes whole seconds, not \`$2\`"
            limit=$2
            ;;
        esac
        shift
        ;;
    *)
        [ -n "$(describe "${1%%:*}")" ] || wrong_usage "there is no part \`${1%%:*}\`"
        selected+=("$1")
        ;;
    esac
    shift
done

# The archive's contents, unpacked where an earlier call has not done so.
unpack() {
    local name
    name=$(sha256sum "$archive" | cut -c 1-16) || return 1
    work=${work:-${TMPDIR:-/tmp}/ferrocca-bundle-$name}
    if [ "$(cat "$work/unpacked" 2>/dev/null)" != "$name" ]; then
        mkdir -p "$work" && python3 -m tarfile -e "$archive" "$work" && echo "$name" >"$work/unpacked"
    fi
}

if [ "$list" = yes ]; then
    for part in $parts; do
        echo "$part $(describe "$part" | cut -d ' ' -f 2-)"
    done
    if [ -f "$archive" ]; then
        unpack || exit 1
        echo && cut -f 1,2 "$work/programs.tsv"
        echo && sed 's/^/left out: /' "$work/left-out.txt"
    fi
    exit 0
fi
[ ${#selected[@]} -gt 0 ] || { usage >&2 && exit 2; }
[ -f "$archive" ] || { echo "error: $archive is not there: \`cargo xtask bundle\` makes a bundle" >&2 && exit 1; }
mkdir -p "$logs" && unpack || exit 1

# As cargo would name them to a test.
export CARGO_BIN_EXE_ferrocca=$work/bin/ferrocca
export FERROCCA_BURGERS=$work/bin/burgers
# Nobody's own cache is read or filled.
export FERROCCA_CACHE_DIR=$work/cache
source=$work/source
for place in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda; do
    [ -n "$place" ] && [ -d "$place/bin" ] && PATH=$PATH:$place/bin
done
gpu=no
if [ -e /dev/nvidiactl ] || nvidia-smi -L 2>/dev/null | grep -q GPU; then gpu=yes; fi
[ $gpu = yes ] && export FERROCCA_REQUIRE_DEVICES=${FERROCCA_REQUIRE_DEVICES-CUDA}

summary=()
failed=()
started=$SECONDS

seconds_left() {
    local left=$((part_end - SECONDS))
    if [ "$limit" -gt 0 ] && [ $((started + limit - SECONDS)) -lt $left ]; then
        left=$((started + limit - SECONDS))
    fi
    echo $left
}

# What the test runners, libtest's and pytest's, say of themselves in a log, from a line on.
counts() {
    tail -n "+$2" "$1" | awk '
        /^test result: / { gsub(";", ""); for (i = 2; i <= NF; i++) count[$i] += $(i - 1); seen = 1 }
        /^(=+ )?[0-9]+ (passed|failed|skipped|error)/ { gsub(/[,=]/, ""); for (i = 2; i <= NF; i++) count[$i] += $(i - 1); seen = 1 }
        /^========= ERROR SUMMARY/ { errors = $(NF - 1) + 0; sanitized = 1 }
        END {
            if (seen) printf "%d passed, %d failed, %d ignored or skipped", count["passed"], count["failed"] + count["errors"] + count["error"], count["ignored"] + count["skipped"]
            if (sanitized) printf "; sanitizer: %d errors", errors
        }'
}

# try NAME COMMAND...: runs a command within the part's time, with its output in the part's log, and notes the outcome.
try() {
    local name=$1 first code begin left said outcome
    shift
    first=$(($(wc -l <"$log") + 1))
    left=$(seconds_left)
    begin=$SECONDS
    echo "### $name: $*" >>"$log"
    if [ "$left" -le 0 ]; then
        code=124 && outcome="no time left"
    else
        timeout --kill-after=10 "$left" "$@" >>"$log" 2>&1 </dev/null
        code=$?
        case $code in
        0) outcome=ok ;;
        124 | 137) outcome="stopped after $left s" ;;
        *) outcome="exit code $code" ;;
        esac
    fi
    said=$(counts "$log" "$first")
    if [ $code -eq 0 ] && [[ $said == "0 passed, 0 failed, 0 "* ]] && [ "$part" != tests ]; then
        code=1 && outcome="nothing ran"
    fi
    printf -v line '%-12s %-34s %-16s %4d s  %s' "$part" "$name" "$outcome" $((SECONDS - begin)) "$said"
    echo "$line"
    summary+=("$line")
    if [ $code -ne 0 ]; then
        failed+=("$part: $name ($outcome)")
        # What libtest and pytest say last is which tests failed.
        tail -n "+$first" "$log" | tail -n 40 | sed 's/^/    /'
    fi
    return $code
}

missing() {
    echo "### $1: $2" >>"$log"
    printf -v line '%-12s %-34s %s' "$part" "$1" "$2"
    echo "$line"
    summary+=("$line")
    failed+=("$part: $1 ($2)")
}

# An environment with the wheel, in which everything that the active Python has can be imported: nothing is installed
# into the active one.
enter_python() {
    [ -n "${python_entered:-}" ] && return 0
    local venv=$work/venv
    if [ ! -f "$venv/complete" ]; then
        {
            python3 -m venv --clear --without-pip "$venv" &&
                python3 -c 'import site, sys; print("\n".join(f"import site; site.addsitedir({p!r})" for p in site.getsitepackages()))' \
                    >"$("$venv/bin/python3" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/outer.pth" &&
                python3 -m pip --python "$venv/bin/python3" --disable-pip-version-check install --quiet --no-index --no-deps \
                    "$work"/wheel/*.whl && touch "$venv/complete"
        } >>"$log" 2>&1
    fi
    if [ ! -f "$venv/complete" ]; then
        missing "an environment with the wheel" "could not be made, see $log"
        return 1
    fi
    export VIRTUAL_ENV=$venv PATH=$venv/bin:$PATH
    python_entered=yes
    # Rust tests of in-situ scripts say that they are skipped where the interpreter has no shared library; where it has
    # one they must run.
    if python3 "$source/crates/insitu/src/python/probe.py" 2>/dev/null | grep -q '"libraries": \["'; then
        export FERROCCA_REQUIRE_PYTHON=1
    else
        echo "this Python has no shared library: scripts cannot run inside a program" | tee -a "$log"
    fi
}

show() {
    echo "### $*" >>"$log"
    timeout 30 "$@" >>"$log" 2>&1 </dev/null || echo "    (not there, or failed)" >>"$log"
}

part_info() {
    show uname -srm
    show getconf GNU_LIBC_VERSION
    show nproc
    show nvidia-smi
    for program in nvcc compute-sanitizer gcc clang; do show "$program" --version; done
    show python3 -c 'import sys, sysconfig; print(sys.version, sys.executable, sysconfig.get_config_vars("LIBDIR", "INSTSONAME"))'
    enter_python
    show python3 "$source/crates/insitu/src/python/probe.py"
    show "$work/bin/ferrocca" env
    try "ferrocca info" "$work/bin/ferrocca" info
    try "ferrocca modes" "$work/bin/ferrocca" modes
    cat "$log"
    show python3 -m pip list --disable-pip-version-check
}

# in_package DIRECTORY COMMAND...: as cargo runs a test of a package.
in_package() {
    local directory=$source/$1
    shift
    (cd "$directory" && CARGO_MANIFEST_DIR=$directory exec "$@")
}
export -f in_package
export source

try_in_package() {
    local name=$1
    shift
    try "$name" bash -c 'in_package "$@"' _ "$@"
}

part_conformance() {
    try_in_package "ferrocca.conformance $1" . "$work/tests/ferrocca.conformance" ${1:+"$1"}
}

part_tests() {
    enter_python
    local tried=0 place name package
    while IFS=$'\t' read -r place name package; do
        if [ "$place" = tests ] && [ "$name" != ferrocca.conformance ] && [[ $name == *"$1"* ]]; then
            try_in_package "$name" "$package" "$work/tests/$name"
            tried=$((tried + 1))
        fi
    done <"$work/programs.tsv"
    [ $tried -gt 0 ] || missing "$1" "no test program has this in its name"
    [ -n "$1" ] || sed 's/^/left out: /' "$work/left-out.txt" | tee -a "$log"
}

part_sanitizer() {
    local filter=${1:-CUDA}
    if ! command -v compute-sanitizer >/dev/null; then
        missing compute-sanitizer "is not there: it comes with the CUDA toolkit"
        return
    fi
    for tool in ${SANITIZER_TOOLS:-memcheck racecheck}; do
        # Calls that fail on purpose, such as too large an allocation, are no errors of a kernel.
        local also=()
        [ "$tool" = memcheck ] && also=(--report-api-errors no)
        # racecheck loses track of kernels that many threads launch at once.
        try_in_package "$tool $filter" . compute-sanitizer --tool "$tool" --error-exitcode 99 "${also[@]}" \
            "$work/tests/ferrocca.conformance" --test-threads=1 "$filter"
    done
}

part_python() {
    enter_python || return
    try "pytest $1" bash -c 'cd "$source" && exec python3 -m pytest -q -rs -p no:cacheprovider crates/insitu-py ${1:+-k "$1"}' _ "$1"
}

part_insitu() {
    enter_python || return
    local modes="Serial CPU" mode out
    [ $gpu = yes ] && modes="$modes CUDA"
    # What was promised is tried too.
    for mode in $(tr ',' ' ' <<<"${FERROCCA_REQUIRE_DEVICES-}"); do
        case " $modes " in *" $mode "*) ;; *) modes="$modes $mode" ;; esac
    done
    for mode in ${1:-$modes}; do
        out=$work/insitu/$mode
        rm -rf "$out"
        try "burgers on $mode with svd.py" "$work/bin/burgers" --device "mode=$mode" \
            --insitu "$source/examples/insitu/svd.py" --output "$out" || continue
        grep 'mean wall time' "$log" | tail -n 1
        for file in Field_evolution.png SVD_Eigenvectors.png singular_values.txt u.csv; do
            [ -s "$out/$file" ] || missing "$mode: $file" "was not written"
        done
        # The same field on every device, to the last digit.
        [ -f "$work/insitu/Serial/u.csv" ] && ! cmp -s "$work/insitu/Serial/u.csv" "$out/u.csv" &&
            missing "$mode: u.csv" "differs from that of Serial"
    done
}

part_benches() {
    enter_python
    local name=${1%%/*} rows=
    [[ $1 == */* ]] && rows=${1#*/}
    name=${name:-cuda}
    if [ ! -x "$work/benches/$name" ]; then
        missing "$name" "there is no such benchmark in this bundle"
        return
    fi
    # Criterion's own benches are filtered away: the table that is printed after them is what compares with the peers.
    [ "$name" = cuda ] || rows=${rows:-nothing}
    local first=$(($(wc -l <"$log") + 2))
    # shellcheck disable=SC2086 # several rows are several words
    try_in_package "$name $rows" . "$work/benches/$name" --bench ${rows//,/ } && tail -n "+$first" "$log"
}

for chosen in "${selected[@]}"; do
    : >"$logs/${chosen%%:*}.log"
done
for chosen in "${selected[@]}"; do
    part=${chosen%%:*}
    filter=
    [[ $chosen == *:* ]] && filter=${chosen#*:}
    log=$logs/$part.log
    read -r part_seconds _ <<<"$(describe "$part")"
    part_end=$((SECONDS + part_seconds))
    echo "== $chosen"
    "part_$part" "$filter"
done

# The table with a line a program is in the file; here one a part is enough, after the lines that were printed above.
printf '%s\n' "${summary[@]}" >"$logs/summary.txt"
{
    echo
    echo "== summary, $((SECONDS - started)) s, FERROCCA_REQUIRE_DEVICES=${FERROCCA_REQUIRE_DEVICES-}"
    printf '%s\n' "${selected[@]%%:*}" | awk '!seen[$0]++' | while read -r part; do
        awk -v part="$part" '
            $1 != part { next }
            { runs++ }
            match($0, /[0-9]+ passed, [0-9]+ failed, [0-9]+ ignored/) {
                split(substr($0, RSTART, RLENGTH), said, " ")
                passed += said[1]; failed += said[3]; ignored += said[5]
            }
            END { printf "%-12s %3d runs; tests: %d passed, %d failed, %d ignored or skipped\n", part, runs, passed, failed, ignored }
        ' "$logs/summary.txt"
    done
    if [ ${#failed[@]} -gt 0 ]; then
        printf 'failed: %s\n' "${failed[@]}"
    else
        echo "all passed"
    fi
} | tee "$logs/summary.tmp"
cat "$logs/summary.tmp" >>"$logs/summary.txt" && rm "$logs/summary.tmp"
[ ${#failed[@]} -eq 0 ]
