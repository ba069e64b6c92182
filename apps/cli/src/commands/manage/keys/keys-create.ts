import { randomUUID } from "node:crypto";
import { usageError } from "../../../cli-error.ts";
import { defineCommand } from "../../../command.ts";
import type { CommandContext } from "../../../context.ts";
import { formatTime, parseTime } from "../../../format-values.ts";
import { resolveListed } from "../../../resolve-listed.ts";
import { activeOrganization } from "../active-organization.ts";
import { formatBudget } from "../budgets.ts";
import { limitFlags, readLimits } from "../limits.ts";
import { keyFields } from "./key-fields.ts";
import { printSecret } from "./print-secret.ts";

/** The `tollgate keys create` command. */
export const keysCreate = defineCommand({
  kind: "change",
  examples: [
    "tollgate keys create ci-bot --team platform",
    'tollgate keys create ci-bot --models "sim/*" --cap 25/month --expires 90d',
    "export TOLLGATE_API_KEY=$(tollgate keys create ci-bot -q)",
  ],
  arguments: [{ name: "name", description: "Key name" }],
  flags: {
    team: {
      type: "string",
      value: "TEAM",
      description: "Team name or ID; defaults to your only team",
      completes: "teams",
    },
    ...limitFlags,
    expires: { type: "string", value: "TIME", description: "Expiration, such as 90d or 2027-01-01" },
  },
  fields: keyFields,
  operations: ["createApiKey"],
  async run(context, flags, { name }) {
    const team =
      flags.team === undefined ? await onlyTeam(context) : await resolveListed(context, "listTeams", flags.team);
    const body = {
      name,
      teamId: team.id,
      ...readLimits(flags),
      ...(flags.expires !== undefined && { expiresAt: parseTime(flags.expires, "future") }),
    };
    if (!(await context.confirms({ summary: `Create key ${name} in team ${team.name}`, request: body }))) return;
    const { apiKey } = await context.platform.call("createApiKey", { body, idempotencyKey: randomUUID() });
    const { output } = context;
    if (output.isJson) return output.record(apiKey, () => "");
    // The key already exists, so the secret must be printed even if this request fails.
    const organization = output.isQuiet ? null : await activeOrganization(context).catch(() => null);
    const where = organization === null ? "" : ` (${organization.name})`;
    output.done(`Created key ${apiKey.name} in team ${team.name}${where}`);
    printSecret(context, apiKey.token as string, "key");
    const facts = [
      `models  ${apiKey.models?.join(", ") ?? "all"}`,
      `budget  ${formatBudget(apiKey.budget)}`,
      `expires  ${formatTime(apiKey.expiresAt)}`,
    ];
    output.note(`\n  ${facts.join("     ")}`);
    output.next("export TOLLGATE_API_KEY=…", 'tollgate chat "hello"');
  },
});

async function onlyTeam({ platform }: CommandContext) {
  const { data, meta } = await platform.call("listTeams", { query: { pageSize: 5 } });
  const [team] = data;
  if (team !== undefined && meta.total === 1) return team;
  const names = data.map((each) => each.name).join(", ");
  throw usageError(team === undefined ? "No teams yet." : `Several teams exist: ${names}.`, "Add --team TEAM.");
}
