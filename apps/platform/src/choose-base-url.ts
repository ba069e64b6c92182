import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";

/** Where people reach this installation, root path included: the configured address, else where this request was sent. */
export function chooseBaseUrl(
  { publicUrl, rootPath }: Pick<PlatformSettings, "publicUrl" | "rootPath">,
  host: string | string[] | undefined,
): string {
  return publicUrl ?? `http://${typeof host === "string" ? host : "localhost"}${rootPath}`;
}
