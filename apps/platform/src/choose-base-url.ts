import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";

/** Where people reach this installation, root path included: the configured address, else where this request was sent. */
export function chooseBaseUrl(
  { publicUrl, rootPath }: Pick<PlatformSettings, "publicUrl" | "rootPath">,
  host: string | string[] | undefined,
): string {
  if (publicUrl !== null) return publicUrl;
  // A port or a number may be too large: what reads the address later would fail on it.
  const isHost = typeof host === "string" && URL.canParse(`http://${host}`);
  return `http://${isHost ? host : "localhost"}${rootPath}`;
}
