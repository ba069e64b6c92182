import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { RequestHeaders } from "../call/request-headers.ts";

/**
 * Returns the URL of the documentation that this server serves: below the configured public URL, or else on the host
 * that the client used. Without a host, returns the path.
 */
export function docsUrlOn(host: string | null, { platform, general }: Settings, isTls: boolean): string {
  if (platform.publicUrl !== null) return `${platform.publicUrl}/docs`;
  const origin = host === null ? "" : `${isTls ? "https" : "http"}://${host}`;
  return `${origin}${general.serverRootPath}/docs`;
}

/**
 * Returns the host that the client used, which must have been checked. Requests of other processes of this instance use
 * an internal host, which means nothing to the user.
 */
export function hostOf({ host, internal }: Pick<RequestHeaders, "host" | "internal">): string | null {
  return internal === null ? host : null;
}
