import { describe, expect, test } from "vitest";
import { readBedrockFailure, readStreamException } from "./read-failure.ts";

const failed = (status: number, type: string, message: string) =>
  readBedrockFailure(status, { "x-amzn-errortype": type }, JSON.stringify({ message }));

describe("Bedrock failure", () => {
  test.for([
    [400, "ValidationException", "The value at inferenceConfig.temperature is wrong", "invalid_request"],
    [400, "ValidationException", "Input is too long for requested model.", "context_length_exceeded"],
    [400, "ValidationException", "The provided model identifier is invalid.", "model_not_found"],
    [400, "ServiceQuotaExceededException", "too much", "upstream_rate_limit"],
    [404, "ResourceNotFoundException", "no such profile", "model_not_found"],
    [408, "ModelTimeoutException", "slow", "timeout"],
    [424, "ModelErrorException", "the model fell over", "service_unavailable"],
    [
      429,
      "ThrottlingException:http://internal.amazon.com/coral/com.amazon.bedrock/",
      "Too many",
      "upstream_rate_limit",
    ],
    [429, "ModelNotReadyException", "warming up", "service_unavailable"],
    [500, "InternalServerException", "oops", "internal_error"],
    [503, "ServiceUnavailableException", "later", "service_unavailable"],
  ] as const)("with status %i, type %s, and message '%s' maps to %s", ([status, type, message, code]) => {
    expect(failed(status, type, message).code).toBe(code);
  });

  test.for([
    [403, "AccessDeniedException"],
    [403, "InvalidSignatureException"],
    [400, "ExpiredTokenException"],
    [403, "UnrecognizedClientException"],
    [401, ""],
  ] as const)(
    "with status %i and type '%s' becomes a credential error that doesn't reveal the account ID",
    ([status, type]) => {
      const failure = failed(status, type, "User: arn:aws:iam::123456789012:user/gateway is not authorized");
      expect(failure).toMatchObject({ code: "internal_error", message: "upstream credential rejected" });
      expect(failure.facts.detail).toMatchObject({ isCredential: true });
    },
  );

  test("includes Amazon's message only if the message is about the request", () => {
    expect(failed(400, "ValidationException", "maxTokens must be positive").message).toBe("maxTokens must be positive");
    expect(failed(500, "InternalServerException", "node 10.0.0.1 failed").message).not.toContain("10.0.0.1");
    expect(readBedrockFailure(400, {}, '{"__type":"com.amazon#ThrottlingException","Message":"x"}').code).toBe(
      "upstream_rate_limit",
    );
    expect(readBedrockFailure(502, {}, "<html>").code).toBe("bad_gateway");
  });

  test.for([
    ["throttlingException", "upstream_rate_limit"],
    ["modelStreamErrorException", "service_unavailable"],
    ["validationException", "invalid_request"],
    ["internalServerException", "internal_error"],
    ["serviceUnavailableException", "service_unavailable"],
    ["somethingNew", "internal_error"],
  ] as const)("with name %s in a stream maps to %s", ([name, code]) => {
    expect(readStreamException(name, { message: "words" }).code).toBe(code);
  });
});
