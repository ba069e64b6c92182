import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { describeTiming } from "@tollgate/sdk/platform/describe-timing.ts";
import { defineCommand } from "../../../command.ts";
import { EXIT } from "../../../exit-codes.ts";
import { fullId } from "./short-id.ts";

/** `tollgate admin models test`: sends a one-token request that isn't billed. */
export const adminModelsTest = defineCommand({
  examples: ["tollgate admin models test metered-1", "tollgate admin models test metered-1 --jq .ok"],
  arguments: [
    { name: "deployment", description: "Deployment ID, as listed by tollgate admin models list; can be shortened" },
  ],
  fields: ["ok", "status", "message", "latencyMs", "firstTokenMs", "timing"],
  operations: ["testDeployment", "listDeployments"],
  exitCodes: { 7: "The test request failed" },
  async run(context, _flags, { deployment }) {
    const id = await fullId(context, deployment);
    const result = await context.waiting(
      "calling the provider…",
      context.platform.call("testDeployment", { params: { id } }),
    );
    context.output.pairs(result, [
      ["result", result.ok ? "ok" : "failed"],
      ["status", result.status === null ? null : String(result.status)],
      ["message", result.message],
      ["latency", formatDuration(result.latencyMs)],
      ["time", result.timing === null ? null : describeTiming(result.timing)],
    ]);
    return result.ok ? EXIT.ok : EXIT.temporary;
  },
});
