import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { buildCatalog, type Edition } from "./build-catalog.ts";

/** Increase the version with each new set of model data, because usage rows refer to the version that priced them. */
const edition: Edition = {
  version: "2026-09.1",
  pricesAt: new Date("2026-09-01T12:00:00Z"),
  sources: {
    litellm: { name: "LiteLLM 1.99.0, litellm/model_prices_and_context_window_backup.json", asOf: "2026-09-01" },
    "genai-prices": { name: "@pydantic/genai-prices 0.1.8", asOf: "2026-08-31" },
  },
};

const USAGE =
  "usage: node packages/catalog/generate/generate-catalog.ts --facts <jsonl> --prices <LiteLLM's price list> --out <json>";

const options = { facts: { type: "string" }, prices: { type: "string" }, out: { type: "string" } } as const;
const { facts, prices, out } = parseArgs({ options }).values;
if (!facts || !prices || !out) {
  console.error(USAGE);
  process.exit(2);
}
writeFileSync(out, buildCatalog(readFileSync(facts, "utf8"), readFileSync(prices, "utf8"), edition));
