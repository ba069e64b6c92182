import type { TokenCounting } from "../../call/provider.ts";
import { toCountBody } from "../anthropic/count-tokens.ts";
import { modelPath } from "./bedrock-address.ts";
import { bedrockTraits } from "./bedrock-traits.ts";
import { toConverse } from "./to-converse.ts";

/** Requests token counts from Amazon. */
export const bedrockTokenCounting: TokenCounting = {
  buildRequest: (body, target) => {
    const converse = toConverse(toCountBody(body, target), bedrockTraits(target.upstreamModel));
    return {
      path: modelPath(target.upstreamModel, "count-tokens"),
      headers: target.prepared.headers,
      body: Buffer.from(JSON.stringify({ input: { converse } }), "utf8"),
    };
  },
  readCount: (text) => {
    const { inputTokens: tokens } = (JSON.parse(text) ?? {}) as { readonly inputTokens?: unknown };
    return typeof tokens === "number" && Number.isInteger(tokens) && tokens >= 0 ? tokens : null;
  },
};
