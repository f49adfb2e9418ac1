#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes build/squall_VERSION_ARCH.deb from a staged install: for the Debian it is built on.
set -eu
: "${BUILD:=build}" "${MAKE:=make}" "${VERSION:?}"
for tool in dpkg-deb dpkg-shlibdeps; do
    command -v $tool >/dev/null || { echo "deb: $tool is missing (package dpkg-dev)" >&2; exit 3; }
done
umask 022
top=$(pwd) stage=$BUILD/deb/root work=$BUILD/deb/work
arch=$(dpkg --print-architecture)
rm -rf "$BUILD/deb"
mkdir -p "$work/debian"
$MAKE --no-print-directory BUILD="$BUILD" MODE=release DESTDIR="$stage" PREFIX=/usr \
    ZSHDIR=/usr/share/zsh/vendor-completions install >/dev/null
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$stage/usr/bin/squall"

doc=$stage/usr/share/doc/squall
install -d "$doc"
cat >"$doc/copyright" <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: squall

Files: *
Copyright: 2026 the authors of squall
License: GPL-3+
 This program is free software: you can redistribute it and/or modify it under the terms of the GNU
 General Public License as published by the Free Software Foundation, either version 3 of the License,
 or (at your option) any later version.
 .
 On Debian systems the text of version 3 is in /usr/share/common-licenses/GPL-3.
END
when=$(date -u -R ${SOURCE_DATE_EPOCH:+-d "@$SOURCE_DATE_EPOCH"})
maintainer='squall maintainers <maintainers@squall.invalid>'
gzip -9n >"$doc/changelog.gz" <<END
squall ($VERSION) unstable; urgency=medium

  * Version $VERSION.

 -- $maintainer  $when
END
find "$stage/usr/share/man" -type f -exec gzip -9n {} +

cat >"$work/debian/control" <<END
Source: squall
Maintainer: $maintainer

Package: squall
Architecture: any
END
needs=$(cd "$work" && dpkg-shlibdeps -O -e "$top/$stage/usr/bin/squall" 2>"$top/$work/shlibdeps.log" |
    sed -n 's/^shlibs:Depends=//p')
needs="$needs, libpangocairo-1.0-0" # opened when something is drawn
[ "$needs" != ', libpangocairo-1.0-0' ] || { cat "$work/shlibdeps.log" >&2; exit 3; }
install -d "$stage/DEBIAN"
cat >"$stage/DEBIAN/control" <<END
Package: squall
Version: $VERSION
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -k -s "$stage/usr" | cut -f 1)
Depends: $needs
Recommends: fonts-dejavu-core | fonts-liberation
Section: net
Priority: optional
Description: simulator of retry storms
 When something that many systems call goes down and comes back, their
 retries, backlogs and autoscalers decide whether it falls over again.
 squall simulates that: what hits the dependency, when the backlog is gone,
 and which of several policies helps.
 .
 It ships the retry policies, breakers, budgets and autoscalers of many
 systems as presets, and reads the configuration of Kubernetes, KEDA, Istio,
 Envoy, gRPC and others.
END
(cd "$stage" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum) >"$stage/DEBIAN/md5sums"
chmod 644 "$stage/DEBIAN/md5sums"
deb=$BUILD/squall_${VERSION}_$arch.deb
dpkg-deb --root-owner-group --build "$stage" "$deb" >/dev/null
echo "  DEB  $deb"
