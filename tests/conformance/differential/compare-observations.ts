import { isDeepStrictEqual } from "node:util";
import type { ReceivedRequest } from "@tollgate/testkit/fake-upstream.ts";
import { labelOf, type Mode, modes, type Observation } from "./observation.ts";

/**
 * Why the two sides differ for one scenario, or null when a client cannot tell them apart. The model's name is meant to
 * differ; of errors, class and status are compared, because their texts and codes are the gateway's own.
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

/** Where two values begin to differ, and what stands there. */
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

/** The request as the upstream saw it, without what must differ: model, label, and usage that only billing asked for. */
function findRequest(requests: readonly ReceivedRequest[], label: string, mode: Mode): unknown {
  const body = requests.map((request) => request.json() as Record<string, unknown>).find(({ user }) => user === label);
  if (body === undefined) return undefined;
  const { model: _, user: __, stream_options, ...rest } = body;
  return mode === "streamed with usage" ? { ...rest, stream_options } : rest;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
