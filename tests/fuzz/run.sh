#!/usr/bin/env bash
# Builds the fuzz targets and runs each for a while: run.sh [SECONDS [TARGET...]]. Ends with 1 where one of them found something.
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
seconds=${1-20}
case $seconds in
'' | *[!0-9]* | 0)
    printf "run.sh: '%s' given; allowed: seconds for each target, a whole number from 1\n" "$seconds" >&2
    exit 2
    ;;
esac
targets=("${@:2}")
if [ ${#targets[@]} -eq 0 ]; then
    for seeds in "$root"/tests/fuzz/corpus/*/; do targets+=("$(basename "$seeds")"); done
fi

cd "$root"
[ -e build/release/build.ninja ] || cmake --preset release >/dev/null
cmake --build build/release --target ivp >build/release/fuzz.log 2>&1 || {
    tail -n 40 build/release/fuzz.log >&2
    exit 1
}
cmake --preset fuzz >/dev/null
cmake --build build/fuzz --target "${targets[@]/%/_fuzz}" >build/fuzz/build.log 2>&1 || {
    tail -n 40 build/fuzz/build.log >&2
    exit 1
}
mkdir -p build/fuzz/found
failed=()
for target in "${targets[@]}"; do
    corpus=build/fuzz/corpus/$target
    log=build/fuzz/$target.log
    dictionary=tests/fuzz/dictionaries/$target.txt
    mkdir -p "$corpus"
    options=(-max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=20000 -close_fd_mask=1 -print_final_stats=1 "-artifact_prefix=build/fuzz/found/$target-")
    [ ! -e "$dictionary" ] || options+=("-dict=$dictionary")
    if "build/fuzz/fuzz/${target}_fuzz" "${options[@]}" "$corpus" "tests/fuzz/corpus/$target" >"$log" 2>&1; then
        printf '%s: %s inputs, nothing found\n' "$target" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
    else
        printf '%s: found something, see %s\n' "$target" "$log" >&2
        grep -E 'ERROR|SUMMARY|property broken|runtime error|Test unit written' "$log" >&2 || tail -n 5 "$log" >&2
        failed+=("$target")
    fi
done
[ ${#failed[@]} -eq 0 ]
