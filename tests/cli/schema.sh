# SPDX-License-Identifier: GPL-3.0-or-later
# squall schema and squall init: the copies in scenarios/ are what the program writes today, and
# what init writes runs and holds. (schema_valid.sh asks a validator what the schema accepts.)
#
#   schema.sh --update     rewrites squall.schema.json, KEYS.md and first.yaml in scenarios/
. tests/lib.sh

run "$SQUALL" schema
check 'schema ends with 0' [ "$status" = 0 ]
check 'schema: nothing on stderr' [ ! -s "$work/stderr" ]
cp "$work/stdout" "$work/schema.json"
run "$SQUALL" help scenario
check 'help scenario ends with 0' [ "$status" = 0 ]
cp "$work/stdout" "$work/KEYS.md"
run "$SQUALL" init "$work/first.yaml"
check 'init ends with 0' [ "$status" = 0 ]
check 'init says what it wrote' grep -F -q "$work/first.yaml is written" "$work/stdout"
if [ "${1:-}" = --update ]; then
    cp "$work/schema.json" scenarios/squall.schema.json
    cp "$work/KEYS.md" scenarios/KEYS.md
    cp "$work/first.yaml" scenarios/first.yaml
fi
same 'the schema of scenarios/ is of today (make golden-update)' \
    scenarios/squall.schema.json "$work/schema.json"
same 'the keys of scenarios/ are of today (make golden-update)' scenarios/KEYS.md "$work/KEYS.md"
same 'the first scenario of scenarios/ is that of init' scenarios/first.yaml "$work/first.yaml"

run "$SQUALL" check "$work/first.yaml"
check 'what init writes holds' [ "$status" = 0 ]
check 'it expects something of each variant' grep -q '^3 passed, 0 failed' "$work/stdout"

echo mine >"$work/taken.yaml"
run "$SQUALL" init "$work/taken.yaml"
check 'init on a file that is there is refused' [ "$status" = 2 ]
check 'init names the file' grep -F -q "$work/taken.yaml" "$work/stderr"
check 'init leaves it alone' [ "$(cat "$work/taken.yaml")" = mine ]
ln -s nowhere "$work/link.yaml"
run "$SQUALL" init "$work/link.yaml"
check 'init on a dangling link is refused' [ "$status" = 2 ]
run "$SQUALL" init "$work/absent/first.yaml"
check 'init into a folder that is not there fails' [ "$status" != 0 ]
check 'and names the file' grep -F -q "$work/absent/first.yaml" "$work/stderr"

case $SQUALL in
/*) program=$SQUALL ;;
*) program=$PWD/$SQUALL ;;
esac
mkdir "$work/empty"
cd "$work/empty" || exit 1
run "$program" init
check 'init without a name ends with 0' [ "$status" = 0 ]
same 'it writes scenario.yaml' "$work/first.yaml" scenario.yaml
run "$program" init
check 'a second init is refused' [ "$status" = 2 ]
finish
