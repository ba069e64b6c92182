import { defineCommand } from "../../../command.ts";
import { withRecentPassword } from "../../../recent-password.ts";
import { countOf } from "../../manage/count-of.ts";
import { findProvider } from "./find-provider.ts";

/** The `tollgate admin providers delete` command. */
export const adminProvidersDelete = defineCommand({
  kind: "change",
  examples: ["tollgate admin providers delete acme", "tollgate admin providers delete acme --yes"],
  arguments: [{ name: "provider", description: "Provider slug or ID" }],
  operations: ["deleteProvider"],
  async run(context, _flags, { provider: wanted }) {
    const { id, slug, modelCount } = await findProvider(context, wanted);
    const plan = { summary: `Delete provider ${slug} (${id}), used by ${countOf(modelCount, "model")}`, confirm: slug };
    if (!(await context.confirms(plan))) return;
    await withRecentPassword(context, () => context.platform.call("deleteProvider", { params: { id } }));
    context.output.done(`Deleted provider ${slug}`);
  },
});
