import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { fastify } from "fastify";

interface ReferenceScript {
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

let loaded: Promise<ReferenceScript> | undefined;

/** Loads the reference page's script on first use, because most instances never show the page. */
export function loadReferenceScript(): Promise<ReferenceScript> {
  loaded ??= extractScript();
  return loaded;
}

/**
 * Extracts the script. The package exposes the script only through a route of its plugin, so the gateway calls that
 * route once, in memory.
 */
async function extractScript(): Promise<ReferenceScript> {
  const { default: plugin } = await import("@scalar/fastify-api-reference");
  const app = fastify({ logger: false });
  await app.register(plugin, { routePrefix: "/reference", configuration: { url: "/" } });
  const { statusCode, rawPayload } = await app.inject("/reference/js/scalar.js");
  await app.close();
  if (statusCode !== 200) throw new Error(`could not load the API reference script: ${statusCode}`);
  return { plain: rawPayload, gzipped: await promisify(gzip)(rawPayload, { level: 9 }) };
}
