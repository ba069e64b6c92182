import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { SOURCES, type Validate } from "./schema.ts";

/** Creates a validator for Compose files from the schema of the Compose specification. */
export function createComposeValidator(): Validate {
  const schema = JSON.parse(readFileSync(new URL("compose/compose-spec.json", SOURCES), "utf8"));
  const validate = new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(schema);
  return (document) =>
    validate(document) ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}
