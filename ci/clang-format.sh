#!/usr/bin/env bash
# Format the C in place, or with --check only say what is not formatted.
set -euo pipefail
cd "$(dirname "$0")/.."
clang_format=${CLANG_FORMAT:-.venv/bin/clang-format}
if ! command -v "$clang_format" >/dev/null; then
    clang_format=clang-format
fi
options=(-i)
if [ "${1:-}" = "--check" ]; then
    options=(--dry-run --Werror)
fi
git ls-files -z 'edgegen/*.c' 'edgegen/*.h' | xargs -0 "$clang_format" "${options[@]}"
