import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { gatewayOf } from "../../api/gateway-of.ts";

interface ReadOptions {
  readonly enabled?: boolean;
  readonly refetchMs?: number | false;
}

/** Reads from the gateway with one of the user's keys. */
export function useGateway<Data>(keyId: string, path: string, { enabled = true, refetchMs = false }: ReadOptions = {}) {
  return useQuery({
    queryKey: ["relay", keyId, path],
    queryFn: async ({ signal }) => (await gatewayOf(keyId).request<Data>("GET", path, { signal })).data,
    enabled: enabled && keyId !== "",
    refetchInterval: refetchMs,
    staleTime: 2_000,
    placeholderData: keepPreviousData,
  });
}
