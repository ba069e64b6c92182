import { readFileSync } from "node:fs";

// Loaded into every gateway process through NODE_OPTIONS. Shifts the wall clock by the number of milliseconds in a file
// and leaves the monotonic clock unchanged, like a time server that corrects a machine's clock.

const file = process.env.TOLLGATE_JOURNAL_DIR === undefined ? null : `${process.env.TOLLGATE_JOURNAL_DIR}/clock-offset`;
const POLL_MS = 50;
const RealDate = Date;
let offsetMs = 0;

class MovedDate extends RealDate {
  constructor(...args: [] | [number | string]) {
    if (args.length === 0) super(RealDate.now() + offsetMs);
    else super(...(args as [number]));
  }

  static override now(): number {
    return RealDate.now() + offsetMs;
  }
}

function readOffset(path: string): number {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch {
    return 0;
  }
}

if (file !== null) {
  globalThis.Date = MovedDate as DateConstructor;
  setInterval(() => {
    offsetMs = readOffset(file);
  }, POLL_MS).unref();
}
