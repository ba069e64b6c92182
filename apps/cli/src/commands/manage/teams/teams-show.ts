import { formatMoney } from "@tollgate/domain/figures/money-text.ts";
import { defineCommand } from "../../../command.ts";
import { formatTime } from "../../../format-values.ts";
import { formatTable } from "../../../output/format-table.ts";
import { printable } from "../../../output/printable.ts";
import { resolveListed } from "../../../resolve-listed.ts";
import { formatBudget } from "../budgets.ts";
import { formatRateLimit } from "../limits.ts";
import { teamFields } from "./team-fields.ts";

/** `tollgate teams show`: shows a team with its members. */
export const teamsShow = defineCommand({
  examples: ["tollgate teams show platform", "tollgate teams show platform --jq '.members[].email'"],
  arguments: [{ name: "team", description: "Team name or ID", completes: "teams" }],
  fields: [...teamFields, "members", "invitations"],
  operations: ["getTeam"],
  async run(context, _, args) {
    const { id } = await resolveListed(context, "listTeams", args.team);
    const { team, members, invitations } = await context.platform.call("getTeam", { params: { id } });
    const { output } = context;
    const { budget } = team;
    const left = budget === null ? "" : `, ${formatMoney(budget.remaining)} left`;
    output.pairs({ ...team, members, invitations }, [
      ["name", team.name],
      ["id", team.id],
      ["status", team.status],
      ["blocked", team.blockedAt === null ? null : `${formatTime(team.blockedAt)}: ${team.blockedReason ?? ""}`],
      ["your role", team.role],
      ["models", team.models?.join(", ") ?? "all"],
      ["budget", `${formatBudget(budget)}${left}`],
      ["limits", formatRateLimit(team.rateLimit)],
      ["keys", String(team.keyCount)],
      // If the output isn't a terminal, print one line per member. The JSON output already includes the members.
      ...(output.isTerminal
        ? []
        : members.map(({ email, role }): [string, string] => ["member", `${email} (${role})`])),
    ]);
    if (output.isJson || !output.isTerminal) return;
    const people = [
      ...members.map(({ email, name, role }) => ({ email, name, role, note: "" })),
      ...invitations.map(({ email, role, expiresAt }) => ({
        email,
        name: "",
        role,
        note: `invited, expires ${formatTime(expiresAt)}`,
      })),
    ];
    const columns = [
      { header: "EMAIL", value: (person: (typeof people)[number]) => printable(person.email), priority: 1 },
      { header: "NAME", value: (person: (typeof people)[number]) => printable(person.name), priority: 3 },
      { header: "ROLE", value: (person: (typeof people)[number]) => person.role },
      { header: "", value: (person: (typeof people)[number]) => person.note, priority: 4 },
    ];
    if (people.length > 0) output.text(`\n${formatTable(people, columns, output.width, output.styles)}`);
  },
});
