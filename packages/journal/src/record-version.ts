import { billingUnits } from "@tollgate/domain/pricing/billing-units.ts";
import {
  AT_BUDGET_COUNT,
  AT_ERROR_CODE_LENGTH,
  AT_IDENTITY_LENGTH,
  AT_REQUEST_ID_LENGTH,
  AT_TARGET_LENGTH,
  AT_WORD,
  BUDGET_FIXED_BYTES,
  CLOSE_FIXED_BYTES,
  FLAG_MORE,
  LOSS_RECORD_VERSION,
  MORE_LATER,
  MORE_LOSS,
  MORE_LOST_ATTEMPTS,
  NO_ERROR_CODE,
  REPORTED_COST_RECORD_VERSION,
} from "./record-layout.ts";
import { versionOfCounters } from "./unit-counters.generated.ts";

/**
 * Newest version of closing records that may leave this machine. Workers from the previous release must be able to read
 * it, so each release raises it to the version that its predecessor introduced. Version 2 adds units other than tokens,
 * version 3 adds searches, version 4 adds the operator's losses, and version 5 adds fees, one-hour cache writes, and the
 * cost that a provider reports.
 */
export const CARRIED_RECORD_VERSION = 2;
/** Newest version that this release reads. */
export const NEWEST_RECORD_VERSION = Math.max(
  LOSS_RECORD_VERSION,
  REPORTED_COST_RECORD_VERSION,
  ...billingUnits.map(({ since }) => since),
);

/** Returns the oldest version whose readers understand the closing record at `offset` completely. */
export function versionOfRecord(bytes: Buffer, offset: number): number {
  if ((bytes.readUInt32LE(offset + AT_WORD) & FLAG_MORE) === 0) return CARRIED_RECORD_VERSION;
  const parts = bytes.readUInt8(findMore(bytes, offset));
  const hasLoss = (parts & (MORE_LOSS | MORE_LOST_ATTEMPTS)) !== 0;
  return Math.max(
    CARRIED_RECORD_VERSION,
    versionOfCounters(parts),
    hasLoss ? LOSS_RECORD_VERSION : 0,
    (parts & MORE_LATER) === 0 ? 0 : REPORTED_COST_RECORD_VERSION,
  );
}

/** Returns the offset of the optional sections. */
function findMore(bytes: Buffer, offset: number): number {
  let at = offset + CLOSE_FIXED_BYTES;
  for (let left = bytes.readUInt16LE(offset + AT_BUDGET_COUNT); left > 0; left -= 1)
    at += BUDGET_FIXED_BYTES + bytes.readUInt16LE(at + BUDGET_FIXED_BYTES - 2);
  for (const length of [AT_IDENTITY_LENGTH, AT_TARGET_LENGTH, AT_REQUEST_ID_LENGTH])
    at += bytes.readUInt16LE(offset + length);
  const errorCodeLength = bytes.readUInt16LE(offset + AT_ERROR_CODE_LENGTH);
  return errorCodeLength === NO_ERROR_CODE ? at : at + errorCodeLength;
}
