import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { fastify } from "fastify";

interface ReferenceScript {
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

let loaded: Promise<ReferenceScript> | undefined;

/** The program of the reference page, loaded when someone first reads the page: most instances never show it. */
export function loadReferenceScript(): Promise<ReferenceScript> {
  loaded ??= extractScript();
  return loaded;
}

/** The package gives its program away only through a route of its plugin, so the plugin is asked once, off the network. */
async function extractScript(): Promise<ReferenceScript> {
  const { default: plugin } = await import("@scalar/fastify-api-reference");
  const app = fastify({ logger: false });
  await app.register(plugin, { routePrefix: "/reference", configuration: { url: "/" } });
  const { statusCode, rawPayload } = await app.inject("/reference/js/scalar.js");
  await app.close();
  if (statusCode !== 200) throw new Error(`could not load the API reference script: ${statusCode}`);
  return { plain: rawPayload, gzipped: await promisify(gzip)(rawPayload, { level: 9 }) };
}
