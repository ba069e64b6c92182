import type { BudgetScope } from "@tollgate/domain/credit/budget-window.ts";
import type { LossReason, UsageEvent } from "@tollgate/domain/credit/usage-event.ts";

/**
 * Where the fields of a record lie. All numbers are little-endian; every record begins and ends on 8 bytes.
 *
 * open:       head, id, lengths, hold | budgets, identity, target, request id
 * reopen:     as open, then lost attempts
 * close:      head, id, lengths, hold, facts | budgets, identity, target, request id, error code, more, times
 * checkpoint: head, id, usage, cost | more units
 *
 * What only few calls have is written behind the rest, and a flag tells so. Records of before there was such a thing
 * have no flag, and are read as those of a common call.
 */
export const RecordKind = {
  open: 1,
  checkpoint: 2,
  close: 3,
  /** An open record with lost attempts. Releases that do not read them reject the kind instead of dropping the amounts. */
  reopen: 4,
} as const;

/** The upper half of the first word; the lower half is kind and flags. */
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

/** A budget: starts, ends, share, scope, length of the scope's id, the id. */
export const BUDGET_FIXED_BYTES = 27;

export const FLAG_STREAM = 1;
export const FLAG_BILLED = 2;
export const FLAG_ESTIMATED = 4;
/** The client gave no label of its own, so the id stands for it and is not written twice. */
export const FLAG_REQUEST_ID_IS_ID = 8;
/** Two bits: the place of the status in the list below. */
export const STATUS_SHIFT = 4;
/** There is more behind the rest. */
export const FLAG_MORE = 64;
/** Behind all that: where the call's time went. */
export const FLAG_TIMES = 128;
/** Of a checkpoint, which has no times: the further counter follows the others. */
export const FLAG_SEARCHES = 128;

/** Of a closing record: which parts follow, then how many attempts. */
export const MORE_FIXED_BYTES = 3;
export const MORE_UNITS = 1;
export const MORE_FALLBACK = 2;
export const MORE_END_USER = 4;
/** Only behind the counters of other units. */
export const MORE_SEARCHES = 8;
/** The operator's part of the price, then lost attempts: behind the other parts. */
export const MORE_LOSS = 16;
export const MORE_LOST_ATTEMPTS = 32;
/** All parts that this release knows: a record with another one was written by a later release. */
export const MORE_KNOWN = MORE_UNITS | MORE_FALLBACK | MORE_END_USER | MORE_SEARCHES | MORE_LOSS | MORE_LOST_ATTEMPTS;
export const LOSS_BYTES = 8;
/** Counters that are no plain tokens. */
export const UNITS_BYTES = 40;
/** One further counter, which came later. */
export const SEARCHES_BYTES = 8;
/** Four times in microseconds. */
export const TIMES_BYTES = 16;

export const STATUSES: readonly UsageEvent["status"][] = ["success", "failure", "client_disconnect"];
export const LOSS_REASONS: readonly LossReason[] = ["retry", "fallback", "timeout", "malformed", "upstream"];
export const SCOPES: readonly BudgetScope[] = ["key", "team", "user", "organization"];

export const NO_ERROR_CODE = 0xffff;

/** Longer labels of clients are cut, so that every record has a bound. */
export const MAX_REQUEST_ID_LENGTH = 1_024;
export const MAX_ERROR_CODE_LENGTH = 256;
export const MAX_GROUP_LENGTH = 1_024;
export const MAX_END_USER_LENGTH = 200;
export const MAX_ATTEMPTS = 0xffff;
export const MAX_BUDGETS = 4;
/** A call with this many lost attempts makes no further one: `encodeOpen` throws, before the attempt is paid for. */
export const MAX_LOST_ATTEMPTS = 16;

/** More than any record can need: its texts have the bounds above, a character takes three bytes at most. */
export const MAX_RECORD_BYTES = 96 * 1_024;

/** Rounds up to where the next record may begin. */
export const alignUp = (offset: number): number => (offset + 7) & ~7;
