import { defineCommand } from "../../../command.ts";
import { sliceList } from "../../../fetch-list.ts";
import { readConfigFile } from "../../../settings/config-file.ts";
import { readCredential } from "../../../settings/credentials.ts";

/** The `tollgate profiles list` command. */
export const profilesList = defineCommand({
  kind: "list",
  examples: ["tollgate profiles list", "tollgate profiles list --json=name,url"],
  fields: ["name", "url", "org", "email", "inUse"],
  async run(context) {
    const { env } = context.io;
    const { profiles } = readConfigFile(env);
    const names = [...new Set([...Object.keys(profiles), context.settings.profile])].sort();
    const rows = names.map((name) => ({
      name,
      url: profiles[name]?.url ?? null,
      org: profiles[name]?.org ?? null,
      email: readCredential(env, name)?.email ?? null,
      inUse: name === context.settings.profile,
    }));
    context.output.list({
      rows: sliceList(context, rows),
      columns: [
        { header: "", value: ({ inUse }) => (inUse ? "*" : ""), priority: 1 },
        { header: "PROFILE", value: ({ name }) => name, priority: 1 },
        { header: "PLATFORM", value: ({ url }) => url ?? "not set", priority: 1 },
        { header: "SIGNED IN AS", value: ({ email }) => email ?? "–" },
        { header: "ORGANIZATION", value: ({ org }) => org ?? "–", priority: 3 },
      ],
    });
  },
});
