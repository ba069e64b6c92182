import { MalformedResponse } from "../../call/provider.ts";

/** A failed call, with the upstream's error response if it is readable. */
export type AdapterFailure =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly kind: "broken"; readonly error: Error };

interface AdapterError {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly statusCode?: unknown;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: unknown;
}

/** HTTP status for each error name that packages use. */
const statuses: Readonly<Record<string, number>> = {
  AI_UnsupportedFunctionalityError: 400,
  AI_InvalidPromptError: 400,
  AI_InvalidArgumentError: 400,
  AI_TooManyEmbeddingValuesForCallError: 400,
  AI_NoSuchModelError: 404,
  AI_NoSuchProviderReferenceError: 400,
  // The operator must fix a missing or wrong API key.
  AI_LoadAPIKeyError: 401,
  AI_LoadSettingError: 401,
};
/** Names of errors for responses that arrived but could not be used. */
const unreadableNames: ReadonlySet<string> = new Set([
  "AI_EmptyResponseBodyError",
  "AI_InvalidResponseDataError",
  "AI_JSONParseError",
  "AI_NoContentGeneratedError",
  "AI_TypeValidationError",
]);
const passedHeaders = ["retry-after", "retry-after-ms", "x-request-id"] as const;

/** Classifies an adapter's error by its fields, because packages may bundle their own copies of the error classes. */
export function readAdapterError(error: unknown): AdapterFailure {
  const { name, message, cause, statusCode, responseHeaders, responseBody } = (error ?? {}) as AdapterError;
  if (typeof statusCode === "number" && statusCode >= 400) {
    const headers = Object.fromEntries(
      passedHeaders.flatMap((header) => {
        const value = responseHeaders?.[header];
        return value === undefined ? [] : [[header, value]];
      }),
    );
    const body = typeof responseBody === "string" && responseBody !== "" ? responseBody : errorBody(message);
    return { kind: "answered", status: statusCode, headers, body };
  }
  const status = statuses[String(name)];
  if (status !== undefined) return { kind: "answered", status, headers: {}, body: errorBody(message) };
  if (!(error instanceof Error)) return reported(error);
  if (typeof statusCode === "number" || unreadableNames.has(String(name))) {
    return {
      kind: "broken",
      error: new MalformedResponse("the adapter could not parse the response", { cause: error }),
    };
  }
  // The cause is an error from the gateway's own connection, which is handled as in any other call.
  return { kind: "broken", error: cause instanceof Error ? cause : error };
}

/** Converts a failure reported inside a stream, with the upstream's own message. */
function reported(error: unknown): AdapterFailure {
  const { code, status } = (error ?? {}) as { readonly code?: unknown; readonly status?: unknown };
  const number = Number(status ?? code);
  const isStatus = Number.isInteger(number) && number >= 400 && number < 600;
  const said = typeof error === "object" && error !== null ? error : { message: String(error) };
  return { kind: "answered", status: isStatus ? number : 500, headers: {}, body: JSON.stringify({ error: said }) };
}

function errorBody(message: unknown): string {
  return JSON.stringify({ error: { message: typeof message === "string" ? message : "" } });
}
