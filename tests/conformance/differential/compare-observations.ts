import { isDeepStrictEqual } from "node:util";
import type { ReceivedRequest } from "@tollgate/testkit/received-request.ts";
import { labelOf, type Mode, modes, type Observation } from "./observation.ts";

/**
 * Returns how the two sides differ in one scenario, or null if a client cannot distinguish them. The model name may
 * differ. For errors, only the class and the status are compared, because the gateway has its own messages and codes.
 */
export function compareObservations(
  sdk: string,
  scenario: string,
  observations: readonly Observation[],
  requests: readonly ReceivedRequest[],
): string | null {
  if (!observations.some((seen) => seen.scenario === scenario)) return "nothing was observed";
  const problems = modes.flatMap((mode) => {
    const decodedOn = (side: Observation["side"]) =>
      observations.find((seen) => seen.scenario === scenario && seen.mode === mode && seen.side === side)?.value;
    const askedOn = (side: Observation["side"]) => findRequest(requests, labelOf(sdk, { scenario, mode, side }), mode);
    return [
      describeDifference(`${mode}, decoded`, withoutModel(decodedOn("direct")), withoutModel(decodedOn("through"))),
      describeDifference(`${mode}, as the upstream was asked`, askedOn("direct"), askedOn("through")),
    ];
  });
  const found = problems.filter((problem) => problem !== null);
  return found.length === 0 ? null : found.join("\n");
}

function describeDifference(what: string, direct: unknown, through: unknown): string | null {
  if (direct === undefined || through === undefined) return `${what}: not observed`;
  if (isDeepStrictEqual(direct, through)) return null;
  return `${what}: ${firstDifference(direct, through, "")}`;
}

/** Returns the first path at which two values differ, and both values there. */
function firstDifference(direct: unknown, through: unknown, path: string): string {
  if (isObject(direct) && isObject(through)) {
    for (const name of new Set([...Object.keys(direct), ...Object.keys(through)])) {
      if (!isDeepStrictEqual(direct[name], through[name])) {
        return firstDifference(direct[name], through[name], `${path}/${name}`);
      }
    }
  }
  return `at ${path || "/"}: direct ${JSON.stringify(direct)}, through ${JSON.stringify(through)}`;
}

function withoutModel(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutModel);
  if (!isObject(value)) return value;
  const { model: _, ...rest } = value;
  return rest;
}

/**
 * Returns the request that the upstream received, without the fields that may differ: the model, the label, and the
 * usage option that the gateway adds for billing.
 */
function findRequest(requests: readonly ReceivedRequest[], label: string, mode: Mode): unknown {
  const body = requests.map((request) => request.json() as Record<string, unknown>).find(({ user }) => user === label);
  if (body === undefined) return undefined;
  const { model: _, user: __, stream_options, ...rest } = body;
  return mode === "streamed with usage" ? { ...rest, stream_options } : rest;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
