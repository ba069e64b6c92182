import { consolePath } from "../../base-path.ts";

/** Reloads the console after sign-in. Redirects only to the console's own paths, to prevent open redirects. */
export function enterConsole(next: string | undefined): void {
  const isOwn = next !== undefined && /^\/(?![/\\])/.test(next) && !next.includes("\\");
  window.location.assign(consolePath + (isOwn ? next : "/"));
}
