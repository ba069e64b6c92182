import { execFileSync } from "node:child_process";
import { join } from "node:path";

export interface HostileBlob {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Returns blobs that must be rejected. Blobs that contain code create the file `marker` when they run. */
export function makeHostileBlobs(marker: string): HostileBlob[] {
  const program = join(import.meta.dirname, "make_blobs.py");
  const printed = execFileSync("python3", [program, marker], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return printed
    .trimEnd()
    .split("\n")
    .map((line) => {
      const { name, base64 } = JSON.parse(line) as { name: string; base64: string };
      return { name, bytes: Buffer.from(base64, "base64") };
    });
}
