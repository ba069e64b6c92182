import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";

/** Where people reach this installation: the configured address, else the one this request was sent to. */
export function chooseBaseUrl(
  { publicUrl }: Pick<PlatformSettings, "publicUrl">,
  host: string | string[] | undefined,
): string {
  return publicUrl ?? `http://${typeof host === "string" ? host : "localhost"}`;
}
