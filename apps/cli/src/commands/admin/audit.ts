import { defineCommand } from "../../command.ts";
import { fetchList, printMoreHint } from "../../fetch-list.ts";
import { formatTime, parseTime } from "../../format-values.ts";
import { findOrganization } from "./find-organization.ts";

/** The `tollgate admin audit` command. */
export const audit = defineCommand({
  kind: "list",
  examples: [
    "tollgate admin audit --since 24h",
    "tollgate admin audit --search prod-api",
    "tollgate admin audit --action team.block --of Acme",
    "tollgate admin audit --since 30d --all --csv=at,summary,requestId >audit.csv",
  ],
  flags: {
    actor: { type: "string", value: "ACTOR", description: "User ID or other actor ID" },
    action: { type: "string", multiple: true, value: "ACTION", description: "Action, such as key.create" },
    target: { type: "string", value: "ID", description: "ID of the changed object" },
    search: { type: "string", value: "TEXT", description: "Part of a name, email address, or action, or a full ID" },
    of: { type: "string", value: "ORG", description: "Organization name or ID" },
    since: { type: "string", value: "TIME", description: "Start time, such as 24h or 2026-11-01" },
    until: { type: "string", value: "TIME", description: "End time, such as 1h or 2026-11-02" },
  },
  fields: [
    "id",
    "at",
    "summary",
    "actor",
    "action",
    "target",
    "organizationId",
    "organizationName",
    "ip",
    "userAgent",
    "requestId",
    "before",
    "after",
    "prevHash",
    "hash",
  ],
  operations: ["listAdminAuditLog"],
  async run(context, flags) {
    const { actor, action, target, search, of, since, until } = flags;
    const query = {
      ...(actor !== undefined && { actor }),
      ...(action.length > 0 && { action }),
      ...(target !== undefined && { target }),
      ...(search !== undefined && { search }),
      ...(of !== undefined && { organizationId: (await findOrganization(context, of)).id }),
      ...(since !== undefined && { startDate: parseTime(since, "past") }),
      ...(until !== undefined && { endDate: parseTime(until, "past") }),
    };
    const list = await fetchList(context, "listAdminAuditLog", { query });
    context.output.list({
      ...list,
      columns: [
        { header: "WHEN", value: ({ at }) => formatTime(at), priority: 1 },
        { header: "CHANGE", value: (row) => row.summary, priority: 1 },
        { header: "ORGANIZATION", value: ({ organizationName }) => organizationName ?? "", priority: 2 },
        { header: "TARGET", value: (row) => row.target.id, priority: 3 },
        { header: "IP ADDRESS", value: ({ ip }) => ip ?? "", priority: 4 },
        { header: "REQUEST", value: ({ requestId }) => requestId ?? "", priority: 5 },
      ],
      empty: "No matching audit log entries.",
    });
    printMoreHint(context, list, "entries", "tollgate admin audit");
  },
});
