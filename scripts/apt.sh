#!/usr/bin/env bash
# Installs those of the named Debian packages that are missing; when none is, it does nothing.
set -euo pipefail

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
# The lists carry the dates of their server; when they were fetched, the folder of downloads tells.
lists_are_fresh() {
  compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null &&
    [ -n "$(find /var/lib/apt/lists/partial -maxdepth 0 -mmin -60 2>/dev/null)" ]
}
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

missing=()
for package in "$@"; do
  installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

export DEBIAN_FRONTEND=noninteractive
lists_are_fresh || as_root apt-get update -qq
as_root apt-get install -y -qq --no-install-recommends "${missing[@]}"
