import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { SESSION_COOKIES } from "../http/authenticate.ts";

const [HTTPS_COOKIE, HTTP_COOKIE] = SESSION_COOKIES;

/** The header that gives a browser its session. No script can read it, and over https no other site can plant one. */
export function sessionCookie(
  settings: PlatformSettings,
  token: string,
  maxAgeMs: number,
): Readonly<Record<string, string>> {
  const isHttps = settings.publicUrl?.startsWith("https://") === true;
  // The name that binds a cookie to its host demands the whole of it.
  const path = isHttps || settings.rootPath === "" ? "/" : settings.rootPath;
  const value = `${isHttps ? HTTPS_COOKIE : HTTP_COOKIE}=${token}; Path=${path}; HttpOnly; SameSite=Lax`;
  const maxAgeSeconds = Math.max(0, Math.floor(maxAgeMs / 1_000));
  return { "set-cookie": `${value}; Max-Age=${maxAgeSeconds}${isHttps ? "; Secure" : ""}` };
}

/** The header that takes it back. */
export function clearedCookie(settings: PlatformSettings): Readonly<Record<string, string>> {
  return sessionCookie(settings, "", 0);
}
