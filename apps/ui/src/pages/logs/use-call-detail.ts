import { useEffect } from "react";
import { useCall } from "../../api/queries.ts";
import { isOnItsWay } from "../../components/logged-call.ts";

const SOON_MS = 2_000;
const LATER_MS = 10_000;

/** Returns the details of a request. Refetches until its payload is stored, if one is expected. */
export function useCallDetail(callId: string) {
  const answer = useCall("getLog", { params: { id: callId } }, { staleMs: 60_000 });
  const { data, refetch } = answer;
  useEffect(() => {
    if (data === undefined || !isOnItsWay(data.log)) return;
    const isFresh = Date.now() - new Date(data.log.createdAt).getTime() - data.log.latencyMs < 2 * SOON_MS;
    const timer = setTimeout(() => void refetch(), isFresh ? SOON_MS : LATER_MS);
    return () => clearTimeout(timer);
  }, [data, refetch]);
  return answer;
}
