import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import { findOrganization } from "../find-organization.ts";
import { describePrice, readPrices, savePrices } from "./price-list.ts";

/** The `tollgate admin prices delete` command. */
export const adminPricesDelete = defineCommand({
  kind: "change",
  examples: ["tollgate admin prices delete Acme --model example-large", "tollgate admin prices delete Acme --dry-run"],
  arguments: [{ name: "organization", description: "Organization name or ID" }],
  flags: {
    model: { type: "string", value: "MODEL", description: "Model group; defaults to all others", completes: "models" },
  },
  operations: ["getOrganizationPrices", "updateOrganizationPrices"],
  async run(context, { model = "*" }, { organization }) {
    const { id, name } = await findOrganization(context, organization);
    const entries = await readPrices(context, id);
    const entry = entries.find((one) => one.model === model);
    const what = model === "*" ? "all other models" : model;
    if (entry === undefined) {
      throw usageError(`${name} has no own price for ${what}.`, `For a list, run tollgate admin prices list ${id}.`);
    }
    if (!(await context.confirms({ summary: `Delete the price of ${what} for ${name} (${describePrice(entry)})` })))
      return;
    await savePrices(
      context,
      id,
      entries.filter((one) => one !== entry),
    );
    context.output.done(`${name} pays the standard price for ${what}.`);
  },
});
