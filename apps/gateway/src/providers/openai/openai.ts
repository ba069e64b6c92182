import type { PreparedTarget, Provider, TargetSettings } from "../../call/provider.ts";
import { messageFields } from "../anthropic/request-fields.ts";
import { bearer, prepareTarget } from "../build-request.ts";
import { unpricedEverywhere } from "../compile-fields.ts";
import { ownFields } from "./own-fields.ts";
import { readOpenAiFailure } from "./read-failure.ts";
import { listsOf } from "./request-fields.ts";
import { translationsOf } from "./translations.ts";
import type { OpenAiWire } from "./wire.ts";

/**
 * Creates a provider that uses the OpenAI format. To add a provider, add an entry to `wires.ts` and a recorded fixture.
 */
export function openAiWire(wire: OpenAiWire): Provider {
  return {
    name: wire.name,
    defaultApiBase: wire.apiBase,
    apiKeyVariable: wire.keyVariable,
    ...(wire.otherKeyVariables !== undefined && { otherKeyVariables: wire.otherKeyVariables }),
    translations: translationsOf(wire),
    prepare: wire.prepare ?? ((target) => prepareWire(wire, target)),
    ...(wire.layerOf !== undefined && { layerOf: wire.layerOf }),
    ...(wire.credentialSourceOf !== undefined && { credentialSourceOf: wire.credentialSourceOf }),
    ...(wire.optionVariables !== undefined && { optionVariables: wire.optionVariables }),
    requestFields: (operation) =>
      operation === "messages" ? [unpricedEverywhere, messageFields] : listsOf(operation, ownFields[wire.name]),
    ...(wire.requestHeaders !== undefined && { requestHeaders: wire.requestHeaders }),
    outputLimitParam: wire.outputLimitParam ?? "max_tokens",
    readFailure: readOpenAiFailure,
    ...(wire.reportsCost !== undefined && { reportsCost: wire.reportsCost }),
    ...(wire.completesText !== undefined && { completesText: wire.completesText }),
    ...(wire.leastBilledMs !== undefined && { leastBilledMs: wire.leastBilledMs }),
    ...(wire.hasResponses !== undefined && { hasResponses: wire.hasResponses }),
  };
}

function prepareWire(wire: OpenAiWire, { upstreamModel, apiBase, apiKey }: TargetSettings): PreparedTarget {
  const model = wire.upstreamName?.(upstreamModel) ?? upstreamModel;
  const prepared = prepareTarget(model, apiKey, bearer);
  const { version } = wire;
  const hasVersion = version === undefined || apiBase == null || apiBase.replace(/\/+$/, "").endsWith(version);
  return hasVersion ? prepared : { ...prepared, path: { prefix: version, suffix: "" } };
}
