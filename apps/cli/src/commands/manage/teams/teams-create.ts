import { randomUUID } from "node:crypto";
import { defineCommand } from "../../../command.ts";
import { limitFlags, readLimits } from "../limits.ts";
import { teamFields } from "./team-fields.ts";

/** The `tollgate teams create` command. */
export const teamsCreate = defineCommand({
  kind: "change",
  examples: ["tollgate teams create platform", "tollgate teams create research --cap 500/month --rpm 600"],
  arguments: [{ name: "name", description: "Team name" }],
  flags: limitFlags,
  fields: teamFields,
  operations: ["createTeam"],
  async run(context, flags, { name }) {
    const body = { name, ...readLimits(flags) };
    if (!(await context.confirms({ summary: `Create team ${name}`, request: body }))) return;
    const { team } = await context.platform.call("createTeam", { body, idempotencyKey: randomUUID() });
    const { output } = context;
    output.record(team, () => `${team.id}\n`);
    output.done(`Created team ${team.name}`);
    output.next(`tollgate teams invite ${team.id} EMAIL`, `tollgate keys create NAME --team ${team.id}`);
  },
});
