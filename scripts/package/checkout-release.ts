import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Checks out the previous release with its dependencies in a separate folder. Returns the folder. */
export function checkoutRelease(root: string, folder: string): string {
  const { commit } = JSON.parse(readFileSync(join(root, "scripts/previous-release.json"), "utf8")) as {
    commit: string;
  };
  const archive = execFileSync("git", ["archive", "--format=tar", commit], { cwd: root, maxBuffer: 1e9 });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  execFileSync(
    join(root, "bin/pnpm"),
    ["--dir", folder, "install", "--frozen-lockfile", "--prefer-offline", "--silent"],
    {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  return folder;
}
