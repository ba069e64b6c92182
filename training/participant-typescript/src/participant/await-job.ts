import type { ServerResponse } from "node:http";
import type { Job } from "../jobs/job.ts";

type Waited = "settled" | "too long" | "caller gone";

/** Waits until the job has settled, the time limit has passed, or the caller has disconnected. */
export async function awaitJob(job: Job, response: ServerResponse, limitMs?: number): Promise<Waited> {
  const { promise, resolve } = Promise.withResolvers<Waited>();
  const onClose = (): void => resolve("caller gone");
  const timer = limitMs === undefined ? undefined : setTimeout(() => resolve("too long"), limitMs);
  response.once("close", onClose);
  if (response.destroyed) onClose();
  const stopWaiting = job.onSettled(() => resolve("settled"));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    response.off("close", onClose);
    stopWaiting();
  }
}
