# Sourced by ./ivp, ./check and the tools: installs what is missing and builds, with a progress line on a terminal.
# All messages are on standard error, so that standard output has nothing but the output of a command.

ivp_root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")

build_packages=(g++ cmake ninja-build libfmt-dev nlohmann-json3-dev libsqlite3-dev libtomlplusplus-dev libsuitesparse-dev libboost-dev)
test_packages=(libgtest-dev libopenblas-serial-dev python3 python3-dev python3-scipy make gfortran libgsl-dev hunspell hunspell-en-gb)
full_packages=(python3-pandas python3-matplotlib r-base-core chromium clang-14 clang-tidy-14 clang-format-14 libclang-rt-14-dev slurm-wlm munge parallel texlive-latex-recommended texlive-pictures lmodern)

say() { printf 'ivp: %s\n' "$*" >&2; }

die() {
    say "$*"
    exit 3
}

# with_progress LOG WHAT COMMAND...: runs the command with its output in LOG; on a terminal one line shows the progress.
with_progress() {
    local log=$1 what=$2 status=0 started=$SECONDS line
    shift 2
    mkdir -p "$(dirname "$log")"
    if [ -t 2 ]; then
        "$@" >"$log" 2>&1 &
        local job=$!
        while kill -0 "$job" 2>/dev/null; do
            line=$(tail -c 400 "$log" 2>/dev/null | tr '\r' '\n' | sed '/^$/d' | tail -n 1 | cut -c "1-$((${COLUMNS:-80} - ${#what} - 14))")
            printf '\r\033[K%s (%d s) %s' "$what" $((SECONDS - started)) "$line" >&2
            sleep 0.5
        done
        wait "$job" || status=$?
        printf '\r\033[K' >&2
    else
        say "$what"
        "$@" >"$log" 2>&1 || status=$?
    fi
    if [ "$status" -ne 0 ]; then
        say "$what failed; the end of $log:"
        tail -n 40 "$log" >&2
        exit 3
    fi
}

# install_missing PACKAGE...: installs those Debian packages that are missing.
install_missing() {
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    command -v apt-get >/dev/null || die "missing: ${missing[*]}; this is not a Debian system, install their counterparts by hand"
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "missing: ${missing[*]}; become root, or install sudo, and try again"
        as_root=(sudo)
        sudo -v || die "missing: ${missing[*]}; sudo did not allow ivp to install them"
    fi
    with_progress "$ivp_root/build/install.log" "Reading the package lists" "${as_root[@]}" apt-get -q update
    with_progress "$ivp_root/build/install.log" "Installing ${missing[*]}" \
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${missing[@]}"
}

# Modules for the test of the report in a browser, if node is installed; without them the test says that it is unavailable.
install_browser_modules() {
    [ ! -e "$ivp_root/build/browser/node_modules/playwright-core" ] || return 0
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
        say "unavailable: node and npm, for the test of the report in a browser"
        return 0
    fi
    mkdir -p "$ivp_root/build/browser"
    cp "$ivp_root/tests/browser/package.json" "$ivp_root/build/browser/"
    (cd "$ivp_root/build/browser" && npm install --no-audit --no-fund --silent) >"$ivp_root/build/browser.log" 2>&1 ||
        say "unavailable: npm could not install playwright-core (see build/browser.log)"
}

# start_sundials [NICENESS]: builds the optimised SUNDIALS in the background (tools/build-sundials); the lock is held until it has ended.
start_sundials() {
    local niceness=${1-10}
    mkdir -p "$ivp_root/build/sundials"
    exec 9>"$ivp_root/build/sundials/lock"
    if flock -n 9; then # else another one is at it; the tool, which somebody waits for, comes first
        (IVP_SUNDIALS_LOCKED=1 nohup nice -n "$niceness" "$ivp_root/tools/build-sundials" </dev/null >"$ivp_root/build/sundials.log" 2>&1 &)
    fi
    exec 9>&-
}

# wait_for_sundials: until a build in the background has ended, so that it does not disturb what is measured.
wait_for_sundials() {
    local lock=$ivp_root/build/sundials/lock
    [ -e "$lock" ] || return 0
    flock -n "$lock" true || {
        say "waiting for the build of an optimised SUNDIALS, about half a minute (build/sundials.log)"
        flock "$lock" true
    }
}

# The folder of the packaged SUNDIALS.
packaged_sundials() {
    [ "$(cc -print-file-name=libsundials_cvode.so)" != libsundials_cvode.so ] ||
        die "IVP_SUNDIALS=packaged given, but SUNDIALS is not installed; 'apt-get install libsundials-dev' installs it"
    dirname "$(readlink -f "$(cc -print-file-name=libsundials_cvode.so)")"
}

# The default build is for x86-64-v3; an older CPU gets a build that runs everywhere.
arch_options() {
    if [ "$(uname -m)" = x86_64 ] && grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo && grep -qw bmi2 /proc/cpuinfo; then
        echo "-DIVP_ARCH=x86-64-v3"
    else
        echo "-DIVP_ARCH="
    fi
}

# build_preset PRESET [CMAKE OPTIONS...] -- [TARGETS...]
build_preset() {
    local preset=$1 options=() targets=()
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    [ $# -eq 0 ] || shift
    [ $# -eq 0 ] || targets=(--target "$@")
    cd "$ivp_root"
    with_progress "build/$preset-configure.log" "Configuring ($preset)" cmake --preset "$preset" "$(arch_options)" "${options[@]}"
    with_progress "build/$preset-build.log" "Building ($preset)" cmake --build --preset "$preset" "${targets[@]}"
}
