import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { buildCatalog } from "./build-catalog.ts";

/** Increase the version with each new set of model data, because usage rows refer to the version that priced them. */
const edition = { version: "2026-08.1", pricesAt: new Date("2026-08-31T12:00:00Z") };

const { values } = parseArgs({ options: { facts: { type: "string" }, out: { type: "string" } } });
if (!values.facts || !values.out) {
  console.error("usage: node packages/catalog/generate/generate-catalog.ts --facts <jsonl> --out <json>");
  process.exit(2);
}
writeFileSync(values.out, buildCatalog(readFileSync(values.facts, "utf8"), edition));
