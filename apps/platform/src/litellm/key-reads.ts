import {
  KeyInfoAnswer,
  KeyInfoQuery,
  KeyList,
  KeyListQuery,
} from "@tollgate/contracts/administration/key-management.ts";
import { managementFailures, managementReadRules } from "@tollgate/contracts/administration/management-rules.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { ManagedKey } from "@tollgate/db/keys/managed-keys.ts";
import { MASTER_KEY_ID } from "@tollgate/domain/api-keys.ts";
import { reachesManagement } from "@tollgate/domain/roles/management-routes.ts";
import { describeKey } from "./describe-record.ts";
import {
  answerJson,
  type KeyCaller,
  type LitellmAnswer,
  type LitellmOperation,
  managerOf,
  runFor,
} from "./litellm-operation.ts";
import { findKey, findOwnKey, listKeys } from "./manage-keys.ts";
import { readKeyName, readUserId } from "./read-fields.ts";

const DEFAULT_SIZE = 50;

/** Returns a key's record. Every key can read its own record. */
export const keyInfo: LitellmOperation<KeyInfoQuery> = {
  ...managementReadRules,
  routeGroup: "self",
  id: "getKeyInfo",
  summary: "Get the caller's key, or another key that the caller can manage",
  paths: ["/key/info"],
  query: KeyInfoQuery,
  answers: { 200: { description: "The key, without its secret.", schema: KeyInfoAnswer }, ...managementFailures },

  async handle(input, context) {
    const { caller, callId, query } = input;
    const asked = query.key ?? null;
    if (asked === null) return answerInfo(await findOwnKey(context.services, managerOf(caller, callId)));
    requireManagement(caller);
    const name = readKeyName("key", asked);
    return answerInfo(await runFor(input, context, (acting) => findKey(acting, name)));
  },
};

/** Lists the keys that the caller can see. */
export const keyList: LitellmOperation<KeyListQuery> = {
  ...managementReadRules,
  id: "listKeys",
  summary: "List keys of the caller's teams, its organization, or all organizations",
  paths: ["/key/list"],
  query: KeyListQuery,
  answers: { 200: { description: "A page of keys, newest first.", schema: KeyList }, ...managementFailures },

  async handle(input, context) {
    const { query } = input;
    const { page = 1, size: pageSize = DEFAULT_SIZE } = query;
    const filter = {
      teamId: query.team_id ?? null,
      userId: typeof query.user_id === "string" ? readUserId("user_id", query.user_id) : null,
      organizationId: query.organization_id ?? null,
      name: query.key_alias ?? null,
      key: typeof query.key_hash === "string" ? readKeyName("key_hash", query.key_hash) : null,
    };
    const { items, total } = await runFor(input, context, (acting) => listKeys(acting, filter, { page, pageSize }));
    return answerJson({
      keys: query.return_full_object === false ? items.map(({ tokenHash }) => tokenHash) : items.map(describeKey),
      total_count: total,
      current_page: page,
      total_pages: Math.ceil(total / pageSize),
    });
  },
};

function answerInfo(key: ManagedKey): LitellmAnswer {
  return answerJson({ key: key.tokenHash, info: describeKey(key) });
}

/**
 * Requires management access. Every key may use this route to read its own record, so requests for other keys' records
 * are checked here.
 */
function requireManagement({ keyId, allowedRoutes }: KeyCaller): void {
  if (keyId === MASTER_KEY_ID || reachesManagement(allowedRoutes)) return;
  throw new Failure(
    "route_not_allowed",
    "This key can only read itself. Omit `key`, or use a key whose allowed_routes include management.",
    { param: "key" },
  );
}
