/**
 * Time that a call spends outside the model, in whole microseconds. All fields are null for calls without measurements:
 * older records, and calls whose gateway died before they ended.
 */
export interface CallTimes {
  /** Time from receiving the request to first sending it upstream, excluding time in the queue. */
  readonly gatewayBeforeUs: number | null;
  /** Time spent waiting for admission, credit, and rate limit capacity. */
  readonly queueUs: number | null;
  /**
   * Time from first sending the request upstream to the start of the successful attempt, or to the end if no attempt
   * succeeded.
   */
  readonly failedUs: number | null;
  /** Time from the model's last byte to the end of the call. */
  readonly gatewayAfterUs: number | null;
}

export const NO_TIMES: CallTimes = { gatewayBeforeUs: null, queueUs: null, failedUs: null, gatewayAfterUs: null };

/** Maximum value of the ledger's column: about 35 minutes. */
export const MAX_TIME_US = 2_147_483_647;
