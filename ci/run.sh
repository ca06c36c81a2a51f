#!/usr/bin/env bash
# The whole check, in the order in which a failure tells most: commands of the README, then both tool sets.
set -euo pipefail
cd "$(dirname "$0")/.."

step() {
    printf '\n== %s (%ss)\n' "$1" "$SECONDS"
}

step "system tools: the second compilers and emulators"
bash ci/install-system-tools.sh

step "README: set up and run the main job"
bash -euo pipefail -c "$(python3 ci/readme.py build)"

step "README: set up and run the tests"
bash -euo pipefail -c "$(python3 ci/readme.py test)"

python=.venv/bin/python
step "formatting, lint and types"
"$python" -m ruff check .
"$python" -m ruff format --check .
"$python" -m mypy
bash ci/clang-format.sh --check
"$python" ci/operator_table.py --check
"$python" ci/module_table.py --check

step "proof with pip's tools"
"$python" -m edgegen build --target all
"$python" -m edgegen verify --target all
if [ -n "${EDGEGEN_MODELS:-}" ]; then
    for model in "$EDGEGEN_MODELS"/*.tflite; do
        "$python" -m edgegen build "$model" --target all --quiet
        "$python" -m edgegen verify "$model" --target all --vectors 8 --against tflm
    done
fi

step "costs of the bundled example, which must not grow"
"$python" -m edgegen bench --target cortex-m4 --compare benchmarks/history.jsonl

step "proof with the system's emulators"
"$python" -m edgegen verify --target all --emulator qemu

step "proof with the system's compilers and emulators"
"$python" -m edgegen build --target all --compiler gcc --output build/gcc
"$python" -m edgegen verify --target all --output build/gcc
"$python" -m edgegen verify --target all --output build/gcc --emulator qemu

step "the emitted project without edgegen"
bash ci/without-edgegen.sh "$python"

step "done"
