import { invalidField } from "@tollgate/contracts/management/failure.ts";
import { readTime } from "@tollgate/contracts/management/read-time.ts";
import { modelsBeyond } from "@tollgate/domain/routing/models-beyond.ts";

/** Parses an expiry time, which must be in the future; null means that the key never expires. */
export function readExpiry(text: string | null, now: Date): Date | null {
  if (text === null) return null;
  const expiresAt = readTime("expiresAt", text);
  if (expiresAt <= now) throw invalidField("expiresAt", "must be in the future");
  return expiresAt;
}

/**
 * Returns the models to store; an empty list means all of the team's models. A key never has models that its team
 * doesn't have.
 */
export function readModels(
  models: readonly string[] | null,
  bounds: { readonly teamModels: readonly string[]; readonly organizationModels: readonly string[] },
): readonly string[] {
  if (models === null) return [];
  if (models.length === 0) throw invalidField("models", "must name a model; null allows all models of the team");
  const [beyond] = [...modelsBeyond(models, bounds.teamModels), ...modelsBeyond(models, bounds.organizationModels)];
  if (beyond !== undefined) {
    throw invalidField("models", `contains ${JSON.stringify(beyond)}, which the team or its organization cannot use`);
  }
  return models;
}
