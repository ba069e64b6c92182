import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import type { CallFacts } from "@tollgate/sdk/gateway/call-facts.ts";
import type { CommandContext } from "../../context.ts";

/**
 * Prints a line with the cost, time, and request ID below a response. Prints nothing if the output isn't a terminal.
 */
export function noteCall({ output }: CommandContext, facts: CallFacts, counted: readonly string[] = []): void {
  if (!output.isTerminal || output.isJson) return;
  const parts = [
    ...counted,
    ...(facts.costNanoUsd === null ? [] : [formatMoney(facts.costNanoUsd)]),
    ...(facts.durationMs === null ? [] : [formatDuration(facts.durationMs)]),
    ...(facts.callId === null ? [] : [facts.callId]),
  ];
  output.note(output.noteStyles.dim(`\n  ${parts.join(" · ")}`));
}
