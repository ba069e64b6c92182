import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import { OrganizationActivityAnswer } from "@tollgate/contracts/management/organization-activity.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { findAnyOrganization } from "@tollgate/db/organizations/list-all-organizations.ts";
import { readActivity } from "@tollgate/db/organizations/read-activity.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import Type from "typebox";
import { administratorOf } from "../../audit-actor.ts";
import { operation, read } from "../../operation.ts";

const DAYS = 30;
const DAY_MS = 86_400_000;

/** Shows an administrator what an organization does. Its owners see in their audit log who looked, and when. */
export const getOrganizationActivity = operation({
  ...read,
  id: "getOrganizationActivity",
  summary: "View an organization's members, keys, and spend of 30 days; recorded in its audit log",
  tag: "admin",
  path: "/api/admin/organizations/{id}/activity",
  auth: "administrator",
  scope: "administrator",
  params: Type.Object({ id: PathId }),
  answers: { 200: { description: "The activity, without content of requests", schema: OrganizationActivityAnswer } },
  async handle(input, transaction, services) {
    const { id } = input.params;
    if ((await findAnyOrganization(transaction, id)) === null) throw unknownObject("organization");
    const now = services.now();
    const since = new Date(now.getTime() - DAYS * DAY_MS);
    const { members, keys, models, days } = await readActivity(transaction, id, { since, now });
    await writeAudit(transaction, {
      organizationId: id,
      actor: administratorOf(input),
      action: "org.viewed",
      target: { type: "organization", id },
    });
    return {
      status: 200,
      body: { since, members, keys: keys.map(withUsd), models: models.map(withUsd), days: days.map(withUsd) },
    };
  },
});

const withUsd = <Row extends { readonly cost: NanoUsd }>(row: Row) => ({ ...row, usd: usdOf({ cost: row.cost }) });
