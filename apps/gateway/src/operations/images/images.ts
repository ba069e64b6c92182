import { Failure } from "@tollgate/contracts/failures.ts";
import { ImageRequest, ImageRequestForModel, imageParams } from "@tollgate/contracts/images/image-request.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import { readableRequest } from "../../call/call-body.ts";
import type { Deployment } from "../../call/deployment.ts";
import type { OperationKind } from "../../call/operation-kind.ts";
import { countText } from "../../tokens/count-text.ts";
import { countImages } from "./count-images.ts";
import { imageOutputTokens } from "./image-output-tokens.ts";
import { imagePrice } from "./image-price.ts";

/** Images: generates images from a description. */
export const images: OperationKind<ImageRequest> = {
  name: "images.generations",
  fields: {
    required: ["prompt"],
    params: imageParams,
    own: ["stream", "partial_images"],
    settled: new Set(["model", "prompt", "n", "size", "quality", "stream", "response_format"]),
  },
  schema: ImageRequest,
  schemaForModel: ImageRequestForModel,
  keepsRequest: true,
  check: (request) => {
    if (request.stream !== true && (request.partial_images ?? 0) === 0) return;
    throw new Failure("unsupported_parameter", "Streaming is not supported for images.", {
      param: request.stream === true ? "stream" : "partial_images",
    });
  },
  formOf: () => "whole",
  wantsUsage: () => false,
  pricedAs: (call, deployment) => imagePrice(call.body.request, deployment),
  boundUsage: (call, deployment) => {
    const request = readableRequest(call.body);
    return usageOf(deployment, request, Buffer.byteLength(request.prompt), request.n ?? 1);
  },
  countUsage: (call, deployment, answer) => {
    const request = readableRequest(call.body);
    const asked = request.n ?? 1;
    return usageOf(
      deployment,
      request,
      countText(request.prompt),
      answer === null ? asked : countImages(answer, asked),
    );
  },
};

/** Returns the usage in the units that the deployment charges for. */
function usageOf(deployment: Deployment, request: ImageRequest, promptTokens: number, images: number): Usage {
  const { price } = imagePrice(request, deployment) ?? deployment;
  const each = imageOutputTokens(request);
  return {
    ...NO_USAGE,
    images,
    inputTokens: price !== null && price.input > 0n ? promptTokens : 0,
    outputTokens: price !== null && price.output > 0n ? images * each : 0,
    source: "estimated",
  };
}
