import { spawnSync } from "node:child_process";
import { join } from "node:path";

const ui = join(import.meta.dirname, "../../../apps/ui");

/**
 * Builds this checkout's console into a separate folder, so that the build is current and other builds stay unchanged.
 */
export function buildConsole(folder: string): void {
  const vite = join(ui, "node_modules/.bin/vite");
  const { status, stdout, stderr } = spawnSync(vite, ["build", "--outDir", folder, "--emptyOutDir"], {
    cwd: ui,
    // The page with all components is not part of a release.
    env: { ...process.env, VITE_COMPONENT_GALLERY: "1" },
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the console does not build:\n${stdout.slice(-2_000)}${stderr.slice(-4_000)}`);
}
