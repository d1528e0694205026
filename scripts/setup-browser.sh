#!/usr/bin/env bash
# Installs the browsers that tests run in, where Debian's packages are to be had: Chromium with its
# driver, which the WebAssembly tests need, and Firefox, which is one row of the matrix.
set -euo pipefail

has() { command -v "$1" >/dev/null; }

if ! { has chromium && has chromedriver; }; then
  if ! has apt-get; then
    echo "Install Chromium and chromedriver to run the browser tests." >&2
    exit 1
  fi
  "$(dirname "$0")/apt.sh" chromium chromium-driver
fi
# What is not Debian may have no such package. Then its row says that it was not tested.
has firefox-esr || has firefox || "$(dirname "$0")/apt.sh" firefox-esr ||
  echo "NOT INSTALLED: Firefox, for want of the package firefox-esr" >&2
