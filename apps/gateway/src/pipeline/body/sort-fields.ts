import { Failure } from "@tollgate/contracts/failures.ts";
import { gatewayFields, type InferenceRequest, ignoredFields } from "@tollgate/contracts/inference/shared-fields.ts";
import type { OperationFields } from "../../operations/operation-kind.ts";

/** What becomes of a top-level field: it goes upstream, it is ours, it has no effect, or nobody may send it. */
type FieldKind = "forwarded" | "gateway" | "ignored" | "refused";

/** Of whatever operation. */
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

/** Families of fields that steer where a call goes, with which credential, what it costs, or who hears of it. */
const refusedFamilies = /^(?:aws|vertex|azure|s3|gcs|langfuse|langsmith)_|_cost_per_|_callbacks?$|^callback_/;

/**
 * The names that must not reach an upstream. Refuses fields that would let a caller steer the gateway, wherever they
 * stand; null is always fine, because clients send it for everything they know.
 */
export function sortFields(request: InferenceRequest, fields: OperationFields, isBilled: boolean): ReadonlySet<string> {
  const kinds = kindsOf(fields);
  let dropped: Set<string> | null = null;
  // The parser's own names, not the scanner's: those it has seen before are found without hashing them again.
  for (const name in request) {
    const kind = kindOf(kinds, name);
    const value = (request as Record<string, unknown>)[name];
    if (isVariable(value)) throw steering(name);
    // Whether an unknown field is sent depends on the deployment: `check-fields.ts` decides it.
    if (kind === "forwarded" || kind === undefined) continue;
    if (kind === "refused" && value !== null) throw steering(name);
    dropped ??= new Set();
    dropped.add(name);
  }
  // Most calls carry nothing of ours.
  if (dropped === null) return NOTHING;
  checkInnerFields(request, kinds, fields.settled, isBilled);
  for (const name of request.additional_drop_params ?? []) {
    if (decidesCost(name, fields)) throw cannotDrop(name);
    dropped.add(name);
  }
  // Stored completions take the caller's labels with them; nothing else of the metadata leaves.
  if (request.store === true && isStringMap(request.metadata)) dropped.delete("metadata");
  return dropped;
}

/** Whether a name or path stands for what decides the form and cost of a response. Parts of a prompt may be left out. */
function decidesCost(path: string, { settled, required }: OperationFields): boolean {
  const end = path.indexOf(".");
  if (end < 0) return settled.has(path);
  const field = path.slice(0, end);
  return settled.has(field) && !required.includes(field);
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

/** The gateway's own fields have fields in turn. */
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
    if (kindOf(kinds, name) === "refused" || isVariable(value)) throw steering(`${place}.${name}`);
  }
}

/** What was checked and counted must not be changed by what is merged into the body afterwards. */
function refuseSettled(extraBody: object, settled: ReadonlySet<string>): void {
  for (const name of Object.keys(extraBody)) {
    if (!settled.has(name)) continue;
    throw new Failure("invalid_request", `Send '${name}' at the top level of the body, not in extra_body.`, {
      param: `extra_body.${name}`,
    });
  }
}

/** A fallback is held for by the request that names it, so it cannot change what that is about or how it is answered. */
function refuseOwnCost(fallback: object, settled: ReadonlySet<string>): void {
  for (const name of Object.keys(fallback)) {
    if (name === "model" || !settled.has(name)) continue;
    throw new Failure("invalid_request", `A fallback cannot set its own '${name}' because it affects the cost.`, {
      param: `fallbacks.${name}`,
      fix: "Send it at the top level of the body, where it applies to every model.",
    });
  }
}

/** Settings may name variables of the operator's environment; requests may not. */
function isVariable(value: unknown): boolean {
  return typeof value === "string" && value.startsWith("os.environ/");
}

function steering(param: string): Failure {
  return new Failure(
    "client_side_credentials_not_allowed",
    `'${param}' cannot be set in a request. Only the operator sets URLs, credentials, prices, and logging.`,
    { param },
  );
}

function isStringMap(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && Object.values(value).every((entry) => typeof entry === "string")
  );
}
