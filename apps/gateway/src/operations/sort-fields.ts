import { clientSideCredentials, Failure } from "@tollgate/contracts/failures.ts";
import { gatewayFields, type InferenceRequest, ignoredFields } from "@tollgate/contracts/inference/shared-fields.ts";
import type { OperationFields } from "../call/operation-traits.ts";

/** Handling of a top-level field: forwarded upstream, used by the gateway, ignored, or rejected. */
type FieldKind = "forwarded" | "gateway" | "ignored" | "refused";

/** Fields that every operation has. */
const sharedKinds: readonly (readonly [string, FieldKind])[] = [
  ["model", "forwarded"],
  ...Object.keys(gatewayFields).map((name) => [name, "gateway"] as const),
  ...Object.keys(ignoredFields).map((name) => [name, "ignored"] as const),
  ...["api_base", "base_url", "api_key", "logger_fn", "gw_logging_obj", "callbacks", "client_secret", "tenant_id"].map(
    (name) => [name, "refused"] as const,
  ),
];
const kindsByOperation = new WeakMap<OperationFields, ReadonlyMap<string, FieldKind>>();

const NOTHING: ReadonlySet<string> = new Set();

/** Fields that the gateway reads itself, such as the end user for the log, even if a request drops them. */
export const readByGateway: ReadonlySet<string> = new Set([
  ...Object.keys(gatewayFields),
  "user",
  "safety_identifier",
  "prompt_cache_key",
]);

/** Prefixes and patterns of fields that control routing, credentials, prices, or logging. */
const refusedFamilies = /^(?:aws|vertex|azure|s3|gcs|langfuse|langsmith)_|_cost_per_|_callbacks?$|^callback_/;

/**
 * Returns the fields that must not be sent upstream. Rejects fields, at any depth, that would let a caller control the
 * gateway. Null is always allowed, because clients send it for every field that they support.
 */
export function sortFields(request: InferenceRequest, fields: OperationFields, isBilled: boolean): ReadonlySet<string> {
  const kinds = kindsOf(fields);
  let dropped: Set<string> | null = null;
  // Iterates over the parser's names, not the scanner's, because the hashes of the parser's names are already computed.
  for (const name in request) {
    const kind = kindOf(kinds, name);
    const value = (request as Record<string, unknown>)[name];
    if (isVariable(value)) throw clientSideCredentials(name);
    // The deployment decides whether an unknown field is sent. See `providers/fit-parameters.ts`.
    if (kind === "forwarded" || kind === undefined) continue;
    if (kind === "refused" && value !== null) throw clientSideCredentials(name);
    dropped ??= new Set();
    dropped.add(name);
  }
  // Most calls have no gateway fields.
  if (dropped === null) return NOTHING;
  checkInnerFields(request, kinds, fields.settled, isBilled);
  for (const name of request.additional_drop_params ?? []) {
    if (decidesCost(name, fields)) throw cannotDrop(name);
    // A path is removed when the body is read. It must not apply to a translated body, whose fields are others.
    if (!name.includes(".")) dropped.add(name);
  }
  // Metadata is sent upstream only with stored completions, which include it.
  if (request.store === true && isStringMap(request.metadata)) dropped.delete("metadata");
  return dropped;
}

/**
 * Reports whether a name or path determines the form or cost of a response and therefore can't be dropped. Nothing
 * inside the prompt can be dropped, because the hold was estimated for the whole prompt.
 */
function decidesCost(path: string, { settled }: OperationFields): boolean {
  const end = path.indexOf(".");
  return settled.has(end < 0 ? path : path.slice(0, end));
}

function cannotDrop(name: string): Failure {
  const shown = Buffer.from(name, "latin1").toString("utf8");
  return new Failure("invalid_request", `A request cannot drop '${shown}' because it affects the cost.`, {
    param: "additional_drop_params",
    fix: "Remove it from additional_drop_params. The operator can drop it for a deployment.",
  });
}

type FieldKinds = ReadonlyMap<string, FieldKind>;

function kindsOf(fields: OperationFields): FieldKinds {
  const known = kindsByOperation.get(fields);
  if (known !== undefined) return known;
  const own = [...fields.required, ...fields.params].map((name) => [name, "forwarded"] as const);
  const ours = (fields.own ?? []).map((name) => [name, "gateway"] as const);
  const made = new Map<string, FieldKind>([...sharedKinds, ...own, ...ours]);
  kindsByOperation.set(fields, made);
  return made;
}

function kindOf(kinds: FieldKinds, name: string): FieldKind | undefined {
  return kinds.get(name) ?? (refusedFamilies.test(name) ? "refused" : undefined);
}

/** Checks the fields inside the gateway's own fields. */
function checkInnerFields(
  { extra_body: extraBody, metadata, fallbacks }: InferenceRequest,
  kinds: FieldKinds,
  settled: ReadonlySet<string>,
  isBilled: boolean,
): void {
  if (extraBody != null) {
    refuseSteering("extra_body", extraBody, kinds);
    refuseSettled(extraBody, settled);
  }
  if (metadata != null) refuseSteering("metadata", metadata, kinds);
  for (const fallback of fallbacks ?? []) {
    if (typeof fallback !== "object") continue;
    refuseSteering("fallbacks", fallback, kinds);
    if (isBilled) refuseOwnCost(fallback, settled);
  }
}

function refuseSteering(place: string, inner: object, kinds: FieldKinds): void {
  for (const [name, value] of Object.entries(inner)) {
    if (value === null) continue;
    if (kindOf(kinds, name) === "refused" || isVariable(value)) throw clientSideCredentials(`${place}.${name}`);
  }
}

/** Rejects `extra_body` members that would change fields that were already validated and counted. */
function refuseSettled(extraBody: object, settled: ReadonlySet<string>): void {
  for (const name of Object.keys(extraBody)) {
    if (!settled.has(name)) continue;
    throw new Failure("invalid_request", `Send '${name}' at the top level of the body, not in extra_body.`, {
      param: `extra_body.${name}`,
    });
  }
}

/** Rejects fallback members that affect the cost, because the request's hold also covers its fallbacks. */
function refuseOwnCost(fallback: object, settled: ReadonlySet<string>): void {
  for (const name of Object.keys(fallback)) {
    if (name === "model" || !settled.has(name)) continue;
    throw new Failure("invalid_request", `A fallback cannot set its own '${name}' because it affects the cost.`, {
      param: `fallbacks.${name}`,
      fix: "Send it at the top level of the body, where it applies to every model.",
    });
  }
}

/**
 * Reports whether a value refers to an environment variable. Settings may contain such references, but requests must
 * not.
 */
export function isVariable(value: unknown): boolean {
  return typeof value === "string" && value.startsWith("os.environ/");
}

function isStringMap(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && Object.values(value).every((entry) => typeof entry === "string")
  );
}
