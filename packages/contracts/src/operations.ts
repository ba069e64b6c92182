import type { TSchema } from "typebox";

/** An operation's response for one status code. */
export interface AnswerDescription {
  readonly description: string;
  /** The management API sends only the fields in this schema, even if the handler returns others. */
  readonly schema?: TSchema;
  readonly contentType?: string;
  /** Other media types of the response, each either text or bytes. */
  readonly otherTypes?: readonly string[];
  /** Schema of one frame if the response is sent as server-sent events. */
  readonly streamed?: TSchema;
}

/**
 * One row of an interface's operations table, which is used for policy, documentation, and tests. Each interface adds
 * the fields of its own policy, so no route type-checks without its limits and its authentication.
 */
export interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly tag: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The first path is canonical, and the other paths are equivalent to it. `{name}` is a parameter. */
  readonly paths: readonly string[];
  /** Who may call the operation. `none` means that no authentication is required. */
  readonly auth: string;
  readonly bodyLimitBytes: number;
  readonly timeoutMs: number;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /** A missing body is treated as an empty object. */
  readonly isBodyOptional?: boolean;
  /** Media type of the request body; JSON by default. */
  readonly bodyContentType?: string;
  /** Body schema for paths that name the model, where `model` is optional. */
  readonly bodyUnderModelPath?: TSchema;
  readonly answers: Readonly<Record<number, AnswerDescription>>;
}

/** An operation of the gateway, for callers with an API key. Model names in its paths may contain slashes. */
export interface OperationDescription extends Operation {
  readonly tag: GatewayTag;
  readonly method: "GET" | "POST" | "DELETE";
  readonly auth: "key" | "none";
  /** Name for this operation in a key's `allowed_routes`, in addition to its paths. Every key may use `self`. */
  readonly routeGroup: "inference" | "information" | "management" | "public" | "self";
  readonly billing: "priced" | "free";
}

type GatewayTag =
  | "models"
  | "chat"
  | "messages"
  | "completions"
  | "embeddings"
  | "moderations"
  | "audio"
  | "images"
  | "rerank"
  | "responses"
  | "assistants"
  | "management"
  | "utilities"
  | "health"
  | "reference";

/** Returns an operation's path, both without and with the version prefix. */
export function versionedPaths(path: string): readonly string[] {
  return [path, `/v1${path}`];
}

/** Returns the four paths of an operation that accepts the model in the path. */
export function modelPaths(path: string): readonly string[] {
  return [...versionedPaths(path), `/engines/{model}${path}`, `/openai/deployments/{model}${path}`];
}
