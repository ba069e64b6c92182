import type { CallFacts } from "@tollgate/sdk/gateway/call-facts.ts";
import { formatMs } from "@tollgate/sdk/platform/describe-timing.ts";
import type { CommandContext } from "../../context.ts";
import { formatUsd } from "../../format-values.ts";

/**
 * Prints a line with the cost, time, and request ID below a response. Prints nothing if the output isn't a terminal.
 */
export function noteCall({ output }: CommandContext, facts: CallFacts, counted: readonly string[] = []): void {
  if (!output.isTerminal || output.isJson) return;
  const parts = [
    ...counted,
    ...(facts.costNanoUsd === null ? [] : [formatUsd(facts.costNanoUsd)]),
    ...(facts.durationMs === null ? [] : [`${formatMs(facts.durationMs)} ms`]),
    ...(facts.callId === null ? [] : [facts.callId]),
  ];
  output.note(output.noteStyles.dim(`\n  ${parts.join(" · ")}`));
}
