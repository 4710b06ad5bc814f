// Whether a file fits the schema that speedscope's package brings.
//   node check_speedscope.mjs DIRECTORY_OF_THE_PACKAGES FILE
// Exits with 1 and prints what does not fit.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [packages, file] = process.argv.slice(2);
const Ajv = createRequire(join(packages, "package.json"))("ajv").default;
const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const schema = read(join(packages, "node_modules/speedscope/dist/release/file-format-schema.json"));
// The schema has notes ("title" and the like) that strict mode does not know everywhere.
const validate = new Ajv({ strict: false }).compile(schema);
if (!validate(read(file))) {
  console.error(JSON.stringify(validate.errors, null, 1));
  process.exit(1);
}
