import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useCall } from "../../api/queries.ts";
import { isOpenOrder, type Purchase } from "./purchase-state.tsx";

const FAST_MS = 2_000;
const SLOW_MS = 15_000;
/** Age after which an unpaid order is assumed to be abandoned. */
const FRESH_MS = 15 * 60_000;

const touched = ["listPurchases", "getBurnRate", "getQuota", "listLedger", "listTeams", "getTeam"];

/** Returns the order, polled every two seconds until it is final. Then the balance is refetched. */
export function useOrder(id: string): Purchase | null {
  const queries = useQueryClient();
  const known = queries.getQueryData<{ purchase: Purchase }>(["getPurchase", { params: { id } }])?.purchase;
  const { data } = useCall("getPurchase", { params: { id } }, { enabled: id !== "", refetchMs: paceOf(known) });
  const purchase = data?.purchase.id === id ? data.purchase : null;
  const status = purchase?.status;
  const before = useRef({ id, status });
  useEffect(() => {
    const { id: lastId, status: lastStatus } = before.current;
    before.current = { id, status };
    if (lastId !== id || lastStatus === undefined || lastStatus === status) return;
    for (const name of touched) void queries.invalidateQueries({ queryKey: [name] });
  }, [id, status, queries]);
  return purchase;
}

function paceOf(purchase: Purchase | undefined): number | false {
  if (purchase === undefined || !isOpenOrder(purchase)) return false;
  return Date.now() - new Date(purchase.createdAt).getTime() < FRESH_MS ? FAST_MS : SLOW_MS;
}
