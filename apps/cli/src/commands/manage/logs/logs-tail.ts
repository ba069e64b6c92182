import { defineCommand } from "../../../command.ts";
import { callFields } from "./call-text.ts";
import { callFlags, readCallFilter } from "./log-filter.ts";
import { tailCalls } from "./tail-calls.ts";

/** `tollgate logs tail`: prints requests as they finish. */
export const logsTail = defineCommand({
  examples: [
    "tollgate logs tail",
    "tollgate logs tail --class failed",
    "tollgate logs tail --key ci-bot --json=requestId,httpStatus,cost",
  ],
  flags: {
    ...callFlags,
    last: { type: "number", value: "COUNT", description: "Number of earlier requests to print first (at most 100)" },
    limit: { type: "number", short: "n", value: "COUNT", description: "Exit after this many requests" },
  },
  fields: callFields,
  operations: ["streamLogs"],
  notes: "Prints one line per request within two seconds of its completion. Press Ctrl-C to stop.",
  async run(context, flags) {
    const filter = await readCallFilter(context, flags);
    await tailCalls(context, filter, { last: flags.last ?? 0, limit: flags.limit ?? Infinity });
  },
});
