import { invalidField } from "@tollgate/contracts/management/failure.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";

/** Checks a return URL. It must belong to this instance or to an allowed origin. */
export function checkReturnUrl(field: string, text: string, baseUrl: string, settings: PlatformSettings): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const allowed = [new URL(baseUrl).origin, ...settings.allowedOrigins];
  if (url === null || url.username !== "" || url.password !== "" || !allowed.includes(url.origin)) {
    throw invalidField(field, `must be a URL with one of these origins: ${allowed.join(", ")}`);
  }
  return url.href;
}
