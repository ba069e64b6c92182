import type { Meters } from "@tollgate/domain/limits/meters.ts";
import type { LimitedCaller } from "../call/caller-limits.ts";
import type { Limit, LimitScope, SlotLimit, WindowLimit } from "./limit.ts";

/** All limits of a caller, with a separate list for each model that has its own limits. */
export class LimitSet {
  /** The generation of the meters that this set was built with. A set with an older generation is rebuilt. */
  readonly generation: number;
  readonly #general: readonly Limit[];
  readonly #byModel: ReadonlyMap<string, readonly Limit[]>;

  constructor(general: readonly Limit[], byModel: ReadonlyMap<string, readonly Limit[]>, generation: number) {
    this.#general = general;
    this.#byModel = byModel;
    this.generation = generation;
  }

  /** Returns the limits that apply to a call to this model. */
  of(model: string): readonly Limit[] {
    return this.#byModel.size === 0 ? this.#general : (this.#byModel.get(model) ?? this.#general);
  }
}

/** Returns a caller's limits, starting with the narrowest owner. Returns null if the caller has no limits. */
export function buildLimitSet(caller: LimitedCaller, keyMaxParallel: number | null, meters: Meters): LimitSet | null {
  const { key, team, organization, user } = caller.limits;
  // The generation is read before the meters, so that the set is rebuilt later if meters are dropped in the meantime.
  const { generation } = meters;
  // All keys for a call have the same hash tag, so that a Redis cluster stores them on one node.
  const prefix = `tollgate:limits:{${caller.organizationId ?? caller.keyId}}`;
  const owner = (scope: LimitScope, id: string, ownerName: string | null, model = ""): Owner => ({
    scope,
    ownerName,
    key: `${prefix}:${scope}:${id}${model === "" ? "" : `:${model}`}`,
    meters,
  });
  const ofKey = owner("api_key", caller.keyId, caller.keyName);
  const general: (Limit | null)[] = [
    slots(ofKey, key.maxParallel ?? keyMaxParallel),
    requests(ofKey, key.rpm),
    tokens(ofKey, key.tpm),
  ];
  if (caller.userId !== null && user !== undefined) {
    const ofUser = owner("user", caller.userId, null);
    general.push(requests(ofUser, user.rpm), tokens(ofUser, user.tpm));
  }
  if (caller.teamId !== null) {
    const ofTeam = owner("team", caller.teamId, caller.teamName);
    general.push(slots(ofTeam, team.maxParallel), requests(ofTeam, team.rpm), tokens(ofTeam, team.tpm));
  }
  if (caller.organizationId !== null) {
    const ofOrganization = owner("organization", caller.organizationId, null);
    general.push(requests(ofOrganization, organization.rpm), tokens(ofOrganization, organization.tpm));
  }
  const everywhere = general.filter((limit) => limit !== null);
  const byModel = new Map<string, Limit[]>();
  const add = (model: string, limit: Limit | null) => {
    if (limit === null) return;
    const limits = byModel.get(model) ?? [...everywhere];
    limits.unshift(limit);
    byModel.set(model, limits);
  };
  if (caller.teamId !== null) {
    for (const [model, tpm] of Object.entries(team.modelTpm))
      add(model, tokens(owner("model_per_team", caller.teamId, caller.teamName, model), tpm));
    for (const [model, rpm] of Object.entries(team.modelRpm))
      add(model, requests(owner("model_per_team", caller.teamId, caller.teamName, model), rpm));
  }
  for (const [model, tpm] of Object.entries(key.modelTpm))
    add(model, tokens(owner("model_per_key", caller.keyId, caller.keyName, model), tpm));
  for (const [model, rpm] of Object.entries(key.modelRpm))
    add(model, requests(owner("model_per_key", caller.keyId, caller.keyName, model), rpm));
  if (everywhere.length === 0 && byModel.size === 0) return null;
  return new LimitSet(everywhere, byModel, generation);
}

interface Owner {
  readonly scope: LimitScope;
  readonly ownerName: string | null;
  readonly key: string;
  readonly meters: Meters;
}

function requests(owner: Owner, maximum: number | null): WindowLimit | null {
  return windowLimit(owner, "requests", maximum);
}

function tokens(owner: Owner, maximum: number | null): WindowLimit | null {
  return windowLimit(owner, "tokens", maximum);
}

function windowLimit(owner: Owner, type: WindowLimit["type"], maximum: number | null): WindowLimit | null {
  if (maximum === null) return null;
  const { scope, ownerName, key, meters } = owner;
  return { type, scope, ownerName, maximum, meter: meters.window(`${key}:${type}`), ...linesOf(scope, type, maximum) };
}

function slots({ scope, ownerName, key, meters }: Owner, maximum: number | null): SlotLimit | null {
  if (maximum === null) return null;
  const type = "max_parallel_requests";
  return { type, scope, ownerName, maximum, meter: meters.slots(`${key}:${type}`), ...linesOf(scope, type, maximum) };
}

function linesOf(scope: LimitScope, type: Limit["type"], maximum: number) {
  return {
    remainingPrefix: `x-ratelimit-${scope}-limit-${type}: ${maximum}\r\nx-ratelimit-${scope}-remaining-${type}: `,
    openAiPrefix: `x-ratelimit-limit-${type}: ${maximum}\r\nx-ratelimit-remaining-${type}: `,
    openAiReset: `\r\nx-ratelimit-reset-${type}: `,
  };
}
