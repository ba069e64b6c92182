import { Failure } from "@tollgate/contracts/failures.ts";
import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";

/** Rejects gateway fields that this gateway doesn't support. */
export function checkGatewayFields({ mock_response: mock }: InferenceRequest): void {
  if (mock != null) {
    throw new Failure("invalid_request", "Mock responses are not supported. Use a simulated model.", {
      param: "mock_response",
    });
  }
}
