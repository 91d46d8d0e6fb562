#!/usr/bin/env bash
# Installs the release VERSION from GitHub, checks its digest, and puts it on PATH for later steps.
set -euo pipefail

version=${VERSION#v}
case $RUNNER_OS in
Linux) system=linux ;;
macOS) system=darwin ;;
*)
	echo "::error::beameval runs on Linux and macOS, not on $RUNNER_OS"
	exit 2
	;;
esac
case $RUNNER_ARCH in
X64) processor=amd64 ;;
ARM64) processor=arm64 ;;
*)
	echo "::error::beameval runs on X64 and ARM64, not on $RUNNER_ARCH"
	exit 2
	;;
esac

archive=beameval_${version}_${system}_${processor}.tar.gz
folder=$RUNNER_TEMP/beameval-$version
mkdir -p "$folder"
cd "$folder"
for file in "$archive" checksums.txt; do
	curl --fail --silent --show-error --location --proto '=https' --output "$file" \
		"https://github.com/beameval/beameval/releases/download/v$version/$file"
done
grep " $archive\$" checksums.txt >checksum.txt || {
	echo "::error::checksums.txt of release $version does not list $archive"
	exit 1
}
if command -v sha256sum >/dev/null; then
	sha256sum --check checksum.txt
else
	shasum --algorithm 256 --check checksum.txt
fi
tar --extract --gzip --file "$archive"
echo "$folder" >>"$GITHUB_PATH"
