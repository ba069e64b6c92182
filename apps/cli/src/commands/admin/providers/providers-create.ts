import { randomUUID } from "node:crypto";
import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { withRecentPassword } from "../../../recent-password.ts";
import { adminProviderFields } from "./provider-fields.ts";
import { chooseCredential, credentialFlag } from "./read-credential.ts";

/** The `tollgate admin providers create` command. */
export const adminProvidersCreate = defineCommand({
  kind: "change",
  examples: [
    "tollgate admin providers create acme --kind openai --api-key-stdin <acme.key",
    "tollgate admin providers create lab --kind openai_compatible --api-base https://lab.example.org/v1",
  ],
  arguments: [{ name: "slug", description: "Provider slug, referenced by models" }],
  flags: {
    kind: {
      type: "string",
      value: "KIND",
      description: "Provider kind, such as openai, anthropic, gemini, or openai_compatible",
    },
    name: { type: "string", value: "NAME", description: "Display name" },
    "api-base": { type: "string", value: "URL", description: "API base URL; defaults to the provider's public API" },
    website: { type: "string", value: "URL", description: "Website" },
    "api-key-stdin": {
      ...credentialFlag,
      description: `${credentialFlag.description} (also TOLLGATE_PROVIDER_API_KEY)`,
    },
  },
  fields: adminProviderFields,
  operations: ["createProvider"],
  async run(context, flags, { slug }) {
    if (flags.kind === undefined)
      throw usageError(
        "A provider kind is required.",
        "Add --kind, for example openai, anthropic, gemini, or openai_compatible.",
      );
    const body = {
      slug,
      kind: flags.kind,
      ...(flags.name !== undefined && { name: flags.name }),
      ...(flags["api-base"] !== undefined && { baseUrl: flags["api-base"] }),
      ...(flags.website !== undefined && { website: flags.website }),
    };
    if (!(await context.confirms({ summary: `Create provider ${slug} (${flags.kind})`, request: body }))) return;
    const apiKey = await chooseCredential(context, flags["api-key-stdin"]);
    const idempotencyKey = randomUUID();
    const { provider } = await withRecentPassword(context, () =>
      context.platform.call("createProvider", {
        body: { ...body, ...(apiKey !== null && { apiKey }) },
        idempotencyKey,
      }),
    );
    const { output } = context;
    output.done(
      `Created provider ${provider.slug}${provider.hasApiKey ? " with an encrypted API key" : " without an API key"}`,
    );
    if (output.isJson) output.record(provider, () => "");
    else output.next(`tollgate admin models create --provider ${provider.slug} --inference-model-id ID`);
  },
});
