import { spawn } from "node:child_process";
import type { Io } from "./io.ts";

/** Opens a page in the local browser. Returns false if no browser could be started. */
export async function openBrowser(url: string, io: Pick<Io, "stderr">): Promise<boolean> {
  if (!/^https?:\/\//.test(url) || io.stderr.isTTY !== true) return false;
  const [program, ...args] = programs[process.platform] ?? ["xdg-open"];
  return new Promise((resolve) => {
    const child = spawn(program as string, [...args, url], { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}

const programs: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
