// SPDX-License-Identifier: GPL-3.0-or-later
// Validates YAML files by a JSON Schema 2020-12: node schema.js SCHEMA FILE...
// Prints `accepted FILE`, `refused FILE REASON` or `no-yaml FILE`, one line each. Needs ajv and yaml.
const fs = require('fs');
const Ajv = require('ajv/dist/2020');
const yaml = require('yaml');

const [schema, ...files] = process.argv.slice(2);
const ajv = new Ajv({ strict: true, strictRequired: false, strictTypes: false, allowUnionTypes: true });
const validate = ajv.compile(JSON.parse(fs.readFileSync(schema, 'utf8')));

for (const file of files) {
    let value;
    try {
        value = yaml.parse(fs.readFileSync(file, 'utf8'), { logLevel: 'error' });
    } catch (error) {
        console.log(`no-yaml ${file}`);
        continue;
    }
    if (validate(value)) {
        console.log(`accepted ${file}`);
    } else {
        // The deepest place is the most telling one.
        const depth = (e) => e.instancePath.split('/').length;
        const worst = validate.errors.reduce((a, b) => (depth(b) > depth(a) ? b : a));
        console.log(`refused ${file} ${worst.instancePath}: ${worst.message}`);
    }
}
