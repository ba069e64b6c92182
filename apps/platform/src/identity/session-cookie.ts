import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { SESSION_COOKIES } from "../http/authenticate.ts";

/** The header that gives a browser its session. */
export function sessionCookie(
  settings: PlatformSettings,
  token: string,
  maxAgeMs: number,
): Readonly<Record<string, string>> {
  return { "set-cookie": writeCookie(settings, SESSION_COOKIES, token, maxAgeMs) };
}

/** A cookie that no script can read and, over https, no other site can plant. It has a name for https and one without. */
export function writeCookie(
  settings: PlatformSettings,
  [httpsName, httpName]: readonly [string, string],
  content: string,
  maxAgeMs: number,
): string {
  const isHttps = settings.publicUrl?.startsWith("https://") === true;
  // The name that binds a cookie to its host demands the whole of it.
  const path = isHttps || settings.rootPath === "" ? "/" : settings.rootPath;
  const value = `${isHttps ? httpsName : httpName}=${content}; Path=${path}; HttpOnly; SameSite=Lax`;
  const maxAgeSeconds = Math.max(0, Math.floor(maxAgeMs / 1_000));
  return `${value}; Max-Age=${maxAgeSeconds}${isHttps ? "; Secure" : ""}`;
}

/** The header that takes it back. */
export function clearedCookie(settings: PlatformSettings): Readonly<Record<string, string>> {
  return sessionCookie(settings, "", 0);
}
