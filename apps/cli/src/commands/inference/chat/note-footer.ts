import { setTimeout as pause } from "node:timers/promises";
import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { NotFoundError } from "@tollgate/sdk/http/api-error.ts";
import { type CallTiming, describeTiming } from "@tollgate/sdk/platform/describe-timing.ts";
import type { CommandContext } from "../../../context.ts";
import type { Reply } from "./stream-reply.ts";

const SETTLED_WITHIN_MS = 2000;
const ASK_EVERY_MS = 150;

/** Request data that only the platform has. */
interface Settled {
  readonly cost: bigint;
  readonly timing: CallTiming | null;
}

/** Prints usage and cost below a response in a terminal. Returns the cost if it is known. */
export async function noteFooter(context: CommandContext, reply: Reply): Promise<bigint | null> {
  const { output } = context;
  if (reply.finishReason === "length")
    output.warn("The response was truncated at the token limit. To raise it, use --max-tokens.");
  if (reply.finishReason === "content_filter")
    output.warn("The provider's content filter removed part of the response.");
  if (!output.isTerminal || output.isQuiet) return reply.cost;
  const [settled, balance] = await context.waiting(
    "fetching cost…",
    Promise.all([readSettled(context, reply), readBalance(context)]),
  );
  const cost = settled?.cost ?? reply.cost;
  const { dim } = output.noteStyles;
  const parts = [
    ...(reply.usage === null ? [] : [`${reply.usage.prompt_tokens} in · ${reply.usage.completion_tokens} out`]),
    ...(cost === null ? [] : [formatMoney(cost)]),
    ...(reply.firstTokenMs === null ? [] : [`${formatDuration(reply.firstTokenMs)} to first token`]),
    formatDuration(reply.durationMs),
    ...(reply.isStopped ? ["stopped"] : []),
    ...(reply.callId === null ? [] : [reply.callId]),
  ];
  const left = balance === null ? "" : `   balance ${formatMoney(balance)}`;
  output.note(dim(`\n  ${parts.join(" · ")}${left}`));
  if (settled?.timing) output.note(dim(`  ${describeTiming(settled.timing)}`));
  return cost;
}

/**
 * Returns the recorded usage, which becomes available shortly after a request ends; null if it can't be read or doesn't
 * become available in time.
 */
async function readSettled(context: CommandContext, { callId, isStopped }: Reply): Promise<Settled | null> {
  if (callId === null || strangers.has(context)) return null;
  const until = performance.now() + SETTLED_WITHIN_MS;
  while (performance.now() < until) {
    try {
      const { log } = await context.platform.call("getLog", { params: { id: callId } });
      return { cost: log.cost, timing: log.timing };
    } catch (error) {
      if (!(error instanceof NotFoundError)) return null;
      await pause(ASK_EVERY_MS);
    }
  }
  // The gateway may still be reading a stopped response, so its missing usage says nothing about the key.
  if (!isStopped) strangers.add(context);
  return null;
}

/**
 * Sessions whose key seems to belong to another organization. The user can't read the usage of that key, so these
 * sessions don't wait for it.
 */
const strangers = new WeakSet<CommandContext>();

/**
 * Returns the balance; null if it can't be read. A missing balance must not fail a command that already received a
 * response.
 */
async function readBalance({ platform }: CommandContext): Promise<bigint | null> {
  return platform.call("getBalance").then(
    ({ balance }) => balance,
    () => null,
  );
}
