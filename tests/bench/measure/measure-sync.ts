import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { quantile } from "./statistics.ts";

const writes = 60;

/**
 * Measures how long this disk takes to sync a small append. A gateway with a journal cannot respond faster than that.
 */
export function measureSyncMs(directory: string): number {
  const file = openSync(join(directory, "sync-probe"), "a");
  const record = Buffer.alloc(192);
  const times = Array.from({ length: writes }, () => {
    const startedAt = performance.now();
    writeSync(file, record);
    fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  return quantile(times, 0.5);
}
