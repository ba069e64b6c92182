import { useQueries } from "@tanstack/react-query";
import type { CostQuote } from "@tollgate/sdk/gateway";
import { gatewayOf } from "../../api/gateway-of.ts";
import { useSettled } from "../../components/use-settled.ts";

/**
 * Returns the estimated cost of each body while the user types; null if unknown. No model is called, and nothing is
 * charged.
 */
export function useQuotes(keyId: string, operation: string, bodies: readonly object[]): readonly (CostQuote | null)[] {
  const written = useSettled(JSON.stringify(bodies));
  const settled = JSON.parse(written) as readonly object[];
  const quotes = useQueries({
    queries: settled.map((body) => ({
      queryKey: ["quote", keyId, operation, JSON.stringify(body)],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await gatewayOf(keyId).quoteCost(body, operation, { signal })).data,
      enabled: keyId !== "",
      staleTime: 60_000,
      gcTime: 60_000,
      retry: false,
    })),
  });
  return bodies.map((_, index) => quotes[index]?.data ?? null);
}
