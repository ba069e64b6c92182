import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Returns a folder's size and number of files, without following links. */
export function measureFolder(folder: string): { readonly megabytes: number; readonly files: number } {
  let bytes = 0;
  let files = 0;
  for (const name of readdirSync(folder, { recursive: true }) as string[]) {
    const found = lstatSync(join(folder, name));
    if (!found.isFile()) continue;
    bytes += found.size;
    files += 1;
  }
  return { megabytes: Math.round(bytes / 1e6), files };
}
