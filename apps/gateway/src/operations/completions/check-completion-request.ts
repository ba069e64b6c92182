import type { CompletionRequest } from "@tollgate/contracts/completions/completion-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";

/** Checks completion request rules that a schema can't express. */
export function checkCompletionRequest(request: CompletionRequest): void {
  const { best_of: bestOf, n, stream } = request;
  if (bestOf != null && bestOf < (n ?? 1)) {
    throw new Failure("invalid_request", "'best_of' must be at least 'n'.", { param: "best_of" });
  }
  if (bestOf != null && bestOf > 1 && stream === true) {
    throw new Failure("invalid_request", "'best_of' cannot be streamed.", { param: "best_of" });
  }
  if (request.stream_options != null && stream !== true) {
    throw new Failure("invalid_request", "'stream_options' requires 'stream: true'.", { param: "stream_options" });
  }
}
