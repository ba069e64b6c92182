import { defineCommand } from "../../../command.ts";
import { callFields } from "./call-text.ts";
import { callFlags, readCallFilter } from "./log-filter.ts";
import { tailCalls } from "./tail-calls.ts";

/** `tollgate logs tail`: calls as they end. */
export const logsTail = defineCommand({
  examples: [
    "tollgate logs tail",
    "tollgate logs tail --status error",
    "tollgate logs tail --key ci-bot --json=requestId,httpStatus,cost",
  ],
  flags: {
    ...callFlags,
    last: { type: "number", value: "COUNT", description: "so many earlier calls first, 100 at most" },
    limit: { type: "number", short: "n", value: "COUNT", description: "end after so many calls" },
  },
  fields: callFields,
  operations: ["streamLogs"],
  notes: "One line for each call, within two seconds of its end. Ctrl-C stops.",
  async run(context, flags) {
    const filter = await readCallFilter(context, flags);
    await tailCalls(context, filter, { last: flags.last ?? 0, limit: flags.limit ?? Infinity });
  },
});
