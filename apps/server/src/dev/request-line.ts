import { uuidToCrockford } from "@tollgate/domain/ids.ts";
import { formatUsd } from "@tollgate/domain/money.ts";
import type { CallRecord } from "@tollgate/gateway/accounting/record-usage.ts";

/** Formats one line per call: time, status, model, usage, and cost. */
export function formatRequestLine(record: CallRecord): string {
  const { usage } = record;
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return [
    new Date(record.endedAtMs).toISOString().slice(11, 19),
    String(record.statusCode),
    record.modelGroup.padEnd(20),
    record.keyName.padEnd(10),
    `${input} in`,
    `${usage.outputTokens} out`,
    `$${formatUsd(record.cost)}`,
    `${Math.round(record.durationMs)} ms`,
    ...(record.errorCode === null ? [] : [record.errorCode]),
    `use_${uuidToCrockford(record.eventId)}`,
  ].join("  ");
}
