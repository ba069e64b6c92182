import type { PreparedTarget, TargetSettings } from "../../call/provider.ts";
import { prepareTarget } from "../build-request.ts";
import { credentialText, projectOf } from "./google-credentials.ts";

/** Default location if none is configured (same as LiteLLM). */
const DEFAULT_LOCATION = "us-central1";

const ADDRESS = /^https:\/\/([a-z0-9-]+)-aiplatform\.googleapis\.com/;

/** Returns the Vertex AI URL for the target's location. */
export function vertexAddress(target: TargetSettings): string {
  const location = locationOf(target);
  if (location === "global" || isExpress(target)) return "https://aiplatform.googleapis.com";
  if (location === "us" || location === "eu") return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}

/**
 * Prepares the data that calls to a model share, including the path prefix with the project and location. `version` is
 * the default API version.
 */
export function prepareVertex(target: TargetSettings, version: string): PreparedTarget {
  const key = isExpress(target) ? target.apiKey : null;
  const root = `/${encodeURIComponent(target.apiVersion ?? version)}`;
  const prefix = isExpress(target)
    ? root
    : `${root}/projects/${encodeURIComponent(projectOf(target))}/locations/${locationOf(target)}`;
  return {
    ...prepareTarget(target.upstreamModel, key, (secret) => ["x-goog-api-key", secret]),
    path: { prefix, suffix: "" },
  };
}

/** Reports whether calls use an API key. An API key determines the project, so the path contains no project. */
function isExpress(target: TargetSettings): boolean {
  return target.apiKey !== null && credentialText(target) === null;
}

/** Returns the location from the settings, or from a Google base URL. */
function locationOf({ options, apiBase }: TargetSettings): string {
  if (typeof options.vertex_location === "string") return encodeURIComponent(options.vertex_location);
  if (apiBase?.startsWith("https://aiplatform.googleapis.com") === true) return "global";
  return ADDRESS.exec(apiBase ?? "")?.[1] ?? DEFAULT_LOCATION;
}
