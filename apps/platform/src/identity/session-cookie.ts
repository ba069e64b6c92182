import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { SESSION_COOKIES } from "../http/authenticate.ts";

/** Returns the header that sets the session cookie. */
export function sessionCookie(
  settings: PlatformSettings,
  token: string,
  maxAgeMs: number,
): Readonly<Record<string, string>> {
  return { "set-cookie": writeCookie(settings, SESSION_COOKIES, token, maxAgeMs) };
}

/**
 * Formats a cookie that scripts can't read. Over HTTPS, its name has a prefix that prevents other sites from planting
 * it.
 */
export function writeCookie(
  settings: PlatformSettings,
  [httpsName, httpName]: readonly [string, string],
  content: string,
  maxAgeMs: number,
): string {
  const isHttps = settings.publicUrl?.startsWith("https://") === true;
  // The `__Host-` prefix requires the path `/`.
  const path = isHttps || settings.rootPath === "" ? "/" : settings.rootPath;
  const value = `${isHttps ? httpsName : httpName}=${content}; Path=${path}; HttpOnly; SameSite=Lax`;
  const maxAgeSeconds = Math.max(0, Math.floor(maxAgeMs / 1_000));
  return `${value}; Max-Age=${maxAgeSeconds}${isHttps ? "; Secure" : ""}`;
}

/** Returns the header that clears the session cookie. */
export function clearedCookie(settings: PlatformSettings): Readonly<Record<string, string>> {
  return sessionCookie(settings, "", 0);
}
