/**
 * Where the time of a call went that no token was waited for, in whole microseconds. All of them are null for a call that
 * nobody measured: one of before there was this, or one that its gateway did not live to see the end of.
 */
export interface CallTimes {
  /** From the request until it was first sent on, without the queue. */
  readonly gatewayBeforeUs: number | null;
  /** Waiting to be let in, for credit and for a place under the limits. */
  readonly queueUs: number | null;
  /** From when it was first sent on until the attempt that answered; all of it when none did. */
  readonly failedUs: number | null;
  /** From the last byte of the model until the call was over. */
  readonly gatewayAfterUs: number | null;
}

export const NO_TIMES: CallTimes = { gatewayBeforeUs: null, queueUs: null, failedUs: null, gatewayAfterUs: null };

/** More than half an hour: what the books have room for. */
export const MAX_TIME_US = 2_147_483_647;
