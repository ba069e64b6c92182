import { ImageRequest, ImageRequestForModel } from "@tollgate/contracts/images/image-request.ts";
import { ImageResponse } from "@tollgate/contracts/images/image-response.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { images } from "../../operations/images/images.ts";
import { inferenceOperation } from "../../pipeline/handle-call.ts";
import type { CallSteps } from "../../pipeline/steps.ts";
import { type InferenceOperation, inferenceRules } from "../route-table.ts";
import { inferenceFailures } from "./inference-failures.ts";

/** Generates images from text. */
export const createImages = (steps: CallSteps): InferenceOperation =>
  inferenceOperation(steps, images, {
    ...inferenceRules,
    id: "createImage",
    summary: "Create images",
    tag: "images",
    paths: [...versionedPaths("/images/generations"), "/openai/deployments/{model}/images/generations"],
    bodyLimitBytes: 50 * 1024 * 1024,
    body: ImageRequest,
    bodyUnderModelPath: ImageRequestForModel,
    answers: {
      200: { description: "The images, or their URLs.", schema: ImageResponse },
      ...inferenceFailures,
    },
  });
