import type { Io } from "@tollgate/runtime/exit.ts";

/** Variables that are set in a session with a screen on this machine. */
const DISPLAYS = ["DISPLAY", "WAYLAND_DISPLAY"] as const;

/**
 * Reports whether a browser that is opened now would appear in front of the user: the command runs in a terminal, not
 * in CI and not over SSH, and on Linux there is a screen. Without a screen, `xdg-open` may start a browser in text mode.
 */
export function canOpenBrowser({ stdout, env }: Pick<Io, "stdout" | "env">, platform: NodeJS.Platform): boolean {
  if (stdout.isTTY !== true || env.CI || env.SSH_CONNECTION) return false;
  return platform === "darwin" || platform === "win32" || DISPLAYS.some((name) => env[name]);
}
