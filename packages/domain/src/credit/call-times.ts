/**
 * Time of a call spent outside the model, in whole microseconds. All fields are null for calls without measurements:
 * older records, and calls whose gateway died before they ended.
 */
export interface CallTimes {
  /** From receiving the request to first sending it upstream, without the queue. */
  readonly gatewayBeforeUs: number | null;
  /** Waiting for admission, credit and rate limit capacity. */
  readonly queueUs: number | null;
  /**
   * From first sending the request upstream to the start of the successful attempt, or to the end if none succeeded.
   */
  readonly failedUs: number | null;
  /** From the model's last byte to the end of the call. */
  readonly gatewayAfterUs: number | null;
}

export const NO_TIMES: CallTimes = { gatewayBeforeUs: null, queueUs: null, failedUs: null, gatewayAfterUs: null };

/** Maximum value of the ledger's column: about 35 minutes. */
export const MAX_TIME_US = 2_147_483_647;
