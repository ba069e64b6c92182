import fc from "fast-check";
import { SCRIPTED_GROUP } from "../stage/served-groups.ts";
import { FORM_TYPE, type FormPart, toParts, writeForm } from "./form-body.ts";
import { applyChanges, changes } from "./hostile-values.ts";
import type { PublishedInterface, PublishedOperation } from "./published-operations.ts";
import {
  anyKeys,
  anyQueries,
  goodKeys,
  type Headers,
  harmlessHeaders,
  hostileBodies,
  hostileForms,
  hostileHeaders,
  type KeyKind,
  keyHeaders,
  modelNames,
  recordIds,
  toBytes,
  validQueries,
} from "./request-parts.ts";
import { valuesOf } from "./schema-values.ts";
import { type RequestSource, requestSources } from "./valid-requests.ts";

/**
 * A `valid` request must succeed. A `failing model` request is valid, but its model fails. A `schema` request only
 * matches the published schema. All other kinds are invalid in some way.
 */
export type RequestKind = "valid" | "failing model" | "schema" | "near-valid" | "hostile";

/** One generated request, before it is sent to its operation's paths. */
export interface FuzzRequest {
  readonly kind: RequestKind;
  readonly operation: PublishedOperation;
  readonly method: string;
  readonly key: KeyKind;
  readonly keyHeader: (typeof keyHeaders)[number];
  /** Value of the path parameter, if there is one. */
  readonly pathValue: string;
  /** True if the body names the same model as the path, so that paths with and without a model are equivalent. */
  readonly isNamedTwice: boolean;
  readonly query: string;
  readonly headers: Headers;
  readonly contentType: string;
  readonly body: Buffer | null;
}

const carriers = { keyHeader: fc.constantFrom(...keyHeaders) };

/** Generates requests for one published operation, from valid to hostile. */
export function fuzzRequests(operation: PublishedOperation, published: PublishedInterface): fc.Arbitrary<FuzzRequest> {
  if (operation.isAboutRecords) return fc.oneof(...recordRequests(operation, published));
  if (operation.body === null) return fc.oneof(...pageRequests(operation));
  const source = requestSources[operation.id];
  if (source === undefined) throw new Error(`no request source for ${operation.id}`);
  return fc.oneof(...bodyRequests(operation, source, published));
}

function bodyRequests(
  operation: PublishedOperation,
  source: RequestSource,
  published: PublishedInterface,
): fc.Arbitrary<FuzzRequest>[] {
  const { isForm } = operation;
  const withBody = (kind: RequestKind, key: fc.Arbitrary<KeyKind>, bodies: fc.Arbitrary<unknown>) =>
    fc
      .record({
        ...carriers,
        key,
        value: bodies,
        headers: harmlessHeaders,
        query: fc.constantFrom("", "?api-version=1"),
      })
      .map(({ value, ...rest }) => ({ ...rest, kind, operation, method: "POST", ...describeBody(value, isForm) }));
  const bySchema = valuesOf(operation.body ?? {}, published.resolve) as fc.Arbitrary<object>;
  const working = fc.constantFrom(...(source.models.length > 0 ? source.models : ["sim/echo"]));
  const names = source.models.length > 0 ? fc.oneof(working, modelNames) : modelNames;
  const failing = [...source.failures.keys()];
  return [
    withBody("valid", goodKeys, source.bodies(working)),
    withBody(
      "schema",
      goodKeys,
      fc.tuple(bySchema, names).map(([body, model]) => (source.models.length > 0 ? { ...body, model } : body)),
    ),
    withBody(
      "near-valid",
      anyKeys,
      fc.tuple(source.bodies(names), changes).map(([body, wanted]) => applyChanges(body, wanted)),
    ),
    ...(failing.length === 0 ? [] : [withBody("failing model", goodKeys, source.bodies(fc.constantFrom(...failing)))]),
    fc
      .record({
        ...carriers,
        key: anyKeys,
        method: fc.constantFrom("POST", "POST", "POST", "POST", "PUT", "GET", "DELETE", "PATCH"),
        pathValue: modelNames,
        query: anyQueries(operation),
        headers: fc.oneof(harmlessHeaders, hostileHeaders),
        body: isForm ? fc.oneof(hostileForms, hostileBodies) : hostileBodies,
      })
      .map((request) => ({
        ...request,
        kind: "hostile" as const,
        operation,
        isNamedTwice: false,
        contentType: isForm ? FORM_TYPE : "application/json",
      })),
  ];
}

