import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cache = fileURLToPath(new URL("../node_modules/.cache/nginx", import.meta.url));
const places = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/local/bin/nginx", join(cache, "usr/sbin/nginx")];

/**
 * Returns the path of the installed nginx. If nginx isn't installed, returns the path of a copy unpacked from the
 * distribution's package, which installs and starts no service.
 */
export function findNginx(): string {
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  mkdirSync(cache, { recursive: true });
  try {
    run("apt-get", ["download", "nginx"]);
  } catch {
    run("apt-get", ["update", "--quiet"]);
    run("apt-get", ["download", "nginx"]);
  }
  const archive = readdirSync(cache).find((name) => name.endsWith(".deb"));
  if (archive === undefined) throw new Error("the package archive of nginx was not downloaded");
  run("dpkg", ["-x", archive, "."]);
  return join(cache, "usr/sbin/nginx");
}

function run(command: string, args: string[]): void {
  execFileSync(command, args, { cwd: cache, stdio: ["ignore", "ignore", "pipe"] });
}
