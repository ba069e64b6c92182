import { invalidField, unknownObject } from "@tollgate/contracts/management/failure.ts";
import { ApiKeyAnswer, NewApiKey, toApiKey } from "@tollgate/contracts/management/key.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import type { Static } from "typebox";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { enterOrganizationOfTeam } from "../organizations/enter-own-organization.ts";
import { createKey } from "./create-key.ts";
import { readExpiry } from "./key-limits.ts";
import { makeSecret } from "./make-secret.ts";
import { readChangedKey, readerOf } from "./managed-key.ts";

export const createApiKey = operation({
  ...write,
  id: "createApiKey",
  summary: "Create a key in a team. Its secret is returned only once",
  tag: "keys",
  path: "/api/gw/api-keys",
  auth: "user",
  scope: "user",
  body: NewApiKey,
  answers: { 201: { description: "The key with its secret", schema: ApiKeyAnswer } },
  async handle({ caller, body, origin }, transaction, services) {
    const { userId } = caller;
    const { name, budget, rateLimit } = body;
    const teamId = readTeamId(body);
    const expiresAt = readExpiry(body.expiresAt ?? null, services.now());
    const { organizationId, standing: roles } = await enterOrganizationOfTeam(transaction, caller, teamId);
    const reader = readerOf(caller, { organizationId, role: roles.organization }, services);
    const secret = makeSecret();
    const id = makePrefixedId("key", reader.now.getTime());
    const models = body.models ?? null;
    const limits = toLimits(rateLimit);
    await createKey(
      transaction,
      { id, organizationId, teamId, userId, name, ...secret.stored, expiresAt, models, limits, budget },
      {
        kind: "manager",
        roles,
        maxKeysPerTeam: services.settings().limits.keysPerTeam,
        actor: actorOf({ caller, origin }),
        audited: {
          name,
          teamId,
          expiresAt,
          models: models ?? [],
          budget: budget ?? null,
          rateLimit: rateLimit ?? null,
        },
      },
      reader.now,
    );
    const key = await readChangedKey(transaction, reader, id);
    return {
      status: 201,
      body: { apiKey: toApiKey(key, secret.token) },
      replayBody: { apiKey: toApiKey(key, null) },
    };
  },
});

/** The form of team IDs. A text in another form is never looked up. */
const TEAM_ID = /^team_[0-9A-HJKMNP-TV-Z]{26}$/;

function readTeamId({ team_id, teamId }: Static<typeof NewApiKey>): string {
  if (team_id !== undefined && teamId !== undefined && team_id !== teamId) {
    throw invalidField("team_id", "and teamId name different teams; send only one");
  }
  const id = team_id ?? teamId;
  if (id === undefined) throw invalidField("team_id", "is required");
  if (!TEAM_ID.test(id)) throw unknownObject("team");
  return id;
}

/** Converts rate limits; a missing limit means unlimited. */
function toLimits(rateLimit: Static<typeof NewApiKey>["rateLimit"]) {
  return { rpm: rateLimit?.rpm ?? null, tpm: rateLimit?.tpm ?? null, maxParallel: rateLimit?.maxParallel ?? null };
}
