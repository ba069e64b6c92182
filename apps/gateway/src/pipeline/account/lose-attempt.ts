import type { Failure } from "@tollgate/contracts/failures.ts";
import type { LossReason } from "@tollgate/domain/credit/usage-event.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { RouteStep } from "@tollgate/domain/routing/route-types.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import { producedUsage } from "../upstream/produced-usage.ts";
import type { CallAccount } from "./call-account.ts";
import { hasTokenLimits, mostOutput } from "./usage-of.ts";

/** Records a failed attempt that the provider bills. The caller did not cause the failure, so the operator pays. */
export function loseAttempt(account: CallAccount, failure: Failure, next: RouteStep<Deployment>): void {
  const usage = producedUsage(failure);
  if (usage !== null) account.loseAttempt(lossReasonOf(failure, next), usage);
}

/**
 * Records output that a stream may have produced unseen before the operator's timeout or a drain ended it. The provider
 * bills this output but could not report it, so the loss is estimated as all output that the request still allowed.
 */
export function loseHiddenOutput(account: CallAccount, { code }: Failure, { source, outputTokens }: Usage): void {
  const isStoppedByOperator = code === "timeout" || code === "stream_timeout" || code === "shutting_down";
  const showsOutput = account.deployment.facts.billsHiddenTokens === false || !hasTokenLimits(account);
  if (!isStoppedByOperator || showsOutput || source === "reported") return;
  const hidden = Math.min(account.heldOutput, mostOutput(account)) - outputTokens;
  if (hidden <= 0 || !Number.isFinite(hidden)) return;
  account.loseAttempt("timeout", { ...NO_USAGE, outputTokens: hidden, source: "estimated" });
}

function lossReasonOf({ code }: Failure, next: RouteStep<Deployment>): LossReason {
  if (code === "timeout" || code === "stream_timeout") return "timeout";
  if (code === "bad_gateway") return "malformed";
  if (next.kind !== "call") return "upstream";
  return next.isFallback ? "fallback" : "retry";
}
