import { prepareTarget } from "../prepare-target.ts";
import type { PreparedTarget, TargetSettings } from "../provider.ts";
import { credentialText, readGoogleCredentials } from "./google-credentials.ts";

/** Where files that name no location mean, by the habit of those who come from LiteLLM. */
const DEFAULT_LOCATION = "us-central1";

const ADDRESS = /^https:\/\/([a-z0-9-]+)-aiplatform\.googleapis\.com/;

/** Where Google's models of a location are called. */
export function vertexAddress(target: TargetSettings): string {
  const location = locationOf(target);
  if (location === "global" || isExpress(target)) return "https://aiplatform.googleapis.com";
  if (location === "us" || location === "eu") return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}

/**
 * What calls to a model share; the path of its project and place stands before every operation's. `version` is that of
 * the interface, unless the settings name one.
 */
export function prepareVertex(target: TargetSettings, version: string): PreparedTarget {
  const key = isExpress(target) ? target.apiKey : null;
  const root = `/${encodeURIComponent(target.apiVersion ?? version)}`;
  const prefix = isExpress(target) ? root : `${root}/projects/${projectOf(target)}/locations/${locationOf(target)}`;
  return {
    ...prepareTarget(target.upstreamModel, key, (secret) => ["x-goog-api-key", secret]),
    path: { prefix, suffix: "" },
  };
}

/** Whether calls go under a key, which belongs to a project without saying so. */
function isExpress(target: TargetSettings): boolean {
  return target.apiKey !== null && credentialText(target) === null;
}

/** The location of the settings, or the one that an address of Google's belongs to. */
function locationOf({ options, apiBase }: TargetSettings): string {
  if (typeof options.vertex_location === "string") return encodeURIComponent(options.vertex_location);
  if (apiBase?.startsWith("https://aiplatform.googleapis.com") === true) return "global";
  return ADDRESS.exec(apiBase ?? "")?.[1] ?? DEFAULT_LOCATION;
}

/** The project of the settings, or the one that the credentials belong to. */
function projectOf(target: TargetSettings): string {
  const { vertex_project: named } = target.options;
  if (typeof named === "string") return encodeURIComponent(named);
  try {
    return encodeURIComponent(readGoogleCredentials(target)?.project ?? "");
  } catch {
    // Calls under credentials that cannot be read are not sent anyway.
    return "";
  }
}
