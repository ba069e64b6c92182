import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import { usdOf } from "@tollgate/contracts/management/money.ts";
import { toOrganization } from "@tollgate/contracts/management/organization.ts";
import { writeAnswer } from "@tollgate/contracts/management/write-answer.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { type ExportRow, exportSections, readExportPage } from "@tollgate/db/organizations/export-organization.ts";
import { findOrganization } from "@tollgate/db/organizations/list-organizations.ts";
import { runInOrganization } from "@tollgate/db/tenancy.ts";
import Type from "typebox";
import { actorOf } from "../audit-actor.ts";
import { operation, read } from "../operation.ts";
import type { Services } from "../services.ts";
import { enterOwnOrganization, requirePermission } from "./enter-own-organization.ts";

export const exportOrganizationOperation = operation({
  ...read,
  rate: "write",
  recentAuthentication: true,
  id: "exportOrganization",
  summary: "Export all data of an organization as one JSON document",
  tag: "organizations",
  path: "/api/gw/organizations/{id}/export",
  auth: "user",
  scope: "user",
  params: Type.Object({ id: PathId }),
  answers: {
    200: {
      description: "The document, streamed as it is read; a truncated export is not valid JSON",
      contentType: "application/json",
      schema: Type.Object({ exportedAt: Type.String() }, { additionalProperties: true }),
    },
  },
  handle: async (input, transaction, services) => {
    const { caller, params, signal } = input;
    requirePermission(await enterOwnOrganization(transaction, caller, params.id), "export_organization");
    const organization = await findOrganization(transaction, params.id, caller.userId);
    if (organization === null) throw unknownObject("organization");
    await writeAudit(transaction, {
      organizationId: params.id,
      actor: actorOf(input),
      action: "org.exported",
      target: { type: "organization", id: params.id },
    });
    const head = {
      exportedAt: services.now(),
      organization: toOrganization(organization, caller.organization?.id ?? null),
    };
    return {
      status: 200,
      headers: { "content-disposition": `attachment; filename="${params.id}.json"` },
      raw: { contentType: "application/json", content: writeDocument(head, params.id, services, signal) },
    };
  },
});

/**
 * Writes the export page by page, each page in a separate transaction, so that a slow reader doesn't keep a transaction
 * open.
 */
async function* writeDocument(
  head: object,
  organizationId: string,
  { reportDb }: Services,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield writeAnswer({}, head).slice(0, -1);
  for (const section of exportSections) {
    yield `,"${section}":[`;
    let separator = "";
    for (let after: string | null = ""; after !== null; ) {
      signal.throwIfAborted();
      const from: string = after;
      const page = await runInOrganization(reportDb, organizationId, (transaction) =>
        readExportPage(transaction, organizationId, section, from),
      );
      for (const row of page.rows) {
        yield separator + writeAnswer({}, withUsd(row));
        separator = ",";
      }
      after = page.next;
    }
    yield "]";
  }
  yield "}";
}

function withUsd(row: ExportRow): object {
  const amounts = Object.entries(row).filter((entry): entry is [string, bigint] => typeof entry[1] === "bigint");
  return amounts.length === 0 ? row : { ...row, usd: usdOf(Object.fromEntries(amounts)) };
}
