import { Failure } from "@tollgate/contracts/failures.ts";
import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import type { Exchange } from "../call/exchange.ts";
import type { ErrorFormat } from "../call/operation-traits.ts";

/** An operation on the fast path. It reads the request body and writes the response itself. */
export interface InferenceOperation extends OperationDescription {
  /** Set if the operation's clients don't expect OpenAI's error format. */
  readonly words?: ErrorFormat;
  handle(exchange: Exchange): Promise<void>;
}

export interface MatchedRoute {
  readonly operation: InferenceOperation;
  readonly pathModel: string | null;
}

interface ModelRoute {
  readonly prefix: string;
  readonly suffix: string;
  readonly operation: InferenceOperation;
}

/**
 * Finds inference operations by path. Paths without a parameter need one lookup. The few paths with a parameter are
 * compared one by one.
 */
export class RouteTable {
  readonly #exact = new Map<string, MatchedRoute>();
  readonly #modelRoutes: ModelRoute[] = [];
  readonly #rootPath: string;

  constructor(operations: readonly InferenceOperation[], rootPath: string) {
    this.#rootPath = rootPath;
    for (const operation of operations) {
      for (const path of operation.paths) {
        const parameter = path.indexOf("{model}");
        if (parameter < 0) this.#exact.set(path, { operation, pathModel: null });
        else {
          const suffix = path.slice(parameter + "{model}".length);
          this.#modelRoutes.push({ prefix: path.slice(0, parameter), suffix, operation });
        }
      }
    }
  }

  /** Returns the operation at this request target, or null. */
  match(target: string): MatchedRoute | null {
    const direct = this.#exact.get(target);
    if (direct !== undefined) return direct;
    const path = canonicalPath(target, this.#rootPath);
    const exact = this.#exact.get(path);
    if (exact !== undefined) return exact;
    for (const { prefix, suffix, operation } of this.#modelRoutes) {
      if (path.startsWith(prefix) && path.endsWith(suffix) && path.length > prefix.length + suffix.length) {
        return { operation, pathModel: decodeModel(path.slice(prefix.length, path.length - suffix.length)) };
      }
    }
    return null;
  }
}

/**
 * Returns the path without the query and the root path. A doubled version prefix, which some clients produce, is
 * collapsed.
 */
export function canonicalPath(target: string, rootPath: string): string {
  const query = target.indexOf("?");
  let path = query < 0 ? target : target.slice(0, query);
  if (rootPath !== "" && path.startsWith(`${rootPath}/`)) path = path.slice(rootPath.length);
  while (path.startsWith("/v1/v1/")) path = path.slice("/v1".length);
  return path;
}

function decodeModel(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new Failure("invalid_request", "The model in the path has invalid percent-encoding.", { param: "model" });
  }
}

/** Shared description fields of all inference operations. */
export const inferenceRules = {
  method: "POST",
  auth: "key",
  routeGroup: "inference",
  billing: "priced",
  timeoutMs: 600_000,
} as const;
