import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildSite } from "../apps/docs/src/build-site.ts";

// Builds the documentation as static files, which the server serves at /docs and any web server can host.

const root = join(import.meta.dirname, "..");
const { values } = parseArgs({ options: { out: { type: "string", default: join(root, "apps/docs/dist") } } });
const startedAtMs = performance.now();
const { pages, files, bytes } = buildSite(root, resolve(values.out));
const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
console.log(`docs: ${pages} pages, ${files} files, ${(bytes / 1e6).toFixed(1)} MB in ${seconds} s`);
