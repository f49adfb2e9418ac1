# SPDX-License-Identifier: GPL-3.0-or-later
# The package holds what an install holds, says what it needs, and its program runs from there.
. tests/lib.sh
: "${MAKE:=make}"
for tool in dpkg-deb dpkg-shlibdeps; do
    command -v $tool >/dev/null || { skip 'the package' "there is no $tool"; finish; }
done

run "$MAKE" --no-print-directory BUILD="$BUILD" MODE=release deb
check 'the package is made' [ "$status" = 0 ]
deb=$(echo "$BUILD"/squall_*.deb)
run dpkg-deb -x "$deb" "$work/root"
check 'it can be unpacked' [ "$status" = 0 ]
run dpkg-deb -f "$deb" Depends
check 'it needs its libraries by name' grep -q 'libyaml-0-2.*' "$work/stdout"
for file in bin/squall share/man/man1/squall.1.gz share/man/man5/squall-scenario.5.gz \
    share/bash-completion/completions/squall share/zsh/vendor-completions/_squall \
    share/fish/vendor_completions.d/squall.fish share/doc/squall/copyright \
    share/squall/scenarios/squall.schema.json; do
    check "it holds $file" [ -s "$work/root/usr/$file" ]
done
same 'it holds the samples' scenarios "$work/root/usr/share/squall/scenarios"
run "$work/root/usr/bin/squall" run "$work/root/usr/share/squall/scenarios/first.yaml" --runs 1
check 'its program runs one of them' [ "$status" = 0 ]
run dpkg-deb -c "$deb"
check 'all of it belongs to root' sh -c "! grep -v ' root/root ' '$work/stdout'"
if command -v lintian >/dev/null; then
    run lintian --fail-on error "$deb"
    check 'lintian finds no error' [ "$status" = 0 ]
else
    skip 'lintian finds no error' 'there is no lintian'
fi
finish
