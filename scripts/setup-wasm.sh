#!/usr/bin/env bash
# Makes this machine able to build the WebAssembly: a Rust with the wasm32 target, and the
# command-line tool of wasm-bindgen in exactly the crate's version. What is in place is left alone.
#
# A Rust from rustup gets the target by `rustup target add`. Where that cannot be had, Debian's
# packages bring a compiler that lacks the target's standard library but has its source, and the
# library is built from it, once. scripts/wasm-toolchain.mjs finds whichever of the two is there.
set -euo pipefail
cd "$(dirname "$0")/.."

target=wasm32-unknown-unknown
debian_rustc=/usr/bin/rustc

in_place() { has_std rustc || has_std $debian_rustc; }

has_std() {
  command -v "$1" >/dev/null || return 1
  local std
  std=$("$1" --print sysroot)/lib/rustlib/$target
  compgen -G "$std/lib/libstd-*.rlib" >/dev/null || return 1
  # A compiler refuses what an older one built: a library with a stamp is good for that one only.
  [ ! -e "$std/stamp" ] || [ "$(cat "$std/stamp")" = "$(stamp)" ]
}

stamp() {
  echo "$($debian_rustc -vV | sed -n 's/^commit-hash: //p')" \
    "$(dpkg-query -W -f '${Version}' rustc-web)"
}

add_by_rustup() {
  command -v rustup >/dev/null && timeout 30 rustup target add "$target" && has_std rustc
}

build_for_debian() {
  if ! command -v apt-get >/dev/null; then
    echo "No Rust for $target could be set up: install rustup, or run on Debian." >&2
    exit 1
  fi
  scripts/apt.sh rustc-web cargo-web rust-web-src rust-web-clippy lld-22
  if has_std $debian_rustc; then return; fi

  local rustlib std work
  rustlib=$($debian_rustc --print sysroot)/lib/rustlib
  std=$rustlib/$target
  work=$(mktemp -d)
  build_std "$rustlib" "$work"
  rm -rf "$std"
  mkdir -p "$std/lib" "$rustlib/x86_64-unknown-linux-gnu/bin"
  find "$work/target/$target/release/deps" -name '*.rlib' ! -name 'libseed-*' \
    -exec cp {} "$std/lib/" \;
  # For this target rustc links with a copy of lld of its own, which it looks for here.
  ln -sf /usr/bin/lld-22 "$rustlib/x86_64-unknown-linux-gnu/bin/rust-lld"
  stamp >"$std/stamp"
  rm -rf "$work"
}

# Builds an empty crate and the standard library under it; the library is what is wanted.
build_std() {
  local rustlib=$1 work=$2 flags
  mkdir -p "$work/seed/src"
  echo '#![no_std]' >"$work/seed/src/lib.rs"
  printf '[package]\nname = "seed"\nversion = "0.0.0"\nedition = "2024"\n' >"$work/seed/Cargo.toml"

  # Link-time optimisation works on bitcode; the remaps keep this machine's folders out.
  flags="-Cembed-bitcode=yes -Cdebuginfo=0"
  flags+=" --remap-path-prefix=$rustlib/src/rust=/rustc"
  flags+=" --remap-path-prefix=$(readlink -f "$rustlib/src/rust")=/rustc"
  flags+=" --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"

  # -Zbuild-std is unstable, hence RUSTC_BOOTSTRAP; `test` is the crate that `cargo test` links.
  (
    cd "$work/seed"
    PATH=/usr/bin:$PATH RUSTC=$debian_rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=$work/target \
      CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS=$flags \
      /usr/bin/cargo build --quiet --release --target "$target" \
      -Zbuild-std=std,panic_abort,test
  )
}

# The tool and the crate share a private format, so the tool's version is read from the crate's.
install_wasm_bindgen() {
  local version bin
  version=$(sed -n 's/^wasm-bindgen = .*"=\([0-9.]*\)".*/\1/p' Cargo.toml)
  if [ -z "$version" ]; then
    echo 'Cargo.toml does not pin wasm-bindgen to one version ("=x.y.z").' >&2
    exit 1
  fi
  bin=${CARGO_HOME:-$HOME/.cargo}/bin
  if [ "$("$bin/wasm-bindgen" --version 2>/dev/null)" != "wasm-bindgen $version" ]; then
    # Unoptimised it is built in a minute instead of several, and is fast enough for this crate.
    cargo install --quiet --debug --force wasm-bindgen-cli --version "$version"
  fi
}

# The last of the three is called outside a condition, so that any failure in it ends the script.
if ! in_place && ! add_by_rustup; then
  build_for_debian
fi
install_wasm_bindgen
