import type { Deployment } from "@tollgate/gateway/model-list/deployment.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";

const REPORT_EVERY_MS = 3_600_000;
const MAX_REMEMBERED = 10_000;

/** Logs responses that name a model other than the one that was priced, once per deployment and hour. */
export function createOtherModelReport(logger: Pick<Logger, "info" | "warn">, now: () => number) {
  const reportedAtMs = new Map<string, number>();
  return ({ id, upstreamModel }: Deployment, servedModel: string, isPriced: boolean): void => {
    const nowMs = now();
    const key = `${id} ${isPriced}`;
    if (nowMs - (reportedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < REPORT_EVERY_MS) return;
    if (reportedAtMs.size >= MAX_REMEMBERED) reportedAtMs.clear();
    reportedAtMs.set(key, nowMs);
    const fields = { id, requestedModel: upstreamModel, servedModel };
    if (isPriced) logger.warn("upstream served a different model than requested", fields);
    else logger.info("upstream reported a model that is not in the catalog", fields);
  };
}
