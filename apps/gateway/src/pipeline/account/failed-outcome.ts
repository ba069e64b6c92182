import { Failure } from "@tollgate/contracts/failures.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { Exchange } from "../../edge/exchange.ts";
import { AbandonedRead } from "../upstream/abandoned-read.ts";
import { abandonedUsage } from "./abandoned-usage.ts";
import type { CallAccount, CallOutcome } from "./call-account.ts";

/** Returns the outcome of a call with a complete response: success, unless the client disconnected first. */
export function deliveredAs({ isGone, earlyFailure }: Exchange): Pick<CallOutcome, "status" | "failure"> {
  if (earlyFailure !== null) return { status: "failure", failure: earlyFailure };
  return { status: isGone ? "client_disconnect" : "success", failure: null };
}

/** Returns the outcome of a call that failed before any of its response was sent. */
export function failedOutcome(account: CallAccount, error: unknown): CallOutcome {
  const { exchange } = account.call;
  const firstTokenMs = null;
  if (error instanceof AbandonedRead) {
    const usage = error.wasSent ? abandonedUsage(account, null, null, error.limit) : NO_USAGE;
    return { ...deliveredAs(exchange), usage, firstTokenMs, endedBy: error.limit };
  }
  if (exchange.isGone) return { ...deliveredAs(exchange), usage: NO_USAGE, firstTokenMs };
  return { status: "failure", failure: error instanceof Failure ? error : null, usage: NO_USAGE, firstTokenMs };
}
