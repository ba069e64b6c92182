import type { BudgetScope } from "@tollgate/domain/credit/budget-window.ts";
import type { LossReason, UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { MORE_COUNTERS } from "./unit-counters.generated.ts";

/**
 * Record layout. All numbers are little-endian; every record is aligned to 8 bytes.
 *
 * open:       head, id, lengths, hold | budgets, identity, target, request id
 * reopen:     as open, then lost attempts
 * close:      head, id, lengths, hold, facts | budgets, identity, target, request id, error code, more, times, labels
 * checkpoint: head, id, usage, cost | more units
 *
 * Rare fields are written at the end and announced by a flag. Older records don't have the flag and are read as
 * calls without these fields.
 */
export const RecordKind = {
  open: 1,
  checkpoint: 2,
  close: 3,
  /**
   * An open record with lost attempts. Releases that can't read lost attempts reject this kind of record instead of
   * dropping the amounts.
   */
  reopen: 4,
} as const;

/** Upper half of the first word; the lower half contains the kind and the flags. */
export const RECORD_MARK = 0xa7d1;

export const AT_WORD = 0;
export const AT_LENGTH = 4;
export const AT_CHECKSUM = 8;
export const AT_EPOCH = 12;
export const AT_ID = 16;
export const ID_BYTES = 36;

export const AT_IDENTITY_LENGTH = 52;
export const AT_TARGET_LENGTH = 54;
export const AT_REQUEST_ID_LENGTH = 56;
export const AT_BUDGET_COUNT = 58;
export const AT_HOLD = 60;
export const OPEN_FIXED_BYTES = 68;

export const AT_COST = 68;
export const AT_FROM_LEASE = 76;
export const AT_USAGE = 84;
export const AT_ENDED = 124;
export const AT_LATENCY = 132;
export const AT_FIRST_TOKEN = 140;
export const AT_HTTP_STATUS = 148;
export const AT_ERROR_CODE_LENGTH = 150;
export const CLOSE_FIXED_BYTES = 152;

export const AT_CHECKPOINT_USAGE = 52;
export const AT_CHECKPOINT_COST = 92;
export const CHECKPOINT_BYTES = 104;

/** Layout of a budget: start, end, share, scope, length of the scope ID, scope ID. */
export const BUDGET_FIXED_BYTES = 27;

export const FLAG_STREAM = 1;
export const FLAG_BILLED = 2;
export const FLAG_ESTIMATED = 4;
/** The client sent no request ID, so the call ID is used and not written twice. */
export const FLAG_REQUEST_ID_IS_ID = 8;
/** Two bits: index of the status in the list below. */
export const STATUS_SHIFT = 4;
/** Set if optional sections follow. */
export const FLAG_MORE = 64;
/** Set if the call's times follow at the end. Checkpoints have no times, and use this flag for a counter. */
export const FLAG_TIMES = 128;

/** In a closing record: the section flags, then the number of attempts. Counters have their own section flags. */
export const MORE_FIXED_BYTES = 3;
export const MORE_FALLBACK = 2;
export const MORE_END_USER = 4;
/** The operator's part of the price, then lost attempts, after the other sections. */
export const MORE_LOSS = 16;
export const MORE_LOST_ATTEMPTS = 32;
/** A second byte with section flags, and the sections that it announces, after the other sections. */
export const MORE_LATER = 128;
/** All section flags known to this release. A record with any other flag was written by a later release. */
export const MORE_KNOWN = MORE_COUNTERS | MORE_FALLBACK | MORE_END_USER | MORE_LOSS | MORE_LOST_ATTEMPTS | MORE_LATER;
/** In the second byte: the cost that the provider reported. */
export const LATER_REPORTED_COST = 1;
/** The second byte, and the reported cost. */
export const REPORTED_COST_BYTES = 9;
/** Record version that added the reported cost. */
export const REPORTED_COST_RECORD_VERSION = 5;
export const LOSS_BYTES = 8;
/** Record version that added the operator's losses. */
export const LOSS_RECORD_VERSION = 4;
/** Four times in microseconds. */
export const TIMES_BYTES = 16;
/**
 * Labels are texts that describe a call and never change what it costs: a tag, a length, and the text. Readers ignore
 * tags that they don't know. Earlier releases ignore all labels, because they don't read what is between the last section
 * of a record and its end. The padding there is 0, which is no tag.
 */
export const LABEL_SESSION = 1;
/** The tag and the length of a label. */
export const LABEL_FIXED_BYTES = 3;

export const STATUSES: readonly UsageEvent["status"][] = ["success", "failure", "client_disconnect"];
export const LOSS_REASONS: readonly LossReason[] = ["retry", "fallback", "timeout", "malformed", "upstream"];
export const SCOPES: readonly BudgetScope[] = ["key", "team", "user", "organization"];

export const NO_ERROR_CODE = 0xffff;

/** Maximum length of a client-supplied request ID. Longer IDs are truncated, so that record sizes are bounded. */
export const MAX_REQUEST_ID_LENGTH = 1_024;
export const MAX_ERROR_CODE_LENGTH = 256;
export const MAX_GROUP_LENGTH = 1_024;
export const MAX_END_USER_LENGTH = 200;
export const MAX_ATTEMPTS = 0xffff;
export const MAX_BUDGETS = 4;
/**
 * Maximum number of lost attempts per call. Beyond this number, `encodeOpen` throws before another attempt incurs
 * costs.
 */
export const MAX_LOST_ATTEMPTS = 16;

/** Upper bound for any record: its strings have the limits above, with at most three bytes per character. */
export const MAX_RECORD_BYTES = 96 * 1_024;
