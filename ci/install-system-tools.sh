#!/usr/bin/env bash
# The compilers and emulators that stand against pip's as a second opinion; Debian and Ubuntu names.
set -euo pipefail

missing=()
need() {
    command -v "$1" >/dev/null || missing+=("${@:2}")
}
need gcc gcc libc6-dev
need g++ g++
need arm-none-eabi-gcc gcc-arm-none-eabi libnewlib-arm-none-eabi
need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross
need qemu-system-arm qemu-system-arm
need qemu-aarch64 qemu-user
need gdb-multiarch gdb-multiarch
if [ "${#missing[@]}" -eq 0 ]; then
    echo "all present"
    exit 0
fi
sudo=()
if [ "$(id -u)" -ne 0 ]; then
    sudo=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
echo "installed: ${missing[*]}"
