import { useQueries } from "@tanstack/react-query";
import { gatewayOf } from "../../api/gateway-of.ts";

/** Returns each model's supported parameters from the gateway; null if unknown. */
export function useSupportedParams(
  keyId: string,
  models: readonly string[],
): ReadonlyMap<string, readonly string[] | null> {
  const answers = useQueries({
    queries: models.map((model) => ({
      queryKey: ["supportedParams", keyId, model],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await gatewayOf(keyId).listSupportedParams(model, { signal })).data.supported_openai_params,
      enabled: keyId !== "" && model !== "",
      staleTime: 300_000,
      retry: false,
    })),
  });
  return new Map(models.map((model, index) => [model, answers[index]?.data ?? null]));
}
