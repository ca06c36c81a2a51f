#!/usr/bin/env bash
# The emitted project builds where edgegen is not installed: plain `pio run` in an environment of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1
environment=$(mktemp -d)
trap 'rm -rf "$environment"' EXIT
"$python" -m edgegen build --target cortex-m4 --output "$environment/project"
"$python" -m venv "$environment/venv"
"$environment/venv/bin/python" -m pip install -q platformio scons ziglang
if "$environment/venv/bin/python" -I -c "import edgegen" 2>/dev/null; then
    echo "edgegen is importable in the environment that must not have it" >&2
    exit 1
fi
(cd "$environment" && env -i PATH="$environment/venv/bin:/usr/bin:/bin" HOME="$environment/home" \
    "$environment/venv/bin/pio" run -d project/mnist/cortex-m4)
