# SPDX-License-Identifier: GPL-3.0-or-later
# What the schema says, judged by ajv: every shipped scenario is accepted, and of tests/bad every
# file is refused whose mistake a schema can see. ajv and yaml come from npm, into BUILD/npm.
. tests/lib.sh
npm=$BUILD/npm

# Mistakes that are no matter of structure: names that do not exist, expressions, order and sums of
# values, things YAML allows and the scenario language does not.
unseen='adaptive-start action-dead action-late action-no-control action-path anchor circle dangling-control dangling-dependency
dangling-queue expect-blanks expect-column expect-comparison expect-metric expect-minus expect-null
expect-other-variant expect-t1 expect-variant expect-word extends-circle extends-unknown latin-1
scaler-gate scaler-of-nodes scaler-steps scaler-unit breaker-ramp breaker-rejected breaker-state lease-zero limit-scope only-caller
outage-late points-backwards preset-close preset-shipped-name preset-unknown preset-word ramp-falls ramp-seconds refusal-cost slow-start-seconds sample-column
set-together steps-backwards
t1-late tag too-long too-many-bins trace-absent uniform-backwards workers-batch-slot workers-crashes-zero workers-memory workers-queue-twice workers-slots action-deploy call-held-by call-limit-counts client-held-by client-limit-counts action-redrive
call-lease-backoff queue-dedup queue-lease-backoff queue-retry-queue lease-acknowledged'

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    skip 'the schema before a validator' 'there is no node or no npm'
    finish
fi
if [ ! -d "$npm/node_modules/ajv" ] || [ ! -d "$npm/node_modules/yaml" ]; then
    mkdir -p "$npm"
    run npm install --prefix "$npm" --no-audit --no-fund ajv@8 yaml@2
    if [ "$status" != 0 ]; then
        skip 'the schema before a validator' 'npm cannot install ajv and yaml'
        finish
    fi
fi
case $npm in
/*) NODE_PATH=$npm/node_modules ;;
*) NODE_PATH=$PWD/$npm/node_modules ;;
esac
export NODE_PATH

run "$SQUALL" schema
cp "$work/stdout" "$work/schema.json"
run node tests/cli/schema.js "$work/schema.json" scenarios/*.yaml tests/cli/*.yaml tests/bad/*.yaml
check 'the validator takes the schema, strictly' [ "$status" = 0 ]
cp "$work/stdout" "$work/verdicts"

for yaml in scenarios/*.yaml tests/cli/*.yaml; do
    check "$yaml is accepted" grep -q -x "accepted $yaml" "$work/verdicts"
done
for yaml in tests/bad/*.yaml; do
    name=$(basename "$yaml" .yaml)
    case " $(echo $unseen) " in
    *" $name "*) check "$yaml cannot be seen" grep -q -x "accepted $yaml" "$work/verdicts" ;;
    *) check "$yaml is refused" grep -q -E "^(refused|no-yaml) $yaml( |\$)" "$work/verdicts" ;;
    esac
done
for name in $unseen; do
    check "tests/bad/$name.yaml exists" [ -f "tests/bad/$name.yaml" ]
done
finish
