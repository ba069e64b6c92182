import { randomUUID } from "node:crypto";
import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { withRecentPassword } from "../../../recent-password.ts";
import { adminModelFields } from "./model-fields.ts";
import { formatPrice, modelFlags, readModelFlags } from "./model-flags.ts";

/** The `tollgate admin models create` command. */
export const adminModelsCreate = defineCommand({
  kind: "change",
  examples: [
    "tollgate admin models create --provider acme --inference-model-id acme-7b",
    "tollgate admin models create --provider acme --inference-model-id acme-7b --id acme/7b --input-price 0.25 --output-price 1.25",
  ],
  flags: {
    provider: { type: "string", value: "SLUG", description: "Provider, as listed by tollgate admin providers list" },
    "inference-model-id": { type: "string", value: "ID", description: "Provider model ID" },
    id: { type: "string", value: "ID", description: "Public model name; defaults to the provider model ID" },
    ...modelFlags,
  },
  fields: adminModelFields,
  operations: ["createModel"],
  async run(context, flags) {
    const { provider, "inference-model-id": inferenceModelId, id } = flags;
    if (provider === undefined || inferenceModelId === undefined)
      throw usageError(
        "A model requires a provider and a provider model ID.",
        "Add --provider SLUG --inference-model-id ID.",
      );
    const body = { provider, inferenceModelId, ...(id !== undefined && { id }), ...readModelFlags(flags) };
    const summary = `Create model ${id ?? inferenceModelId} (${inferenceModelId} on ${provider})`;
    if (!(await context.confirms({ summary, request: body }))) return;
    const idempotencyKey = randomUUID();
    const { model } = await withRecentPassword(context, () =>
      context.platform.call("createModel", { body, idempotencyKey }),
    );
    const { output } = context;
    output.done(`Created ${model.id}. Gateways serve it within a second.`);
    const { inputPerMillionTokens, outputPerMillionTokens } = model.pricing;
    output.record(model, () => `${model.id}\n`);
    if (output.isJson) return;
    output.note(`  in  ${formatPrice(inputPerMillionTokens)}     out  ${formatPrice(outputPerMillionTokens)}`);
    output.next(`tollgate chat -m ${model.id} "hello"`);
  },
});
