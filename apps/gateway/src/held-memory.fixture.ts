import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Returns the memory in use, including garbage. After an upload, up to 70 MiB are buffers that nothing references. */
export function usedBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * Returns the memory that this process still references. Resident memory would include garbage and pages that the
 * allocator retains, and both depend on when the system runs the collector's threads.
 */
export function heldBytes(): number {
  // The first collection frees buffers in the background, and the second one waits for that.
  collect();
  collect();
  return usedBytes();
}
