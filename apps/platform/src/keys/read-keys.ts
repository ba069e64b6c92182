import { unknownObject } from "@tollgate/contracts/management/failure.ts";
import { PathId } from "@tollgate/contracts/management/fields.ts";
import {
  ApiKey,
  ApiKeyAnswer,
  type KeyStatusFilter,
  ListApiKeysQuery,
  toApiKey,
} from "@tollgate/contracts/management/key.ts";
import { listOf, toList } from "@tollgate/contracts/management/lists.ts";
import { findVisibleKey } from "@tollgate/db/keys/find-visible-key.ts";
import type { KeyStatus } from "@tollgate/db/keys/key-view.ts";
import { listKeys } from "@tollgate/db/keys/list-keys.ts";
import Type from "typebox";
import { operation, read } from "../operation.ts";
import { searchOwnOrganizations } from "../organizations/search-own-organizations.ts";
import { readerOf } from "./managed-key.ts";

export const listApiKeys = operation({
  ...read,
  id: "listApiKeys",
  summary: "List the keys of your teams; organization administrators see all keys",
  tag: "keys",
  path: "/api/api-keys",
  auth: "user",
  scope: "organization",
  query: ListApiKeysQuery,
  answers: { 200: { description: "One page of keys", schema: listOf(ApiKey) } },
  async handle({ caller, query }, transaction, services) {
    const { page, pageSize, search, teamId, status, createdBy, sort } = query;
    const { id: organizationId, role } = caller.organization;
    const reader = readerOf(caller, { organizationId, role }, services);
    const { keys, total } = await listKeys(transaction, reader, {
      search: search ?? null,
      teamId: teamId ?? null,
      statuses: wantedStatuses(status),
      createdBy: createdBy === undefined ? null : createdBy === "me" ? caller.userId : Number(createdBy),
      sort,
      limit: pageSize,
      offset: (page - 1) * pageSize,
    });
    return {
      status: 200,
      body: toList(
        keys.map((key) => toApiKey(key)),
        query,
        total,
      ),
    };
  },
});

export const getApiKey = operation({
  ...read,
  id: "getApiKey",
  summary: "Get a key, including a revoked one",
  tag: "keys",
  path: "/api/api-keys/{id}",
  auth: "user",
  scope: "user",
  params: Type.Object({ id: PathId }),
  answers: { 200: { description: "The key with its secret masked", schema: ApiKeyAnswer } },
  async handle({ caller, params }, transaction, services) {
    const key = await searchOwnOrganizations(transaction, caller, (membership) =>
      findVisibleKey(transaction, readerOf(caller, membership, services), { id: params.id }),
    );
    if (key === null) throw unknownObject("API key");
    return { status: 200, body: { apiKey: toApiKey(key) } };
  },
});

/** Excludes revoked keys unless they are requested. */
function wantedStatuses(sent: readonly KeyStatusFilter[] = ["active", "disabled", "expired"]): readonly KeyStatus[] {
  return sent.includes("all") ? [] : (sent as readonly KeyStatus[]);
}
