import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";

/**
 * Returns the public base URL, including the root path. Uses the configured URL or, if there is none, the Host header.
 */
export function chooseBaseUrl(
  { publicUrl, rootPath }: Pick<PlatformSettings, "publicUrl" | "rootPath">,
  host: string | string[] | undefined,
): string {
  if (publicUrl !== null) return publicUrl;
  // An invalid port or IP address would make later URL parsing fail.
  const isHost = typeof host === "string" && URL.canParse(`http://${host}`);
  return `http://${isHost ? host : "localhost"}${rootPath}`;
}

/** Returns the URL of the documentation, which each server serves. */
export function docsUrlOn(host: string | string[] | undefined, settings: PlatformSettings): string {
  return `${chooseBaseUrl(settings, host)}/docs`;
}
