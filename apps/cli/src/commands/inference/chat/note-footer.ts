import { setTimeout as pause } from "node:timers/promises";
import { NotFoundError } from "@tollgate/sdk/http/api-error.ts";
import { type CallTiming, describeTiming, formatMs } from "@tollgate/sdk/platform/describe-timing.ts";
import type { CommandContext } from "../../../context.ts";
import { formatUsd } from "../../../format-values.ts";
import type { Reply } from "./stream-reply.ts";

const SETTLED_WITHIN_MS = 2000;
const ASK_EVERY_MS = 150;

/** What only the platform knows of a call. */
interface Settled {
  readonly cost: bigint;
  readonly timing: CallTiming | null;
}

/** What an answer took and cost, below it on a terminal. Gives the cost where it is known. */
export async function noteFooter(context: CommandContext, reply: Reply): Promise<bigint | null> {
  const { output } = context;
  if (reply.finishReason === "length")
    output.warn("The response was truncated at the token limit. To raise it, use --max-tokens.");
  if (reply.finishReason === "content_filter")
    output.warn("The provider's content filter removed part of the response.");
  if (!output.isTerminal || output.isQuiet) return reply.cost;
  const [settled, balance] = await context.waiting(
    "reading the cost…",
    Promise.all([readSettled(context, reply.callId), readBalance(context)]),
  );
  const cost = settled?.cost ?? reply.cost;
  const { dim } = output.noteStyles;
  const parts = [
    ...(reply.usage === null ? [] : [`${reply.usage.prompt_tokens} in · ${reply.usage.completion_tokens} out`]),
    ...(cost === null ? [] : [formatCost(cost)]),
    ...(reply.firstTokenMs === null ? [] : [`${formatMs(reply.firstTokenMs)} ms to first token`]),
    `${formatMs(reply.durationMs)} ms`,
    ...(reply.isStopped ? ["stopped"] : []),
    ...(reply.callId === null ? [] : [reply.callId]),
  ];
  const left = balance === null ? "" : `   balance ${formatUsd(balance)}`;
  output.note(dim(`\n  ${parts.join(" · ")}${left}`));
  if (settled?.timing) output.note(dim(`  ${describeTiming(settled.timing)}`));
  return cost;
}

/** Six digits at least: most calls cost less than a cent. */
function formatCost(cost: bigint): string {
  const text = formatUsd(cost);
  return text.padEnd(text.indexOf(".") + 7, "0");
}

/** A call is in the books a moment after its end. Null without a sign-in, or when it takes too long. */
async function readSettled(context: CommandContext, callId: string | null): Promise<Settled | null> {
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
  strangers.add(context);
  return null;
}

/** Sessions whose key seems to be another organization's: waiting for each of their calls would only hold them up. */
const strangers = new WeakSet<CommandContext>();

/** The answer was given: that the balance cannot be read is no failure of it. */
async function readBalance({ platform }: CommandContext): Promise<bigint | null> {
  return platform.call("getBalance").then(
    ({ balance }) => balance,
    () => null,
  );
}
