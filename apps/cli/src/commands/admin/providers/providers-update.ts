import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { withRecentPassword } from "../../../recent-password.ts";
import { findProvider } from "./find-provider.ts";
import { adminProviderFields } from "./provider-fields.ts";
import { credentialFlag, readCredential } from "./read-credential.ts";

/** The `tollgate admin providers update` command. */
export const adminProvidersUpdate = defineCommand({
  kind: "change",
  examples: [
    "tollgate admin providers update acme --api-key-stdin <acme.key",
    "tollgate admin providers update acme --status unavailable",
  ],
  arguments: [{ name: "provider", description: "Provider slug or ID" }],
  flags: {
    name: { type: "string", value: "NAME", description: "Display name" },
    "api-base": { type: "string", value: "URL", description: "API base URL" },
    website: { type: "string", value: "URL", description: "Website" },
    status: {
      type: "string",
      value: "STATUS",
      choices: ["available", "degraded", "unavailable"],
      description: "Status shown to users",
    },
    "api-key-stdin": credentialFlag,
  },
  fields: adminProviderFields,
  operations: ["updateProvider"],
  async run(context, flags, { provider: wanted }) {
    const { id, slug } = await findProvider(context, wanted);
    const body = {
      ...(flags.name !== undefined && { name: flags.name }),
      ...(flags["api-base"] !== undefined && { baseUrl: flags["api-base"] }),
      ...(flags.website !== undefined && { website: flags.website }),
      ...(flags.status !== undefined && { status: flags.status as "available" }),
    };
    const apiKey = flags["api-key-stdin"] ? await readCredential(context.io) : null;
    const changed = [...Object.keys(body), ...(apiKey === null ? [] : ["API key"])];
    if (changed.length === 0) throw usageError("No changes specified.", "tollgate admin providers update --help");
    if (!(await context.confirms({ summary: `Update ${changed.join(", ")} of ${slug}`, request: body }))) return;
    const { provider } = await withRecentPassword(context, () =>
      context.platform.call("updateProvider", {
        params: { id },
        body: { ...body, ...(apiKey !== null && { apiKey }) },
      }),
    );
    context.output.done(`Updated provider ${provider.slug}`);
    if (context.output.isJson) context.output.record(provider, () => "");
  },
});
