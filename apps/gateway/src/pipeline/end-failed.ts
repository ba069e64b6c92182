import { Failure } from "@tollgate/contracts/failures.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { CallAccount } from "../accounting/call-account.ts";
import { type CallOutcome, deliveredAs } from "../accounting/record-usage.ts";
import { AbandonedRead, nameDeployment } from "../accounting/upstream-failures.ts";
import { abandonedUsage } from "../accounting/usage-of.ts";
import type { Call } from "../call/call.ts";

/**
 * Ends a failed call. Lets the caller retry with the same idempotency key, releases the hold, and returns the error for
 * the caller.
 */
export async function endFailed(call: Call | null, account: CallAccount | null, error: unknown): Promise<unknown> {
  if (call !== null && call.claim !== null) await call.claim.release();
  if (account === null) return error;
  if (!account.isClosed) account.close(failedOutcome(account, error), null);
  return error instanceof Failure ? nameDeployment(error, account.deployment, account.call) : error;
}

/** Returns the outcome of a call that failed before any of its response was sent. */
function failedOutcome(account: CallAccount, error: unknown): CallOutcome {
  const { exchange } = account.call;
  const firstTokenMs = null;
  if (error instanceof AbandonedRead) {
    const usage = error.wasSent ? abandonedUsage(account, null, null, error.limit) : NO_USAGE;
    return { ...deliveredAs(exchange), usage, firstTokenMs, endedBy: error.limit };
  }
  if (exchange.isGone) return { ...deliveredAs(exchange), usage: NO_USAGE, firstTokenMs };
  return { status: "failure", failure: error instanceof Failure ? error : null, usage: NO_USAGE, firstTokenMs };
}
