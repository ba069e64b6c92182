import { Failure } from "@tollgate/contracts/failures.ts";
import type { UpstreamHeaders } from "../../call/provider.ts";
import { readError } from "../openai/read-error.ts";
import { readOpenAiFailure } from "../openai/read-failure.ts";
import { redactKeysAndUrls } from "../redact-keys-and-urls.ts";

/** Nonstandard statuses: 498 is an invalid API key, and 499 is a canceled call. */
const INVALID_TOKEN = 498;
const GIVEN_UP = 499;

/** Converts a Cohere error to a failure. Only messages about the request itself are passed on. */
export function readCohereFailure(status: number, headers: UpstreamHeaders, body: string): Failure {
  if (status === INVALID_TOKEN) return readOpenAiFailure(401, headers, body);
  if (status === GIVEN_UP) return readOpenAiFailure(503, headers, body);
  const { message } = readError(body);
  if (status === 400 && message !== null && /too many tokens|size limit exceeded/i.test(message)) {
    return new Failure("context_length_exceeded", redactKeysAndUrls(message), {
      detail: { upstreamStatus: status },
    });
  }
  return readOpenAiFailure(status, headers, body);
}
