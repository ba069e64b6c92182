import type { GenerateKeyRequest } from "@tollgate/contracts/administration/key-management.ts";
import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import type { LitellmContext } from "./litellm-operation.ts";
import { invalid, readDuration, readUserId, refuseUnknown } from "./read-fields.ts";
import { type RecordPatch, readLimits } from "./read-limits.ts";

/** Requested fields of a key. */
export interface KeyPatch extends RecordPatch {
  readonly teamId?: string;
  readonly userId?: number;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly allowedRoutes?: readonly string[] | null;
  readonly expiresAt?: Date | null;
}

/** Route groups by LiteLLM's names. */
const groupNames: ReadonlyMap<string, string> = new Map([
  ["llm_api_routes", "inference"],
  ["info_routes", "information"],
  ["management_routes", "management"],
]);
const groups: ReadonlySet<string> = new Set(["inference", "information", "management", "public"]);

/**
 * Parses a key patch. Rejects fields that the operation doesn't have, and unknown routes, because ignoring them would
 * give the key fewer permissions than intended.
 */
export function readKeyPatch(body: GenerateKeyRequest, known: object, context: LitellmContext): KeyPatch {
  refuseUnknown(body, known);
  const { key_alias, team_id, user_id, aliases, allowed_routes } = body;
  const expiresAt = readEnd(body, new Date(context.wallClock()));
  return {
    ...readLimits(body, context.current().settings),
    ...(typeof key_alias === "string" && { name: key_alias }),
    ...(typeof team_id === "string" && { teamId: team_id }),
    ...(typeof user_id === "string" && { userId: readUserId("user_id", user_id) }),
    ...(aliases !== undefined && { aliases: aliases ?? {} }),
    ...(allowed_routes !== undefined && { allowedRoutes: readRoutes(allowed_routes ?? [], context.operations()) }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

function readEnd({ duration, expires }: GenerateKeyRequest, now: Date): Date | null | undefined {
  if (typeof duration === "string") {
    if (typeof expires === "string")
      throw invalid("expires", "and duration both set when the key expires. Send only one.");
    return duration === "-1" ? null : readDuration("duration", duration, now);
  }
  if (typeof expires !== "string") return duration === null || expires === null ? null : undefined;
  const at = new Date(expires);
  if (Number.isNaN(at.getTime())) throw invalid("expires", "must be an ISO 8601 timestamp.");
  if (at <= now) throw invalid("expires", "must be in the future.");
  return at;
}

/**
 * Returns null if the patch names no routes. The key then has the default routes, which are inference and information.
 */
function readRoutes(routes: readonly string[], operations: readonly OperationDescription[]): readonly string[] | null {
  if (routes.length === 0) return null;
  const paths = new Set(operations.flatMap((operation) => operation.paths));
  return [
    ...new Set(
      routes.map((route) => {
        const name = groupNames.get(route) ?? route;
        if (groups.has(name) || paths.has(name)) return name;
        const known = [...groups, ...groupNames.keys()].join(", ");
        throw invalid(
          "allowed_routes",
          `contains the unknown route ${JSON.stringify(route)}. Use paths from the API reference or one of: ${known}.`,
        );
      }),
    ),
  ];
}
