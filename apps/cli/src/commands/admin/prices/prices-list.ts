import { defineCommand } from "../../../command.ts";
import { sliceList } from "../../../fetch-list.ts";
import { findOrganization } from "../find-organization.ts";
import { describePrice, readPrices } from "./price-list.ts";

/** The `tollgate admin prices list` command. */
export const adminPricesList = defineCommand({
  kind: "list",
  examples: ["tollgate admin prices list Acme", "tollgate admin prices list Acme --json=model,percentage,price"],
  arguments: [{ name: "organization", description: "Organization name or ID" }],
  fields: ["model", "percentage", "fixedPerRequest", "price"],
  operations: ["getOrganizationPrices"],
  async run(context, _flags, { organization }) {
    const { id } = await findOrganization(context, organization);
    const entries = await readPrices(context, id);
    context.output.list({
      rows: sliceList(context, entries),
      columns: [
        { header: "MODEL", value: ({ model }) => (model === "*" ? "all others" : model), priority: 1 },
        { header: "PRICE", value: describePrice, priority: 1 },
      ],
      meta: { total: entries.length },
      empty: "This organization pays standard prices. To set one, run tollgate admin prices set.",
    });
  },
});
