import { ApiError } from "@tollgate/sdk/platform";

interface DescribedError {
  /** Error message for the user, as a sentence. */
  readonly message: string;
  readonly requestId: string | null;
  /** URL of the page about this error; null unless a browser can safely open it. */
  readonly docUrl: string | null;
  /** True if the user lacks a role, so a retry would fail again. */
  readonly isNotAllowed: boolean;
}

/** Describes a failure for the user. A network failure has no request ID because no response was received. */
export function describeError(error: unknown): DescribedError {
  if (error instanceof ApiError) {
    return {
      message:
        [error.message, error.fix]
          .filter((text) => text !== null)
          .map(withPeriod)
          .join(" ") + retryHint(error.retryAfterSeconds),
      requestId: error.requestId,
      docUrl: /^https?:\/\//.test(error.docUrl ?? "") ? error.docUrl : null,
      isNotAllowed: error.status === 403,
    };
  }
  return { message: plainMessage(error), requestId: null, docUrl: null, isNotAllowed: false };
}

function plainMessage(error: unknown): string {
  if (error instanceof DOMException && (error.name === "TimeoutError" || error.name === "AbortError")) {
    return "The server did not respond in time.";
  }
  // `fetch` throws a TypeError if no response arrives. Its message differs between browsers.
  if (error instanceof TypeError) return "Could not reach the server. Check your connection.";
  return error instanceof Error ? withPeriod(error.message) : "Unknown error.";
}

function retryHint(seconds: number | null): string {
  return seconds === null ? "" : ` Try again in ${seconds} s.`;
}

function withPeriod(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
