# SPDX-License-Identifier: GPL-3.0-or-later
# scenarios/seed-claims/README.md: every file it names exists, every scenario of the folder stands on
# it, every preset exists, and so does every lint rule that it puts beside the checklist.
. tests/lib.sh
folder=scenarios/seed-claims
page=$folder/README.md

for link in $(grep -o '](\([a-z0-9./-]*\))' "$page" | tr -d ']()' | sort -u); do
    check "the page names $link, which exists" [ -f "$folder/$link" ]
done
for file in "$folder"/*.yaml; do
    check "$file stands on the page" grep -q -F "($(basename "$file"))" "$page"
done

run "$SQUALL" lint --rules
sed -n '/^## The checklist/,$p' "$page" | grep -o '`[a-z0-9]*-[a-z0-9-]*`' | tr -d '`' | sort -u >"$work/rules"
check 'the checklist names rules' [ "$(wc -l <"$work/rules")" -ge 20 ]
while read -r rule; do
    check "the rule $rule exists" grep -q "^$rule (" "$work/stdout"
done <"$work/rules"

sed -n '/^## About libraries/,/^## The checklist/p' "$page" | grep -o '(`[^)]*`)' | tr -d '()`' |
    tr ', ' '\n\n' | grep . | sort -u >"$work/presets"
while read -r preset; do
    run "$SQUALL" presets "$preset"
    check "the preset $preset exists" [ "$status" = 0 ]
done <"$work/presets"
finish
