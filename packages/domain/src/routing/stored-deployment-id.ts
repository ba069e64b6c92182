import { createHash } from "node:crypto";

/** Returns the deployment ID of a model, which doesn't depend on the model's price, URL, or credential. */
export function storedDeploymentId(modelId: string): string {
  // cspell:ignore catalogue -- The hash of an existing deployment must not change.
  return createHash("sha256").update(`catalogue\n${modelId}`).digest("hex");
}
