import fc from "fast-check";
import { SCRIPTED_GROUP } from "../stage/start-stage.ts";
import { applyChanges, changes } from "./hostile-values.ts";
import type { PublishedInterface, PublishedOperation } from "./published-operations.ts";
import {
  anyKeys,
  anyQueries,
  goodKeys,
  type Headers,
  harmlessHeaders,
  hostileBodies,
  hostileHeaders,
  type KeyKind,
  keyHeaders,
  modelNames,
  toBytes,
  validQueries,
} from "./request-parts.ts";
import { valuesOf } from "./schema-values.ts";
import { failingModels, validChats, workingModels } from "./valid-chat.ts";

/**
 * `valid` must succeed, and `told to fail` is valid for a model that fails; `schema` meets the published schema and no
 * more; the others are wrong in some way.
 */
export type RequestKind = "valid" | "told to fail" | "schema" | "near-valid" | "hostile";

/** One generated request, before it is put on one of its operation's paths. */
export interface FuzzRequest {
  readonly kind: RequestKind;
  readonly operation: PublishedOperation;
  readonly method: string;
  readonly key: KeyKind;
  readonly keyHeader: (typeof keyHeaders)[number];
  /** What stands in the path's parameter, where there is one. */
  readonly pathValue: string;
  /** The body names the same model as the path, so that paths with and without it mean the same. */
  readonly isNamedTwice: boolean;
  readonly query: string;
  readonly headers: Headers;
  readonly body: Buffer | null;
  /** Chooses one of the paths, or all of them to compare. */
  readonly twin: number | "all";
}

const twins: fc.Arbitrary<number | "all"> = fc.oneof(
  { weight: 2, arbitrary: fc.nat(3) },
  { weight: 1, arbitrary: fc.constant("all" as const) },
);
const carriers = { keyHeader: fc.constantFrom(...keyHeaders), twin: twins };

/** Requests for every operation of a published interface, from right to hostile. */
export function fuzzRequests(published: PublishedInterface): fc.Arbitrary<FuzzRequest> {
  const chats = published.operations.filter(({ body }) => body !== null);
  const others = published.operations.filter(({ body }) => body === null);
  return fc.oneof(
    { weight: 2, arbitrary: fc.oneof(...chats.flatMap((operation) => chatRequests(operation, published))) },
    { weight: 1, arbitrary: fc.oneof(...others.flatMap(pageRequests)) },
  );
}

function chatRequests(operation: PublishedOperation, published: PublishedInterface): fc.Arbitrary<FuzzRequest>[] {
  const withBody = (kind: RequestKind, key: fc.Arbitrary<KeyKind>, bodies: fc.Arbitrary<unknown>) =>
    fc
      .record({
        ...carriers,
        key,
        value: bodies,
        headers: harmlessHeaders,
        query: fc.constantFrom("", "?api-version=1"),
      })
      .map(({ value, ...rest }) => ({ ...rest, kind, operation, method: "POST", ...describeBody(value) }));
  const bySchema = valuesOf(operation.body ?? {}, published.resolve) as fc.Arbitrary<object>;
  return [
    withBody("valid", goodKeys, validChats(fc.constantFrom(...workingModels))),
    withBody(
      "schema",
      goodKeys,
      fc.tuple(bySchema, modelNames).map(([body, model]) => ({ ...body, model })),
    ),
    withBody(
      "near-valid",
      anyKeys,
      fc.tuple(validChats(modelNames), changes).map(([body, wanted]) => applyChanges(body, wanted)),
    ),
    withBody("told to fail", goodKeys, validChats(fc.constantFrom(...failingModels.keys()))),
    fc
      .record({
        ...carriers,
        key: anyKeys,
        method: fc.constantFrom("POST", "POST", "POST", "POST", "PUT", "GET", "DELETE", "PATCH"),
        pathValue: modelNames,
        query: anyQueries(operation),
        headers: fc.oneof(harmlessHeaders, hostileHeaders),
        body: hostileBodies,
      })
      .map((request) => ({ ...request, kind: "hostile" as const, operation, isNamedTwice: false })),
  ];
}

function pageRequests(operation: PublishedOperation): fc.Arbitrary<FuzzRequest>[] {
  const fixed = { operation, isNamedTwice: false };
  return [
    fc
      .record({
        ...carriers,
        key: goodKeys,
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

function describeBody(value: unknown): Pick<FuzzRequest, "body" | "pathValue" | "isNamedTwice"> {
  const model = (value as { model?: unknown } | null)?.model;
  // A path ends sooner than a body, so a long name is refused for another reason there.
  const isNamedTwice = typeof model === "string" && model !== "" && model.length <= 512 && model.isWellFormed();
  return { body: toBytes(value), pathValue: isNamedTwice ? model : "sim/echo", isNamedTwice };
}
