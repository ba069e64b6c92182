import type { Database } from "@tollgate/db/connect.ts";
import { ping } from "@tollgate/db/ping.ts";

const REMEMBERED_MS = 1_000;

/** Creates a probe that checks, at most once per second, whether the database responds. */
export function createDatabaseProbe(db: Database): () => Promise<"connected" | "disconnected"> {
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let answer: Promise<"connected" | "disconnected"> | null = null;
  return () => {
    const nowMs = performance.now();
    if (answer === null || nowMs - askedAtMs > REMEMBERED_MS) {
      askedAtMs = nowMs;
      answer = ping(db).then(
        () => "connected" as const,
        () => "disconnected" as const,
      );
    }
    return answer;
  };
}