/** These requests refer to records, most of which don't exist, so they don't have to succeed. */
function recordRequests(operation: PublishedOperation, published: PublishedInterface): fc.Arbitrary<FuzzRequest>[] {
  const { method, body } = operation;
  const fixed = { operation, isNamedTwice: false, contentType: "application/json" };
  const bySchema = body === null ? fc.constant(null) : valuesOf(body, published.resolve).map(toBytes);
  return [
    fc
      .record({ ...carriers, key: goodKeys, pathValue: recordIds, headers: harmlessHeaders, body: bySchema })
      .map((request) => ({ ...request, ...fixed, method, query: "", kind: "schema" as const })),
    fc
      .record({
        ...carriers,
        key: anyKeys,
        method: fc.constantFrom(method, method, method, "PUT", "PATCH"),
        pathValue: recordIds,
        query: anyQueries(operation),
        headers: fc.oneof(harmlessHeaders, hostileHeaders),
        body: fc.oneof(fc.constant(null), hostileBodies),
      })
      .map((request) => ({ ...request, ...fixed, kind: "hostile" as const })),
  ];
}

function pageRequests(operation: PublishedOperation): fc.Arbitrary<FuzzRequest>[] {
  const fixed = { operation, isNamedTwice: false, contentType: "application/json" };
  return [
    fc
      .record({
        ...carriers,
        key: operation.isForAdministrators ? fc.constant<KeyKind>("master") : goodKeys,
        method: fc.constantFrom("GET", "GET", "HEAD"),
        pathValue: fc.constantFrom("sim/echo", SCRIPTED_GROUP),
        query: validQueries(operation),
        headers: harmlessHeaders,
      })
      .map((request) => ({ ...request, ...fixed, kind: "valid" as const, body: null })),
    fc
      .record({
        ...carriers,
        key: anyKeys,
        method: fc.constantFrom("GET", "GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE"),
        pathValue: modelNames,
        query: anyQueries(operation),
        headers: fc.oneof(harmlessHeaders, hostileHeaders),
        body: fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: hostileBodies }),
      })
      .map((request) => ({ ...request, ...fixed, kind: "hostile" as const })),
  ];
}

function describeBody(
  value: unknown,
  isForm: boolean,
): Pick<FuzzRequest, "body" | "pathValue" | "isNamedTwice" | "contentType"> {
  const { model, num_retries: retries } = (value ?? {}) as { model?: unknown; num_retries?: unknown };
  // A path has a lower length limit than a body, so a long model name fails in the path for a different reason.
  const isNamedTwice = typeof model === "string" && model !== "" && model.length <= 512 && model.isWellFormed();
  // Many retries with a model that always fails would exceed the time limit.
  const isFailing = typeof model === "string" && /^sim\/(?:error|cut)/.test(model);
  const isPatient = isFailing && typeof retries === "number" && retries > 1;
  const sent = isPatient ? { ...(value as object), num_retries: 0 } : value;
  const body = isForm ? writeForm(partsOf(sent)) : toBytes(sent);
  const contentType = isForm ? FORM_TYPE : "application/json";
  return { body, contentType, pathValue: isNamedTwice ? model : "sim/echo", isNamedTwice };
}

function partsOf(value: unknown): readonly FormPart[] {
  return typeof value === "object" && value !== null ? toParts(value as Record<string, unknown>) : [];
}
