import { consolePath } from "../../base-path.ts";

/** Opens the console anew for whoever has just signed in; only at an address of its own, whatever the page was given. */
export function enterConsole(next: string | undefined): void {
  const isOwn = next !== undefined && /^\/(?![/\\])/.test(next) && !next.includes("\\");
  window.location.assign(consolePath + (isOwn ? next : "/"));
}
