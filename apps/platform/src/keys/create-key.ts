import { invalidField, ManagementFailure, unknownObject } from "@tollgate/contracts/management/failure.ts";
import { ApiKeyAnswer, NewApiKey, toApiKey } from "@tollgate/contracts/management/key.ts";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { createKey, lockTeamForKey } from "@tollgate/db/keys/create-key.ts";
import { findVisibleKey } from "@tollgate/db/keys/find-visible-key.ts";
import { addEvent } from "@tollgate/db/outbox/add-event.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { may } from "@tollgate/domain/roles/permissions.ts";
import type { Static } from "typebox";
import { actorOf } from "../audit-actor.ts";
import { operation, write } from "../operation.ts";
import { enterOrganizationOfTeam } from "../organizations/enter-own-organization.ts";
import { readExpiry, readModels, writeKeyBudget } from "./key-limits.ts";
import { makeSecret } from "./make-secret.ts";
import { readerOf } from "./managed-key.ts";

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
    const teamId = readTeamId(body);
    const expiresAt = readExpiry(body.expiresAt ?? null, services.now());
    const { organizationId, standing: roles } = await enterOrganizationOfTeam(transaction, caller, teamId);
    const team = await lockTeamForKey(transaction, organizationId, teamId, userId);
    if (team === null) throw unknownObject("team");
    if (!may({ organization: roles.organization, team: team.role }, "create_key")) {
      throw new ManagementFailure(
        "ROLE_REQUIRED",
        "Only team members and organization administrators can create keys in this team.",
      );
    }
    const reader = readerOf(caller, { organizationId, role: roles.organization }, services);
    const secret = makeSecret();
    const id = makePrefixedId("key", reader.now.getTime());
    const models = readModels(body.models ?? null, team);
    const { keysPerTeam } = services.settings().limits;
    const outcome = await createKey(
      transaction,
      {
        id,
        organizationId,
        teamId,
        userId,
        name: body.name,
        ...secret.stored,
        expiresAt,
        models,
        limits: toLimits(body.rateLimit),
      },
      keysPerTeam,
    );
    if (outcome.kind === "limit_reached") {
      throw new ManagementFailure(
        "LIMIT_REACHED",
        `The team has reached its limit of ${keysPerTeam} keys. Delete an unused key first.`,
      );
    }
    if (body.budget) await writeKeyBudget(transaction, organizationId, id, body.budget);
    const key = await findVisibleKey(transaction, reader, { id });
    if (key === null) throw new Error("the new key was not found");
    await addEvent(transaction, organizationId, "key.created", { keyId: id, teamId, name: key.name });
    await writeAudit(transaction, {
      organizationId,
      actor: actorOf({ caller, origin }),
      action: "key.created",
      target: { type: "key", id },
      after: {
        name: key.name,
        teamId,
        expiresAt,
        models,
        budget: body.budget ?? null,
        rateLimit: body.rateLimit ?? null,
      },
    });
    return {
      status: 201,
      body: { apiKey: toApiKey(key, secret.token) },
      replayBody: { apiKey: toApiKey(key, null) },
    };
  },
});

function readTeamId({ team_id, teamId }: Static<typeof NewApiKey>): string {
  if (team_id !== undefined && teamId !== undefined && team_id !== teamId) {
    throw invalidField("team_id", "and teamId name different teams; send only one");
  }
  const id = team_id ?? teamId;
  if (id === undefined) throw invalidField("team_id", "is required");
  return id;
}

/** Converts rate limits; a missing limit means unlimited. */
function toLimits(rateLimit: Static<typeof NewApiKey>["rateLimit"]) {
  return { rpm: rateLimit?.rpm ?? null, tpm: rateLimit?.tpm ?? null, maxParallel: rateLimit?.maxParallel ?? null };
}
