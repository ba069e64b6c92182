import { defineCommand } from "../../../command.ts";
import { sliceList } from "../../../fetch-list.ts";

/** `tollgate config show`: shows the effective settings. */
export const configShow = defineCommand({
  kind: "list",
  examples: ["tollgate config show", "tollgate config show --origin"],
  flags: { origin: { type: "boolean", description: "Also show the source of each value" } },
  fields: ["name", "value", "origin"],
  async run(context, flags) {
    const { settings, output } = context;
    const rows = [
      { name: "profile", value: settings.profile as string | null, origin: settings.profileOrigin },
      ...Object.entries(settings.values).map(([name, { value, origin }]) => ({ name, value, origin })),
    ];
    output.list({
      rows: sliceList(context, rows),
      columns: [
        { header: "SETTING", value: ({ name }) => name, priority: 1 },
        { header: "VALUE", value: ({ value }) => value ?? "not set", priority: 1 },
        ...(flags.origin
          ? [{ header: "SOURCE", value: ({ origin }: (typeof rows)[number]) => origin, priority: 1 }]
          : []),
      ],
    });
  },
});
