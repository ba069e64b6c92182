import { Failure } from "@tollgate/contracts/failures.ts";
import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { toList } from "@tollgate/contracts/management/lists.ts";
import type { LogsQuery } from "@tollgate/contracts/management/usage.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { runInOrganization } from "@tollgate/db/tenancy.ts";
import type { CallFilter } from "@tollgate/db/usage/call-filter.ts";
import { type CallPosition, type CallRow, timeOfId } from "@tollgate/db/usage/read-calls.ts";
import { type ClassCounts, NO_REQUESTS, requestsOf } from "@tollgate/domain/figures/request-class.ts";
import { actorOf } from "../audit-actor.ts";
import type { Caller, Origin } from "../caller.ts";
import type { Services } from "../services.ts";
import { toCallLog } from "./call-log.ts";
import { contentRetentionDays } from "./content-retention.ts";
import { narrowSearch } from "./narrow-search.ts";
import { readCursor, writeCursor } from "./page-cursor.ts";
import { hideOlder, type ReportRange } from "./report-range.ts";
import { filterOf, runReport } from "./report-scope.ts";
import { SEARCH_BUDGET, searchContents } from "./search-contents.ts";

interface LogSearch {
  readonly caller: Caller;
  readonly origin: Origin;
  readonly query: LogsQuery;
  /** Text to search for. */
  readonly content: string;
  readonly range: ReportRange;
  readonly services: Services;
  readonly signal: AbortSignal;
}

/** Searches the stored contents of the requests that the caller may see. Each search is recorded in the audit log. */
export async function searchLogs({ caller, origin, query, content, range, services, signal }: LogSearch) {
  checkQuery(query);
  const after = query.cursor === undefined ? null : readCursor(query.cursor, query.sort);
  const filter = await runReport(caller, services, async (transaction, scope) => {
    if (!scope.keepsContent) throw storageIsOff();
    const shown = hideOlder(range, contentRetentionDays(scope.retentionDays), services.now());
    return narrowSearch(transaction, await filterOf(transaction, scope, shown, query), query.search);
  });
  const found = await services.searchTurns.run(caller.userId, async () => {
    await auditSearch(filter, after, { caller, origin, services });
    return searchContents({ caller, services, filter, text: content, after, limit: query.pageSize, signal });
  });
  if (found === null) throw tooManySearches();
  const list = toList(found.rows.map(toCallLog), query, found.rows.length);
  const counts = countRows(found.rows);
  return {
    ...list,
    meta: {
      ...list.meta,
      counts: { requests: requestsOf(counts), ...counts },
      ...(found.next !== null && { totalIsMinimum: true }),
      nextCursor: found.next === null ? null : writeCursor(query.sort, found.next),
      searched: { contents: found.searched, unreadable: found.unreadable, until: found.until },
    },
  };
}

/** Rejects parameters that a search does not support, because ignoring them would return a wrong list. */
function checkQuery({ sort, page, format, include }: LogsQuery): void {
  if (sort !== "-createdAt") throw invalidField("sort", "must be -createdAt with content");
  if (page > 1) throw invalidField("page", "must be 1 with content; continue with cursor = meta.nextCursor");
  if (format !== "json") throw invalidField("format", "must be json with content");
  if (include !== undefined) throw invalidField("include", "is not supported with content");
}

function storageIsOff(): Failure {
  return new Failure("WRONG_STATE", "This organization does not store prompts and responses.", {
    fix: "An owner or admin of the organization can turn on settings.logPrompts. Only later requests are then stored.",
  });
}

function tooManySearches(): Failure {
  return new Failure("RATE_LIMITED", "Too many searches in stored contents are in progress.", {
    retryAfterMs: SEARCH_BUDGET.ms,
    fix: "Wait until your other searches have ended. A user can run two at a time, and a server process ten.",
  });
}

/** Records the search before any content is decrypted. The text is not recorded, because it can be personal data. */
async function auditSearch(
  { organizationId, from, to }: CallFilter,
  after: CallPosition | null,
  { caller, origin, services }: Pick<LogSearch, "caller" | "origin" | "services">,
): Promise<void> {
  const id = organizationId as string;
  const endDate = after === null ? to : new Date(timeOfId(after.id));
  await runInOrganization(
    services.db,
    id,
    (transaction) =>
      writeAudit(transaction, {
        organizationId: id,
        actor: actorOf({ caller, origin }),
        action: "org.content_searched",
        target: { type: "organization", id },
        after: { startDate: from, endDate },
      }),
    caller.userId,
  );
}

function countRows(rows: readonly CallRow[]): ClassCounts {
  const counts = { ...NO_REQUESTS };
  for (const row of rows) counts[row.class] += row.weight;
  return counts;
}
