#!/bin/bash
# Builds the .deb with dpkg-deb where electron-builder's own fpm cannot be downloaded (CUSTOM_FPM_PATH names this file).
# Takes the options that electron-builder passes to `fpm -s dir -t deb`; an unknown one is an error, not a guess.
set -euo pipefail
staged=$(mktemp -d)
trap 'rm -rf "$staged"' EXIT
mkdir -p "$staged/DEBIAN"
depends=() recommends=() compression=xz description="" homepage=""
while (($#)); do
  case $1 in
    -s | -t | --deb-priority | --vendor | --license) shift ;;
    --force) ;;
    -d) depends+=("$2"); shift ;;
    --deb-recommends) recommends+=("$2"); shift ;;
    --deb-compression) compression=$2; shift ;;
    --architecture) architecture=$2; shift ;;
    --after-install) install -m 755 "$2" "$staged/DEBIAN/postinst"; shift ;;
    --after-remove) install -m 755 "$2" "$staged/DEBIAN/postrm"; shift ;;
    --description) description=$2; shift ;;
    --version) version=$2; shift ;;
    --package) output=$2; shift ;;
    --name) name=$2; shift ;;
    --maintainer) maintainer=$2; shift ;;
    --url) homepage=$2; shift ;;
    *=*)
      source=${1%%=*} target=$staged${1#*=}
      if [ -d "$source" ]; then mkdir -p "$target" && cp -a "$source/." "$target/"; else mkdir -p "$(dirname "$target")" && cp -a "$source" "$target"; fi
      ;;
    *) echo "fpm-dpkg: unknown option $1" >&2; exit 2 ;;
  esac
  shift
done
joined() { local IFS=,; echo "$*"; }
{
  echo "Package: $name"
  echo "Version: $version"
  echo "Architecture: $architecture"
  echo "Maintainer: $maintainer"
  [ -z "$homepage" ] || echo "Homepage: $homepage"
  [ ${#depends[@]} -eq 0 ] || echo "Depends: $(joined "${depends[@]}")"
  [ ${#recommends[@]} -eq 0 ] || echo "Recommends: $(joined "${recommends[@]}")"
  echo "Description: $(echo "$description" | tr '\n' ' ')"
} >"$staged/DEBIAN/control"
chmod 755 "$staged"
dpkg-deb --root-owner-group -Z"${compression/%gz/gzip}" --build "$staged" "$output"
