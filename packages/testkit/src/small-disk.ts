import { execFileSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { needs } from "./needs.ts";

/** Options of a test that mounts a small disk. Root in a container often may not mount. */
export const needsDisk = needs("the right to mount a disk", canMount());

/** Mounts an empty disk of this size, such as `64k`, for the duration of the test. */
export function mountDisk(size: string): { readonly folder: string; remount(mode: "ro" | "rw"): void } {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder]);
  // Unmount lazily, because a failed test may still have files open.
  onTestFinished(() => unmount(folder));
  return { folder, remount: (mode) => void execFileSync("mount", ["-o", `remount,${mode}`, folder]) };
}

function unmount(folder: string): void {
  execFileSync("umount", ["-l", folder]);
  rmdirSync(folder);
}

function canMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), "tollgate-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], { stdio: "ignore" });
  } catch {
    rmdirSync(folder);
    return false;
  }
  unmount(folder);
  return true;
}
