import { AssistantUsageAnswer, AssistantUsageQuery } from "@tollgate/contracts/management/assistant-usage.ts";
import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { type LimitUse, readAssistantUsage } from "@tollgate/db/assistants/read-usage.ts";
import { findVisibleKey } from "@tollgate/db/keys/find-visible-key.ts";
import { readerOf } from "../keys/managed-key.ts";
import { operation, read } from "../operation.ts";

export const getAssistantUsage = operation({
  ...read,
  id: "getAssistantUsage",
  summary: "Get the queued runs, open streams, and stored bytes of the organization and a key, with their limits",
  tag: "organizations",
  path: "/api/gw/assistants/usage",
  auth: "user",
  scope: "organization",
  query: AssistantUsageQuery,
  answers: { 200: { description: "Current use and limits", schema: AssistantUsageAnswer } },
  handle: async ({ caller, query }, transaction, services) => {
    const { id: organizationId, role } = caller.organization;
    const id = query.apiKey ?? null;
    if (id !== null) {
      const reader = readerOf(caller, { organizationId, role }, services);
      if ((await findVisibleKey(transaction, reader, { id })) === null) throw unknownObject("API key");
    }
    const { organization, key, hasCredit } = await readAssistantUsage(transaction, organizationId, id);
    const { runs, storage } = services.assistantLimits();
    const needsCredit = !hasCredit && storage.withoutCredit !== null && storage.withoutCredit < storage.perOrganization;
    const most = needsCredit ? (storage.withoutCredit ?? 0) : storage.perOrganization;
    const body: AssistantUsageAnswer = {
      assistants: {
        organization: describeUse(organization, runs.queuedRunsPerOrganization, runs.listenersPerOrganization, most),
        apiKey: id === null ? null : describeUse(key, runs.queuedRunsPerKey, runs.listenersPerKey, storage.perKey),
        needsCredit,
      },
    };
    return { status: 200, body };
  },
});

function describeUse(
  { queuedRuns, openStreams, storedBytes }: LimitUse,
  maxRuns: number,
  maxStreams: number,
  maxBytes: number,
) {
  return {
    queuedRuns: { current: queuedRuns, maximum: maxRuns },
    openStreams: { current: openStreams, maximumPerGateway: maxStreams },
    storedBytes: { current: storedBytes, maximum: maxBytes },
  };
}
