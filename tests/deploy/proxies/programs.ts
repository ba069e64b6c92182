import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { tools } from "../paths.ts";

const folder = join(tools, "debian");

// Dependencies that a small machine may lack are unpacked next to the program.
const packages = {
  nginx: ["nginx"],
  haproxy: ["haproxy", "liblua5.3-0", "libopentracing-c-wrapper0", "libopentracing1"],
  caddy: ["caddy"],
} as const;

const paths = { nginx: "usr/sbin/nginx", haproxy: "usr/sbin/haproxy", caddy: "usr/bin/caddy" } as const;

export type ProxyName = keyof typeof packages;

/**
 * Returns a proxy program that is unpacked from the distribution's package under tools/. Installs nothing and starts no
 * service.
 */
export function findProxy(name: ProxyName): string {
  const program = join(folder, paths[name]);
  if (existsSync(program)) return program;
  const downloads = join(folder, "downloads", name);
  mkdirSync(downloads, { recursive: true });
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: downloads, stdio: ["ignore", "ignore", "pipe"] });
  try {
    run("apt-get", "download", ...packages[name]);
  } catch {
    run("apt-get", "update", "--quiet");
    run("apt-get", "download", ...packages[name]);
  }
  for (const archive of readdirSync(downloads)) run("dpkg", "-x", archive, folder);
  return program;
}

/** Folders that contain the unpacked libraries. */
export const libraryPath = ["x86_64", "aarch64"].map((name) => join(folder, `usr/lib/${name}-linux-gnu`)).join(":");
