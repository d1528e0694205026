#!/usr/bin/env bash
# Installs the browser that the WebAssembly tests run in and its driver, where Debian's packages are
# to be had.
set -euo pipefail

if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then exit 0; fi
if ! command -v apt-get >/dev/null; then
  echo "Install Chromium and chromedriver to run the browser tests." >&2
  exit 1
fi
"$(dirname "$0")/apt.sh" chromium chromium-driver
